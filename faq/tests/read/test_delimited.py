"""CSV of any hand: delimiters, blank rows and fields, and what a line of Excel's says."""

import pytest

from semblance_faq.read.columns import Columns
from semblance_faq.read.findings import Findings
from semblance_faq.read.tables import read_table, split_queries
from tests.unit.data.files import put

FAQ = Columns(("question", "answer"), ("id", "group", "queries"))


def read(path):
    findings = Findings()
    return list(read_table(path, FAQ, findings)), findings.reading()


@pytest.mark.parametrize("name", ["f.csv", "f.tsv", "f.csv.gz", "F.CSV"])
@pytest.mark.parametrize(
    "delimiter, word", [(",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "bar")]
)
def test_the_delimiter_is_recognised_by_the_header(delimiter, word, name, tmp_path):
    header = delimiter.join(["note, a; b|c\td".replace(delimiter, ""), '"Frage"', "Antwort"])
    row = delimiter.join(["x", f'"a{delimiter} ""b"""', "c"])
    path = put(tmp_path / name, f"{header}\n{row}\n")
    rows, reading = read(path)
    assert rows == [(2, {"question": f'a{delimiter} "b"', "answer": "c"})]
    assert f"{path}: delimiter: {word}" in reading.lines


def test_the_line_of_excel_that_states_the_delimiter_is_followed(tmp_path):
    path = put(tmp_path / "f.csv", "sep=;\r\nquestion;answer\r\na,b;c\r\n")
    assert read(path)[0] == [(3, {"question": "a,b", "answer": "c"})]


def test_a_field_may_hold_a_picture(tmp_path):
    answer = f"See <img src='data:image/png;base64,{'A' * 200_000}'> here"
    path = put(tmp_path / "f.csv", f'question,answer\na,"{answer}"\n')
    assert read(path)[0] == [(2, {"question": "a", "answer": answer})]


def test_line_ends_of_old_macs_end_lines(tmp_path):
    path = put(tmp_path / "f.csv", 'question,answer\ra,"b\rc"\rd,e\r')
    rows = [row for _, row in read(path)[0]]
    assert [row["question"] for row in rows] == ["a", "d"]


def test_read_and_unread_columns_are_reported(tmp_path):
    path = put(tmp_path / "f.csv", "Frage;note;Antwort;;owner\nq;n;a;;\n")
    told = "columns: question from 'Frage', answer from 'Antwort'; not read: 'note', 'owner'"
    assert f"{path}: {told}" in read(path)[1].lines


def test_rows_that_are_empty_in_each_read_column_are_skipped_and_reported(tmp_path):
    text = "question,answer,note\nq,a,\n\n,,\n , ,x\nr,b,\n,,\n"
    rows, reading = read(put(tmp_path / "f.csv", text))
    assert [line for line, _ in rows] == [2, 6]
    assert reading.counts["empty rows"] == 4
    assert reading.lines[-1].endswith("empty rows: 4 (skipped): line 3, 4, 5, 7")


@pytest.mark.parametrize(
    "cell, queries",
    [
        ("", []),
        (" one  ", [" one  "]),
        ("one|two", ["one", "two"]),
        ("|one|| |two|", ["one", "two"]),
        (r"a\|b|c", ["a|b", "c"]),
        (r"\|", ["|"]),
        ("one\ntwo|three\r\n", ["one", "two", "three"]),
        ("- one\n\u2022 two\n-3 degrees", ["one", "two", "-3 degrees"]),
        ("1. one\n2) two", ["one", "two"]),
        ("2. league\ntwo", ["2. league", "two"]),
    ],
)
def test_bars_and_lines_separate_the_queries_of_a_cell(cell, queries):
    assert split_queries(cell) == queries


def test_json_lines_may_have_other_names_and_empty_rows(tmp_path):
    lines = ['{"prompt": "p", "response": "r", "x": 1}', "{}", '{"prompt": " ", "response": null}']
    rows, reading = read(put(tmp_path / "f.jsonl", "\n".join(lines)))
    assert rows == [(1, {"question": "p", "answer": "r"})]
    assert reading.counts["empty rows"] == 2
