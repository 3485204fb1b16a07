"""What stands before a text by its role, as declared in a model's folder."""

import json

import pytest

from semblance.data.corpus import number_sentences, write_corpus
from semblance.errors import InputError
from semblance.models.prompts import NO_PROMPTS, PROMPTS_FILE, Prompts, read_prompts, write_prompts
from semblance.provenance import write_record
from workflow.scripts.tokenise import corpus_texts

E5 = Prompts.of({"query": "query: ", "passage": "passage: "}, "query", "e5")
BGE = Prompts.of({"query": "Find: "}, None, "bge")


@pytest.mark.parametrize(
    "prompts, queries, documents, default",
    [
        (E5, ["query: a", "query: b"], ["passage: a", "passage: b"], "query: "),
        (BGE, ["Find: a", "Find: b"], ["a", "b"], ""),
        (NO_PROMPTS, ["a", "b"], ["a", "b"], ""),
    ],
)
def test_each_role_has_its_prompt(prompts, queries, documents, default):
    assert prompts.queries(["a", "b"]) == queries and prompts.documents(["a", "b"]) == documents
    assert prompts.of_faq(["a", "b", "a"], {"a"}) == [queries[0], documents[1], queries[0]]
    assert prompts.default == default
    assert bool(prompts) == (prompts.as_json() is not None) == (prompts is not NO_PROMPTS)


def test_document_comes_before_passage_and_corpus():
    declared = {"corpus": "c", "passage": "p", "document": "d"}
    assert Prompts.of(declared, None, "x").documents([""]) == ["d"]
    assert Prompts.of({"corpus": "c", "passage": "p"}, None, "x").documents([""]) == ["p"]


@pytest.mark.parametrize("prompts", [E5, BGE, NO_PROMPTS])
def test_written_prompts_are_read_again_and_both_roles_are_declared(tmp_path, prompts):
    write_prompts(prompts, tmp_path)
    assert read_prompts(tmp_path) == prompts
    path = tmp_path / PROMPTS_FILE
    assert path.exists() == bool(prompts)  # none are not written
    if prompts:
        assert {"query", "document"} <= json.loads(path.read_text())["prompts"].keys()


@pytest.mark.parametrize(
    "declared, said",
    [
        ({"prompts": {"query": "a"}, "default_prompt_name": "lost"}, "'lost'.*declared are query"),
        ({"prompts": ["query: "]}, "no mapping"),
        ({"prompts": {"query": 1}}, "'query' is no text"),
    ],
)
def test_malformed_prompts_are_refused(tmp_path, declared, said):
    (tmp_path / PROMPTS_FILE).write_text(json.dumps(declared))
    with pytest.raises(InputError, match=f"{PROMPTS_FILE}: .*{said}"):
        read_prompts(tmp_path)


@pytest.mark.parametrize(
    "declared",
    [
        {},
        {"prompts": {}, "default_prompt_name": None},
        {"prompts": {"query": "", "document": ""}},  # as sentence-transformers writes by itself
        {"prompts": {"query": ""}, "default_prompt_name": "query"},
    ],
)
def test_prompts_without_a_text_are_none(tmp_path, declared):
    (tmp_path / PROMPTS_FILE).write_text(json.dumps(declared))
    assert read_prompts(tmp_path) == NO_PROMPTS


ROWS = [("how?", "so.", None), ("in what way?", "so.", None), ("in what way?", "how?", None)]


@pytest.mark.parametrize(
    "stage, prompts, texts",
    [
        # A question is a query even where it is the positive of a row.
        ("prepare_faq", E5, ["query: how?", "passage: so.", "query: in what way?"]),
        ("prepare_faq", BGE, ["Find: how?", "so.", "Find: in what way?"]),
        # Texts of other corpora get the default prompt.
        ("prepare_nli", E5, ["query: how?", "query: so.", "query: in what way?"]),
        ("prepare_nli", BGE, ["how?", "so.", "in what way?"]),
        ("prepare_nli", NO_PROMPTS, ["how?", "so.", "in what way?"]),
    ],
)
def test_the_texts_of_a_corpus_have_the_prompts_of_their_roles(tmp_path, stage, prompts, texts):
    write_corpus(tmp_path, *number_sentences(ROWS))
    outputs = ["sentences.arrow", "rows.arrow"]
    write_record(tmp_path / "record.json", stage, outputs=outputs, started=0.0)
    assert corpus_texts(tmp_path / "record.json", prompts) == texts
