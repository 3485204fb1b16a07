"""Bases: one uniform folder from what others publish, with a record of exactly what was taken."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel

from semblance.errors import InputError
from semblance.fetch.hub import WANTED
from semblance.models import folder as model_folder
from semblance.models.prompts import PROMPTS_FILE
from semblance.models.saved import TOKENIZER, SavedModel, stored_length
from semblance.provenance import checked, file_digest, input_digests
from tests.unit.models.foreign import states
from tests.unit.models.tiny_models import add_module, built, edit_json, make_source


@pytest.fixture
def source(tmp_path):
    return make_source(tmp_path / "source", "bert", layers=3)


def refused(source, place, *words, **changes):
    with pytest.raises(InputError) as caught:
        built(source, place, **changes)
    assert all(word in str(caught.value) for word in words)
    assert not (place / "record.json").exists() and not (place / "model").exists()


def test_the_record_has_the_digest_of_every_file_and_of_the_source_weights(source, tmp_path):
    model = built(source, tmp_path)
    record = checked(tmp_path / "record.json")
    files = {
        f"model/{p.relative_to(model)}": file_digest(p) for p in model.rglob("*") if p.is_file()
    }
    assert record["outputs"] == files
    assert input_digests(record) == {"weights": file_digest(source / "model.safetensors")}
    assert record["code"] == "the code" and record["settings"]["pooling"] == "mean"
    assert stored_length(model) == record["settings"]["max_length"] == 16
    built(source, tmp_path / "again")
    assert checked(tmp_path / "again/record.json")["outputs"] == files


def test_the_right_pin_is_accepted_and_a_wrong_one_refused(source, tmp_path):
    digest = file_digest(source / "model.safetensors")
    built(source, tmp_path / "a", weights_sha256=digest)
    wrong = "0" * 64
    refused(source, tmp_path / "b", "model.safetensors", wrong, digest, weights_sha256=wrong)


def unchanged(source):
    pass


def in_place_of_weights(name):
    """Put another file in the place of the one of safetensors."""
    return lambda source: (source / "model.safetensors").rename(source / name)


def pooled_by_the_last_token(source):
    add_module(source, "Transformer", "")
    add_module(source, "Pooling", "1_Pooling", pooling_mode_lasttoken=True)


def without_its_pooling(source):
    pooled_by_the_last_token(source)
    (source / "1_Pooling/config.json").unlink()


def with_head(source):
    add_module(source, "Transformer", "")
    add_module(source, "Dense")


FAMILIES = "bert, roberta, xlm-roberta, camembert"
REFUSED = [  # what is changed in the folder, the settings, and what the error says
    (in_place_of_weights("pytorch_model.bin"), {}, ["one file of safetensors, but pytorch_m"]),
    (in_place_of_weights("model.safetensors.index.json"), {}, ["index.json", "save_pretrained"]),
    (in_place_of_weights("adapter_config.json"), {}, ["adapter_config", "merge the adapter"]),
    (
        lambda source: (source / "tokenizer.json").unlink(),
        {},
        ["neither tokenizer.json nor a vocabulary"],
    ),
    (
        pooled_by_the_last_token,
        {"pooling": None},
        ["its pooling 'lasttoken' is not supported", "cls"],
    ),
    (without_its_pooling, {"pooling": None}, ["1_Pooling/config.json", "modules.json lists it"]),
    (with_head, {}, ["modules.json", "module 1_Dense (Dense) is not supported"]),
    (
        states("config.json", model_type="modernbert"),
        {},
        ["'modernbert'", FAMILIES],
    ),  # with another forward pass
    (unchanged, {"layers": 4}, ["layers", "4 asked of a model of 3"]),
    (unchanged, {"pooling": None}, ["states no pooling", "give the base a pooling"]),
    (unchanged, {"package": "no_such", "folder": None}, ["package no_such", "not installed"]),
]


@pytest.mark.parametrize("change, settings, said", REFUSED)
def test_a_folder_that_makes_no_base_is_refused(source, tmp_path, change, settings, said):
    change(source)
    refused(source, tmp_path, *said, **settings)


PROMPTS = {"prompts": {"query": "query: ", "passage": "passage: "}, "default_prompt_name": "query"}


def test_the_file_of_the_prompts_is_among_those_that_a_hub_is_asked_for():
    assert PROMPTS_FILE in WANTED


STATED = [  # the settings, and the prompts of the model; None for those of its own
    ({}, None, "query: "),
    ({"prompts": {}}, {}, ""),
    ({"prompts": {"query": "ask: "}}, {"query": "ask: ", "document": ""}, ""),
    (
        {"prompts": {"query": "q: "}, "default_prompt": "query"},
        {"query": "q: ", "document": ""},
        "q: ",
    ),
]


@pytest.mark.parametrize("settings, texts, default", STATED)
def test_stated_prompts_take_the_place_of_the_base_s_own_and_stand_in_the_record(
    source, tmp_path, settings, texts, default
):
    (source / PROMPTS_FILE).write_text(json.dumps(PROMPTS))
    built(source, tmp_path, **settings)
    model = SavedModel.read(tmp_path / "record.json")
    own = {"query": "query: ", "document": "passage: ", "passage": "passage: "}
    assert model.prompts.texts == (own if texts is None else texts)
    assert model.prompts.default == default
    assert (model.folder / PROMPTS_FILE).exists() == (texts != {})
    stated = {key: value for key, value in model.record["settings"].items() if "prompt" in key}
    assert stated == settings


def test_a_pooling_that_leaves_the_prompt_out_is_refused_where_there_are_prompts(source, tmp_path):
    add_module(source, "Transformer", "")
    add_module(source, "Pooling", pooling_mode_mean_tokens=True, include_prompt=False)
    built(source, tmp_path / "a")
    refused(source, tmp_path / "b", "include_prompt", prompts={"query": "q: "})


def test_damaged_prompts_are_noticed(source, tmp_path):
    model = built(source, tmp_path, prompts={"query": "q: "})
    saved = SavedModel.read(tmp_path / "record.json", TOKENIZER)
    (model / PROMPTS_FILE).write_text(json.dumps({"prompts": {"query": "other: "}}))
    with pytest.raises(InputError, match="damaged"):
        saved.prompts  # noqa: B018


def test_layers_are_cut_from_the_top(source, tmp_path):
    model = built(source, tmp_path, layers=2)
    assert json.loads((model / "config.json").read_text())["num_hidden_layers"] == 2
    whole, cut = load_file(source / "model.safetensors"), load_file(model / "model.safetensors")
    assert cut.keys() == {n for n in whole if not n.startswith("encoder.layer.2.")}
    assert all(torch.equal(cut[n], whole[n]) for n in cut)
    theirs = AutoModel.from_pretrained(model, local_files_only=True)
    assert len(theirs.encoder.layer) == 2


def test_a_base_keeps_its_pooling_and_normalising_unless_settings_overrule_it(source, tmp_path):
    first = built(source, tmp_path / "a", pooling="cls")
    add_module(first, "Normalize")
    inherited = model_folder.load(built(first, tmp_path / "b", pooling=None))
    overruled = model_folder.load(built(first, tmp_path / "c", pooling="mean"))
    assert (inherited.pooling, inherited.normalise, overruled.pooling) == ("cls", True, "mean")


def test_old_names_of_weights_are_accepted(source, tmp_path):
    modern = built(source, tmp_path / "a")
    old = {}
    for name, value in load_file(source / "model.safetensors").items():
        name = name.replace("LayerNorm.weight", "LayerNorm.gamma")
        old["bert." + name.replace("LayerNorm.bias", "LayerNorm.beta")] = value
    assert any("gamma" in n for n in old)
    save_file(old | {"cls.predictions.bias": torch.zeros(200)}, source / "model.safetensors")
    renamed = built(source, tmp_path / "b")
    assert file_digest(renamed / "model.safetensors") == file_digest(modern / "model.safetensors")


def test_half_precision_weights_are_stored_in_float32_and_read_so_by_others(source, tmp_path):
    halves = {n: v.half() for n, v in load_file(source / "model.safetensors").items()}
    save_file(halves, source / "model.safetensors", metadata={"format": "pt"})
    edit_json(source / "config.json", dtype="float16", torch_dtype="float16")
    model = built(source, tmp_path)
    stored = load_file(model / "model.safetensors")
    assert {value.dtype for value in stored.values()} == {torch.float32}
    assert all(torch.equal(value, halves[name].float()) for name, value in stored.items())
    assert AutoModel.from_pretrained(model, local_files_only=True).dtype == torch.float32


def test_a_failed_build_leaves_the_earlier_model_in_place(source, tmp_path):
    model = built(source, tmp_path)
    before = file_digest(model / "model.safetensors")
    path = source / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InputError):
        built(source, tmp_path)
    assert file_digest(model / "model.safetensors") == before and checked(tmp_path / "record.json")
