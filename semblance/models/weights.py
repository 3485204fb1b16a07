"""The weights of a model: read from safetensors, renamed between transformers' names and ours."""

from pathlib import Path

import torch
from torch import Tensor, nn

from semblance.errors import InputError
from semblance.models.architecture import Architecture
from semblance.models.tensors import load_tensors

TOP_NAMES = {
    "words": "embeddings.word_embeddings",
    "positions": "embeddings.position_embeddings",
    "types": "embeddings.token_type_embeddings",
    "norm": "embeddings.LayerNorm",
}
LAYER_NAMES = {
    "out": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "norm2": "output.LayerNorm",
}
POOLER = "pooler"  # of ours; of theirs, see POOLER_LAYER
POOLER_LAYER = "pooler.dense"
QKV = ("query", "key", "value")  # three matrices of transformers, one of ours
KINDS = ("weight", "bias")
# Whole numbers that older versions of transformers stored among the weights: 0, 1, 2, ...
COUNTS = ("position_ids", "token_type_ids")


def load_weights(path: str | Path) -> dict[str, Tensor]:
    """Read a safetensors file as float32, by transformers' present names.

    Raises InputError if the file is missing or damaged, a weight is of another type than a floating
    point number, is not finite, or stands in it twice: with the prefix of a larger model and without.
    """
    weights: dict[str, Tensor] = {}
    for name, value in load_tensors(path).items():
        if name.endswith(COUNTS):
            continue
        plain = _plain_name(name)
        if plain in weights:
            problem = f"weight {plain!r} stands twice, once as {name!r}"
            raise InputError(path, problem, "fetch it again")
        weights[plain] = _checked(value, name, path)
    return weights


def _checked(value: Tensor, name: str, path: str | Path) -> Tensor:
    """Return a weight as float32."""
    if not value.is_floating_point():
        raise InputError(path, f"weight {name!r} is of type {value.dtype}", "expected floats")
    value = value.float()
    if not value.isfinite().all():
        problem = f"weight {name!r} is not finite"
        raise InputError(path, problem, "fetch it again, or train it again")
    return value


def _plain_name(name: str) -> str:
    """Return a weight's name without the prefix of a larger model, and in the present spelling."""
    name = name.removeprefix("bert.").removeprefix("roberta.")
    name = name.replace("LayerNorm.gamma", "LayerNorm.weight")
    return name.replace("LayerNorm.beta", "LayerNorm.bias")


def to_ours(weights: dict[str, Tensor], layers: int, where: str | Path) -> dict[str, Tensor]:
    """Rename transformers' weights to the encoder's names, joining query, key and value.

    Raises InputError if one is missing, or query, key and value do not fit together.
    """
    try:
        ours = _top_to_ours(weights)
        for i in range(layers):
            ours |= _layer_to_ours(weights, i)
    except KeyError as error:
        raise InputError(
            where, f"weight {error} is missing", "the file is not a whole BERT-family encoder"
        ) from None
    except RuntimeError as error:
        raise InputError(
            where, f"query, key and value do not fit together: {error}", "fetch it again"
        ) from None
    return ours


def _top_to_ours(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    ours = {f"{name}.weight": weights[f"{theirs}.weight"] for name, theirs in TOP_NAMES.items()}
    ours["norm.bias"] = weights[f"{TOP_NAMES['norm']}.bias"]
    return ours


def _layer_to_ours(weights: dict[str, Tensor], i: int) -> dict[str, Tensor]:
    theirs = f"encoder.layer.{i}"
    ours = {}
    for kind in KINDS:
        parts = [weights[f"{theirs}.attention.self.{part}.{kind}"] for part in QKV]
        ours[f"layers.{i}.qkv.{kind}"] = torch.cat(parts)
        for name, their_name in LAYER_NAMES.items():
            ours[f"layers.{i}.{name}.{kind}"] = weights[f"{theirs}.{their_name}.{kind}"]
    return ours


def pooler_to_ours(weights: dict[str, Tensor], where: str | Path) -> dict[str, Tensor]:
    """Rename the weights of a checkpoint's pooler; InputError for a checkpoint without one."""
    ours = {}
    for kind in KINDS:
        name = f"{POOLER_LAYER}.{kind}"
        if name not in weights:
            problem = f"has no pooler: weight {name!r} is missing"
            raise InputError(where, problem, "choose another pooling")
        ours[f"{POOLER}.{kind}"] = weights[name]
    return ours


def to_theirs(ours: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename the encoder's weights to transformers' names, splitting query, key and value.

    Weights that transformers does not have (those of the head) are left out.
    """
    theirs = {}
    for name, value in ours.items():
        top, *rest = name.split(".")
        if top in TOP_NAMES:
            theirs[f"{TOP_NAMES[top]}.{rest[0]}"] = value
        elif top == POOLER:
            theirs[f"{POOLER_LAYER}.{rest[0]}"] = value
        elif top == "layers":
            theirs |= _layer_to_theirs(*rest, value)
    return theirs


def _layer_to_theirs(i: str, name: str, kind: str, value: Tensor) -> dict[str, Tensor]:
    theirs = f"encoder.layer.{i}"
    if name != "qkv":
        return {f"{theirs}.{LAYER_NAMES[name]}.{kind}": value}
    pieces = zip(QKV, value.chunk(3), strict=True)
    return {f"{theirs}.attention.self.{p}.{kind}": piece.contiguous() for p, piece in pieces}


def check_shape(shape: Architecture, ours: dict[str, Tensor], where: str | Path) -> None:
    """Raise InputError unless the config's sizes are those of the weights.

    It is checked before memory is asked for: a damaged config could ask for any amount.
    """
    width = shape.hidden_size
    wanted = {
        "words.weight": (shape.vocab_size, width),
        "types.weight": (shape.type_vocab_size, width),
        "positions.weight": (shape.max_position_embeddings, width),
        "layers.0.up.weight": (shape.intermediate_size, width),
    }
    for name, size in wanted.items():
        found = tuple(ours[name].shape)
        if found != size:
            raise InputError(
                where,
                f"weights and config.json disagree: {name} is {found}, not {size}",
                "fetch both from one revision",
            )


def fill(encoder: nn.Module, weights: dict[str, Tensor], where: str | Path) -> None:
    """Load weights in our names; InputError where their shapes are not those of the config."""
    try:
        encoder.load_state_dict(weights)
    except RuntimeError as error:
        problem = " ".join(str(error).split())[:200]
        raise InputError(
            where, f"weights and config.json disagree: {problem}", "fetch both from one revision"
        ) from None
