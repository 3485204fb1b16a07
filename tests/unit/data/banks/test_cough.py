"""COUGH's three CSV files."""

import os
from pathlib import Path

import pytest

from semblance.data.banks.cough import read_cough
from semblance.data.csv_text import read_csv
from semblance.data.faq import Faq, FaqPair, FaqQuery
from semblance.errors import InputError
from tests.unit.data.files import fails_at, put

DATA = os.environ.get("SEMBLANCE_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="SEMBLANCE_DATA is not set: real data NOT checked")

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
        judgements=4,
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
