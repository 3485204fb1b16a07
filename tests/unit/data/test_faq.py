"""FAQ banks in the formats of COUGH, FAQIR, StackFAQ, the COVID tables and a user's own."""

import gzip
import json
import os
import re
from pathlib import Path

import pytest

from semblance.data.faq import (
    Faq,
    FaqPair,
    FaqQuery,
    read_cough,
    read_covid,
    read_faqir,
    read_own,
    read_stackfaq,
    unique_answers,
)
from semblance.data.text import read_csv
from semblance.errors import InputError

DATA = os.environ.get("SEMBLANCE_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="SEMBLANCE_DATA is not set: real data NOT checked")
WORDS = ["null", "NA", "n/a", "None"]  # what careless readers take for missing values


def fails_at(path, line, words=""):
    return pytest.raises(InputError, match=rf"\A{re.escape(f'{path}:{line}: ')}[^\n]*{words}")


def put(path, content):
    path.write_bytes(gzip.compress(content.encode()) if path.suffix == ".gz" else content.encode())
    return path


# COUGH

BANK = "index,url,question,original answer,answer,answer wLink,source,language,type\n"
RELEVANCE = "Query_index,Query,FAQ_index,Raw_score,Average,Label (mean score > 3 as positive)\n"


def cough(folder, judgements="", bank=None, queries=None):
    """Write a small COUGH release; return its three paths."""
    bank = bank or (
        '2,u, What is it? ,"<dd>\n</dd>","A virus,\nI think",x,s,en,Question\n'
        "4,u,null,x,NA,x,s,en,Question\n"
        "9,u,Was ist es?,x,Ein Virus,x,s,de,Question\n7,u,n/a,x,None,x,s,en,Q\n"
    )
    queries = queries or "0,what?\n12,null\n3,NA\n"
    return (
        put(folder / "bank.csv", BANK + bank),
        put(folder / "queries.csv", "index,query\n" + queries),
        put(folder / "relevance.csv", RELEVANCE + judgements),
    )


def test_cough_a_mean_above_three_is_relevant(tmp_path):
    judged = (
        '0,what?,7,"[4, 2, 4]",3.333333333,positive\n0,what?,2,"[4,3,3]",3.3333333333,positive\n'
        '0,what?,4,"[4, 2, 3]",3,negative\n12,null,4,[4],4.0,positive\n'
    )
    faq = read_cough(*cough(tmp_path, judged))
    assert faq == Faq(
        "cough",
        (
            FaqPair("2", "What is it?", "A virus, I think", "What is it?"),
            FaqPair("4", "null", "NA", "null"),
            FaqPair("7", "n/a", "None", "n/a"),
        ),
        (
            FaqQuery("0", "what?", "0", ("2", "7")),
            FaqQuery("12", "null", "12", ("4",)),
            FaqQuery("3", "NA", "3", ()),
        ),
    )


def test_cough_another_language_can_be_asked_for(tmp_path):
    assert [pair.id for pair in read_cough(*cough(tmp_path), language="de").pairs] == ["9"]
    with pytest.raises(InputError, match="no question-answer pair"):
        read_cough(*cough(tmp_path), language="fr")


@pytest.mark.parametrize(
    "row, words",
    [
        ("5,x,2,[4],4,positive", "query '5' is unknown"),
        ("0,x,3,[4],4,positive", "FAQ '3' is unknown"),
        ("0,x,9,[4],4,positive", "FAQ '9' is unknown"),
        ('0,x,2,"[4, 3]",3.50001,positive', "Average 3.50001"),
        ("0,x,2,[4],nan,positive", "Average nan"),
        ("0,x,2,[4],,positive", "no number"),
        ("0,x,2,[3],3,positive", "label 'positive' contradicts"),
        ("0,x,2,[4],4,", "label '' contradicts"),
        ("0,x,2,[],0,negative", "no list of 1 to 4"),
        ("0,x,2,[5],5,positive", "no list of 1 to 4"),
        ("0,x,2,4,4,positive", "no list of 1 to 4"),
        ("0,x,2,__import__('os'),4,positive", "no list of 1 to 4"),
    ],
)
def test_cough_malformed_judgements_name_their_line(tmp_path, row, words):
    paths = cough(tmp_path, f'0,"wh\nat?",2,[1],1,negative\n{row}\n')
    with fails_at(paths[2], 4, words):
        read_cough(*paths)


def test_cough_an_average_within_a_millionth_agrees(tmp_path):
    assert read_cough(*cough(tmp_path, '0,x,2,"[4, 3]",3.5000009,positive\n')).queries[
        0
    ].relevant == ("2",)


@pytest.mark.parametrize(
    "bank, words",
    [
        ("2,u, ,x,a,x,s,en,Q", "question is empty"),
        ("2,u,q,x,,x,s,en,Q", "answer is empty"),
        ("1,u,q,x,a,x,s,en,Q", "id '1' stands twice"),
        (",u,q,x,a,x,s,en,Q", "index is empty"),
    ],
)
def test_cough_malformed_pairs_name_their_line(tmp_path, bank, words):
    paths = cough(tmp_path, bank=f'1,u,q,"\n",a,x,s,en,Q\n{bank}\n')
    with fails_at(paths[0], 4, words):
        read_cough(*paths)


@pytest.mark.parametrize(
    "row, words", [("0,again", "id '0' stands twice"), ("1,", "query is empty")]
)
def test_cough_malformed_queries_name_their_line(tmp_path, row, words):
    paths = cough(tmp_path, queries=f"0,what?\n{row}\n")
    with fails_at(paths[1], 3, words):
        read_cough(*paths)


# FAQIR


def faqir_pair(key, question="q", answer="a"):
    return f"<qaPair><Id>{key}</Id><Question>{question}</Question><Answer>{answer}</Answer><Categories/></qaPair>\n"


def faqir_query(group, text):
    return (
        f"<Query><Author>x</Author><Original>o</Original><exWords><string>w</string></exWords>"
        f"<QueryGroupID>{group}</QueryGroupID><QueryID>1</QueryID>"
        f"<QueryString>{text}</QueryString><Fold>0</Fold></Query>\n"
    )


def faqir_judged(group, *judged):
    candidates = "".join(
        f"<IRCandidate><Id>{key}</Id><Annotations>"
        + "".join(
            f"<Annotation><Val>{v}</Val><Annotator>x</Annotator></Annotation>" for v in values
        )
        + "</Annotations></IRCandidate>\n"
        for key, values in judged
    )
    return f"<IRCandidateList><grpId>{group}</grpId><candidates>\n{candidates}</candidates></IRCandidateList>\n"


def faqir(folder, queries, pairs, judgements):
    """Write a small FAQIR release: queries from line 3, pairs two lines after the last query, and so on."""
    parts = [
        '<?xml version="1.0"?>\n<IRSet xmlns:xsi="x"><queries>\n',
        *queries,
        "</queries>\n<KB><Pairs>\n",
        *pairs,
        "</Pairs></KB>\n<relCandidates>\n",
        *judgements,
        "</relCandidates></IRSet>\n",
    ]
    return put(folder / "faqir.xml", "".join(parts))


def test_faqir_judgements_belong_to_the_group_and_one_annotator_suffices(tmp_path):
    path = faqir(
        tmp_path,
        [faqir_query(0, "one"), faqir_query(7, "null"), faqir_query(0, "NA")],
        [faqir_pair(30, "n/a", "None"), faqir_pair(20), faqir_pair(10, "A &amp;\nB", "x &lt; y")],
        [
            faqir_judged(0, (10, "31"), (20, "22"), (30, "1")),
            faqir_judged(7, (20, "1"), (10, "234")),
        ],
    )
    assert read_faqir(path) == Faq(
        "faqir",
        (
            FaqPair("30", "n/a", "None", "n/a"),
            FaqPair("20", "q", "a", "q"),
            FaqPair("10", "A & B", "x < y", "A & B"),
        ),
        (
            FaqQuery("0-q1", "one", "0", ("30", "10")),
            FaqQuery("7-q1", "null", "7", ("20",)),
            FaqQuery("0-q2", "NA", "0", ("30", "10")),
        ),
    )


GOOD = {
    "queries": [faqir_query(0, "x")],
    "pairs": [faqir_pair(1)],
    "judgements": [faqir_judged(0, (1, "1"))],
}


@pytest.mark.parametrize(
    "changed, line, words",
    [
        ({"queries": [faqir_query(0, " ")]}, 3, "querystring is empty"),
        (
            {"queries": [faqir_query(0, "x"), faqir_query(5, "x")]},
            4,
            "query group '5' has no judgements",
        ),
        (
            {"queries": ["<Query>\n<QueryGroupID>0</QueryGroupID></Query>"]},
            3,
            "<query> has no <querystring>",
        ),
        ({"pairs": [faqir_pair(1), faqir_pair(1)]}, 7, "id '1' stands twice"),
        ({"pairs": [faqir_pair(1), faqir_pair(2, answer="")]}, 7, "answer is empty"),
        (
            {"judgements": [faqir_judged(0, (1, "1"), (9, "1"))]},
            11,
            "judged pair '9' is not in the bank",
        ),
        ({"judgements": [faqir_judged(0, (1, "5"))]}, 10, "annotations"),
    ],
)
def test_faqir_malformed_records_name_their_line(tmp_path, changed, line, words):
    path = faqir(tmp_path, **GOOD | changed)
    with fails_at(path, line, words):
        read_faqir(path)


# StackFAQ


def thread(*rephrasements, question="q", answers=("a",)):
    tags = (
        [("rephr", r) for r in rephrasements]
        + [("question", question)]
        + [("answer", a) for a in answers]
    )
    return (
        "<qapair>\n" + "".join(f"<{tag}>\n{text}\n</{tag}>\n" for tag, text in tags) + "</qapair>\n"
    )


def test_stackfaq_threads_are_groups_and_all_their_answers_relevant(tmp_path):
    threads = thread(
        "null", "*", " ", "a * b", question="Q  1", answers=("NA", "x <b>y</b> z")
    ) + thread(question="n/a", answers=("None",))
    path = put(tmp_path / "s.xml", f"<root>\n{threads}</root>\n")
    assert read_stackfaq(path) == Faq(
        "stackfaq",
        (
            FaqPair("1-1", "Q 1", "NA", "1"),
            FaqPair("1-2", "Q 1", "x y z", "1"),
            FaqPair("2-1", "n/a", "None", "2"),
        ),
        (
            FaqQuery("1-q1", "null", "1", ("1-1", "1-2")),
            FaqQuery("1-q2", "a * b", "1", ("1-1", "1-2")),
        ),
    )


@pytest.mark.parametrize(
    "body, line, words",
    [
        ("<qapair><question>q</question></qapair>", 2, "without an answer"),
        ("\n<qapair>\n<answer>a</answer></qapair>", 3, "no <question>"),
        ("<qapair><question>q</question>\n<answer> </answer></qapair>", 3, "answer is empty"),
        ("<qapair>\n</root>", 3, "not well-formed"),
        ("<!DOCTYPE root>", 2, ""),
    ],
)
def test_stackfaq_malformed_threads_name_their_line(tmp_path, body, line, words):
    path = put(tmp_path / "s.xml", f"<root>\n{body}\n</root>\n")
    with fails_at(path, line, words):
        read_stackfaq(path)


@pytest.mark.parametrize("read", [read_stackfaq, read_faqir])
def test_xml_of_another_kind_is_refused(tmp_path, read):
    path = put(tmp_path / "s.xml", "<html><p>Not found</p></html>")
    with pytest.raises(InputError, match=re.escape(f"{path}:1: no question-answer pair")):
        read(path)


# The COVID tables


def covid(folder):
    one = put(
        folder / "a.csv", 'question,answer,lang\nnull,"NA,\n n/a",en\nnull,None,en\nWas?,Das,de\n'
    )
    two = put(
        folder / "b.tsv",
        'lang\tquestion\tanswer\nen\t null \t"NA, n/a"\nen\tother, q\tNA\nit\t\t\n',
    )
    return [one, two]


def test_covid_pairs_are_distinct_english_and_numbered_over_the_files(tmp_path):
    pairs = (
        FaqPair("1", "null", "NA, n/a", "null"),
        FaqPair("2", "null", "None", "null"),
        FaqPair("3", "other, q", "NA", "other, q"),
    )
    assert read_covid(covid(tmp_path)) == Faq("covid", pairs, ())


def test_covid_similar_questions_are_queries_for_all_pairs_of_their_question(tmp_path):
    similarity = put(
        tmp_path / "s.csv",
        "question_1,question_2,similar\nnull,what,1\nnull,no,0\nabsent,no,1\n"
        '"other,  q",NA,1\n"other, q",what,1\n',
    )
    assert read_covid(covid(tmp_path), similarity).queries == (
        FaqQuery("q1", "what", "null", ("1", "2", "3")),
        FaqQuery("q2", "NA", "other, q", ("3",)),
    )


@pytest.mark.parametrize(
    "row, words", [("null,x,yes", "similar is 'yes'"), ("null,,1", "question_2 is empty")]
)
def test_covid_malformed_similarities_name_their_line(tmp_path, row, words):
    path = put(tmp_path / "s.csv", f"question_1,question_2,similar\nnull,x,1\n{row}\n")
    with fails_at(path, 3, words):
        read_covid(covid(tmp_path), path)


@pytest.mark.parametrize(
    "content, line, words",
    [
        ("question,answer\n", 1, "no column lang"),
        ("question,answer,lang\nq,,en\n", 2, "answer is empty"),
        ("question\tanswer\tlang\nq\ta\n", 2, "2 fields"),
        ("", 1, "no header"),
    ],
)
def test_covid_malformed_tables_name_their_line(tmp_path, content, line, words):
    path = put(tmp_path / "c.csv", content)
    with fails_at(path, line, words):
        read_covid([path])


def test_covid_without_tables_is_refused():
    with pytest.raises(InputError, match="no question-answer pair"):
        read_covid([])


# A user's own


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


def test_own_json_lines_bring_their_queries(tmp_path):
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
        read_own(tmp_path / "own.xlsx")
    path = put(tmp_path / "own.csv", "question,answer\n")
    with pytest.raises(InputError, match=re.escape(f"{path}:1: no question-answer pair")):
        read_own(path)


def test_identical_answers_share_one_candidate():
    answers = {"x": "B  b", "y": "A", "z": "B b ", "w": "b b"}
    faq = Faq("f", tuple(FaqPair(key, "q", answer, "g") for key, answer in answers.items()), ())
    assert unique_answers(faq) == (["B b", "A", "b b"], {"x": 0, "y": 1, "z": 0, "w": 2})


# Real data


@needs_data
def test_real_stackfaq_has_the_published_counts():
    faq = read_stackfaq(Path(DATA, "faq/stackfaq/stackExchange-FAQ.xml"))
    assert (len({pair.group for pair in faq.pairs}), len(faq.pairs), len(faq.queries)) == (
        125,
        719,
        1249,
    )
    assert {key for query in faq.queries for key in query.relevant} <= {
        pair.id for pair in faq.pairs
    }


@needs_data
def test_real_covid_tables_hold_376_pairs_and_queries_for_them():
    folder = Path(DATA, "faq/covid")
    tables = sorted(folder.glob("deepset_faq_*"))
    similarity = folder / "deepset_eval_question_similarity_en.csv"
    faq = read_covid(tables, similarity)
    wordings = {
        " ".join(row["question_2"].split())
        for _, row in read_csv(similarity, ["question_2"])
        if row["similar"] == "1"
    }
    assert len(tables) == 3 and len(faq.pairs) == 376
    assert {query.text for query in faq.queries} == wordings and all(
        query.relevant for query in faq.queries
    )


@needs_data
def test_real_cough_rows_read(tmp_path):
    folder = Path(DATA, "faq/cough")
    judged = list(read_csv(folder / "sample_Annotated_Relevance_Set.csv", ["FAQ_index"]))
    # The sample's pairs are not those its judgements name: give them a bank that holds both.
    added = "".join(f"{row['FAQ_index']},u,q,x,a,x,s,en,Question\n" for _, row in judged)
    bank = put(
        tmp_path / "bank.csv",
        (folder / "sample_FAQ_Bank_eval.csv").read_text(encoding="utf-8") + added,
    )
    faq = read_cough(
        bank, folder / "User_Query_Bank.csv", folder / "sample_Annotated_Relevance_Set.csv"
    )
    assert len(faq.pairs) == 2 + len(judged) and len(faq.queries) == 1201
    label = "Label (mean score > 3 as positive)"
    assert sum(len(query.relevant) for query in faq.queries) == sum(
        row[label] == "positive" for _, row in judged
    )
