"""The COVID-QA tables; tests/unit/data/test_refusals.py says what is refused in them."""

import pytest

from semblance.data.banks.covid import read_covid
from semblance.data.csv_text import read_csv
from semblance.data.faq import Faq, FaqPair, FaqQuery
from semblance.errors import InputError
from tests.unit.data.files import put

TABLE = 'question,answer,lang\nnull,"NA,\n n/a",en\nnull,None,en\nWas?,Das,de\n'
OTHER = 'lang\tquestion\tanswer\nen\t null \t"NA, n/a"\nen\tother, q\tNA\nit\t\t\n'
SIMILAR = "question_1,question_2,similar\n"


def covid(folder):
    return [put(folder / "a.csv", TABLE), put(folder / "b.tsv", OTHER)]


def test_pairs_are_distinct_english_and_numbered_over_the_files(tmp_path):
    pairs = (
        FaqPair("1", "null", "NA, n/a", "null"),
        FaqPair("2", "null", "None", "null"),
        FaqPair("3", "other, q", "NA", "other, q"),
    )
    assert read_covid(covid(tmp_path)) == Faq("covid", pairs, ())


def test_similar_questions_are_queries_for_all_pairs_of_their_question(tmp_path):
    rows = 'null,what,1\nnull,no,0\nabsent,no,1\n"other,  q",NA,1\n"other, q",what,1\n'
    similarity = put(tmp_path / "s.csv", SIMILAR + rows)
    assert read_covid(covid(tmp_path), similarity).queries == (
        FaqQuery("q1", "what", "null", ("1", "2", "3")),
        FaqQuery("q2", "NA", "other, q", ("3",)),
    )


def test_a_bank_without_tables_is_refused():
    with pytest.raises(InputError, match="no question-answer pair"):
        read_covid([])


def test_the_real_tables_hold_376_pairs_and_queries_for_them(real_data):
    folder = real_data / "faq/covid"
    tables = sorted(folder.glob("deepset_faq_*"))
    similarity = folder / "deepset_eval_question_similarity_en.csv"
    faq = read_covid(tables, similarity)
    similar = [row for _, row in read_csv(similarity, ["question_2"]) if row["similar"] == "1"]
    assert len(tables) == 3 and len(faq.pairs) == 376
    assert {q.text for q in faq.queries} == {" ".join(row["question_2"].split()) for row in similar}
    assert all(query.relevant for query in faq.queries)
