"""A model folder from anywhere is described as sentence-transformers would run it, or refused."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from semblance.data.tokens import tokenise
from semblance.errors import InputError
from semblance.evaluation.protocols import EveryPooling, distinct
from semblance.models import folder as model_folder
from semblance.models.found import BARE, POOLER, load_found, read_found
from tests.unit.models.tiny_models import built, edit_json, make_source, sentences


@pytest.fixture
def raw(tmp_path) -> Path:
    """A folder as transformers publishes it: no modules.json."""
    return make_source(tmp_path / "raw", "bert")


def made(raw: Path, pooling: str) -> Path:
    """Return the folder of a base with a pooling, as this project writes it."""
    return built(raw, raw.parent / pooling, pooling, limit=20)


def test_a_folder_without_modules_states_no_pooling(raw):
    found = read_found(raw)
    assert found.own is None and not found.prompts and not found.lower_case
    stated = json.loads((raw / "tokenizer_config.json").read_text())
    assert found.max_length == stated["model_max_length"]
    assert load_found(found)[1] == (*BARE, POOLER)


def test_each_pooling_of_one_pass_has_the_vectors_of_a_folder_that_states_it(raw):
    tokens = tokenise(raw / "tokenizer.json", sentences([3, 1, 7, 30, 4]))
    found = EveryPooling(read_found(raw)).encode(tokens, 20)
    assert set(found) == {*BARE, POOLER}
    for name, vectors in found.items():
        alone = model_folder.load(made(raw, name)).eval().encode(tokens, 20)
        np.testing.assert_allclose(vectors, alone, atol=1e-6)


def test_texts_with_the_same_tokens_are_embedded_once(raw):
    texts = sentences([3, 2, 4])
    again = [texts[1], texts[0], texts[1], texts[2]]
    tokens, place = distinct(tokenise(raw / "tokenizer.json", again))
    assert place.tolist() == [0, 1, 0, 2]
    kept = tokenise(raw / "tokenizer.json", [texts[1], texts[0], texts[2]])
    assert tokens.ids.tolist() == kept.ids.tolist()
    assert tokens.offsets.tolist() == kept.offsets.tolist()


def test_prompts_and_lower_case_are_those_of_the_folder(raw):
    folder = made(raw, "mean")
    prompts = {"query": "query: ", "document": ""}
    path = folder / "config_sentence_transformers.json"
    path.write_text(json.dumps({"prompts": prompts, "default_prompt_name": "query"}))
    edit_json(folder / "sentence_bert_config.json", do_lower_case=True)
    found = read_found(folder)
    assert found.own == "mean" and found.max_length == 20
    assert found.prompts.texts == {"query": "query: ", "document": ""}
    assert found.find_prompt(None) == "query: " and found.lower_case
    with pytest.raises(InputError, match="has no prompt 'passage'; it declares query, document"):
        found.find_prompt("passage")


def test_a_length_that_is_not_stated_is_that_of_the_tokenizer_or_of_the_model(raw):
    folder = made(raw, "cls")
    (folder / "sentence_bert_config.json").unlink()
    edit_json(folder / "tokenizer_config.json", model_max_length=17)
    assert read_found(folder).max_length == 17
    edit_json(folder / "tokenizer_config.json", model_max_length=10**30)
    positions = json.loads((folder / "config.json").read_text())["max_position_embeddings"]
    assert read_found(folder).max_length == positions


def test_weights_that_no_score_reads_are_named(raw):
    path = raw / "model.safetensors"
    weights = load_file(path)

    def unread(*names: str) -> str:
        save_file(weights | {name: torch.zeros(1) for name in names}, path)
        return load_found(read_found(raw)).unread

    assert not unread("cls.predictions.transform.dense.weight")  # of no use here: of masked words
    said = unread("mlp.dense.weight", "mlp.dense.bias")
    named = "not read: mlp.dense.bias, mlp.dense.weight. This is a checkpoint of SimCSE"
    assert said.startswith(named) and "pooler" in said
    assert unread("classifier.weight") == "not read: classifier.weight"


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    """tests/unit/models/test_stated.py has the folders that are no model as they stand."""
    with pytest.raises(InputError, match="no such folder"):
        read_found(tmp_path / "nowhere")
