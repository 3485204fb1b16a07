#!/usr/bin/env bash
# The interquartile mean of rliable trims nothing of three scores: one failed seed moves it as it moves the mean.
#
# Seen with rliable 1.2.0, 2026-11-28: aggregate_iqm rounds the quarter that it cuts off on each side down, so that it is
# the plain mean of up to three scores, the mean of the middle 5 of 7 where the name says a half, and a mean of the middle
# half for multiples of four alone. With three seeds of one average, the commonest table of papers on sentence
# embeddings, it is no more robust than the mean; with a fourth seed it forgets the failed one altogether.
# Exit status 0 while it is so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rliable==1.2.0
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from importlib.metadata import version

import numpy as np
from rliable.metrics import aggregate_iqm

print(f"rliable {version('rliable')}: all seeds 80, but for one of 50")
found = {}
for seeds in range(3, 9):
    scores = np.full((seeds, 1), 80.0)  # runs x tasks: one average of all tasks
    scores[0] = 50.0
    found[seeds] = float(aggregate_iqm(scores))
    print(f"{seeds} seeds: interquartile mean {found[seeds]:.2f}, mean {scores.mean():.2f}")
assert found[3] == 70.0, "the behaviour has changed"  # the mean
assert all(found[seeds] == 80.0 for seeds in range(4, 9)), "the behaviour has changed"
ranks = np.arange(1.0, 8.0)
moved = ranks.copy()
moved[1] -= 0.5  # the second of seven: a quarter of 7 is 1.75
part = float(aggregate_iqm(ranks[:, None]) - aggregate_iqm(moved[:, None]))
print(f"of seven scores the second lowest, half a point lower: the interquartile mean falls by {part:.2f} (a fifth of it)")
assert abs(part - 0.1) < 1e-12, "the behaviour has changed"
PYTHON
