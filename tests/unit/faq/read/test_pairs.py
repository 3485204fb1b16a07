"""A user's own scored pairs: any table whose columns are known, and one line for what is wrong in it."""

import json
from pathlib import Path

import pytest

from semblance_faq.read.pairs import read_own_pairs
from tests.unit.data.files import fails_at, put

ROOT = Path(__file__).resolve().parents[4]
SHARED = ["--manifest", str(ROOT / "demo/manifest.yaml"), "--data", str(ROOT / "demo/data")]
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
    "name, delimiter", [("p.csv", ","), ("p.csv", ";"), ("p.tsv", "\t"), ("p.csv.gz", ",")]
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


def test_a_column_of_another_name_is_missing(tmp_path):
    path = put(tmp_path / "p.csv", table("links,rechts,score"))
    with fails_at(path, 1, "no column sentence1"):
        read(path)


def test_an_empty_row_is_skipped_and_counted(tmp_path):
    path = put(tmp_path / "p.csv", "sentence1,sentence2,score\na,b,1\n,,\nc,d,2\n")
    pairs, reading = read_own_pairs(path, "mine")
    assert [pair.index for pair in pairs] == [2, 4]
    assert any("empty rows: 1" in line and "line 3" in line for line in reading.lines)
