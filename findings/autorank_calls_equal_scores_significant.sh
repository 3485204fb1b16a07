#!/usr/bin/env bash
# autorank reports two methods with the same scores as significantly different, with p=nan.
#
# Seen with autorank 1.3.0, 2026-11-28: two columns of the same ten scores, as of an option that changes nothing. The
# p of the paired t-test is nan, and create_report() writes "We reject the null hypothesis (p=nan) … the mean value of
# control is significantly larger than the mean value of ours" of two means that are equal: it asks whether p >= alpha,
# which nan is not. Of three equal columns another test is taken, and the report finds no difference.
# Exit status 0 while it is so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check autorank==1.3.0
"$folder/venv/bin/python" - <<'PYTHON'
import contextlib
import io
import math
import warnings
from importlib.metadata import version

import numpy as np
import pandas as pd
from autorank import autorank, create_report

warnings.simplefilter("ignore")
scores = np.random.default_rng(0).normal(75, 0.8, size=10)


def reported(*names: str) -> tuple[float, str]:
    with contextlib.redirect_stdout(io.StringIO()) as said:
        result = autorank(pd.DataFrame(dict.fromkeys(names, scores)))
        create_report(result)
    [line] = [line for line in said.getvalue().splitlines() if "null hypothesis (p=" in line][-1:]
    return result.pvalue, line


p, two = reported("control", "ours")
_, three = reported("control", "ours", "other")
print(f"autorank {version('autorank')}, ten scores, the same in each column")
print(f"two columns, p = {p}: {two}")
print(f"three columns: {three}")
assert math.isnan(p) and two.startswith("We reject"), "the behaviour has changed"
assert "control is significantly larger than the mean value of ours" in two, "the behaviour has changed"
assert "no statistically significant difference" in three, "the behaviour has changed"
PYTHON
