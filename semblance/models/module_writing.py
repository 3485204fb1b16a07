"""How the modules of an encoder are written, so that sentence-transformers finds them.

A pooling that it does not have is written by its name, which it refuses, rather than take another.
"""

import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from torch import Tensor, nn

from semblance.models.encoder import Encoder
from semblance.models.module_files import (
    AVERAGED_LAYER,
    HEAD_FOLDER,
    LISTING,
    POOLER,
    POOLER_FOLDER,
    POOLING_KEYS,
    WHITENING_FOLDER,
    layer_weights,
)
from semblance.models.tensors import save_tensors
from semblance.provenance import read_object, write_json

PREFIX = "sentence_transformers.models."
LENGTH = "sentence_bert_config.json"
ALWAYS_WRITTEN = ("cls", "mean", "max", "mean_sqrt_len_tokens")  # by its first versions, too
OF_A_MODULE = re.compile(r"[0-9]+_[A-Za-z]+")  # the name of a module's folder
TANH = "torch.nn.modules.activation.Tanh"
IDENTITY = "torch.nn.modules.linear.Identity"


class Written(NamedTuple):
    """A module to be written: its kind, the role that its folder names, its files' contents.

    Without a config it has no files.
    """

    kind: str
    role: str
    config: dict[str, Any] | None = None
    tensors: dict[str, Tensor] | None = None


def write_modules(encoder: Encoder, folder: Path, keep_head: bool, max_length: int) -> list[str]:
    """Write the files of an encoder's modules; return their names."""
    for path in folder.iterdir():
        if path.is_dir() and OF_A_MODULE.fullmatch(path.name):
            shutil.rmtree(path)  # of an earlier save
    listing = [_entry(0, "", "Transformer")]
    written = []
    for module in _modules(encoder, keep_head):
        place = f"{len(listing)}_{module.role}"
        listing.append(_entry(len(listing), place, module.kind))
        written += _write_module(module, folder, place)
    write_json(folder / LISTING, listing)
    write_json(folder / LENGTH, {"max_seq_length": max_length, "do_lower_case": False})
    if encoder.pooling in AVERAGED_LAYER:
        _ask_for_all_layers(folder / "config.json")
    return [*written, LISTING, LENGTH]


def _modules(encoder: Encoder, keep_head: bool) -> list[Written]:
    """Return the modules behind the transformer, in order."""
    modules = _pooling_modules(encoder)
    if encoder.head is not None and keep_head:
        modules.append(_dense(encoder.head, HEAD_FOLDER, TANH))
    if encoder.normalise:
        modules.append(Written("Normalize", "Normalize"))
    if encoder.whitening is not None:
        modules.append(_dense(encoder.whitening, WHITENING_FOLDER, IDENTITY))
    return modules


def _pooling_modules(encoder: Encoder) -> list[Written]:
    """Return the modules of sentence-transformers that do what the pooling does."""
    width = encoder.shape.hidden_size
    if encoder.pooling in AVERAGED_LAYER:
        return [_layer_module(encoder), _pooling("mean", width)]
    if encoder.pooling == POOLER:
        return [_pooling("cls", width), _dense(encoder.pooler, POOLER_FOLDER, TANH)]
    return [_pooling(encoder.pooling, width)]


def _pooling(name: str, width: int) -> Written:
    config: dict[str, Any] = {"word_embedding_dimension": width}
    if name in POOLING_KEYS:
        config |= {POOLING_KEYS[each]: False for each in ALWAYS_WRITTEN}
        config[POOLING_KEYS[name]] = True
    else:
        config["pooling_mode"] = name
    return Written("Pooling", "Pooling", config)


def _layer_module(encoder: Encoder) -> Written:
    layers = encoder.shape.num_hidden_layers
    config = {
        "word_embedding_dimension": encoder.shape.hidden_size,
        "layer_start": 0,
        "num_hidden_layers": layers,
    }
    weights = {"layer_weights": layer_weights(encoder.pooling, layers)}
    return Written("WeightedLayerPooling", "WeightedLayerPooling", config, weights)


def _dense(layer: nn.Linear, role: str, activation: str) -> Written:
    config = {
        "in_features": layer.in_features,
        "out_features": layer.out_features,
        "bias": True,
        "activation_function": activation,
    }
    state = layer.state_dict()
    tensors = {f"linear.{name}": value.cpu().contiguous() for name, value in state.items()}
    return Written("Dense", role, config, tensors)


def _write_module(module: Written, folder: Path, place: str) -> list[str]:
    """Write the files of one module into its folder; return their names."""
    (folder / place).mkdir()
    names = []
    if module.config is not None:
        names.append(f"{place}/config.json")
        write_json(folder / names[-1], module.config)
    if module.tensors is not None:
        names.append(f"{place}/model.safetensors")
        save_tensors(module.tensors, folder / names[-1])
    return names


def _entry(number: int, place: str, kind: str) -> dict[str, Any]:
    return {"idx": number, "name": str(number), "path": place, "type": PREFIX + kind}


def _ask_for_all_layers(path: Path) -> None:
    """Let transformers return the outputs of all layers, which sentence-transformers averages."""
    write_json(path, {**read_object(path), "output_hidden_states": True})
