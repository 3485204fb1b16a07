#!/usr/bin/env bash
# The Spearman correlation of permute is not that of the ranks, and changes with the order of the rows.
#
# Seen with permute 0.2, 2026-11-29: spearman_corr takes np.argsort(x), the places where the least, the second least, ...
# value stands, for the ranks, which would be np.argsort(np.argsort(x)). The two are the same where x is sorted. Of five
# samples of 50 pairs with true coefficients of .62 to .74 it gives -.23 to +.10, with permutation p-values of .23 to .96;
# the same pairs sorted by the first variable give the right ones.
# Exit status 0 while it is so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check permute==0.2 numpy==2.4.6 scipy==1.17.1
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from importlib.metadata import version

import numpy as np
from permute.core import spearman_corr
from scipy.stats import spearmanr

print(f"permute {version('permute')}: Spearman's coefficient of 50 pairs (p)")
for sample in range(5):
    random = np.random.default_rng(sample)
    gold = random.normal(size=50)
    scores = gold + random.normal(size=50)
    order = np.argsort(gold)
    right = spearmanr(gold, scores)[0]
    given, p = spearman_corr(gold, scores, reps=200, seed=0)[:2]
    by_gold, p_by_gold = spearman_corr(gold[order], scores[order], reps=200, seed=0)[:2]
    print(f"SciPy {right:.3f}; as given {given:+.3f} ({p:.2f}), sorted by the first {by_gold:+.3f} ({p_by_gold:.3f})")
    assert right > 0.6 and given < 0.15 and p > 0.2, "the behaviour has changed"
    assert abs(by_gold - right) < 1e-9 and p_by_gold < 0.01, "the behaviour has changed"
PYTHON
