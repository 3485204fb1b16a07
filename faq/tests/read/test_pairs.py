"""A user's own scored pairs: any table whose columns are known, and one line for what is wrong in it."""

import json
from pathlib import Path

import pytest

from semblance_faq.read.pairs import read_own_pairs
from tests.unit.data.files import fails_at, put

ROWS = (
    ("When do you open?", "What are the hours?", 4.5),
    ("May I smoke?", "Are pets allowed?", -1),
)


def read(path: Path) -> list[tuple]:
    """Return the sentences and the score of each pair of a file."""
    pairs, _ = read_own_pairs(path, "mine")
    assert {(pair.task, pair.subset) for pair in pairs} == {("mine", "")}
    return [(pair.sentence1, pair.sentence2, pair.score) for pair in pairs]


def table(header: str, delimiter: str = ",") -> str:
    """Return the rows as a text with a delimiter, below a header."""
    lines = [delimiter.join(map(str, row)) for row in ROWS]
    return "\n".join([header.replace(",", delimiter), *lines, ""])


@pytest.mark.parametrize(
    "name, delimiter",
    [("p.csv", ","), ("p.csv", ";"), ("p.tsv", "\t"), ("sick.txt", "\t"), ("p.csv.gz", ",")],
)
@pytest.mark.parametrize(
    "header", ["Sentence1,Sentence2,Score", "sentence_A,sentence_B,relatedness_score", "s1,s2,gold"]
)
def test_a_table_is_read_with_any_delimiter_and_the_usual_names(tmp_path, name, delimiter, header):
    assert read(put(tmp_path / name, table(header, delimiter))) == [*ROWS]


def test_json_lines_have_numbers_or_their_digits(tmp_path):
    keys = ("sentence1", "sentence2", "score")
    lines = [json.dumps(dict(zip(keys, row, strict=True))) for row in ROWS]
    lines.append(json.dumps({"sentence1": "a", "sentence2": "b", "score": "1e-1"}))
    assert read(put(tmp_path / "p.jsonl", "\n".join(lines))) == [*ROWS, ("a", "b", 0.1)]


PAIRS = "sentence1,sentence2,score\n"
SCORED = [
    ("", 1, "no header"),
    (PAIRS + "x,y,1\na,b,nan\n", 3, "score 'nan' is no finite number"),
    (PAIRS + "x,y,1\na,b,inf\n", 3, "score 'inf' is no finite number"),
    (PAIRS + "x,y,1\na,b,1e999\n", 3, "score '1e999' is no finite number"),
    (PAIRS + 'x,y,1\na,b,"4,5"\n', 3, "score '4,5' is no finite number"),
    (PAIRS + "x,y,1\na,b,\n", 3, "score is empty"),
    (PAIRS + "x,y,1\na, ,3\n", 3, "sentence2 is empty"),
    (PAIRS + "x,y,1\na,b\n", 3, "fields: 2, and 3 in the header"),
    (PAIRS + "a,b,1\n", 1, "pairs: 1, and a correlation needs 2 at least"),
    (PAIRS + "a,b,3\nc,d,3.0\n", 2, "all 2 scores are 3, which correlates with nothing"),
]
SCORES = ["true", "null", "[1]", "1" + "0" * 400]
SCORED_JSON = [
    (f'{{"sentence1": "a", "sentence2": "b", "score": {s}}}\n', 1, "score") for s in SCORES
]


@pytest.mark.parametrize(
    "name, text, line, words",
    [("p.csv", *case) for case in SCORED] + [("p.jsonl", *case) for case in SCORED_JSON],
)
def test_malformed_pairs_are_refused_in_one_line_with_their_place(
    name, text, line, words, tmp_path
):
    path = put(tmp_path / name, text)
    with fails_at(path, line, words):
        read(path)
