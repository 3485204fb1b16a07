"""Model folders with malformed configs, weights and tokenizers are refused, the file named; none is half built."""

import json
import math
import shutil
import struct
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from semblance.data.tokens import tokenise
from semblance.errors import InputError
from semblance.models import folder as model_folder
from semblance.models.base import BaseSettings, build_base
from semblance.models.saved import stored_length
from semblance.provenance import checked, write_sealed
from tests.dag.tiny import write_base


@pytest.fixture(scope="session")
def base(tmp_path_factory) -> Path:
    """A raw model folder, and beside it what is made of it."""
    folder = tmp_path_factory.mktemp("base")
    write_base(folder / "raw")
    build(folder / "raw", folder)
    return folder


def build(source: Path, place: Path) -> None:
    build_base(
        BaseSettings(max_length=32, folder=str(source), pooling="mean"),
        place / "record.json",
        "code",
    )


def without(name: str):
    return lambda config: config.pop(name)


def setting(**values: object):
    return lambda config: config.update(values)


SIZES = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "vocab_size",
    "max_position_embeddings",
    "type_vocab_size",
)
CONFIGS = (
    {
        f"{name} is {value!r}": setting(**{name: value})
        for name in SIZES
        for value in (0, -1, 10**12, 1.5, "16", None, True, [16])
    }
    | {
        f"no {name}": without(name)
        for name in (*SIZES, "model_type", "hidden_act", "layer_norm_eps")
    }
    | {
        "another hidden_size": setting(hidden_size=32),
        "a larger vocabulary": setting(vocab_size=201),
        "more layers": setting(num_hidden_layers=3),
        "heads that do not divide": setting(num_attention_heads=3),
        "a wider inside": setting(intermediate_size=33),
        "a list for a family": setting(model_type=["bert"]),
        "relative positions": setting(position_embedding_type="relative_key"),
        "another activation": setting(hidden_act="relu"),
        "an infinite epsilon": setting(layer_norm_eps=math.inf),
        "a dropout of nan": setting(hidden_dropout_prob=math.nan),
        "a dropout of 1": setting(attention_probs_dropout_prob=1.0),
        "a negative dropout": setting(hidden_dropout_prob=-0.1),
        "a pad outside": setting(pad_token_id=200),
        "a negative pad": setting(pad_token_id=-1),
        "a pad as text": setting(pad_token_id="0"),
    }
)


@pytest.fixture
def raw(base, tmp_path) -> Path:
    return shutil.copytree(base / "raw", tmp_path / "raw")


def refused(source: Path, place: Path, name: str) -> None:
    """Assert that the base is refused with the file named, and that nothing of it stands."""
    with pytest.raises(InputError) as caught:
        build(source, place)
    assert str(caught.value).startswith(str(source)) and name in str(caught.value), str(
        caught.value
    )
    assert (
        "\n" not in str(caught.value)
        and not (place / "model").exists()
        and not (place / "record.json").exists()
    )


@pytest.mark.parametrize("name", CONFIGS)
def test_an_impossible_config_is_refused_before_memory_is_asked_for(name, raw, tmp_path):
    config = json.loads((raw / "config.json").read_text())
    CONFIGS[name](config)
    (raw / "config.json").write_text(json.dumps(config))
    refused(raw, tmp_path / "out", "")


NOT_OBJECTS = {
    "a list": "[]",
    "a number": "3",
    "null": "null",
    "nothing": "",
    "truncated": '{"model_type": ',
    "nested deeply": "[" * 100_000,
    "a huge number": '{"hidden_size": ' + "9" * 5000 + "}",
    "no UTF-8": b'{"a": "\xff"}',
    "a NUL": b'{"a": "\0"}',
    "an empty object": "{}",
}


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json"])
@pytest.mark.parametrize("name", NOT_OBJECTS)
def test_json_that_is_no_such_file_is_refused(file, name, raw, tmp_path):
    content = NOT_OBJECTS[name]
    (raw / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=file):
        build(raw, tmp_path / "out")
    assert not (tmp_path / "out/model").exists() and not (tmp_path / "out/record.json").exists()


@pytest.mark.parametrize(
    "file", ["1_Pooling/config.json", "modules.json", "sentence_bert_config.json"]
)
@pytest.mark.parametrize(
    "content",
    [
        *(c for c in NOT_OBJECTS.values() if isinstance(c, str)),
        '{"max_seq_length": "x"}',
        '{"max_seq_length": -1}',
        '{"max_seq_length": true}',
        '[{"type": 3}]',
        "[{}]",
        "[[]]",
        '{"pooling_mode": ["cls"]}',
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_model_folder_with_a_malformed_part_is_refused(file, content, base, tmp_path):
    folder = shutil.copytree(base / "model", tmp_path / "model")
    (folder / file).write_text(content)
    with pytest.raises(InputError, match=file):
        model_folder.load(folder)
        stored_length(folder)


def header(text: str, data: bytes = b"") -> bytes:
    return struct.pack("<Q", len(text)) + text.encode() + data


ONE = '{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
BIAS = "embeddings.LayerNorm.bias"
WEIGHTS = {
    "nothing": b"",
    "eight bytes": bytes(8),
    "text": b"not a safetensors file at all",
    "a pickle": b"\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00.",
    "a zip, as torch saves": b"PK\x03\x04" + bytes(100),
    "a header beyond the file": struct.pack("<Q", 1 << 62) + b"{}",
    "a header of no JSON": header("{x}"),
    "a list for a header": header("[]"),
    "an unknown type": header(ONE.replace("F32", "OBJECT"), bytes(4)),
    "offsets beyond the file": header(ONE),
    "offsets that overlap": header(
        ONE[:-1] + ',"y":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}', bytes(4)
    ),
    "a shape that overflows": header(ONE.replace("[1]", "[4611686018427387904, 8]"), bytes(4)),
    "a negative shape": header(ONE.replace("[1]", "[-1]"), bytes(4)),
    "a hole": header(ONE, bytes(8)),
    "other names": header(ONE, bytes(4)),
    "no UTF-8 in the header": struct.pack("<Q", 2) + b"\xff\xff",
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_that_are_no_whole_safetensors_file_are_refused(name, raw, tmp_path):
    (raw / "model.safetensors").write_bytes(WEIGHTS[name])
    refused(raw, tmp_path / "out", "")


@pytest.mark.parametrize(
    "change",
    [
        lambda w: w.pop("embeddings.word_embeddings.weight"),
        lambda w: w.update({"embeddings.word_embeddings.weight": torch.zeros(16)}),
        lambda w: w.update({"encoder.layer.0.attention.self.key.weight": torch.zeros(15)}),
        lambda w: w["embeddings.LayerNorm.bias"].fill_(math.nan),
        lambda w: w["encoder.layer.1.output.dense.weight"].fill_(math.inf),
        lambda w: w.update({"encoder.layer.0.output.dense.bias": torch.zeros(17)}),
        lambda w: w.update({BIAS: w[BIAS].to(torch.complex64)}),
        lambda w: w.update({BIAS: w[BIAS].to(torch.int64)}),
        lambda w: w.update({BIAS: w[BIAS] > 0}),
        lambda w: w.update({f"bert.{BIAS}": w[BIAS].clone()}),
        lambda w: w.update({BIAS.replace("bias", "beta"): w[BIAS].clone()}),
    ],
    ids=[
        "missing",
        "another rank",
        "query and key unlike",
        "nan",
        "infinity",
        "another size",
        "complex",
        "whole numbers",
        "truths",
        "twice, with a prefix",
        "twice, in an older spelling",
    ],
)
def test_weights_that_are_missing_misshapen_or_not_finite_are_refused(change, raw, tmp_path):
    weights = load_file(raw / "model.safetensors")
    change(weights)
    save_file(weights, raw / "model.safetensors")
    refused(raw, tmp_path / "out", "")


def test_the_positions_that_older_versions_stored_are_passed_over(raw, tmp_path):
    weights = load_file(raw / "model.safetensors")
    positions = {"embeddings.position_ids": torch.arange(40)[None]}
    save_file(weights | positions, raw / "model.safetensors")
    build(raw, tmp_path / "out")
    assert set(load_file(tmp_path / "out/model/model.safetensors")) == set(weights)


NOT_STRICT = {
    "a number that is none": '"odd": NaN',
    "an infinity": '"odd": -Infinity',
    "a number beyond all floats": '"odd": 1e999',
    "half a surrogate": '"odd": "\\ud800"',
    "half a surrogate as a key": '"\\udfff": 1',
    "a key twice": '"hidden_size": 16',
    "a key twice, deep inside": '"odd": [{"a": 1, "a": 1}]',
    "a huge number": '"odd": ' + "9" * 5000,
    "lists in lists": '"odd": ' + "[" * 101 + "]" * 101,
    "objects in objects": '"odd": ' + '{"a":' * 101 + "1" + "}" * 101,
}


@pytest.mark.parametrize("name", NOT_STRICT)
def test_a_config_that_is_not_strict_json_is_refused(name, raw, tmp_path):
    config = raw / "config.json"
    config.write_text(config.read_text().replace("{", f"{{{NOT_STRICT[name]}, ", 1))
    refused(raw, tmp_path / "out", "config.json: not readable as JSON")


RECORDS = {
    "a list": "[]",
    "null": "null",
    "no outputs": "{}",
    "outputs that are a list": '{"outputs": []}',
    "nothing": "",
    "truncated": "{",
    "nan": '{"outputs": NaN}',
    "infinity": '{"outputs": 1e999}',
    "half a surrogate": '{"outputs": "\\ud800"}',
    "nested deeply": "[" * 100_000,
    "another digest": '{"outputs": {}, "sha256": "0"}',
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_file_that_is_not_a_record_is_refused(name, tmp_path):
    (tmp_path / "record.json").write_text(RECORDS[name])
    with pytest.raises(InputError, match="record.json"):
        checked(tmp_path / "record.json")


@pytest.mark.parametrize("value", [{}, {"outputs": []}, {"outputs": None}])
def test_a_sealed_file_that_is_not_the_record_of_a_stage_is_refused(value, tmp_path):
    write_sealed(tmp_path / "record.json", value)
    with pytest.raises(InputError, match="record.json: no record of a stage"):
        checked(tmp_path / "record.json")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "[]",
        '{"model": {}}',
        "\ufeff",
        '{"version": "1.0", "model": {"type": "WordPiece", "vocab": 3}}',
    ],
)
def test_a_tokenizer_that_cannot_be_read_is_refused(content, tmp_path):
    (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(InputError, match="tokenizer.json"):
        tokenise(tmp_path / "tokenizer.json", ["a"])


WORDS = {
    "type": "WordPiece",
    "unk_token": "[UNK]",
    "continuing_subword_prefix": "##",
    "max_input_chars_per_word": 100,
    "vocab": {"[UNK]": 0, "a": 1},
}
UNUSABLE = {  # the first three end Rust's library in a panic
    "a map of characters that is none": {
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}
    },
    "pieces of no characters": {"pre_tokenizer": {"type": "FixedLength", "length": 0}},
    "merges that are shorter than their prefix": {
        "model": {
            "type": "BPE",
            "vocab": {"a": 0, "b": 1},
            "merges": [["a", "b"]],
            "continuing_subword_prefix": "##",
        }
    },
    "no token for unknown words": {"model": WORDS | {"vocab": {"a": 1}}},
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_tokenizer_that_fails_inside_its_library_is_refused(name, tmp_path):
    parts = {"version": "1.0", "added_tokens": [], "model": WORDS} | UNUSABLE[name]
    (tmp_path / "tokenizer.json").write_text(json.dumps(parts))
    with pytest.raises(InputError, match="tokenizer.json: no tokenizer that can be used"):
        tokenise(tmp_path / "tokenizer.json", ["hello a"])
