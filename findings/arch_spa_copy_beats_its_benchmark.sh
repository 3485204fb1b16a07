#!/usr/bin/env bash
# The SPA test of arch calls a model that equals the benchmark in every item, or is worse by a constant, superior to it.
#
# Seen with arch 8.0.0, 2026-11-28: the p-value of Hansen's test of superior predictive ability counts the bootstrap
# statistics that are larger than the observed one. Where a model's losses differ from the benchmark's by a constant, all
# of them are equal to it, so that p is 0: of a copy of the benchmark in all three forms (lower, consistent, upper), of
# one that is worse by 1 in every item in the first two. One worse in five items of 200 has p = .42. Methods with equal
# scores are common where one setting of two changes nothing. StepM, of the same module, calls none of them superior.
# Exit status 0 while it is so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check arch==8.0.0
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from importlib.metadata import version

import numpy as np
from arch.bootstrap import SPA, StepM

print(f"arch {version('arch')}: p-values of SPA, of one model against the benchmark, 200 items")
benchmark = np.random.default_rng(0).uniform(size=200)  # the loss of each item
models = {
    "a copy": benchmark,
    "worse by 1 everywhere": benchmark + 1,
    "worse by .5 in five items": benchmark + np.where(np.arange(200) < 5, 0.5, 0),
}
found = {}
for name, losses in models.items():
    test = SPA(benchmark, losses[:, None], block_size=1, reps=1000, seed=1)
    test.compute()
    found[name] = [float(test.pvalues[form]) for form in ("lower", "consistent", "upper")]
    print(f"{name}: lower {found[name][0]:.2f}, consistent {found[name][1]:.2f}, upper {found[name][2]:.2f}")
assert found["a copy"] == [0, 0, 0], "the behaviour has changed"
assert found["worse by 1 everywhere"][:2] == [0, 0], "the behaviour has changed"
assert found["worse by .5 in five items"][1] > 0.2, "the behaviour has changed"
step = StepM(benchmark, np.column_stack(list(models.values())), block_size=1, seed=1)
step.compute()
print(f"StepM: superior are {step.superior_models}")
assert step.superior_models == [], "the behaviour has changed"
PYTHON
