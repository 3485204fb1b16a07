"""Model folders: saved for sentence-transformers, loaded bit for bit, refused if damaged."""

import json
import re
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from transformers import AutoModel, AutoTokenizer

from semblance.data.tokens import Tokens, tokenise
from semblance.errors import InputError
from semblance.models import folder as model_folder
from semblance.models import modules
from semblance.models.encoder import Encoder
from semblance.models.modules import Modules
from semblance.models.saved import SavedModel, stored_length
from semblance.models.weights import load_weights, to_ours, to_theirs
from semblance.named_modules import POOLINGS, module_names
from semblance.provenance import write_record
from tests.unit.models.tiny_models import (
    BAKED,
    PADDED,
    built,
    by_library,
    edit_json,
    make_source,
    sentences,
)

TEXTS = sentences([1, 9, 4, 30, 2, 12, 0])
LIMIT = 16


@pytest.fixture(scope="module")
def bases(tmp_path_factory):
    """Built base folders of both families, mean pooling, each with ``source`` beside ``model``."""
    places = {family: tmp_path_factory.mktemp(family) for family in ("bert", "roberta")}
    return {f: built(make_source(place / "source", f), place) for f, place in places.items()}


@pytest.fixture
def copy(bases, tmp_path):
    """A copy of the BERT base that a test may damage."""
    return shutil.copytree(bases["bert"], tmp_path / "copy")


def vectors(encoder, folder):
    return encoder.encode(tokenise(folder / "tokenizer.json", TEXTS), LIMIT)


def encoder_of(base, pooling="mean", head="none", normalise=False):
    """An encoder with the base's weights (moved a little, as by training) and a random head."""
    plain = model_folder.load(base)
    encoder = Encoder(plain.shape, pooling, head=head, normalise=normalise)
    moved = {n: v + 0.01 * torch.randn_like(v) for n, v in plain.state_dict().items()}
    encoder.load_state_dict(encoder.state_dict() | moved)
    return encoder


def saved(encoder, base, folder):
    """Save an encoder as a folder; return it."""
    files = model_folder.save(encoder, folder, base, LIMIT)
    written = [str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()]
    assert sorted(files) == sorted(written)
    return folder


VARIANTS = [
    ("bert", "mean", "none", False),
    ("bert", "cls", "keep", False),
    ("bert", "mean", "keep", True),
    ("roberta", "mean", "none", True),
    ("roberta", "cls", "none", False),
    ("bert", "first_last", "none", False),
    ("roberta", "first_last", "keep", True),
    ("roberta", "static_last", "none", False),
    ("bert", "pooler", "none", False),
    ("bert", "pooler", "keep", False),
]


@pytest.mark.parametrize("family,pooling,head,normalise", VARIANTS)
def test_a_saved_model_gives_bit_equal_vectors_and_sentence_transformers_reads_the_same(
    bases, tmp_path, family, pooling, head, normalise
):
    encoder = encoder_of(bases[family], pooling, head, normalise)
    folder = saved(encoder, bases[family], tmp_path / "m")
    loaded = model_folder.load(folder)
    assert (loaded.pooling, loaded.normalise) == (pooling, normalise)
    assert loaded.keeps_head == (head == "keep")
    expected = vectors(encoder, bases[family])
    assert np.array_equal(vectors(loaded, folder), expected)
    theirs = by_library(folder)
    assert stored_length(folder) == theirs.max_seq_length == LIMIT
    assert np.abs(theirs.encode(TEXTS) - expected).max() < 1e-6


def test_a_saved_model_states_no_longer_input_than_it_has_positions_for(bases, tmp_path):
    encoder = encoder_of(bases["roberta"])
    model_folder.save(encoder, tmp_path, bases["roberta"], max_length=100_000)
    text = " ".join(["word"] * 2 * encoder.max_length(100_000))
    assert stored_length(tmp_path) == encoder.max_length(100_000)
    assert np.isfinite(by_library(tmp_path).encode([text])).all()


def read(folder, name):
    return json.loads((folder / name).read_text())


def assert_one_length(folder, length):
    """Assert that a folder with mean pooling states a length, and that all readers obey it."""
    tokenizer = read(folder, "tokenizer.json")
    assert tokenizer["padding"] is None
    config = read(folder, "tokenizer_config.json")
    assert "max_length" not in config
    stated = {
        "sentence_bert_config.json": read(folder, "sentence_bert_config.json")["max_seq_length"],
        "tokenizer_config.json": config["model_max_length"],
        "tokenizer.json": tokenizer["truncation"]["max_length"],
    }
    assert set(stated.values()) == {length}, stated
    text = sentences([600])
    vectors = [by_library(folder).encode(text), of_model(folder, text), of_file(folder, text)]
    directions = [found / np.linalg.norm(found) for found in vectors]  # some models normalise
    for found in directions[1:]:
        np.testing.assert_allclose(found, directions[0], atol=1e-6)


def of_model(folder, text):
    """The mean of the outputs of transformers' model, of as many tokens as its tokenizer takes."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    inputs = tokenizer(text, truncation=True, return_tensors="pt")
    with torch.no_grad():
        return AutoModel.from_pretrained(folder)(**inputs).last_hidden_state.mean(1).numpy()


def of_file(folder, text):
    """The vector of our encoder, without a limit, of what the tokenizer's own file makes."""
    ids = Tokenizer.from_file(str(folder / "tokenizer.json")).encode(*text).ids
    tokens = Tokens(np.array(ids, np.int32), np.array([0, len(ids)]))
    return model_folder.load(folder).eval().encode(tokens, 1_000_000)


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_a_folder_states_one_length_and_each_reader_cuts_a_long_text_there(family, tmp_path):
    source = make_source(tmp_path / "source", family)
    edit_json(source / "tokenizer.json", truncation=BAKED, padding=PADDED)
    edit_json(source / "tokenizer_config.json", max_length=9)  # as transformers writes it then
    folder = built(source, tmp_path, limit=LIMIT)
    assert_one_length(folder, LIMIT)
    (folder / "tokenizer_config.json").unlink()  # of a base that has none
    again = saved(model_folder.load(folder), folder, tmp_path / "again")
    assert json.loads((again / "tokenizer_config.json").read_text()) == {"model_max_length": LIMIT}


SAID_BY_SOURCE = {
    "config.json": {
        "_name_or_path": "/home/me/mine",
        "_commit_hash": "ab",
        "transformers_version": "4",
    },
    "tokenizer_config.json": {"name_or_path": "them/theirs", "special_tokens_map_file": "/root/x"},
    "config_sentence_transformers.json": {"__version__": {"transformers": "4.8.2"}},
}


def test_a_saved_model_names_no_path_and_no_version_of_its_source(bases, tmp_path):
    source = shutil.copytree(bases["bert"], tmp_path / "source")
    (source / "config_sentence_transformers.json").write_text('{"prompts": {}}')
    before = {}
    for name, said in SAID_BY_SOURCE.items():
        edit_json(source / name)  # it leaves out what is null
        before[name] = read(source, name)
        edit_json(source / name, **said)
    folder = saved(model_folder.load(source), source, tmp_path / "model")
    assert {name: read(folder, name) for name in SAID_BY_SOURCE} == before
    ours = vectors(model_folder.load(folder), folder)
    np.testing.assert_allclose(by_library(folder).encode(TEXTS), ours, atol=1e-6)


def test_tokens_of_a_base_are_those_of_a_model_that_reads_longer_texts(bases, tmp_path):
    files = model_folder.save(encoder_of(bases["bert"]), tmp_path / "model", bases["bert"], 20)
    outputs = [f"model/{name}" for name in files]
    write_record(tmp_path / "record.json", "train", outputs=outputs, started=0.0)
    longer, base = (SavedModel.read(p / "record.json") for p in (tmp_path, bases["bert"].parent))
    assert longer.max_length == 20 != base.max_length
    longer.check_tokens("tokens", {"tokenizer": base.tokenizer_digest})


def test_a_head_for_training_only_is_not_saved_and_an_earlier_one_is_removed(bases, tmp_path):
    for head in ("keep", "train"):
        encoder = encoder_of(bases["bert"], head=head)
        folder = saved(encoder, bases["bert"], tmp_path / "m")
    assert model_folder.load(folder).head is None


def test_the_head_of_a_base_is_kept_unless_it_is_to_serve_the_training_only(bases, tmp_path):
    folder = saved(encoder_of(bases["bert"], head="keep"), bases["bert"], tmp_path / "m")
    heads = {head: model_folder.load(folder, head) for head in ("none", "train", "keep")}
    assert {h for h, encoder in heads.items() if encoder.keeps_head} == {"none", "keep"}
    one, other, another = (encoder.head.weight for encoder in heads.values())
    assert torch.equal(one, other) and torch.equal(one, another)


def test_a_fresh_head_follows_the_seed(bases):
    heads = []
    for seed in (0, 0, 1):
        torch.manual_seed(seed)
        heads.append(model_folder.load(bases["bert"], "train").head)
    one, again, other = (head.weight for head in heads)
    assert torch.equal(one, again) and not torch.equal(one, other)
    assert (heads[0].bias == 0).all() and 0.01 < one.std() < 0.03


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_the_names_are_translated_there_and_back_bit_for_bit(bases, family):
    ours = model_folder.load(bases[family]).state_dict()
    theirs = to_theirs(ours, 2)
    back = to_ours(theirs, 2, "here")
    assert back.keys() == ours.keys() and all(torch.equal(back[n], ours[n]) for n in ours)
    stored = load_weights(bases[family].parent / "source" / "model.safetensors")
    assert {n for n in stored if not n.startswith("pooler.")} == set(theirs)
    assert all(torch.equal(stored[n], v) for n, v in theirs.items())


def test_the_pooler_that_transformers_expects_is_carried_over(bases, tmp_path):
    folder = saved(encoder_of(bases["bert"]), bases["bert"], tmp_path / "m")
    folders = (bases["bert"].parent / "source", folder)
    source, found = (load_file(each / "model.safetensors") for each in folders)
    assert source.keys() == found.keys()
    assert torch.equal(source["pooler.dense.weight"], found["pooler.dense.weight"])


def refused(action, *words):
    with pytest.raises(InputError, match=".*".join(map(re.escape, words))):
        action()


def write(name, text):
    return lambda folder: (folder / name).write_text(text)


def remove(name):
    return lambda folder: (folder / name).unlink()


def without(weight):
    def change(folder):
        weights = load_file(folder / "model.safetensors")
        del weights[weight]
        save_file(weights, folder / "model.safetensors")

    return change


def pooling(**stated):
    return write("1_Pooling/config.json", json.dumps({"word_embedding_dimension": 32} | stated))


def place_of_pooling(place):
    def change(folder):
        listed = json.loads((folder / "modules.json").read_text())
        listed[1]["path"] = place
        (folder / "modules.json").write_text(json.dumps(listed))

    return change


KNOWN = f"known are {', '.join(module_names(POOLINGS))}"
KEY_BIAS = "encoder.layer.1.attention.self.key.bias"
REFUSED = [  # what is changed in the folder of a base, and what the error says
    (remove("model.safetensors"), "model.safetensors: no weights"),
    # tests/hostile/test_models.py damages weights and the config in all ways
    (without(KEY_BIAS), f"'{KEY_BIAS}' is missing"),
    (
        lambda folder: edit_json(folder / "config.json", is_decoder=True),
        "config.json: a decoder (is_decoder) is not supported",
    ),
    (pooling(pooling_mode_max_tokens=True), f"its pooling 'max' is not supported; {KNOWN}"),
    (pooling(pooling_mode="max"), f"1_Pooling/config.json: its pooling 'max' .*; {KNOWN}"),
    (pooling(pooling_mode_mean_tokens=0), f"states no pooling: None; {KNOWN}"),
    (pooling(), f"1_Pooling/config.json: states no pooling: None; {KNOWN}"),
    (
        pooling(pooling_mode_mean_tokens=True, pooling_mode_max_tokens=1),
        "1_Pooling/config.json: states several poolings at once: mean, max",
    ),
    *(
        (place_of_pooling(place), "modules.json: a module's path is")
        for place in ("../elsewhere", "/etc", "a/b", "1_Pooling/..", 3)
    ),
    *((remove(name), name) for name in ("config.json", "modules.json", "1_Pooling/config.json")),
]


@pytest.mark.parametrize("change, said", REFUSED)
def test_a_folder_that_cannot_be_read_as_it_is_meant_is_refused(copy, change, said):
    change(copy)
    refused(lambda: model_folder.load(copy), *said.split(".*"))


def test_the_path_of_a_module_may_end_in_a_slash(copy):
    place_of_pooling("1_Pooling/")(copy)
    assert Modules.read(copy).pooling() == "mean"


def test_a_pooling_unknown_to_the_library_is_stored_by_its_name(bases, tmp_path, monkeypatch):
    """Without a name sentence-transformers would take the mean; it refuses names unknown to it."""
    ours = encoder_of(bases["bert"])
    ours.pooling = "first_two"
    folder = saved(ours, bases["bert"], tmp_path / "m")
    refused(lambda: model_folder.load(folder), "first_two")
    monkeypatch.setattr(modules, "module_names", lambda package: ["first_two"])
    assert Modules.read(folder).pooling() == "first_two"
    with pytest.raises(ValueError, match="first_two"):
        by_library(folder)


def test_a_folder_whose_pooling_reads_a_mask_token_names_the_token(bases, tmp_path):
    encoder = encoder_of(bases["bert"], "mask")
    folder = saved(encoder, bases["bert"], tmp_path / "m")
    loaded = model_folder.load(folder)
    refused(lambda: vectors(loaded, folder), "mask_token_id", "names none")
    edit_json(folder / "config.json", mask_token_id=5)
    assert model_folder.load(folder).mask_token == 5
    with pytest.raises(ValueError, match="mask"):
        by_library(folder)


@pytest.mark.parametrize(
    "config, weights",
    [
        ({}, [1.0, 1.0, 1.0]),
        ({}, [0.0, 1.0]),
        ({"layer_start": 1}, [0.0, 1.0, 1.0]),
        ({"layer_start": -1}, [0.0, 0.0, 1.0, 1.0]),
        ({}, 1.0),
        ({}, [0.0, 0.0, 0.0]),
    ],
)
def test_weights_of_layers_that_no_pooling_has_are_refused(bases, tmp_path, config, weights):
    encoder = encoder_of(bases["bert"], "first_last")
    folder = saved(encoder, bases["bert"], tmp_path / "m") / "1_WeightedLayerPooling"
    edit_json(folder / "config.json", **config)
    save_file({"layer_weights": torch.tensor(weights)}, folder / "model.safetensors")
    refused(lambda: model_folder.load(tmp_path / "m"), "1_WeightedLayerPooling", "first_last")


def test_layers_averaged_under_another_pooling_than_the_mean_are_refused(bases, tmp_path):
    folder = saved(encoder_of(bases["bert"], "first_last"), bases["bert"], tmp_path / "m")
    (folder / "2_Pooling" / "config.json").write_text('{"pooling_mode": "cls"}')
    refused(lambda: model_folder.load(folder), "with the mean over the tokens")


@pytest.mark.parametrize("shapes", [{"weight": (32, 32)}, {"weight": (3, 32), "bias": (32,)}, {}])
def test_a_damaged_whitening_is_refused(bases, tmp_path, shapes):
    """Its bias is lost, it has another shape, or there are no weights at all."""
    encoder = encoder_of(bases["bert"])
    encoder.whitening = torch.nn.Linear(32, 32)
    file = saved(encoder, bases["bert"], tmp_path / "m") / "2_Whitening/model.safetensors"
    file.unlink()
    if shapes:
        save_file({f"linear.{name}": torch.zeros(s) for name, s in shapes.items()}, file)
    refused(lambda: model_folder.load(tmp_path / "m"), "2_Whitening")


def test_saving_over_a_folder_of_another_pooling_leaves_nothing_of_it(bases, tmp_path):
    for pooling in ("first_last", "pooler", "mean"):
        folder = saved(encoder_of(bases["bert"], pooling), bases["bert"], tmp_path / "m")
    assert sorted(p.name for p in folder.iterdir() if p.is_dir()) == ["1_Pooling"]
    assert Modules.read(folder).pooling() == "mean"


def test_the_keys_of_poolings_are_those_of_sentence_transformers():
    pooling = pytest.importorskip("sentence_transformers.sentence_transformer.modules.pooling")
    theirs = {name: key for key, name in pooling._LEGACY_POOLING_MODE_KWARGS.items()}
    assert theirs == modules.POOLING_KEYS
