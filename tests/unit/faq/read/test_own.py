"""A user's own FAQ as CSV and JSON lines."""

import json
import re

import pytest

from semblance.data.faq import Faq, FaqPair, FaqQuery
from semblance.errors import InputError
from semblance_faq.read.faq import read_own
from tests.unit.data.files import WORDS, fails_at, put


@pytest.mark.parametrize("name", ["shop.csv", "shop.csv.gz"])
def test_own_csv_fills_ids_and_groups(tmp_path, name):
    path = put(
        tmp_path / name,
        '\ufeffanswer,question,id,group,note\n"NA\nn/a",null,,,x\nNone,None,k,g,x\n',
    )
    pairs = (FaqPair("2", "null", "NA n/a", "null"), FaqPair("k", "None", "None", "g"))
    assert read_own(path) == Faq("shop", pairs, ())


def test_own_csv_needs_two_columns_only(tmp_path):
    path = put(tmp_path / "shop.csv", "question,answer\n" + "".join(f"{w},{w}\n" for w in WORDS))
    assert [(pair.question, pair.answer) for pair in read_own(path).pairs] == [
        (w, w) for w in WORDS
    ]


def test_own_json_lines_may_hold_queries(tmp_path):
    rows = [
        {"question": "null", "answer": "NA", "queries": ["n/a", "x  y"], "id": 5},
        {"question": "q", "answer": "a", "group": "g"},
    ]
    path = put(tmp_path / "own.jsonl", "\n".join(map(json.dumps, rows)))
    assert read_own(path) == Faq(
        "own",
        (FaqPair("5", "null", "NA", "null"), FaqPair("2", "q", "a", "g")),
        (FaqQuery("5-q1", "n/a", "null", ("5",)), FaqQuery("5-q2", "x y", "null", ("5",))),
    )


@pytest.mark.parametrize(
    "row, words",
    [
        ({"answer": None}, "answer is missing"),
        ({"question": 3}, "question is not text"),
        ({"answer": " "}, "answer is empty"),
        ({"id": "k"}, "id 'k' stands twice"),
        ({"id": True}, "id is not text"),
        ({"group": ["g"]}, "group is not text"),
        ({"queries": "x"}, "queries is not a list"),
        ({"queries": ["x", ""]}, "a query is empty"),
        ({"queries": [None]}, "a query is missing"),
    ],
)
def test_own_malformed_rows_name_their_line(tmp_path, row, words):
    path = put(
        tmp_path / "own.jsonl",
        '{"question": "q", "answer": "a", "id": "k"}\n'
        + json.dumps({"question": "q", "answer": "a"} | row)
        + "\n",
    )
    with fails_at(path, 2, words):
        read_own(path)


def test_own_of_another_format_is_refused(tmp_path):
    with pytest.raises(InputError, match="neither .csv nor .jsonl"):
        read_own(tmp_path / "own.docx")
    path = put(tmp_path / "own.csv", "question,answer\n")
    with pytest.raises(InputError, match=re.escape(f"{path}:1: no question-answer pair")):
        read_own(path)
