#!/usr/bin/env bash
# In torcheval a model whose scores are all NaN finds every answer first: reciprocal rank and hit rate 1.
#
# Seen with torcheval 0.0.7 and torch 2.13.0, 2026-11-29: a rank is the number of scores that are larger than that of the
# right answer, and none is larger than NaN. A training that diverged is so the best model of a table. One NaN among right
# scores does as much for its question, where it is the score of the right answer; anywhere else it is passed over.
# Exit status 0 while it is so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check torcheval==0.0.7 torch==2.13.0 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from importlib.metadata import version

import torch
from torcheval.metrics.functional import hit_rate, reciprocal_rank

NAN = float("nan")
print(f"torcheval {version('torcheval')}, torch {torch.__version__}; the right answer is the second of four")
right = torch.tensor([1])
seen = {}
for name, scores in {
    "a wrong model": [0.9, 0.1, 0.8, 0.7],
    "a diverged one": [NAN, NAN, NAN, NAN],
    "NaN for the right answer": [0.9, NAN, 0.8, 0.7],
    "NaN for a wrong answer": [NAN, 0.1, 0.8, 0.7],
}.items():
    row = torch.tensor([scores])
    seen[name] = reciprocal_rank(row, right).item(), hit_rate(row, right, k=1).item()
    print(f"{name}: reciprocal rank {seen[name][0]:.2f}, hit rate at 1 {seen[name][1]:.0f}")
assert seen["a wrong model"] == (0.25, 0), "the behaviour has changed"
assert seen["a diverged one"] == seen["NaN for the right answer"] == (1, 1), "the behaviour has changed"
assert seen["NaN for a wrong answer"][1] == 0 and 0.3 < seen["NaN for a wrong answer"][0] < 0.4, "the behaviour has changed"
PYTHON
