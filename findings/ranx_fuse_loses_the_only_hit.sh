#!/usr/bin/env bash
# ranx's fusion counts the only hit of a system as if it had not been found, and lets negative scores decide alone.
#
# Seen with ranx 0.3.21, 2026-11-28, where a system of words (BM25) is fused with one of vectors, as for hybrid search.
# norm="min-max", which fuse() takes where none is named: a query's only hit has its own least score, and so 0, as much
# as a document that was not found. Where a rare word stands in one document alone, the fused ranking is that of the
# vectors. norm="max": a query whose best score is not above 0, which is what a cross-encoder's logits often are, is
# divided by 1e-9 in place of it, so that the other system has no part in its order any more.
# Exit status 0 while it is so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ranx==0.3.21
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from importlib.metadata import version

from ranx import Run, fuse

CHANGED = "the behaviour has changed"


def fused(words: dict, others: dict, **norm: str) -> dict:
    runs = [Run({"q": words}), Run({"q": others})]
    made = fuse(runs, method="wsum", params={"weights": (0.5, 0.5)}, **norm)
    return {name: float(score) for name, score in made.run["q"].items()}


vectors = {"rare": 0.3, "near": 0.6, "other": 0.1}
one_hit = fused({"rare": 9.0}, vectors)
without = fused({"elsewhere": 9.0}, vectors)
two_hits = fused({"rare": 9.0, "other": 1.0}, vectors)
print(f"ranx {version('ranx')}, wsum with equal weights, cosines {vectors}")
print(f"words find rare alone (9.0), min-max:   {one_hit}")
print(f"words find none of the three, min-max:  {without}")
print(f"words find rare (9.0) and other (1.0):  {two_hits}")
assert all(one_hit[name] == without[name] for name in vectors), CHANGED
assert max(two_hits, key=two_hits.get) == "rare" and max(one_hit, key=one_hit.get) == "near", CHANGED

words = {"rare": 9.0, "near": 1.0}
logits = fused({"rare": -2.0, "near": -1.9}, words, norm="max")
shifted = fused({"rare": 0.1, "near": 0.2}, words, norm="max")
print(f"logits -2.0 and -1.9 beside words {words}, max: {logits}")
print(f"the same logits and 2.1, max:                   {shifted}")
assert max(logits, key=logits.get) == "near" and logits["near"] < -1e8, CHANGED
assert max(shifted, key=shifted.get) == "rare", CHANGED
PYTHON
