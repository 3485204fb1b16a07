"""Lines, rows, fields and CSV records: what is read; test_refusals.py says what is refused."""

import gzip
import re

import pytest

from semblance.data import csv_text
from semblance.data.csv_text import read_csv
from semblance.data.text import normalise
from semblance.data.xml_text import read_xml
from semblance.errors import InputError
from semblance.lines import read_json_lines, read_lines, read_records
from tests.unit.data.files import WORDS, put


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
@pytest.mark.parametrize(
    "content, expected",
    [
        # Only line feeds end a line.
        (
            "1\r\n2\r3\u20284\x85\x0b\x0c\x1c 5\n\né",
            ["1", "2\r3\u20284\x85\x0b\x0c\x1c 5", "", "é"],
        ),
        # A byte order mark is dropped at the start only.
        ("\ufeffone\n\ufefftwo\n", ["one", "\ufefftwo"]),
        ("", []),
    ],
)
def test_lines_are_numbered_from_1(tmp_path, name, content, expected):
    assert list(read_lines(put(tmp_path / name, content))) == list(enumerate(expected, 1))


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_a_missing_file_is_named(tmp_path, name):
    with pytest.raises(InputError, match=re.escape(f"{tmp_path / name}: no such file")):
        list(read_lines(tmp_path / name))


def test_a_truncated_gzip_fails_after_its_last_whole_line(tmp_path):
    whole = gzip.compress(b"one\n" * 1000, compresslevel=0)
    path = put(tmp_path / "a.gz", whole[:-20])
    seen = []
    with pytest.raises(InputError, match="broken gzip") as caught:
        for line, _ in read_lines(path):
            seen.append(line)
    assert len(seen) < 1000 and str(caught.value).startswith(f"{path}:{len(seen) + 1}: ")


def test_normalise_touches_white_space_only():
    assert normalise("  A\u00a0b\t\r\n\u2028 C'd…  ") == "A b C'd…"
    # No case folding, no NFKC, no removal of zero-width characters.
    assert normalise("Ünï  ﬁne\u200bÉ") == "Ünï ﬁne\u200bÉ"


def test_a_blank_line_is_accepted_at_the_end(tmp_path):
    assert list(read_records(put(tmp_path / "a", "one\ntwo\n \n"))) == [(1, "one"), (2, "two")]


def test_json_lines_are_objects_with_their_lines(tmp_path):
    text = '{"a": "null", "b": null}\r\n{"a": "x\u2028\\u2029y"}\n{"a": "\\\\u0000"}\n\n'
    assert list(read_json_lines(put(tmp_path / "a.jsonl", text))) == [
        (1, {"a": "null", "b": None}),
        (2, {"a": "x\u2028\u2029y"}),
        (3, {"a": "\\u0000"}),  # an escaped backslash before u0000 is text
    ]


def test_elements_of_xml_know_their_lines(tmp_path):
    declaration = '<?xml version="1.0" encoding="utf-16"?>\r\n'  # not so: files are UTF-8
    path = put(tmp_path / "a.xml", declaration + "<Root>\r\n<A>x &lt; y</A>\n\n<a\n>é</a></Root>")
    root = read_xml(path)
    assert (root.tag, root.line) == ("root", 2)
    assert [(a.line, normalise(a.text)) for a in root.findall("a")] == [(3, "x < y"), (5, "é")]


def test_fields_may_hold_line_breaks_quotes_delimiters_and_words_such_as_null(tmp_path):
    path = put(
        tmp_path / "a.csv", 'q,a\r\n"one, ""1""","first\r\n\r\nsecond"\r\n\r\ntwo,\r\n"","x\ry"\r\n'
    )
    assert list(read_csv(path, ["a"])) == [
        (2, {"q": 'one, "1"', "a": "first\n\nsecond"}),
        (6, {"q": "two", "a": ""}),
        (7, {"q": "", "a": "x y"}),
    ]
    path = put(tmp_path / "a.csv", "q,a\n" + "".join(f"{w},{w}\n" for w in WORDS))
    assert [row["q"] + row["a"] for _, row in read_csv(path, ["q", "a"])] == [w + w for w in WORDS]


def test_huge_fields_are_read(tmp_path):
    huge = "word, " * 200_000  # 1.2 million characters; the csv module's own limit is 131,072
    path = put(tmp_path / "a.csv", f'q,a\n1,"{huge}"\n')
    assert [row["a"] for _, row in read_csv(path, ["q", "a"])] == [huge]
    assert len(huge) < csv_text.LONGEST
