"""CSV records: what is read; test_refusals.py says what is refused."""

from semblance.data import csv_text
from semblance.data.csv_text import read_csv
from tests.unit.data.files import WORDS, put


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
