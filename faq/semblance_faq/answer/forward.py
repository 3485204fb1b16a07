"""A question to its vector without torch: the forward pass of BERT and RoBERTa in NumPy.

A question has few tokens: importing torch takes longer than all its products. What is read is a
folder that this program wrote, whose files are as their digests say; the weights stay on the disk
until a product wants them.
"""

import json
import math
import mmap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from semblance.errors import InputError
from semblance.models.prompts import read_prompts
from semblance.models.saved import TOKENIZER, WEIGHTS_FILE
from semblance.models.vectors import unit
from semblance.provenance import read_json, read_object

MODULES = ["Transformer", "Pooling"]  # of a folder whose vectors are computed here; Normalize, too
POOLINGS = {"mean", "cls"}
MODE = "pooling_mode_"  # key + True, or the key without its last sign and the name of one
KINDS = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}  # of weights, as NumPy reads them
REACH, STEPS = 6.0, 1 << 14  # beyond it the law of the normal distribution is 0 or 1 in float32
PLACES = np.linspace(-REACH, REACH, STEPS + 1)
NORMAL = np.array([0.5 + 0.5 * math.erf(x / math.sqrt(2)) for x in PLACES], np.float32)


def pooling_of(folder: Path) -> str | None:
    """Return how a folder pools, if its vectors can be computed here; else torch is needed."""
    listed = read_json(folder / "modules.json", "train the model again")
    kinds = [module["type"].rpartition(".")[2] for module in listed]
    if kinds not in (MODULES, [*MODULES, "Normalize"]):
        return None
    stated = read_object(folder / listed[1]["path"] / "config.json")
    on = [key for key, value in stated.items() if key.startswith(MODE) and value is True]
    named = {key.removeprefix(MODE).removesuffix("_tokens").removesuffix("_token") for key in on}
    named |= {stated["pooling_mode"]} if "pooling_mode" in stated else set()
    return named.pop() if len(named) == 1 and named <= POOLINGS else None


class Forward:
    """A model and its tokenizer, opened once; several threads may use it at the same time."""

    def __init__(self, folder: Path, max_length: int, pooling: str):
        """``max_length`` is the longest text in tokens; raises InputError for a damaged folder."""
        self.folder = folder
        self.pooling = pooling
        self.config = read_object(folder / "config.json")
        self.padding = padding_of(self.config)
        room = self.config["max_position_embeddings"] - (self.padding + 1)
        self.max_length = min(max_length, room)
        self.prompts = read_prompts(folder)
        self.tokenizer = Tokenizer.from_file(str(folder / Path(TOKENIZER).name))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.weights = read_weights(folder / WEIGHTS_FILE)

    def embed(self, questions: Sequence[str]) -> np.ndarray:
        """Return the unit vectors of questions, (Q, d) float32."""
        texts = [self.tokenizer.encode(text).ids for text in self.prompts.queries(questions)]
        vectors = unit(np.stack([self._vector(ids) for ids in texts])).astype(np.float32)
        if not np.isfinite(vectors).all():
            raise InputError(
                self.folder, "gives vectors that have no direction", "train the model again"
            )
        return vectors

    def _vector(self, ids: list[int]) -> np.ndarray:
        """Return the vector (d,) of one text; a cut text keeps its last token."""
        if len(ids) > self.max_length:
            ids = [*ids[: self.max_length - 1], ids[-1]]
        if not ids or max(ids) >= self.config["vocab_size"]:
            problem = "makes no token of a text, or one that the model does not have"
            raise InputError(self.folder, problem, "fetch both from one revision")
        x = self._embedded(np.array(ids))
        for layer in range(self.config["num_hidden_layers"]):
            x = self._layer(x, f"encoder.layer.{layer}.")
        return x[0] if self.pooling == "cls" else x.mean(axis=0)

    def _embedded(self, ids: np.ndarray) -> np.ndarray:
        names = ("word_embeddings", "position_embeddings", "token_type_embeddings")
        words, places, types = (self.weights[f"embeddings.{name}.weight"] for name in names)
        x = words[ids] + places[positions(ids, self.padding)] + types[0]
        return self._norm(x, "embeddings.LayerNorm")

    def _layer(self, x: np.ndarray, name: str) -> np.ndarray:
        heads = self.config["num_attention_heads"]
        parts = (self._dense(x, f"{name}attention.self.{p}") for p in ("query", "key", "value"))
        # (n, d) -> (heads, n, d / heads)
        query, key, value = (part.reshape(len(x), heads, -1).swapaxes(0, 1) for part in parts)
        likely = softmax(query @ key.swapaxes(1, 2) / np.float32(math.sqrt(query.shape[2])))
        seen = (likely @ value).swapaxes(0, 1).reshape(len(x), -1)
        x = self._norm(
            x + self._dense(seen, f"{name}attention.output.dense"),
            f"{name}attention.output.LayerNorm",
        )
        inner = gelu(self._dense(x, f"{name}intermediate.dense"))
        return self._norm(x + self._dense(inner, f"{name}output.dense"), f"{name}output.LayerNorm")

    def _dense(self, x: np.ndarray, name: str) -> np.ndarray:
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def _norm(self, x: np.ndarray, name: str) -> np.ndarray:
        x = x - x.mean(axis=-1, keepdims=True)
        least = np.float32(self.config["layer_norm_eps"])
        spread = np.sqrt((x * x).mean(axis=-1, keepdims=True) + least)
        return x / spread * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


def padding_of(config: Mapping[str, Any]) -> int:
    """Return the token that takes no position, as transformers has it; -1 for BERT, of which each does."""
    return -1 if config["model_type"] == "bert" else config.get("pad_token_id", 1)


def positions(ids: np.ndarray, padding: int) -> np.ndarray:
    """Return the position of each token, the first one behind that of the padding."""
    real = ids != padding
    return np.cumsum(real) * real + padding


def softmax(x: np.ndarray) -> np.ndarray:
    """Return the softmax along the last axis."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def gelu(x: np.ndarray) -> np.ndarray:
    """Return x Φ(x), Φ between two places of a table: NumPy has no error function."""
    place = (np.clip(x, -REACH, REACH) + np.float32(REACH)) * np.float32(STEPS / (2 * REACH))
    low = np.minimum(place.astype(np.int32), STEPS - 1)
    below = NORMAL[low]
    return x * (below + (place - low) * (NORMAL[low + 1] - below))


def read_weights(path: Path) -> dict[str, np.ndarray]:
    """Return the tensors of a safetensors file as float32, by transformers' names, on the disk.

    The file's head is JSON: type, shape and place of each tensor. bfloat16 is the upper half of a
    float32, and is read into memory.
    """
    with open(path, "rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    start = 8 + int.from_bytes(content[:8], "little")
    weights = {}
    for name, told in json.loads(content[8:start]).items():
        plain = name.removeprefix("bert.").removeprefix("roberta.")
        plain = plain.replace("LayerNorm.gamma", "LayerNorm.weight")
        plain = plain.replace("LayerNorm.beta", "LayerNorm.bias")
        if plain == "__metadata__" or told["dtype"] not in KINDS:  # counts of positions
            continue
        first, last = told["data_offsets"]
        kind = KINDS[told["dtype"]]
        size = (last - first) // np.dtype(kind).itemsize
        values = np.frombuffer(content, kind, size, start + first).reshape(told["shape"])
        if kind == "<u2":
            values = (values.astype(np.uint32) << 16).view(np.float32)
        weights[plain] = values.astype(np.float32, copy=False)
    return weights
