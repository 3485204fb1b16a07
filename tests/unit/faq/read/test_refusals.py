"""What is wrong in a user's file is one line with its place: each reader, each kind of dirt."""

import json

import pytest

from semblance.errors import InputError
from semblance_faq.read.faq import read_own
from semblance_faq.read.pairs import read_own_pairs
from tests.unit.data.files import fails_at, put
from tests.unit.faq.read.workbooks import HEADER, save

HEAD = "question,answer\n"
IDS = "id,question,answer\n"
WHOLE = {"question": "q", "answer": "a"}
CSV = [
    ("", 1, "no header"),
    ("\n\n", 1, "no header"),
    (HEAD, 1, "no question-answer pair"),
    (HEAD + "q\n", 2, "fields: 1, and 2"),
    (HEAD + "q,a,, ,\nr,b,c\n", 3, "fields: 3, and 2 in the header"),
    (HEAD + '"q,a\n', 2, "unbalanced quote"),
    (HEAD + '"q"r,a\n', 2, "a quote is unbalanced"),
    ('"question,answer\nq,a\n', 1, "unbalanced quote"),
    ('"que"stion,answer\nq,a\n', 1, "a quote is unbalanced"),
    ("only one column\nx\n", 1, "no column question"),
    ("Frage;title;Antwort\na;b;c\n", 1, "two columns may hold the question: 'Frage', 'title'"),
    (HEAD + "\ufeffq,a\n", 2, "a byte order mark"),
    (HEAD + "\u200b,a\n", 2, "is empty"),  # format characters alone
    (HEAD + "q,\u202e \u200b\n", 2, "is empty"),
    (IDS + "3,q,a\n,r,b\n", 3, "id '3' stands twice.* line 2; a row without one has its number"),
    (IDS + ",q,a\n2,r,b\n", 3, "id '2' stands twice"),
]
ROWS = [
    ({"answer": None}, "answer is missing"),
    ({"question": 3}, "question is not text"),
    ({"answer": " "}, "answer is empty"),
    ({"id": "k"}, "id 'k' stands twice"),
    ({"id": True}, "id is not text"),
    ({"group": ["g"]}, "group is not text"),
    ({"queries": "x"}, "queries is not a list"),
    ({"queries": ["x", ""]}, "a query is empty"),
    ({"queries": [None]}, "a query is missing"),
]
FIRST = json.dumps(WHOLE | {"id": "k"})
JSON = [(f"{FIRST}\n{json.dumps(WHOLE | row)}\n", 2, words) for row, words in ROWS]
TWO_KEYS = '{"q": "p", "answer": "r"}\n{"frage": "p"}\n'
JSON += [(TWO_KEYS, 1, "two columns may hold the question: 'q', 'frage'")]
SHEETS = [
    ([HEADER, ["q", "a"], ["r", None]], 3, "answer is empty"),
    ([HEADER, ["q", "a", "k"], ["r", "b", "k"]], 3, "id 'k' stands twice"),
    ([HEADER, ["q", "a"], ["r", "#REF!"]], 3, "cell B3 shows the error #REF!"),
    ([["Frage", "Q", "A"], ["q", "r", "a"]], 1, "two columns may hold the question"),
    ([[], ["what", "that"]], 2, "no column question"),
    ([HEADER], 1, "no question-answer pair"),
]
PAIRS = "sentence1,sentence2,score\n"
SCORED = [
    ("", 1, "no header"),
    (PAIRS + "x,y,1\na,b,nan\n", 3, "score 'nan' is no finite number"),
    (PAIRS + "x,y,1\na,b,inf\n", 3, "score 'inf' is no finite number"),
    (PAIRS + "x,y,1\na,b,1e999\n", 3, "score '1e999' is no finite number"),
    (PAIRS + 'x,y,1\na,b,"4,5"\n', 3, "score '4,5' is no finite number"),
    (PAIRS + "x,y,1\na,b,\n", 3, "score is empty"),
    (PAIRS + "x,y,1\na, ,3\n", 3, "sentence2 is empty"),
    (PAIRS + "x,y,1\na,b\n", 3, "fields: 2, and 3 in the header"),
    (PAIRS + "a,b,1\n", 1, "pairs: 1, and a correlation needs 2 at least"),
    (PAIRS + "a,b,3\nc,d,3.0\n", 2, "all 2 scores are 3, which correlates with nothing"),
]
SCORES = ["true", "null", "[1]", "1" + "0" * 400]
SCORED_JSON = [
    (f'{{"sentence1": "a", "sentence2": "b", "score": {s}}}\n', 1, "score") for s in SCORES
]
TABLES = {
    "f.csv": CSV,
    "f.jsonl": JSON,
    "f.xlsx": SHEETS,
    "pairs.csv": SCORED,
    "pairs.jsonl": SCORED_JSON,
}


@pytest.mark.parametrize(
    "name, content, line, words", [(name, *case) for name in TABLES for case in TABLES[name]]
)
def test_a_malformed_file_is_refused_in_one_line_with_its_place(
    name, content, line, words, tmp_path
):
    path = tmp_path / name
    if isinstance(content, list):
        save(path, *content)
    else:
        put(path, content)
    with fails_at(path, line, words):
        if name.startswith("pairs"):
            read_own_pairs(path, "mine")
        else:
            read_own(path)


@pytest.mark.parametrize(
    "row, words",
    [("x,9", "no entry has the id '9'"), ("x, ", "id is empty"), (" ,1", "query is empty")],
)
def test_a_row_of_the_second_file_that_fits_no_entry_names_its_line(row, words, tmp_path):
    path = put(tmp_path / "f.csv", IDS + "1,q,a\n")
    asked = put(tmp_path / "asked.csv", f"query,id\nw,1\n{row}\n")
    with fails_at(asked, 3, words):
        read_own(path, None, asked)


@pytest.mark.parametrize("name", ["own.docx", "f.xls", "f.ods"])
def test_another_format_is_refused_with_those_that_are_known(name, tmp_path):
    advice = "name the file after its format" if name == "own.docx" else "save it as .xlsx"
    with pytest.raises(InputError, match=f"neither .csv nor .jsonl nor .xlsx.*{advice}"):
        read_own(tmp_path / name)
