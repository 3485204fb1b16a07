"""The forward pass in NumPy gives the vectors of torch, or leaves a folder to it."""

import json
import math

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from semblance_faq.answer.embedding import Embedder
from semblance_faq.answer.forward import Forward, gelu, pooling_of
from tests.unit.models.foreign import add_dense, write_foreign
from tests.unit.models.tiny_models import edit_json

QUESTIONS = ["to day", "A", "today, Today. 1 2 3 today today today today", "?"]  # one is cut


def older(name: str) -> str:
    """Return what older files call a weight."""
    return name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
        "LayerNorm.bias", "LayerNorm.beta"
    )


@pytest.mark.parametrize("family", ["bert", "roberta", "xlm-roberta"])
@pytest.mark.parametrize("pooling", ["mean", "cls"])
@pytest.mark.parametrize("precision", [torch.float32, torch.float16, torch.bfloat16])
def test_a_question_has_the_vector_of_torch(family, pooling, precision, tmp_path):
    folder = write_foreign(tmp_path / "model", family)
    edit_json(folder / "1_Pooling/config.json", pooling_mode=pooling)
    weights = folder / "model.safetensors"
    renamed = older if precision == torch.float16 else str
    stored = {renamed(name): each.to(precision) for name, each in load_file(weights).items()}
    save_file(stored, weights)
    assert pooling_of(folder) == pooling
    found = Forward(folder, 12, pooling).embed(QUESTIONS)
    assert np.abs(found - Embedder(folder, 12).embed(QUESTIONS)).max() < 1e-6


def test_a_folder_with_another_module_or_pooling_is_left_to_torch(tmp_path):
    folder = write_foreign(tmp_path / "model", "bert")
    edit_json(folder / "1_Pooling/config.json", pooling_mode="max")
    assert pooling_of(folder) is None
    edit_json(folder / "1_Pooling/config.json", pooling_mode="mean")
    add_dense(folder)
    assert pooling_of(folder) is None


def test_both_ways_to_state_a_pooling_are_read_and_two_that_disagree_are_none(tmp_path):
    folder = write_foreign(tmp_path / "model", "bert")
    path = folder / "1_Pooling/config.json"
    path.write_text(json.dumps({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}))
    assert pooling_of(folder) == "mean"
    edit_json(path, pooling_mode="cls")
    assert pooling_of(folder) is None


def test_gelu_is_x_times_the_share_of_the_normal_law_below_x():
    x = np.concatenate([np.linspace(-9, 9, 10_001), [0.0]]).astype(np.float32)
    expected = [value * (0.5 + 0.5 * math.erf(value / math.sqrt(2))) for value in x.tolist()]
    assert np.abs(gelu(x) - expected).max() < 1e-6
