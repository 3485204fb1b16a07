"""A malformed config, tokenizer or file of weights is refused; no base is half built."""

import json
import math
import struct
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from semblance.data.tokens import Tokens, tokenise
from semblance.errors import InputError
from semblance.models import folder as model_folder
from semblance.models.saved import stored_length
from tests.hostile.bounds import refusal
from tests.unit.models.tiny_models import built


def refused(source: Path, place: Path, words: str = "") -> None:
    """Assert that the base is refused by its folder or other words, and leaves nothing."""
    message = refusal(built, source, place)
    assert (words or str(source)) in message, message
    assert not (place / "model").exists() and not (place / "record.json").exists()


# The config

SIZES = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "vocab_size",
    "max_position_embeddings",
    "type_vocab_size",
)
CHANGES = [
    *({name: value} for name in SIZES for value in (0, 10**12)),
    *({"hidden_size": value} for value in (-1, 1.5, "16", None, True, [16])),
    {"hidden_size": 32},  # others than the weights have
    {"vocab_size": 201},
    {"num_hidden_layers": 3},
    {"num_attention_heads": 3},  # heads that do not divide the width
    {"model_type": ["bert"]},
    {"position_embedding_type": "relative_key"},
    {"hidden_act": "relu"},
    {"layer_norm_eps": math.inf},
    {"hidden_dropout_prob": math.nan},
    {"hidden_dropout_prob": -0.1},
    {"attention_probs_dropout_prob": 1.0},
    {"pad_token_id": 200},
    {"pad_token_id": -1},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_an_impossible_config_is_refused_before_memory_is_asked_for(change, raw, tmp_path):
    config = json.loads((raw / "config.json").read_text())
    (raw / "config.json").write_text(json.dumps(config | change))
    refused(raw, tmp_path / "out")


@pytest.mark.parametrize("key", ["hidden_size", "model_type", "hidden_act", "layer_norm_eps"])
def test_a_config_without_a_key_is_refused(key, raw, tmp_path):
    config = json.loads((raw / "config.json").read_text())
    del config[key]
    (raw / "config.json").write_text(json.dumps(config))
    refused(raw, tmp_path / "out")


# Any JSON of a folder

NO_JSON = {  # tests/unit/test_strict_json.py has all that is not strict
    "a key twice": b'{"hidden_size": 16, "hidden_size": 16}',
    "no UTF-8": b'{"a": "\xff"}',
    "a list": b"[]",
    "an empty object": b"{}",
}
ODD_PARTS = ['{"max_seq_length": "x"}', '[{"type": 3}]', "[[]]", '{"pooling_mode": ["cls"]}']
PARTS = ("1_Pooling/config.json", "modules.json", "sentence_bert_config.json")


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json"])
@pytest.mark.parametrize("name", NO_JSON)
def test_json_that_is_no_such_file_is_refused(file, name, raw, tmp_path):
    (raw / file).write_bytes(NO_JSON[name])
    refused(raw, tmp_path / "out", file)


def load(folder: Path) -> None:
    """Load a model folder and all that it states."""
    model_folder.load(folder)
    stored_length(folder)


@pytest.mark.parametrize("file", PARTS)
@pytest.mark.parametrize("content", ["no JSON", *ODD_PARTS])
def test_a_model_folder_with_a_malformed_part_is_refused(file, content, model):
    (model / file).write_text(content)
    assert file in refusal(load, model)


# Weights


def header(text: str, data: bytes = b"") -> bytes:
    return struct.pack("<Q", len(text)) + text.encode() + data


ONE = '{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
BIAS = "embeddings.LayerNorm.bias"
NO_WEIGHTS = {
    "nothing": b"",
    "a zip, as torch saves": b"PK\x03\x04" + bytes(100),
    "a header beyond the file": struct.pack("<Q", 1 << 62) + b"{}",
    "a header of no JSON": header("{x}"),
    "an unknown type": header(ONE.replace("F32", "OBJECT"), bytes(4)),
    "offsets beyond the file": header(ONE),
    "a shape that overflows": header(ONE.replace("[1]", "[4611686018427387904, 8]"), bytes(4)),
    "other names": header(ONE, bytes(4)),
}


@pytest.mark.parametrize("name", NO_WEIGHTS)
def test_weights_that_are_no_whole_safetensors_file_are_refused(name, raw, tmp_path):
    (raw / "model.safetensors").write_bytes(NO_WEIGHTS[name])
    refused(raw, tmp_path / "out")


WRONG_WEIGHTS = {
    "missing": lambda w: w.pop("embeddings.word_embeddings.weight"),
    "another rank": lambda w: w.update({"embeddings.word_embeddings.weight": torch.zeros(16)}),
    "query and key unlike": lambda w: w.update(
        {"encoder.layer.0.attention.self.key.weight": torch.zeros(15)}
    ),
    "nan": lambda w: w[BIAS].fill_(math.nan),
    "infinity": lambda w: w["encoder.layer.1.output.dense.weight"].fill_(math.inf),
    "another size": lambda w: w.update({"encoder.layer.0.output.dense.bias": torch.zeros(17)}),
    "complex": lambda w: w.update({BIAS: w[BIAS].to(torch.complex64)}),
    "whole numbers": lambda w: w.update({BIAS: w[BIAS].to(torch.int64)}),
    "twice, with a prefix": lambda w: w.update({f"bert.{BIAS}": w[BIAS].clone()}),
    "twice, in an older spelling": lambda w: w.update(
        {BIAS.replace("bias", "beta"): w[BIAS].clone()}
    ),
}


@pytest.mark.parametrize("name", WRONG_WEIGHTS)
def test_weights_that_are_missing_misshapen_or_not_finite_are_refused(name, raw, tmp_path):
    weights = load_file(raw / "model.safetensors")
    WRONG_WEIGHTS[name](weights)
    save_file(weights, raw / "model.safetensors")
    refused(raw, tmp_path / "out")


def test_the_positions_that_older_versions_stored_are_passed_over(raw, tmp_path):
    weights = load_file(raw / "model.safetensors")
    positions = {"embeddings.position_ids": torch.arange(40)[None]}
    save_file(weights | positions, raw / "model.safetensors")
    built(raw, tmp_path / "out")
    assert set(load_file(tmp_path / "out/model/model.safetensors")) == set(weights)


# Tokenizers

WORDS = {
    "type": "WordPiece",
    "unk_token": "[UNK]",
    "continuing_subword_prefix": "##",
    "max_input_chars_per_word": 100,
    "vocab": {"[UNK]": 0, "a": 1},
}
PLAIN = {"version": "1.0", "added_tokens": [], "model": WORDS}
CHARSMAP = {"type": "Precompiled", "precompiled_charsmap": "AAAA"}
BPE = {
    "type": "BPE",
    "vocab": {"a": 0, "b": 1},
    "merges": [["a", "b"]],
    "continuing_subword_prefix": "##",
}
GROWING = {"type": "Replace", "pattern": {"String": "e"}, "content": "eeeeeeee"}
EXPRESSION = {
    "type": "Split",
    "pattern": {"Regex": r"(a+|[a-z]+)+\d$"},
    "behavior": "Isolated",
    "invert": False,
}
UNUSABLE = "tokenizer.json: no tokenizer that can be used"
TOKENIZERS = {  # name: (content, what the message says)
    "nothing": ("", "tokenizer.json"),
    "an empty model": ({"model": {}}, "tokenizer.json"),
    "no vocabulary": (PLAIN | {"model": WORDS | {"vocab": 3}}, "tokenizer.json"),
    # the next three end Rust's library in a panic
    "a map of characters that is none": (PLAIN | {"normalizer": CHARSMAP}, UNUSABLE),
    "pieces of no characters": (
        PLAIN | {"pre_tokenizer": {"type": "FixedLength", "length": 0}},
        UNUSABLE,
    ),
    "merges that are shorter than their prefix": (PLAIN | {"model": BPE}, UNUSABLE),
    "replacements that make a text ever longer": (
        PLAIN | {"normalizer": {"type": "Sequence", "normalizers": [GROWING] * 10}},
        "its normalizer makes a text up to 1.07e+09 times as long",
    ),
    "a regular expression that may never end": (
        PLAIN | {"pre_tokenizer": EXPRESSION},
        "its Split has the regular expression '(a+|[a-z]+)+",
    ),
    "a number that no vocabulary reaches": (
        PLAIN | {"model": WORDS | {"vocab": {"[UNK]": 0, "a": 10**9}}},
        "a token has the number 1,000,000,000",
    ),
    "no token for unknown words": (PLAIN | {"model": WORDS | {"vocab": {"a": 1}}}, UNUSABLE),
}


@pytest.mark.parametrize("name", TOKENIZERS)
def test_a_tokenizer_that_cannot_be_used_is_refused(name, tmp_path):
    content, words = TOKENIZERS[name]
    path = tmp_path / "tokenizer.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    assert words in refusal(tokenise, path, ["hello a"])


def test_tokens_beyond_the_vocabulary_of_a_model_are_refused():
    tokens = Tokens(np.array([0, 5], np.int32), np.array([0, 2]))
    tokens.require_known(6, "tokenizer.json")
    with pytest.raises(
        InputError, match=r"tokenizer\.json: makes tokens beyond the 5 of the model"
    ):
        tokens.require_known(5, "tokenizer.json")
