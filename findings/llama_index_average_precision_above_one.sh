#!/usr/bin/env bash
# llama-index counts an answer that is found twice as two right ones: average precision and NDCG go above 1.
#
# Seen with llama-index-core 0.14.25, 2026-11-29. Where an answer stands in the index under several questions, or a
# document in several pieces, the retrieved ids are those of the answers, and one comes more than once. Recall, hit rate
# and precision of the same module count it once. A system that finds the right answer first and again at rank 2 has an
# average precision of 2, one that finds it at ranks 2 to 4 has 1.92, and one that finds it first alone has 1.
# Exit status 0 while it is so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from importlib.metadata import version

from llama_index.core.evaluation.retrieval.metrics import MRR, NDCG, AveragePrecision, HitRate, Precision, Recall

print(f"llama-index-core {version('llama-index-core')}: the one right answer is `a`")
METRICS = HitRate, MRR, Precision, Recall, AveragePrecision, NDCG
found = {}
for retrieved in ("abc", "aab", "baaa"):
    values = {m.__name__: m().compute(expected_ids=["a"], retrieved_ids=list(retrieved)).score for m in METRICS}
    print(f"found {retrieved:4}: " + ", ".join(f"{name} {value:.3f}" for name, value in values.items()))
    found[retrieved] = values
assert found["abc"]["AveragePrecision"] == found["abc"]["NDCG"] == 1, "the behaviour has changed"
assert found["aab"]["AveragePrecision"] == 2 and found["aab"]["NDCG"] > 1.6, "the behaviour has changed"
assert found["baaa"]["AveragePrecision"] > 1.9 and found["baaa"]["NDCG"] > 1.5, "the behaviour has changed"
assert all(each["Recall"] == 1 for each in found.values()), "the behaviour has changed"
PYTHON
