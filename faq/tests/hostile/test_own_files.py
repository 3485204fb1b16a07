"""A user's own FAQ as CSV or JSON lines, damaged: refused in one line with its place, without a trace.

Downloads need no such table: they are compared with their digests before they are read.
"""

import gzip
import json

import pytest

from semblance_faq.read.faq import read_own
from tests.files import contents
from tests.hostile.bounds import refusal

BOM = "\ufeff".encode()
PAGE = b"<!DOCTYPE html>\n<html><head><title>404</title></head>\n<body>Not found</body></html>\n"
CSV = "question,answer,id\nq,ä,1\nr,b,2\n".encode()
ROWS = [{"question": "q", "answer": "ä", "id": "1"}, {"question": "r", "answer": "b", "id": "2"}]
JSON = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS).encode()

NOT_UTF8 = {  # bytes: what they are
    b"\xe2\x82": "a truncated character",
    b"\xed\xa0\x80": "a surrogate",
    b"caf\xe9 ": "Latin-1",
}
JSON_ROWS = {  # a row of JSON: what is wrong with it; unit/test_strict_json.py has all there is
    '{"gold_label": "neu': "truncated",
    "[1, 2]": "an array",
    "{} {}": "two objects",
    "[" * 100_000: "deep nesting",
    '{"question": "q", "question": "r"}': "a doubled key",
}
CSV_ROWS = {
    "one": "fields: 1, and 3",
    "1,2,3,4,5": "fields: 5, and 3",
    '"one,two': "unbalanced quote",
    '"one"x,two,3': "a quote is unbalanced or stands inside",
    "r, ,2": "answer is empty",
    "r,b,1": "id '1' stands twice",
}


def last(sample: bytes, odd: bytes) -> bytes:
    """Return a sample with bytes inside its last line, the third of CSV and the second of JSON."""
    *before, line = sample.splitlines()
    return b"\n".join([*before, line[:1] + odd + line[1:], b""])


def row(sample: bytes, text: str) -> bytes:
    """Return a sample with another last line."""
    return b"\n".join([*sample.splitlines()[:-1], text.encode(), b""])


def packed(content: bytes) -> bytes:
    """Return bytes as gzip packs them."""
    return gzip.compress(content, mtime=0)


def flipped(content: bytes) -> bytes:
    """Return packed bytes with another checksum."""
    return content[:-6] + bytes([content[-6] ^ 1]) + content[-5:]


HEAD = "question,answer\n"
IDS = "id,question,answer\n"
TABLES = [  # the text of a table, and the words of its refusal
    (HEAD, 1, "no question-answer pair"),
    (HEAD + "q,a,, ,\nr,b,c\n", 3, "fields: 3, and 2 in the header"),
    ('"question,answer\nq,a\n', 1, "unbalanced quote"),
    ("Frage;title;Antwort\na;b;c\n", 1, "two columns may hold the question: 'Frage', 'title'"),
    (HEAD + "\u200b,a\n", 2, "is empty"),  # format characters alone
    (IDS + "3,q,a\n,r,b\n", 3, "id '3' stands twice"),  # a row without an id has its number
    (IDS + ",q,a\n2,r,b\n", 3, "id '2' stands twice"),
]
FIELDS = [  # of the second row of JSON
    ({"answer": None}, "answer is missing"),
    ({"question": 3}, "question is not text"),
    ({"answer": " "}, "answer is empty"),
    ({"id": "1"}, "id '1' stands twice"),
    ({"id": True}, "id is not text"),
    ({"group": ["g"]}, "group is not text"),
    ({"queries": 3}, "queries is not a list"),
    ({"queries": ["x", ""]}, "a query is empty"),
    ({"queries": [None]}, "a query is missing"),
]
NO_JSON = "not a JSON object as expected"
DAMAGED = [  # file, content, line, words of the refusal
    *(("f.csv", last(CSV, odd), 3, "not UTF-8") for odd in NOT_UTF8),
    *(("f.jsonl", last(JSON, odd), 2, "not UTF-8") for odd in NOT_UTF8),
    ("f.csv", last(CSV, b"\0"), 3, "NUL"),
    ("f.jsonl", last(JSON, b"\0"), 2, NO_JSON),
    *(("f.csv", row(CSV, text), 3, words) for text, words in CSV_ROWS.items()),
    *(("f.jsonl", row(JSON, text), 2, NO_JSON) for text in JSON_ROWS),
    ("f.jsonl", row(JSON, '{"question": "\\u0000"}'), 2, "NUL"),
    *(("f.csv", text.encode(), line, words) for text, line, words in TABLES),
    *(("f.jsonl", row(JSON, json.dumps(ROWS[1] | one)), 2, words) for one, words in FIELDS),
    ("f.csv", b"", 1, "no header"),
    ("f.jsonl", b"", 1, "no question-answer pair"),
    ("f.csv", BOM, 1, "no header"),
    ("f.csv", CSV.decode().encode("utf-32"), 1, ""),
    ("f.jsonl", JSON.decode().encode("utf-16"), 1, "not UTF-8"),
    ("f.csv", bytes(range(256)), 2, "not UTF-8"),
    ("f.csv", packed(CSV), 1, "not UTF-8"),
    ("f.csv", PAGE, 1, "no column question"),
    ("f.jsonl", PAGE, 1, NO_JSON),
    ("f.csv", CSV.replace(b"r,b", BOM + b"r,b"), 3, "a byte order mark inside"),
    ("f.jsonl", BOM + BOM + JSON, 1, "a byte order mark inside"),
    ("f.jsonl", JSON.replace(b"\n", b"\r"), 1, "a lone carriage return"),
    ("f.json", b'[{"question": "q",\n]', 2, "not JSON"),
    ("f.json", b'["q", "a"]', 1, "entry 1 is no JSON object: 'q'"),
    ("f.json", b'{"data": {"q": "a"}}', 1, "no column question"),
    ("f.csv.gz", packed(CSV)[:-10], 1, "broken gzip"),
    ("f.jsonl.gz", packed(JSON)[:-10], 2, "broken gzip"),  # behind the first row
    ("f.csv.gz", packed(CSV) + b"rubbish", 1, "broken gzip"),
    ("f.csv.gz", flipped(packed(CSV)), 1, "broken gzip"),
    ("f.csv.gz", b"", 1, "broken gzip"),
]


@pytest.mark.parametrize("name, content, line, words", DAMAGED)
def test_a_damaged_faq_is_refused_at_its_line_and_nothing_is_written(
    name, content, line, words, tmp_path, monkeypatch
):
    path = tmp_path / name
    path.write_bytes(content)
    monkeypatch.chdir(tmp_path)
    before = contents(tmp_path)
    message = refusal(read_own, path)
    assert message.startswith(f"{path}:{line}: ") and words in message, message
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    "row, words",
    [("x,9", "no entry has the id '9'"), ("x, ", "id is empty"), (" ,1", "query is empty")],
)
def test_a_row_of_the_second_file_that_fits_no_entry_names_its_line(row, words, tmp_path):
    path, asked = tmp_path / "f.csv", tmp_path / "asked.csv"
    path.write_text(IDS + "1,q,a\n")
    asked.write_text(f"query,id\nw,1\n{row}\n")
    message = refusal(read_own, path, None, asked)
    assert message.startswith(f"{asked}:3: ") and words in message


@pytest.mark.parametrize("name", ["own.docx", "f.xls", "f.ods"])
def test_another_format_is_refused_with_those_that_are_known(name, tmp_path):
    advice = "name the file after its format" if name == "own.docx" else "save it as .xlsx"
    message = refusal(read_own, tmp_path / name)
    assert "no table that can be read" in message and advice in message


@pytest.mark.parametrize("name, plain", [("f.csv", CSV), ("f.jsonl", JSON)])
def test_harmless_differences_change_nothing(name, plain, tmp_path):
    (tmp_path / name).write_bytes(plain)
    faq = read_own(tmp_path / name)
    assert [(pair.question, pair.answer, pair.id) for pair in faq.pairs] == [
        tuple(row.values()) for row in ROWS
    ]
    for odd in (plain.replace(b"\n", b"\r\n"), plain.rstrip(b"\n"), BOM + plain):
        (tmp_path / name).write_bytes(odd)
        assert read_own(tmp_path / name) == faq
