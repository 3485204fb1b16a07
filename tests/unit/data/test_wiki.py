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
    assert read_sentences(path).texts == ["A sentence .", "Another one", *WORDS]


@pytest.mark.parametrize(
    "content, blank_lines",
    [("one\n\ntwo\n", [2]), (" \none\ntwo\n", [1]), ("one\ntwo\n\n\n", [3, 4])],
)
def test_blank_lines_are_skipped_and_their_numbers_kept(tmp_path, content, blank_lines):
    path = tmp_path / "wiki.txt"
    path.write_text(content)
    found = read_sentences(path)
    assert found.texts == ["one", "two"] and found.blank_lines == blank_lines


@pytest.mark.parametrize("content", ["", "\n", " \n\n"])
def test_a_file_without_a_sentence_is_refused(tmp_path, content):
    path = tmp_path / "wiki.txt"
    path.write_text(content)
    with pytest.raises(InputError, match=rf"\A{re.escape(f'{path}:1: ')}no sentence"):
        read_sentences(path)


@pytest.mark.parametrize("line", ["a\rb", "\ufeffa"])
def test_a_trace_of_joined_files_is_refused_with_its_line(tmp_path, line):
    path = tmp_path / "wiki.txt"
    path.write_text(f"one\n{line}\n", newline="", encoding="utf-8")
    with pytest.raises(InputError, match=rf"\A{re.escape(f'{path}:2: ')}"):
        read_sentences(path)


@needs_data
def test_the_real_sample_has_500000_sentences():
    found = read_sentences(Path(DATA, "wiki/wiki_sentences_500k.txt.gz"))
    assert len(found.texts) == 500_000 and all(found.texts)
    assert found.blank_lines == []
