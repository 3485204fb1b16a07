#!/usr/bin/env bash
# ClickHouse's rankCorr, "Spearman's coefficient", counts as if there were no ties: a model and its opposite both correlate.
#
# Seen with chdb 4.4.0 (ClickHouse 26.9), 2026-11-29: equal values share their mean rank, yet the coefficient is taken by
# 1 - 6 sum(d^2) / (n (n^2 - 1)), which holds without ties alone; Pearson's coefficient of the same ranks is what SciPy
# has. Ratings of pairs of sentences are full of ties. With ratings of 0 and 1, 54 and 6 of 60, a model's scores and the
# same scores with the other sign both have more than .3, and a model with one score for all has .51, not NaN.
# Exit status 0 while it is so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check chdb==4.4.0 scipy==1.17.1
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from importlib.metadata import version

import chdb
import numpy as np
from scipy.stats import spearmanr

CHANGED = "the behaviour has changed"
print(f"chdb {version('chdb')}, ClickHouse {chdb.query('select version()')}".strip())


def rank_correlation(gold, scores) -> float:
    rows = ",".join(f"({a},{b})" for a, b in zip(gold, scores))
    return float(str(chdb.query(f"select rankCorr(a, b) from values('a Float64, b Float64', {rows})")))


def seen(what: str, gold, scores) -> tuple[float, float]:
    found = rank_correlation(gold, scores), float(spearmanr(gold, scores)[0])
    print(f"{what}: rankCorr {found[0]:+.3f}, SciPy {found[1]:+.3f}")
    return found


noise = np.random.default_rng(0).normal(size=60)
rare, grades = np.repeat([0.0, 1.0], [54, 6]), np.repeat(np.arange(6.0), 10)
there, truly = seen("ratings 0 and 1, a model's scores", rare, noise)
back, opposite = seen("the same with the other sign      ", rare, -noise)
assert there > 0.3 and back > 0.3 and abs(truly + opposite) < 1e-9, CHANGED
same, undefined = seen("ratings 0 to 5, one score for all ", grades, np.ones(60))
assert same > 0.5 and np.isnan(undefined), CHANGED
distinct, right = seen("no ties                           ", noise, noise**3 + grades)
assert abs(distinct - right) < 1e-9, CHANGED
PYTHON
