"""Lines, CSV records, JSON lines and XML: what is read, and where reading stops."""

import csv
import gzip
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semblance.data import text
from semblance.data.text import (
    filled,
    normalise,
    read_csv,
    read_json_lines,
    read_lines,
    read_rows,
    read_xml,
)
from semblance.errors import InputError

WORDS = ["null", "NA", "n/a", "None"]  # what careless readers take for missing values


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def fails_at(path, line, words=""):
    """Expect an InputError of one line that starts with file:line."""
    return pytest.raises(
        InputError, match=rf"\A{re.escape(f'{path}:{line}: ')}[^\n]*{words}[^\n]*\Z"
    )


def test_only_line_feeds_end_a_line(tmp_path):
    path = write(tmp_path / "a.txt", "one\r\ntwo\rstill\u2028two\x85\x0b\x0c\x1c two\n\nfour")
    assert list(read_lines(path)) == [
        (1, "one"),
        (2, "two\rstill\u2028two\x85\x0b\x0c\x1c two"),
        (3, ""),
        (4, "four"),
    ]


def test_an_empty_file_has_no_line(tmp_path):
    assert list(read_lines(write(tmp_path / "a.txt", ""))) == []


def test_a_byte_order_mark_is_dropped_at_the_start_only(tmp_path):
    path = write(tmp_path / "a.txt", "\ufeffone\n\ufefftwo\n")
    assert list(read_lines(path)) == [(1, "one"), (2, "\ufefftwo")]


def test_gzip_reads_like_plain(tmp_path):
    content = "\ufeffé\nnull\n"
    path = write(tmp_path / "a.txt.gz", gzip.compress(content.encode()))
    assert (
        list(read_lines(path))
        == list(read_lines(write(tmp_path / "a.txt", content)))
        == [(1, "é"), (2, "null")]
    )


@pytest.mark.parametrize(
    "raw", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"caf\xe9", "é".encode("utf-16")]
)
def test_invalid_utf8_names_its_line(tmp_path, raw):
    path = write(tmp_path / "a.txt", b"fine\n" + raw + b"\n")
    with fails_at(path, 2, "UTF-8"):
        list(read_lines(path))


def test_a_nul_names_its_line(tmp_path):
    path = write(tmp_path / "a.txt", "one\ntwo\nth\0ree\n")
    with fails_at(path, 3, "NUL"):
        list(read_lines(path))


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_a_missing_file_is_named(tmp_path, name):
    with pytest.raises(InputError, match=re.escape(f"{tmp_path / name}: no such file")):
        list(read_lines(tmp_path / name))


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(InputError, match=re.escape(f"{tmp_path}: cannot be read")):
        list(read_lines(tmp_path))


def test_a_truncated_gzip_fails_after_its_last_whole_line(tmp_path):
    whole = gzip.compress(b"one\n" * 1000, compresslevel=0)
    path = write(tmp_path / "a.gz", whole[:-20])
    seen = []
    with pytest.raises(InputError, match="broken gzip") as caught:
        for line, _ in read_lines(path):
            seen.append(line)
    assert len(seen) < 1000 and str(caught.value).startswith(f"{path}:{len(seen) + 1}: ")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"plain text\n",
        gzip.compress(b"a\n", mtime=0)[:-8] + b"\0" * 8,
        gzip.compress(b"a\n", mtime=0) + b"rubbish",
    ],
)
def test_a_broken_gzip_is_an_input_error(tmp_path, content):
    path = write(tmp_path / "a.gz", content)
    with pytest.raises(InputError, match=rf"\A{re.escape(str(path))}:\d+: broken gzip"):
        list(read_lines(path))


def test_normalise_touches_white_space_only():
    assert normalise("  A\u00a0b\t\r\n\u2028 C'd…  ") == "A b C'd…"
    assert (
        normalise("Ünï  ﬁne\u200bÉ") == "Ünï ﬁne\u200bÉ"
    )  # no case folding, no NFKC, no zero-width removal


@pytest.mark.parametrize("value, words", [(None, "missing"), (3, "not text"), (" \u3000", "empty")])
def test_an_unfilled_field_is_named(value, words):
    with fails_at("f", 7, f"answer is {words}"):
        filled(value, "answer", "f", 7)


def test_rows_may_end_with_one_blank_line_but_hold_none(tmp_path):
    assert list(read_rows(write(tmp_path / "a", "one\ntwo\n \n"))) == [(1, "one"), (2, "two")]
    for content in ("one\n\ntwo\n", "one\n\n\n"):
        path = write(tmp_path / "b", content)
        with fails_at(path, 2, "blank"):
            list(read_rows(path))


def test_csv_fields_may_hold_line_breaks_quotes_and_delimiters(tmp_path):
    path = write(
        tmp_path / "a.csv", 'q,a\r\n"one, ""1""","first\r\n\r\nsecond"\r\n\r\ntwo,\r\n"","x\ry"\r\n'
    )
    assert list(read_csv(path, ["a"])) == [
        (2, {"q": 'one, "1"', "a": "first\n\nsecond"}),
        (6, {"q": "two", "a": ""}),
        (7, {"q": "", "a": "x\ry"}),
    ]


def test_csv_words_for_nothing_stay_words(tmp_path):
    path = write(tmp_path / "a.csv", "q,a\n" + "".join(f"{w},{w}\n" for w in WORDS))
    assert [row["q"] + row["a"] for _, row in read_csv(path, ["q", "a"])] == [w + w for w in WORDS]


field = st.text(st.characters(exclude_characters="\0\ufeff", exclude_categories=["Cs"]), max_size=8)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150
)
@given(
    rows=st.lists(
        st.tuples(field, field, st.sampled_from(['"', ",", "\n", "\t", "x", "\r", " "])), max_size=5
    ),
    delimiter=st.sampled_from(",\t;|"),
)
def test_csv_reads_what_the_csv_module_writes(tmp_path, rows, delimiter):
    path = tmp_path / "a.csv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([("a", "b", "c"), *rows])
    expected = [tuple(value.replace("\r\n", "\n") for value in row) for row in rows]
    assert [tuple(row.values()) for _, row in read_csv(path, ["a"], delimiter)] == expected


@pytest.mark.parametrize(
    "record, words",
    [
        ("one", "1 fields"),
        ("one,two,three", "3 fields"),
        ('one,"two', "unbalanced"),
        ('on"e,two', "unbalanced"),
        ('"one" ,two', "quote"),
        ('on"e",two', "quote"),
        ('"one"two,three', "quote"),
    ],
)
def test_csv_malformed_records_name_the_line_they_start_at(tmp_path, record, words):
    path = write(tmp_path / "a.csv", f'q,a\n"1\n2",fine\n{record}\n')
    with fails_at(path, 4, words):
        list(read_csv(path, ["q"]))


def test_csv_a_quote_open_at_the_end_names_its_record(tmp_path):
    path = write(tmp_path / "a.csv", 'q,a\nx,"open\n' + "x,y\n" * 10)
    with fails_at(path, 2, "unbalanced"):
        list(read_csv(path, ["q"]))


def test_csv_an_unbalanced_quote_is_found_before_memory_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "MAX_RECORD", 100)
    path = write(tmp_path / "a.csv", 'q,a\nx,"open\n' + "x,y\n" * 100)
    with fails_at(path, 2, "more than 100 characters"):
        list(read_csv(path, ["q"]))


def test_csv_huge_fields_are_read(tmp_path):
    huge = "word, " * 200_000  # 1.2 million characters; the csv module's own limit is 131,072
    path = write(tmp_path / "a.csv", f'q,a\n1,"{huge}"\n')
    assert [row["a"] for _, row in read_csv(path, ["q", "a"])] == [huge]
    assert len(huge) < text.MAX_RECORD


@pytest.mark.parametrize(
    "content, words",
    [
        ("", "no header"),
        ("q\n1\n", "no column a"),
        ("q,a,q\n", "q stands twice"),
        ("\ufeff\ufeffq,a\n", "byte order mark"),
    ],
)
def test_csv_header_must_name_the_columns_once(tmp_path, content, words):
    path = write(tmp_path / "a.csv", content)
    with fails_at(path, 1, words):
        list(read_csv(path, ["q", "a"]))


def test_csv_extra_columns_are_kept_in_any_order(tmp_path):
    path = write(tmp_path / "a.tsv", "x\ta\tq\n1\t2\t3\n")
    assert list(read_csv(path, ["q", "a"], "\t")) == [(2, {"x": "1", "a": "2", "q": "3"})]


def test_json_lines_are_objects_with_their_lines(tmp_path):
    path = write(tmp_path / "a.jsonl", '{"a": "null", "b": null}\r\n{"a": "x\u2028\\u2029y"}\n\n')
    assert list(read_json_lines(path)) == [
        (1, {"a": "null", "b": None}),
        (2, {"a": "x\u2028\u2029y"}),
    ]


@pytest.mark.parametrize(
    "row, words",
    [
        ('{"a": 1, "a": 2}', "'a' stands twice"),
        ('{"x": {"a": 1, "a": 1}}', "stands twice"),
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "Infinity"),
        ("[1]", "list"),
        ("null", "NoneType"),
        ('"a"', "str"),
        ('{"a": 1', ""),
        ("{'a': 1}", ""),
        ('{"a": "\\u0000"}', "NUL"),
        ('{"a": ["x", "\\ud800"]}', "surrogate"),
        ("[" * 100_000, ""),
        ('{"a": 1} {"b": 2}', ""),
        ("", "blank"),
    ],
)
def test_json_malformed_lines_are_named(tmp_path, row, words):
    path = write(tmp_path / "a.jsonl", f'{{"a": 1}}\n{row}\n{{"a": 1}}\n')
    with fails_at(path, 2, words):
        list(read_json_lines(path))


def test_json_a_literal_backslash_u_is_no_nul(tmp_path):
    path = write(tmp_path / "a.jsonl", '{"a": "\\\\u0000"}\n')
    assert list(read_json_lines(path)) == [(1, {"a": "\\u0000"})]


def test_xml_elements_know_their_lines(tmp_path):
    declaration = '<?xml version="1.0" encoding="utf-16"?>\r\n'  # not so: files are UTF-8
    path = write(
        tmp_path / "a.xml", declaration + "<Root>\r\n<A>x &lt;\r y</A>\n\n<a\n>é</a></Root>"
    )
    root = read_xml(path)
    assert (root.tag, root.line) == ("root", 2)
    assert [(a.line, normalise(a.text)) for a in root.findall("a")] == [(3, "x < y"), (5, "é")]


@pytest.mark.parametrize(
    "content, line",
    [
        ('<?xml version="1.0"?>\n<!DOCTYPE r [<!ENTITY a "b">]>\n<r>&a;</r>', 2),
        ('\n\n<!DOCTYPE r SYSTEM "file:///etc/hostname">\n<r/>', 3),
    ],
)
def test_xml_document_types_are_refused(tmp_path, content, line):
    path = write(tmp_path / "a.xml", content)
    with fails_at(path, line, "document type or entity"):
        read_xml(path)


@pytest.mark.parametrize(
    "content, line",
    [
        ("<r>\n<a>\n</r>", 3),
        ("<r>\n&undefined;</r>", 2),
        ("<r>\n", 2),
        ("", 1),
        ("<r/>\n<r/>", 2),
        ("<r>\n\n\x01</r>", 3),
    ],
)
def test_xml_malformed_names_its_line(tmp_path, content, line):
    path = write(tmp_path / "a.xml", content)
    with fails_at(path, line, "not well-formed"):
        read_xml(path)
