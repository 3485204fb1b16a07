"""Weights in safetensors files, and their names: those of transformers, and ours.

Files are written whole or not at all, and refused when damaged.
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from semblance.errors import InputError, is_transient
from semblance.files import require_regular, whole_file
from semblance.models.architecture import Architecture

TOP_NAMES = {
    "words.weight": "embeddings.word_embeddings.weight",
    "positions.weight": "embeddings.position_embeddings.weight",
    "types.weight": "embeddings.token_type_embeddings.weight",
    "norm.weight": "embeddings.LayerNorm.weight",
    "norm.bias": "embeddings.LayerNorm.bias",
}
LAYER_NAMES = {
    "out": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "norm2": "output.LayerNorm",
}
POOLER_NAMES = {"pooler.weight": "pooler.dense.weight", "pooler.bias": "pooler.dense.bias"}
QKV = ("query", "key", "value")  # three matrices of transformers, one of ours
# Whole numbers that older versions of transformers stored among the weights: 0, 1, 2, ...
COUNTS = ("position_ids", "token_type_ids")
DISAGREE = "weights and config.json disagree"
ONE_REVISION = "fetch both from one revision"
WRITTEN_ANEW = "SentenceTransformer(FOLDER).save_pretrained(NEW) writes one"
ADAPTER = "adapter_config.json"  # of an adapter, such as LoRA's
IN_ITS_PLACE = {  # what a folder may have in place of one file of weights: what to do
    ADAPTER: "merge the adapter into its model (merge_and_unload) and save that",
    "*.safetensors.index.json": WRITTEN_ANEW,
    "*.bin": WRITTEN_ANEW,
}


def save_tensors(tensors: dict[str, Tensor], path: str | Path) -> None:
    """Write tensors to a file; OSError where the disk refuses them."""
    with whole_file(path) as temporary:
        try:
            save_file(tensors, temporary, metadata={"format": "pt"})
        except SafetensorError as error:
            # The library has the system's error number in its text only.
            number = re.search(r"os error (\d+)", str(error))
            code = int(number[1]) if number else None
            raise OSError(code, f"cannot be written ({error})", str(path)) from None


def load_tensors(path: str | Path) -> dict[str, Tensor]:
    """Read a file of tensors; InputError if it is missing, no regular file or damaged."""
    if not Path(path).exists():
        raise no_weights(Path(path))
    try:
        require_regular(path)
        return load_file(path)
    except (SafetensorError, OSError) as error:
        if is_transient(error):  # the machine failed: the file need not be damaged
            raise
        advice = "delete the folder and fetch it again"
        raise InputError(path, f"damaged weights ({error})", advice) from None


def no_weights(path: Path) -> InputError:
    """Return the error of a folder without this file: what it has in its place, and what to do."""
    for name, advice in IN_ITS_PLACE.items():
        for other in path.parent.glob(name):
            problem = f"no weights as one file of safetensors, but {other.name}"
            return InputError(path, problem, advice)
    return InputError(path, "no weights as safetensors", "choose a base or revision that has them")


def is_finite(values: Tensor) -> bool:
    """Tell whether no value is infinite or NaN, by the extremes: ``isfinite`` takes 13 times as long."""
    return values.numel() == 0 or all(map(math.isfinite, values.aminmax()))


def load_weights(path: str | Path) -> dict[str, Tensor]:
    """Read a safetensors file as float32, by transformers' present names.

    Raises InputError if the file is missing or damaged, a weight is of another type than a floating
    point number, is not finite, or stands in it twice: with a larger model's prefix and without.
    """
    weights: dict[str, Tensor] = {}
    for name, value in load_tensors(path).items():
        if name.endswith(COUNTS):
            continue
        plain = name.removeprefix("bert.").removeprefix("roberta.")
        plain = plain.replace("LayerNorm.gamma", "LayerNorm.weight")
        plain = plain.replace("LayerNorm.beta", "LayerNorm.bias")
        if plain in weights:
            problem = f"weight {plain!r} stands twice, once as {name!r}"
            raise InputError(path, problem, "fetch it again")
        if not value.is_floating_point():
            raise InputError(path, f"weight {name!r} is of type {value.dtype}", "expected floats")
        weights[plain] = value.float()
        if not is_finite(weights[plain]):
            problem = f"weight {name!r} is not finite"
            raise InputError(path, problem, "fetch it again, or train it again")
    return weights


def _weight_names(layers: int) -> Iterator[tuple[str, list[str]]]:
    """Yield our name of each weight, and those of the parts that it joins, in transformers."""
    for ours, theirs in TOP_NAMES.items():
        yield ours, [theirs]
    for layer in range(layers):
        above = f"encoder.layer.{layer}"
        for kind in ("weight", "bias"):
            yield f"layers.{layer}.qkv.{kind}", [f"{above}.attention.self.{p}.{kind}" for p in QKV]
            for ours, theirs in LAYER_NAMES.items():
                yield f"layers.{layer}.{ours}.{kind}", [f"{above}.{theirs}.{kind}"]


def to_ours(weights: dict[str, Tensor], layers: int, where: str | Path) -> dict[str, Tensor]:
    """Rename transformers' weights to the encoder's names, joining query, key and value.

    Raises InputError if one is missing, or query, key and value do not fit together.
    """
    ours = {}
    try:
        for name, theirs in _weight_names(layers):
            parts = [weights[each] for each in theirs]
            ours[name] = torch.cat(parts) if len(parts) > 1 else parts[0]
    except KeyError as error:
        advice = "the file is not a whole BERT-family encoder"
        raise InputError(where, f"weight {error} is missing", advice) from None
    except RuntimeError as error:
        problem = f"query, key and value do not fit together: {error}"
        raise InputError(where, problem, "fetch it again") from None
    return ours


def has_pooler(weights: dict[str, Tensor]) -> bool:
    """Tell whether a checkpoint has a pooler."""
    return POOLER_NAMES["pooler.weight"] in weights


def pooler_to_ours(weights: dict[str, Tensor], where: str | Path) -> dict[str, Tensor]:
    """Rename the weights of a checkpoint's pooler; InputError for a checkpoint without one."""
    for name in POOLER_NAMES.values():
        if name not in weights:
            problem = f"has no pooler: weight {name!r} is missing"
            raise InputError(where, problem, "choose another pooling")
    return {ours: weights[theirs] for ours, theirs in POOLER_NAMES.items()}


def to_theirs(ours: dict[str, Tensor], layers: int) -> dict[str, Tensor]:
    """Rename the encoder's weights to transformers' names, splitting query, key and value.

    Weights that transformers does not have (those of the head) are left out.
    """
    theirs_by_name = {theirs: ours[name] for name, theirs in POOLER_NAMES.items() if name in ours}
    for name, theirs in _weight_names(layers):
        parts = ours[name].chunk(len(theirs))
        theirs_by_name |= {
            each: part.contiguous() for each, part in zip(theirs, parts, strict=True)
        }
    return theirs_by_name


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
            raise InputError(where, f"{DISAGREE}: {name} is {found}, not {size}", ONE_REVISION)


def fill(
    module: nn.Module,
    weights: dict[str, Tensor],
    where: str | Path,
    problem: str = DISAGREE,
    advice: str = ONE_REVISION,
) -> None:
    """Load weights in our names; InputError where their shapes are not those of the module."""
    try:
        module.load_state_dict(weights)
    except RuntimeError as error:
        details = " ".join(str(error).split())[:200]
        raise InputError(where, f"{problem}: {details}", advice) from None
