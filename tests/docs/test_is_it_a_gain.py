"""The page on gains: its code runs as it stands there."""

import re

import pytest

from tests.dag.tiny import ROOT
from workflow.scripts import compare

BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs/is-it-a-gain.md").read_text(), re.DOTALL)


def test_values_of_each_query_of_sentence_transformers_are_compared(tmp_path, monkeypatch, capsys):
    """Six queries with one document each, found first by one model and at the ranks 1 to 6 by the other."""
    pytest.importorskip("sentence_transformers")
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(next(block for block in BLOCKS if "PerQuery" in block), names)
    queries = {f"q{i}": "?" for i in range(6)}
    corpus = {f"d{j}": "!" for j in range(10)}
    for name, ranks in (("ours", [0] * 6), ("theirs", range(6))):
        relevant = {f"q{i}": {f"d{rank}"} for i, rank in enumerate(ranks)}
        evaluator = names["PerQuery"](queries, corpus, relevant, name="nano")
        hits = [[{"corpus_id": f"d{j}", "score": -j} for j in range(10)]] * 6
        whole = evaluator.compute_metrics(hits)
        assert evaluator.queries_ids == list(queries)
        lines = (tmp_path / "nano.csv").read_text().splitlines()
        (tmp_path / "nano.csv").rename(f"{name}.csv")
        values = [float(line.split(",")[-1]) for line in lines[1:]]
        assert sum(values) / 6 == pytest.approx(whole["ndcg@k"][10]) and max(values) == 1.0
    compare.main(["ours.csv", "theirs.csv"])
    gain = 100 * (1 - whole["ndcg@k"][10])
    assert f"+{gain:.2f}" in capsys.readouterr().out


@pytest.mark.parametrize("word", ["compare", "try"])
def test_the_keys_that_a_program_reads_are_those_that_skill_lists(word):
    code = next(block for block in BLOCKS if f'"{word}"' in block)
    skill = (ROOT / "docs/SKILL.md").read_text()
    line = next(line for line in skill.splitlines() if f"`semblance {word}" in line)
    for key in re.findall(r"\[[\"'](\w+)[\"']\]", code):
        assert f"`{key}`" in line
