"""The head over token states is the checkpoint's own: it scores words as ``transformers`` does."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BertForMaskedLM, RobertaForMaskedLM

from semblance.data import tokens
from semblance.errors import InputError
from semblance.models import folder as model_folder
from semblance.models.packing import pack
from semblance.models.saved import SavedModel
from semblance.models.word_head import FILE
from semblance.training.masked_words import word_head
from tests.unit.models.tiny_models import (
    POSITIONS,
    built,
    config_of,
    publish,
    save_tokenizer,
    sentences,
)

MODELS = {"bert": BertForMaskedLM, "roberta": RobertaForMaskedLM}


def base_of(folder: Path, family: str = "bert", change=lambda weights: weights):
    """Make a base of a checkpoint with a head over its words, its weights changed first.

    Returns transformers' model, the base, and our encoder.
    """
    save_tokenizer(folder / "raw", family)
    theirs = publish(MODELS[family](config_of(family)), folder / "raw")
    path = folder / "raw/model.safetensors"
    save_file(change(load_file(path)), path, metadata={"format": "pt"})
    base = SavedModel.read(built(folder / "raw", folder).parent / "record.json")
    return theirs, base, model_folder.load(base.folder).eval()


@pytest.mark.parametrize("family", MODELS)
def test_a_base_keeps_the_head_of_its_checkpoint(tmp_path, family):
    theirs, base, encoder = base_of(tmp_path, family)
    assert f"model/{FILE}" in base.record["outputs"]
    text = tokens.tokenise(base.tokenizer, sentences([7]))
    packed = pack(text, np.zeros(1, np.int64), POSITIONS - 2)
    with torch.no_grad():
        ours = word_head(base, encoder)(encoder.token_states(packed), encoder.words.weight)
        expected = theirs(input_ids=packed.ids[None]).logits[0]
    assert torch.allclose(ours, expected, atol=1e-4)


def test_the_names_of_bert_s_older_checkpoints_are_read(tmp_path):
    def older(weights):
        return {n.replace("LayerNorm.weight", "LayerNorm.gamma"): w for n, w in weights.items()}

    _, base, _ = base_of(tmp_path, change=older)
    assert (base.folder / FILE).is_file()


def test_a_base_without_such_a_head_has_no_file_of_it_and_gets_a_fresh_one(tmp_path):
    def headless(weights):
        return {n: w for n, w in weights.items() if not n.startswith("cls.")}

    _, base, encoder = base_of(tmp_path, change=headless)
    assert not (base.folder / FILE).exists() and f"model/{FILE}" not in base.record["outputs"]
    heads = []
    for seed in (0, 0, 1):
        torch.manual_seed(seed)
        heads.append(word_head(base, encoder).dense.weight)
    assert torch.equal(heads[0], heads[1]) and not torch.equal(heads[0], heads[2])


def test_a_head_that_does_not_fit_its_model_is_refused(tmp_path):
    _, base, encoder = base_of(tmp_path)
    head = load_file(base.folder / FILE)
    save_file({**head, "bias": head["bias"][:-1].contiguous()}, base.folder / FILE)
    with pytest.raises(InputError, match=f"{FILE}: does not fit its model"):
        word_head(base, encoder)
