"""What stands before a text by its role, as declared in a model's folder."""

import json

import pytest

from semblance.data.corpus import number_sentences, write_corpus
from semblance.errors import InputError
from semblance.models.corpus_texts import corpus_texts
from semblance.models.prompts import NO_PROMPTS, PROMPTS_FILE, Prompts, read_prompts, write_prompts
from semblance.provenance import write_record

E5 = Prompts.of({"query": "query: ", "passage": "passage: "}, "query", "e5")
BGE = Prompts.of({"query": "Find: "}, None, "bge")


def test_each_role_has_its_prompt():
    assert E5.queries(["a", "b"]) == ["query: a", "query: b"]
    assert E5.documents(["a"]) == ["passage: a"]
    assert (E5.default, BGE.default) == ("query: ", "")
    assert BGE.documents(["a"]) == ["a"]


def test_document_comes_before_passage_and_corpus():
    declared = {"corpus": "c", "passage": "p", "document": "d"}
    assert Prompts.of(declared, None, "x").documents([""]) == ["d"]
    assert Prompts.of({"corpus": "c", "passage": "p"}, None, "x").documents([""]) == ["p"]


def test_every_question_of_a_faq_is_a_query_and_all_else_a_document():
    texts = ["how?", "so.", "how?", "why?"]
    assert E5.of_faq(texts, {"how?", "why?"}) == [
        "query: how?",
        "passage: so.",
        "query: how?",
        "query: why?",
    ]


def test_without_prompts_every_text_stays_as_it_is():
    assert NO_PROMPTS.queries(["a"]) == NO_PROMPTS.documents(["a"]) == ["a"]
    assert NO_PROMPTS.of_faq(["a", "b"], {"b"}) == ["a", "b"] and NO_PROMPTS.default == ""
    assert not NO_PROMPTS and E5 and NO_PROMPTS.as_json() is None


def test_a_default_that_no_prompt_has_is_refused():
    with pytest.raises(InputError, match="'lost'.*query"):
        Prompts.of({"query": "a"}, "lost", "x")


def test_written_prompts_are_read_again_and_none_are_not_written(tmp_path):
    write_prompts(E5, tmp_path)
    assert read_prompts(tmp_path) == E5
    (tmp_path / "plain").mkdir()
    write_prompts(NO_PROMPTS, tmp_path / "plain")
    assert read_prompts(tmp_path / "plain") == NO_PROMPTS
    assert not (tmp_path / "plain" / PROMPTS_FILE).exists()


def test_both_roles_are_always_declared_in_what_is_written(tmp_path):
    write_prompts(BGE, tmp_path)
    assert json.loads((tmp_path / PROMPTS_FILE).read_text())["prompts"] == {
        "query": "Find: ",
        "document": "",
    }


ROWS = [("how?", "so.", None), ("in what way?", "so.", None), ("in what way?", "how?", None)]


def corpus(folder, stage):
    """Write a corpus of a question, its answer and a wording of it; return its record."""
    write_corpus(folder, *number_sentences(ROWS))
    outputs = ["sentences.arrow", "rows.arrow"]
    write_record(folder / "record.json", stage, outputs=outputs, started=0.0)
    return folder / "record.json"


def test_a_question_of_a_faq_is_a_query_even_where_it_is_the_positive_of_a_row(tmp_path):
    record = corpus(tmp_path / "faq", "prepare_faq")
    assert corpus_texts(record, E5) == ["query: how?", "passage: so.", "query: in what way?"]
    assert corpus_texts(record, BGE) == ["Find: how?", "so.", "Find: in what way?"]


def test_texts_of_other_corpora_get_the_default_prompt(tmp_path):
    record = corpus(tmp_path / "nli", "prepare_nli")
    assert corpus_texts(record, E5) == ["query: how?", "query: so.", "query: in what way?"]
    assert (
        corpus_texts(record, BGE)
        == corpus_texts(record, NO_PROMPTS)
        == [
            "how?",
            "so.",
            "in what way?",
        ]
    )
