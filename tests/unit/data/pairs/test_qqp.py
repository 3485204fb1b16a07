"""Quora question pairs: labels, quoted fields, empty questions."""

import json
import os
import re
from pathlib import Path

import pytest

from semblance.data.pair import UNLABELLED, Pair
from semblance.data.pairs.qqp import read
from semblance.errors import InputError

DATA = os.environ.get("SEMBLANCE_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="SEMBLANCE_DATA is not set: real data NOT checked")
HEADER = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"


def pairs_of(tmp_path: Path, rows: str, header: str = HEADER) -> list[Pair]:
    """Return what is read of a file with these rows."""
    path = tmp_path / "questions.tsv"
    path.write_text(header + rows, encoding="utf-8")
    return list(read(path))


def test_the_label_says_whether_the_questions_are_duplicates(tmp_path):
    rows = "0\t1\t2\tWhat  is NA?\tWhat does null mean?\t1\n1\t3\t4\tWho?\tWhere?\t0\n"
    assert pairs_of(tmp_path, rows) == [
        Pair("What is NA?", "What does null mean?", "duplicate"),
        Pair("Who?", "Where?", "different"),
    ]


def test_quoted_fields_may_hold_quotes_tabs_and_line_ends(tmp_path):
    rows = '0\t1\t2\t"Is ""he"" here?"\t"Is\the\nthere?"\t1\n'
    assert pairs_of(tmp_path, rows) == [Pair('Is "he" here?', "Is he there?", "duplicate")]


def test_a_pair_with_an_empty_question_is_unlabelled(tmp_path):
    rows = "0\t1\t2\tHow?\t\t0\n1\t3\t4\t \tHow?\t1\n"
    assert [pair.label for pair in pairs_of(tmp_path, rows)] == [UNLABELLED, UNLABELLED]


@pytest.mark.parametrize(
    "row, line, words",
    [
        ("1\t3\t4\tWho?\tWhere?\t2\n", 3, "is_duplicate is '2'"),
        ("1\t3\t4\tWho?\tWhere?\t\n", 3, "is_duplicate is ''"),
        ("1\t3\t4\tWho?\tWhere?\n", 3, "fields: 5, and 6 in the header"),
        ('1\t3\t4\t"Who?\tWhere?\t1\n', 3, "an unbalanced quote"),
    ],
)
def test_a_wrong_row_is_refused_with_its_line(tmp_path, row, line, words):
    where = re.escape(f"{tmp_path / 'questions.tsv'}:{line}: {words}")
    with pytest.raises(InputError, match=where):
        pairs_of(tmp_path, "0\t1\t2\tHow?\tWhy?\t0\n" + row)


def test_a_file_without_the_columns_is_refused(tmp_path):
    with pytest.raises(InputError, match=":1: no column is_duplicate"):
        pairs_of(tmp_path, "0\tHow?\tWhy?\n", header="id\tquestion1\tquestion2\n")


def test_a_question_of_quoted_words_keeps_its_own_quotes_alone(tmp_path):
    rows = '0\t1\t2\t"""To be"": what is it?"\tIs it \'be\'?\t1\n'
    assert pairs_of(tmp_path, rows) == [Pair('"To be": what is it?', "Is it 'be'?", "duplicate")]


def unquoted(text: str) -> str:
    """Return a question without the signs of CSV, which its file has around a quote."""
    if not text.startswith('"'):
        assert '"' not in text
        return text
    assert text.endswith('"') and len(text) > 1
    inner = text[1:-1]
    assert inner.count('"') == 2 * inner.count('""')
    return inner.replace('""', '"')


@needs_data
@pytest.mark.parametrize("part", ["train", "dev"])
def test_real_questions_with_the_signs_of_their_file_come_back_without_them(tmp_path, part):
    """The data folder holds GLUE's questions as a reader left them that takes quotes for text.

    So each of them has the signs that its field had in the file, and the table can be made again.
    """
    rows = json.loads(Path(DATA, f"qqp/powerfulprompt/{part}.json").read_text()).values()
    lines = [f"0\t1\t2\t{row['text_a']}\t{row['text_b']}\t{row['label']}\n" for row in rows]
    found = pairs_of(tmp_path, "".join(lines))
    words = {"1": "duplicate", "0": "different"}
    assert [pair.label for pair in found] == [words[row["label"]] for row in rows]
    texts = [unquoted(row[name]) for row in rows for name in ("text_a", "text_b")]
    assert [text for pair in found for text in pair[:2]] == [" ".join(t.split()) for t in texts]
    assert any('"' in text for text in texts)
