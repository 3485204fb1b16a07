"""A FAQ whose model has prompts: a question has one vector, whether it is asked or kept."""

import json
import shutil

import numpy as np
import pytest

from faq.tests.example_faq import write_example
from semblance.data.tokens import tokenise
from semblance.models.prompts import PROMPTS_FILE
from semblance.models.vectors import unit
from semblance_faq.answer.answerer import Answerer
from semblance_faq.answer.embedding import Embedder
from semblance_faq.answer.folder import check_answerer
from tests.dag.tiny import write_model

PROMPTS = {"query": "ask: ", "document": "say: "}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("prompted")
    return write_example(place / "answerer", write_model(place, prompts=PROMPTS))


def test_questions_and_wordings_are_queries_and_answers_are_documents(folder):
    answerer = Answerer.open(folder)
    bank = answerer.stored.bank
    embedder = Embedder(folder / "model", 32)
    roles = {"answer": "document", "question": "query", "wording": "query"}
    kinds = [source.kind for source in bank.sources]
    texts = [PROMPTS[roles[kind]] + text for kind, text in zip(kinds, bank.texts, strict=True)]
    assert set(kinds) == set(roles)
    tokens = tokenise(folder / "model/tokenizer.json", texts)
    expected = unit(embedder.encoder.encode(tokens, 32))
    assert np.abs(answerer.stored.vectors - expected).max() < 1e-6


def test_a_question_that_the_faq_holds_is_found_with_a_cosine_of_1(folder):
    first = Answerer.open(folder).ask("When does it ship?").answers[0]
    assert (first.id, first.matched_kind) == ("ship", "question")
    assert first.score == pytest.approx(1, abs=1e-5)


def test_the_folder_holds_its_prompts_and_changed_ones_are_found(folder, tmp_path):
    assert json.loads((folder / "model" / PROMPTS_FILE).read_text())["prompts"] == PROMPTS
    assert check_answerer(folder).problems == []
    copy = shutil.copytree(folder, tmp_path / "copy")
    (copy / "model" / PROMPTS_FILE).write_text(json.dumps({"prompts": {"query": "other: "}}))
    problems = " ".join(check_answerer(copy).problems)
    assert PROMPTS_FILE in problems and "not those of the model" in problems
