"""The head over token states is that of the checkpoint, and it scores words as ``transformers`` does."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertForMaskedLM, RobertaConfig, RobertaForMaskedLM

from semblance.data import tokens
from semblance.errors import InputError
from semblance.models import folder as model_folder
from semblance.models.base import BaseSettings, build_base
from semblance.models.packing import pack
from semblance.models.saved import SavedModel
from semblance.models.word_head import FILE
from semblance.provenance import read_sealed
from semblance.training.masked_words import word_head
from tests.unit.models.tiny_models import POSITIONS, VOCABULARY, save_tokenizer, sentences

SHAPE = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": POSITIONS,
}
MODELS = {
    "bert": (BertForMaskedLM, BertConfig(**SHAPE, pad_token_id=0)),
    "roberta": (
        RobertaForMaskedLM,
        RobertaConfig(**SHAPE, type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2),
    ),
}


def checkpoint(folder: Path, family: str) -> torch.nn.Module:
    """Write a checkpoint with a head over its words; every weight is random, biases too."""
    save_tokenizer(folder, family)
    make, config = MODELS[family]
    torch.manual_seed(5)
    model = make(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    model.save_pretrained(folder, safe_serialization=True)
    return model


def base_of(folder: Path, place: Path) -> SavedModel:
    settings = BaseSettings(POSITIONS - 2, folder=str(folder), pooling="mean")
    build_base(settings, place / "record.json", "")
    return SavedModel.read(place / "record.json")


@pytest.mark.parametrize("family", MODELS)
def test_a_base_keeps_the_head_of_its_checkpoint(tmp_path, family):
    theirs = checkpoint(tmp_path / "raw", family)
    base = base_of(tmp_path / "raw", tmp_path / "base")
    assert f"model/{FILE}" in base.record["outputs"]
    encoder = model_folder.load(base.folder).eval()
    text = tokens.tokenise(base.tokenizer, sentences([7]))
    packed = pack(text, torch.zeros(1, dtype=torch.int64).numpy(), POSITIONS - 2)
    with torch.no_grad():
        ours = word_head(base, encoder)(encoder.token_states(packed), encoder.words.weight)
        expected = theirs(input_ids=packed.ids[None]).logits[0]
    assert torch.allclose(ours, expected, atol=1e-4)


def test_the_names_of_bert_s_older_checkpoints_are_read(tmp_path):
    checkpoint(tmp_path / "raw", "bert")
    path = tmp_path / "raw/model.safetensors"
    weights = load_file(path)
    old = {n.replace("LayerNorm.weight", "LayerNorm.gamma"): w for n, w in weights.items()}
    save_file(old, path, metadata={"format": "pt"})
    assert (base_of(tmp_path / "raw", tmp_path / "base").folder / FILE).is_file()


def test_a_base_without_such_a_head_has_no_file_of_it_and_gets_a_fresh_one(tmp_path):
    checkpoint(tmp_path / "raw", "bert")
    path = tmp_path / "raw/model.safetensors"
    without = {n: w for n, w in load_file(path).items() if not n.startswith("cls.")}
    save_file(without, path, metadata={"format": "pt"})
    base = base_of(tmp_path / "raw", tmp_path / "base")
    assert not (base.folder / FILE).exists()
    assert f"model/{FILE}" not in read_sealed(base.record_path)["outputs"]
    encoder = model_folder.load(base.folder)
    heads = []
    for seed in (0, 0, 1):
        torch.manual_seed(seed)
        heads.append(word_head(base, encoder).dense.weight)
    assert torch.equal(heads[0], heads[1]) and not torch.equal(heads[0], heads[2])


def test_a_head_that_does_not_fit_its_model_is_refused(tmp_path):
    checkpoint(tmp_path / "raw", "bert")
    base = base_of(tmp_path / "raw", tmp_path / "base")
    encoder = model_folder.load(base.folder)
    head = load_file(base.folder / FILE)
    save_file({**head, "bias": head["bias"][:-1].contiguous()}, base.folder / FILE)
    with pytest.raises(InputError, match=f"{FILE}: does not fit its model"):
        word_head(base, encoder)
