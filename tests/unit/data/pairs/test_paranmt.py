"""ParaNMT: two columns, or three with a score."""

import re
from pathlib import Path

import pytest

from semblance.data.pair import Pair
from semblance.data.pairs.paranmt import read
from semblance.errors import InputError


def pairs_of(tmp_path: Path, text: str) -> list[Pair]:
    """Return what is read of a file with this text."""
    path = tmp_path / "paranmt.txt"
    path.write_text(text, encoding="utf-8")
    return list(read(path))


def test_a_line_is_a_sentence_and_its_paraphrase_with_or_without_a_score(tmp_path):
    text = 'so  , what ?\tso what "\t0.714\nnull\tNA\n'
    assert pairs_of(tmp_path, text) == [Pair("so , what ?", 'so what "'), Pair("null", "NA")]


@pytest.mark.parametrize(
    "line, words",
    [
        ("one", "columns: 1, expected 2 or 3"),
        ("one\ttwo\t0.5\tfour", "columns: 4, expected 2 or 3"),
        ("one\ttwo\tthree", "the score 'three' is not a number"),
        ("one\ttwo\tnan", "the score 'nan' is not a number"),
        ("one\t \t0.5", "the paraphrase is empty"),
        ("\ttwo", "the sentence is empty"),
    ],
)
def test_a_wrong_line_is_refused_with_its_number(tmp_path, line, words):
    where = re.escape(f"{tmp_path / 'paranmt.txt'}:2: {words}")
    with pytest.raises(InputError, match=where):
        pairs_of(tmp_path, f"a\tb\t0.9\n{line}\nc\td\t0.8\n")
