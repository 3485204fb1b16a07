"""CSV records: what is read, and where reading stops."""

import csv

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semblance.data import csv_text
from semblance.data.csv_text import read_csv
from tests.unit.data.files import WORDS, fails_at, put


def test_fields_may_hold_line_breaks_quotes_delimiters_and_words_such_as_null(tmp_path):
    path = put(
        tmp_path / "a.csv", 'q,a\r\n"one, ""1""","first\r\n\r\nsecond"\r\n\r\ntwo,\r\n"","x\ry"\r\n'
    )
    assert list(read_csv(path, ["a"])) == [
        (2, {"q": 'one, "1"', "a": "first\n\nsecond"}),
        (6, {"q": "two", "a": ""}),
        (7, {"q": "", "a": "x\ry"}),
    ]
    path = put(tmp_path / "a.csv", "q,a\n" + "".join(f"{w},{w}\n" for w in WORDS))
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
def test_reads_what_the_csv_module_writes(tmp_path, rows, delimiter):
    path = tmp_path / "a.csv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([("a", "b", "c"), *rows])
    expected = [tuple(value.replace("\r\n", "\n") for value in row) for row in rows]
    # The columns that are not asked for are kept.
    found = [row for _, row in read_csv(path, ["c", "a"], delimiter)]
    assert found == [dict(zip("abc", row, strict=True)) for row in expected]


def test_an_unbalanced_quote_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_text, "MAX_RECORD", 100)
    path = put(tmp_path / "a.csv", 'q,a\nx,"open\n' + "x,y\n" * 100)
    with fails_at(path, 2, "more than 100 characters"):
        list(read_csv(path, ["q"]))


def test_huge_fields_are_read(tmp_path):
    huge = "word, " * 200_000  # 1.2 million characters; the csv module's own limit is 131,072
    path = put(tmp_path / "a.csv", f'q,a\n1,"{huge}"\n')
    assert [row["a"] for _, row in read_csv(path, ["q", "a"])] == [huge]
    assert len(huge) < csv_text.MAX_RECORD
