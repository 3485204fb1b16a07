"""Unlabelled sentences, one a line."""

from pathlib import Path

import pytest

from semblance.data.wiki import read_sentences
from tests.unit.data.files import DATA, WORDS, needs_data, put


def test_sentences_are_lines_normalised(tmp_path):
    words = "\n".join(WORDS)
    path = put(tmp_path / "wiki.txt", f"  A  sentence .\nAnother\u2028one\n{words}\n\n")
    assert read_sentences(path) == (["A sentence .", "Another one", *WORDS], [7])


@pytest.mark.parametrize(
    "content, blank",
    [("one\n\ntwo\n", [2]), (" \none\ntwo\n", [1]), ("one\ntwo\n\n\n", [3, 4])],
)
def test_blank_lines_are_skipped_and_their_numbers_returned(tmp_path, content, blank):
    assert read_sentences(put(tmp_path / "wiki.txt", content)) == (["one", "two"], blank)


@needs_data
def test_the_real_sample_has_500000_sentences():
    texts, blank = read_sentences(Path(DATA, "wiki/wiki_sentences_500k.txt.gz"))
    assert len(texts) == 500_000 and all(texts) and blank == []
