#!/usr/bin/env bash
# A query without a hit leaves beir's NDCG, MAP, recall and precision, and counts 0 in its MRR and accuracy.
#
# Seen with beir 2.2.0 and pytrec-eval-terrier 0.5.11, 2026-11-28: EvaluateRetrieval.evaluate divides by the queries that
# the results hold, evaluate_custom (MRR, capped recall, accuracy) by those of the judgements. A search by words that
# finds nothing for a query leaves it out of its results. So of two queries with one right document each, one answered at
# rank 1 and one not at all, recall@1 is 1.0 and capped recall@1, which is the same here, .5; a system that gives a
# wrong document in place of none falls from NDCG@1 1.0 to .5, and its MRR stays.
# Exit status 0 while it is so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
# Without its further requirements (torch, transformers): its evaluation needs these alone.
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps \
  beir==2.2.0 pytrec-eval-terrier==0.5.11 numpy==2.4.6 tqdm==4.67.1
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from importlib.metadata import version

from beir.retrieval.evaluation import EvaluateRetrieval

print(f"beir {version('beir')}, two queries with one right document each; the first has it at rank 1")
judged = {"q1": {"d1": 1}, "q2": {"d2": 1}}
systems = {
    "no hit for q2": {"q1": {"d1": 3.0}},
    "a wrong hit for q2": {"q1": {"d1": 3.0}, "q2": {"d9": 1.0}},
}
seen = {}
for name, results in systems.items():
    values = {}
    for part in EvaluateRetrieval.evaluate(judged, results, [1]):
        values |= part
    for custom in ("mrr", "recall_cap", "accuracy"):
        values |= EvaluateRetrieval.evaluate_custom(judged, results, [1], custom)
    seen[name] = {key: round(float(value), 3) for key, value in values.items()}
    print(f"{name}: {seen[name]}")
by_results = ("NDCG@1", "MAP@1", "Recall@1", "P@1")
by_judgements = ("MRR@1", "R_cap@1", "Accuracy@1")
assert all(seen["no hit for q2"][key] == 1.0 for key in by_results), "the behaviour has changed"
assert all(seen["no hit for q2"][key] == 0.5 for key in by_judgements), "the behaviour has changed"
assert set(seen["a wrong hit for q2"].values()) == {0.5}, "the behaviour has changed"
PYTHON
