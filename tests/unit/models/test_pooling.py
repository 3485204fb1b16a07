"""Poolings that read more than the last layer: held against transformers, sentence by sentence."""

import functools

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel

from semblance.data.tokens import tokenise
from semblance.errors import InputError
from semblance.models import folder as model_folder
from semblance.models.encoder import find_pooling
from semblance.models.modules import Modules
from semblance.models.packing import pack
from semblance.models.poolings import mean
from semblance.named_modules import POOLINGS, module_names
from tests.unit.models.tiny_models import built, edit_json, make_source, sentences

TEXTS = sentences([1, 9, 4, 30, 2, 12, 0])
LIMIT = 16
LAYERS = 3
MASK = 7  # a word of the tiny tokenizer, which the base's folder names as its mask token
POOLED = ("cls", "first_last", "mask", "mean", "pooler", "static_last")


def with_mask_token(source):
    """Give the tokenizer of a tiny model a word that is called as BERT's mask token is."""
    path = source / "tokenizer.json"
    path.write_text(path.read_text().replace('"w3"', '"[MASK]"'))
    return source


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return with_mask_token(make_source(tmp_path_factory.mktemp("bert") / "source", "bert", LAYERS))


@pytest.fixture(scope="module")
def base_with(source, tmp_path_factory):
    """Return the model folder of a base with the given pooling."""
    return functools.cache(lambda pooling: built(source, tmp_path_factory.mktemp(pooling), pooling))


def embed(folder):
    """Return our vectors of the texts by a model's folder."""
    return model_folder.load(folder).encode(tokenise(folder / "tokenizer.json", TEXTS), LIMIT)


def by_transformers(source, tokens, pooling):
    """Each sentence by itself, with transformers' outputs of all layers."""
    theirs = AutoModel.from_pretrained(source, dtype=torch.float32, local_files_only=True).eval()
    vectors = []
    for i in range(len(TEXTS)):
        ids = tokens.ids[tokens.offsets[i] : tokens.offsets[i + 1]].tolist()
        if pooling == "mask":
            ids = [*ids[:-1], MASK, ids[-1]]
            ids = [*ids[: LIMIT - 2], MASK, ids[-1]] if len(ids) > LIMIT else ids
        ids = [*ids[: LIMIT - 1], ids[-1]] if len(ids) > LIMIT else ids
        with torch.no_grad():
            found = theirs(input_ids=torch.tensor([ids]), output_hidden_states=True)
        static, first, *_, last = (state[0] for state in found.hidden_states)
        by_pooling = {
            "cls": last[0],
            "mean": last.mean(dim=0),
            "first_last": (first.mean(dim=0) + last.mean(dim=0)) / 2,
            "static_last": (static.mean(dim=0) + last.mean(dim=0)) / 2,
            "pooler": found.pooler_output[0],
            "mask": last[len(ids) - 2],
        }
        vectors.append(by_pooling[pooling])
    return torch.stack(vectors).numpy()


def test_every_pooling_of_the_folder_is_tested():
    assert module_names(POOLINGS) == list(POOLED)


@pytest.mark.parametrize("pooling", POOLED)
def test_vectors_are_those_of_the_pooling_over_transformers_layers(source, base_with, pooling):
    folder = base_with(pooling)
    tokens = tokenise(folder / "tokenizer.json", TEXTS)
    assert np.abs(embed(folder) - by_transformers(source, tokens, pooling)).max() < 1e-6


@pytest.mark.parametrize("pooling", POOLED)
def test_a_base_is_read_back_from_the_folder_of_a_base(base_with, pooling, tmp_path):
    second = built(base_with(pooling), tmp_path, pooling=None)
    assert Modules.read(second).pooling() == pooling
    assert np.array_equal(embed(base_with(pooling)), embed(second))


def test_first_last_of_a_model_of_one_layer_is_the_mean_of_that_layer(tmp_path):
    source = make_source(tmp_path / "source", "bert", layers=1)
    both, mean = (embed(built(source, tmp_path / p, p)) for p in ("first_last", "mean"))
    assert np.abs(both - mean).max() < 1e-6


@pytest.mark.parametrize("pooling", POOLED)
def test_the_gradient_reaches_all_that_a_pooling_reads(base_with, pooling):
    encoder = model_folder.load(base_with(pooling))
    tokens = tokenise(base_with("cls") / "tokenizer.json", TEXTS)
    packed = pack(tokens, np.arange(len(TEXTS)), LIMIT, "cpu", encoder.mask_token)
    encoder(packed).square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in encoder.parameters())


def test_a_pooler_that_was_trained_is_the_one_that_is_saved(base_with, tmp_path):
    folder = base_with("pooler")
    encoder = model_folder.load(folder)
    with torch.no_grad():
        encoder.pooler.weight.add_(1.0)
    model_folder.save(encoder, tmp_path, folder, max_length=LIMIT)
    assert torch.equal(model_folder.load(tmp_path).pooler.weight, encoder.pooler.weight)


def test_a_checkpoint_without_a_pooler_is_refused_for_this_pooling_alone(tmp_path):
    source = make_source(tmp_path / "source", "bert")
    weights = load_file(source / "model.safetensors")
    kept = {name: value for name, value in weights.items() if not name.startswith("pooler")}
    save_file(kept, source / "model.safetensors")
    with pytest.raises(InputError, match="has no pooler.*choose another pooling"):
        built(source, tmp_path / "a", "pooler")
    built(source, tmp_path / "b", "first_last")


def test_a_tokenizer_without_a_mask_token_is_refused_for_the_pooling_that_reads_it(tmp_path):
    source = make_source(tmp_path / "source", "bert")
    with pytest.raises(InputError, match=r"no mask token.*\[MASK\], <mask>"):
        built(source, tmp_path / "a", "mask")


def test_a_stored_mask_token_beyond_the_vocabulary_is_refused(source, tmp_path):
    folder = built(source, tmp_path, "mask")
    edit_json(folder / "config.json", mask_token_id=10_000)
    with pytest.raises(InputError, match="mask_token_id is 10000"):
        model_folder.load(folder)


def test_a_pooling_that_reads_something_unknown_is_refused(monkeypatch):
    monkeypatch.setattr(mean, "pool", lambda last, packed, middle: last)
    with pytest.raises(InputError, match="reads last, packed, middle"):
        find_pooling("mean")
    monkeypatch.setattr(mean, "pool", lambda x, packed: x)
    with pytest.raises(InputError, match="a pooling reads last, packed"):
        find_pooling("mean")
