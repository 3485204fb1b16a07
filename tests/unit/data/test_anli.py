"""ANLI: rounds of JSON lines with labels of one letter."""

import json

import pytest

from semblance.data.anli import read_anli
from semblance.data.nli import NliPair
from semblance.errors import InputError


def row(**changed: object) -> str:
    """Return one line of a round, with some fields changed; those that are None are left out."""
    fields = {
        "uid": "1",
        "context": "A  dog ran. It won.",
        "hypothesis": "A dog won.",
        "label": "e",
    }
    fields |= changed
    return json.dumps({key: value for key, value in fields.items() if value is not None})


def pairs_of(tmp_path, *lines: str) -> list[NliPair]:
    """Return what is read of a round with these lines."""
    path = tmp_path / "train.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    return list(read_anli(path))


def test_the_context_is_the_premise_and_a_letter_the_label(tmp_path):
    found = pairs_of(tmp_path, row(), row(label="n"), row(label="c", hypothesis="NA"))
    labels = ["entailment", "neutral", "contradiction"]
    assert [(pair.label, pair.line) for pair in found] == list(zip(labels, (1, 2, 3), strict=True))
    assert {pair.premise for pair in found} == {"A dog ran. It won."}
    assert [pair.hypothesis for pair in found] == ["A dog won.", "A dog won.", "NA"]


@pytest.mark.parametrize(
    "line, words",
    [
        (row(label="x"), "unknown label 'x'"),
        (row(label="entailment"), "unknown label 'entailment'"),
        (row(label=0), "label is not text"),
        (row(context=None), "context is missing"),
        (row(hypothesis=" "), "hypothesis is empty"),
        ("[]", "not a JSON object"),
    ],
)
def test_a_wrong_line_is_refused_with_its_number(tmp_path, line, words):
    with pytest.raises(InputError, match=f"train.jsonl:2: {words}"):
        pairs_of(tmp_path, row(), line)


def test_a_file_without_a_pair_is_refused(tmp_path):
    with pytest.raises(InputError, match="train.jsonl:1: no pair"):
        pairs_of(tmp_path)
