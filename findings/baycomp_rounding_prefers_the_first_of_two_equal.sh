#!/usr/bin/env bash
# baycomp says that the first of two models with equal scores is better, with a probability of .64 to .75.
#
# Seen with baycomp 1.0.3, numpy 2.4.6, 2026-11-28: two_on_multiple(x, x), the signed-rank test that its page puts first,
# of the same scores on 5, 7, 10, 20 or 50 data sets. Each draw of the posterior is one half, as a sum of products of
# weights, and what is counted is on which side of one half its last bit falls: more often on the first model's. In both
# orders of two equal models it is the first. two_on_single gives .5 of the same scores; with a region of practical
# equivalence all of them give 0, 1, 0.
# Exit status 0 while it is so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check baycomp==1.0.3 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import numpy as np
from baycomp import SignedRankTest, two_on_multiple, two_on_single

print(f"baycomp {version('baycomp')}: the probability that the first of two equal models is better")
for count in (5, 7, 10, 20, 50):
    scores = np.linspace(60, 80, count)
    first, _, second = two_on_multiple(scores, scores)
    draws = SignedRankTest.sample(scores, scores)
    off = abs(draws[:, 2] - 0.5).max()
    print(f"{count:2} data sets: {first:.2f} (the second: {second:.2f}); all draws within {off:.0e} of one half")
    assert first > 0.6 and off < 1e-14, "the behaviour has changed"
single = two_on_single(scores, scores)
equivalent = two_on_multiple(scores, scores, rope=0.1)
print(f"two_on_single: {single[0]:.2f}; with rope=.1: {', '.join(f'{float(p):g}' for p in equivalent)}")
assert single == (0.5, 0.5) and equivalent[1] == 1, "the behaviour has changed"
PYTHON
