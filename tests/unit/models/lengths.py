"""One length of a model folder: stated in three files, and where each reader cuts a long text."""

import json
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import AutoModel, AutoTokenizer

from semblance.data.tokens import Tokens
from semblance.models import folder as model_folder
from tests.unit.models.tiny_models import by_library, sentences

LONGEST = 1_000_000


def read(folder: Path, name: str) -> dict:
    return json.loads((folder / name).read_text())


def assert_one_length(folder: Path, length: int) -> None:
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


def of_model(folder: Path, text: list[str]) -> np.ndarray:
    """The mean of the outputs of transformers' model, of as many tokens as its tokenizer takes."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    inputs = tokenizer(text, truncation=True, return_tensors="pt")
    with torch.no_grad():
        return AutoModel.from_pretrained(folder)(**inputs).last_hidden_state.mean(1).numpy()


def of_file(folder: Path, text: list[str]) -> np.ndarray:
    """The vector of our encoder, without a limit, of what the tokenizer's own file makes."""
    ids = Tokenizer.from_file(str(folder / "tokenizer.json")).encode(*text).ids
    tokens = Tokens(np.array(ids, np.int32), np.array([0, len(ids)]))
    return model_folder.load(folder).eval().encode(tokens, LONGEST)
