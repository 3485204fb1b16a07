"""Entries and queries of a user's FAQ: what is alike is told, and nothing goes away unsaid."""

import json

import pytest

from faq.tests.read.examples import places
from semblance.data.faq import Faq, FaqPair, FaqQuery
from semblance.data.text import bare
from semblance_faq.read.faq import read_own
from semblance_faq.read.findings import Finding, Findings
from tests.unit.data.files import put


@pytest.mark.parametrize("name", ["shop.csv", "shop.csv.gz"])
def test_own_csv_fills_ids_and_groups(tmp_path, name):
    header = "\ufeffanswer,question,id,group,note\n"
    path = put(tmp_path / name, header + '"NA\nn/a",null,,,x\nNone,None,k,g,x\n')
    pairs = (FaqPair("2", "null", "NA\nn/a", "null"), FaqPair("k", "None", "None", "g"))
    assert read_own(path) == Faq("shop", pairs, ())


def test_own_json_lines_may_hold_queries(tmp_path):
    rows = [
        {"question": "null", "answer": "NA", "queries": ["n/a", "x  y"], "id": 5.0},
        {"question": "q", "answer": "a", "group": "g"},
    ]
    path = put(tmp_path / "own.jsonl", "\n".join(map(json.dumps, rows)))
    assert read_own(path) == Faq(
        "own",
        (FaqPair("5", "null", "NA", "null"), FaqPair("2", "q", "a", "g")),
        (FaqQuery("5-q1", "n/a", "null", ("5",)), FaqQuery("5-q2", "x y", "null", ("5",))),
    )


LATER = '["Bye?", "See you"], "%s": ["Soon.", "Later."]}]'
ARRAYS = {
    "f.json": '[\n{"question": "Hi?", "answer": "Hello."},\n{"question": ' + LATER % "answer",
    "f.txt": '[{"q": "Hi?", "a": "Hello."}, {"q": ' + LATER % "a",
    "intents.json": '{"about": [1], "intents": [{"tag": "a", "patterns": ["Hi?"],'
    ' "responses": ["Hello."]}, {"patterns": ' + LATER % "responses" + "}",
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_of_json_is_read_and_its_further_questions_are_wordings(name, tmp_path):
    faq = read_own(put(tmp_path / name, ARRAYS[name]))
    pairs = [(pair.id, pair.question, pair.answer) for pair in faq.pairs]
    assert pairs == [("1", "Hi?", "Hello."), ("2", "Bye?", "Soon.")]
    assert [(query.text, query.relevant) for query in faq.queries] == [("See you", ("2",))]
    assert places(faq, "rows with several answers") == [(2, 0)]


def test_answers_keep_their_lines_and_equal_ones_are_one_entry(tmp_path):
    text = 'question,answer\nq,"a  b\n\n\n\n c\rd"\nq,"a b c d"\n'
    faq = read_own(put(tmp_path / "f.csv", text))
    assert [pair.answer for pair in faq.pairs] == ["a b\n\nc\nd"]
    assert places(faq, "duplicate rows") == [(7, 2)]


def test_wordings_on_lines_of_a_cell_are_counted_and_what_may_be_several_is_named(tmp_path):
    text = 'question,answer,queries\nq,a,"- one?\n- two"\nr,b,how? and why?\ns,c,this; that\n'
    faq = read_own(put(tmp_path / "f.csv", text))
    assert [query.text for query in faq.queries][:2] == ["one?", "two"]
    assert places(faq, "queries that may be several") == [(4, 0), (5, 0)]
    assert any(
        line.endswith("queries: 2 wordings, one a line in 1 cell") for line in faq.reading.lines
    )


@pytest.mark.parametrize("own, asked", [("1", "1.0"), ("1.0", "1"), ("1.0", "1.0")])
def test_an_id_that_pandas_wrote_as_1_0_is_1(tmp_path, own, asked):
    path = put(tmp_path / "f.csv", f"id,question,answer\n{own},q,a\n1.5,r,b\n")
    queries = put(tmp_path / "asked.csv", f"query,id\nw,{asked}\n")
    assert read_own(path, None, queries).queries[0].relevant == (own,)


def test_rows_that_repeat_question_and_answer_are_one_entry_with_all_queries(tmp_path):
    text = "question,answer,id,queries\nq,a,1,x\nr,b,2,\n q ,a,3,y\n"
    faq = read_own(put(tmp_path / "f.csv", text))
    assert faq.pairs == (FaqPair("1", "q", "a", "q"), FaqPair("2", "r", "b", "r"))
    assert faq.queries == (FaqQuery("1-q1", "x", "q", ("1",)), FaqQuery("1-q2", "y", "q", ("1",)))
    assert places(faq, "duplicate rows") == [(4, 2)]


ALIKE = {
    "a question with other answers": (
        "q,a,\nr,b,\nq,c,\nq,d,\n",
        0,
        {"questions with another answer": [(4, 2), (5, 2)]},
    ),
    "near-duplicates": (
        "Where is it?,Here.,\nwhere is it,There,\nWHERE  is it ?!,here,\n",
        0,
        {"near-duplicate questions": [(3, 2), (4, 2)], "near-duplicate answers": [(4, 2)]},
    ),
    "a query that is a question in another spelling": (
        "q,a,R?\nr,b,\n",
        1,
        {"queries that are a question of the FAQ": [(2, 0)]},
    ),
    "queries in two spellings": (  # the second line repeats "how" as it stands, too
        "q,a,How?|how|why\nr,b,HOW!|how\n",
        4,
        {"near-duplicate queries": [(2, 2), (3, 2)], "queries at a further entry": [(3, 2)]},
    ),
}


@pytest.mark.parametrize("name", ALIKE)
def test_what_is_alike_stays_and_is_reported(name, tmp_path):
    rows, queries, found = ALIKE[name]
    faq = read_own(put(tmp_path / "f.csv", f"question,answer,queries\n{rows}"))
    assert len(faq.pairs) == rows.count("\n")
    assert len(faq.queries) == queries
    assert {kind: places(faq, kind) for kind in found} == found


@pytest.mark.parametrize(
    "one, other, alike",
    [
        ("Straße?", "STRASSE", True),
        ("ﬁne", "fine", True),
        ("e-mail", "email", True),
        ("so\u00adft\u200b", "soft", True),
        ("C++", "C", False),
        ("C#", "C", False),
        ("R&D", "RD", False),
        (".NET", "net", False),
        ("1.5", "15", False),
        ("24/7", "247", False),
        ("5 %", "5%", True),
        ("5 %", "5", False),
        ("- how... if?", "how if", True),
        ("5 €", "5 $", False),
        ("हिंदी", "हद", False),  # vowel signs are letters
    ],
)
def test_texts_are_alike_but_for_case_white_space_and_punctuation_that_no_word_needs(
    one, other, alike
):
    assert (bare(one) == bare(other)) == alike


def test_a_query_at_several_entries_is_one_query_with_all_of_them(tmp_path):
    text = "question,answer,id,queries\nq,a,1,x|y\nr,b,2,z|x\ns,c,3,x|x\n"
    faq = read_own(put(tmp_path / "f.csv", text))
    assert faq.queries == (
        FaqQuery("1-q1", "x", "q", ("1", "2", "3")),
        FaqQuery("1-q2", "y", "q", ("1",)),
        FaqQuery("2-q1", "z", "r", ("2",)),
    )
    assert places(faq, "queries at a further entry") == [(3, 2), (4, 2)]
    assert places(faq, "repeated queries") == [(4, 2)]


def test_a_second_file_names_the_entries_of_its_queries(tmp_path):
    path = put(tmp_path / "f.csv", "question,answer,id,queries\nq,a,1,x\nr,b,2,\nq,a,3,\n")
    asked = put(tmp_path / "asked.csv", "id;Anfrage\n2;x\n\n3;y\n")
    faq = read_own(path, None, asked)
    # Row 3 repeats row 1, so its id is another name of entry 1.
    assert faq.queries == (
        FaqQuery("1-q1", "x", "q", ("1", "2")),
        FaqQuery("1-q2", "y", "q", ("1",)),
    )
    assert any(line.startswith(f"{asked}: empty rows: 1 ") for line in faq.reading.lines)


@pytest.mark.parametrize("ids", [True, False])
def test_queries_of_a_file_without_ids_are_said_to_hang_on_line_numbers(tmp_path, ids):
    rows = ["id,question,answer\na,b,c", "question,answer\nb,c"]
    faq = put(tmp_path / "f.csv", f"{rows[not ids]}\n")
    queries = put(tmp_path / "q.csv", f"query,id\nwhy,{'a' if ids else '2'}\n")
    lines = read_own(faq, queries_path=queries).reading.lines
    assert any("ids are line numbers" in line for line in lines) == (not ids)


def test_named_columns_are_read(tmp_path):
    path = put(tmp_path / "f.csv", "title,body,text\nt,b,x\n")
    faq = read_own(path, {"answer": "text"})
    assert [(pair.question, pair.answer) for pair in faq.pairs] == [("t", "x")]


def test_a_long_list_of_places_is_cut_and_its_count_is_not():
    findings = Findings()
    for number in range(1, 31):
        findings.add(Finding.EMPTY, "f.csv", 2 * number)
    (line,), counts = findings.reading()
    assert "empty rows: 30 " in line and line.endswith("24, 18 more places")
    assert counts == dict.fromkeys((kind.label for kind in Finding), 0) | {"empty rows": 30}


def test_blank_lines_of_json_are_skipped_and_counted_as_in_csv(tmp_path):
    rows = ['{"question": "q", "answer": "a"}', '{"question": "r", "answer": "b"}']
    found = read_own(put(tmp_path / "my.jsonl", f"\n{rows[0]}\n \n{rows[1]}\n\n"))
    assert places(found, "empty rows") == [(1, 0), (3, 0), (5, 0)]
    assert [pair.id for pair in found.pairs] == ["2", "4"]
