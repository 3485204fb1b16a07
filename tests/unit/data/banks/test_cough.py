"""COUGH's three CSV files."""

import pytest

from semblance.data.banks.cough import LABEL, read_cough
from semblance.data.csv_text import read_csv
from semblance.data.faq import Faq, FaqPair, FaqQuery
from semblance.errors import InputError
from tests.unit.data.files import fails_at, put

PAIRS = (
    '2,u, What is it? ,"<dd>\n</dd>","A virus,\nI think",x,s,en,Question\n'
    "4,u,null,x,NA,x,s,en,Question\n"
    "9,u,Was ist es?,x,Ein Virus,x,s,de,Question\n7,u,n/a,x,None,x,s,en,Q\n"
)
QUERIES = "0,what?\n12,null\n3,NA\n"
HEADERS = {
    "pairs": "index,url,question,original answer,answer,answer wLink,source,language,type\n",
    "queries": "index,query\n",
    "judgements": f"Query_index,Query,FAQ_index,Raw_score,Average,{LABEL}\n",
}


def cough(folder, judgements="", pairs=PAIRS, queries=QUERIES):
    """Write a small COUGH release; return its three paths by what they hold."""
    rows = {"pairs": pairs, "queries": queries, "judgements": judgements}
    return {name: put(folder / f"{name}.csv", HEADERS[name] + rows[name]) for name in rows}


def test_a_mean_above_three_is_relevant(tmp_path):
    judged = (
        '0,what?,7,"[4, 2, 4]",3.333333333,positive\n0,what?,2,"[4,3,3]",3.3333333333,positive\n'
        '0,what?,4,"[4, 2, 3]",3,negative\n12,null,4,[4],4.0,positive\n'
    )
    assert read_cough(*cough(tmp_path, judged).values()) == Faq(
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


def test_pairs_of_another_language_can_be_read(tmp_path):
    paths = cough(tmp_path).values()
    assert [pair.id for pair in read_cough(*paths, language="de").pairs] == ["9"]
    with pytest.raises(InputError, match="no question-answer pair"):
        read_cough(*paths, language="fr")


REFUSED = [
    ("judgements", "5,x,2,[4],4,positive", "query '5' is unknown"),
    ("judgements", "0,x,9,[4],4,positive", "FAQ '9' is unknown"),  # of another language
    ("judgements", "0,x,2,[3],3,positive", "label 'positive' contradicts"),
    ("judgements", "0,x,2,4,4,positive", "no list of numbers"),
    ("judgements", "0,x,2,__import__('os'),4,positive", "no list of numbers"),
    ("pairs", "2,u, ,x,a,x,s,en,Q", "question is empty"),
    ("pairs", "1,u,q,x,a,x,s,en,Q", "id '1' stands twice"),
    ("queries", "0,again", "id '0' stands twice"),
]
BEFORE = {  # a row of two lines
    "judgements": '0,"wh\nat?",2,[1],1,negative\n',
    "pairs": '1,u,q,"\n",a,x,s,en,Q\n',
    "queries": '0,"what\n?"\n',
}


@pytest.mark.parametrize("name, row, words", REFUSED)
def test_a_malformed_row_is_named_by_its_line(tmp_path, name, row, words):
    paths = cough(tmp_path, **{name: f"{BEFORE[name]}{row}\n"})
    with fails_at(paths[name], 4, words):
        read_cough(*paths.values())


def test_a_negative_judgement_of_a_query_that_was_taken_out_is_only_counted(tmp_path):
    row = '5,"who?",2,[1],1,negative\n'
    judged = BEFORE["judgements"]
    with_it, without = (
        read_cough(*cough(tmp_path, judgements=text).values()) for text in (judged + row, judged)
    )
    assert with_it.queries == without.queries
    assert with_it.judgements == without.judgements + 1


def test_the_real_rows_read(tmp_path, real_data):
    folder = real_data / "faq/cough"
    relevance = folder / "sample_Annotated_Relevance_Set.csv"
    judged = [row for _, row in read_csv(relevance, ["FAQ_index"])]
    # The sample's pairs are not those its judgements name: give them a bank that holds both.
    added = "".join(f"{row['FAQ_index']},u,q,x,a,x,s,en,Question\n" for row in judged)
    sample = (folder / "sample_FAQ_Bank_eval.csv").read_text(encoding="utf-8")
    bank = put(tmp_path / "bank.csv", sample + added)
    faq = read_cough(bank, folder / "User_Query_Bank.csv", relevance)
    assert len(faq.pairs) == 2 + len(judged) and len(faq.queries) == 1201
    positive = sum(row[LABEL] == "positive" for row in judged)
    assert sum(len(query.relevant) for query in faq.queries) == positive
