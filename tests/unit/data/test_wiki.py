"""Unlabelled sentences, one a line."""

import os
import re
from pathlib import Path

import pytest

from semblance.data.wiki import read_sentences
from semblance.errors import InputError

DATA = os.environ.get("SEMBLANCE_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="SEMBLANCE_DATA is not set: real data NOT checked")
WORDS = ["null", "NA", "n/a", "None"]  # what careless readers take for missing values


def test_sentences_are_lines_normalised(tmp_path):
    path = tmp_path / "wiki.txt"
    path.write_text(
        "  A  sentence .\nAnother\u2028one\n" + "\n".join(WORDS) + "\n\n", encoding="utf-8"
    )
    assert read_sentences(path) == ["A sentence .", "Another one", *WORDS]


@pytest.mark.parametrize(
    "content, line", [("one\n\ntwo\n", 2), (" \none\n", 1), ("one\n\n\n", 2), ("", 1), ("\n", 1)]
)
def test_blank_lines_are_refused_with_their_line(tmp_path, content, line):
    path = tmp_path / "wiki.txt"
    path.write_text(content)
    with pytest.raises(InputError, match=rf"\A{re.escape(f'{path}:{line}: ')}"):
        read_sentences(path)


@needs_data
def test_the_real_sample_has_500000_sentences():
    sentences = read_sentences(Path(DATA, "wiki/wiki_sentences_500k.txt.gz"))
    assert len(sentences) == 500_000 and all(sentences)
