"""The files in which sentence-transformers keeps a model's modules: how they are read.

``module_writing`` writes them. The pooling's name is that of a module of ``models/poolings``.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from semblance.errors import InputError
from semblance.models.prompts import Prompts
from semblance.models.tensors import load_tensors
from semblance.named_modules import POOLINGS, module_names, module_path
from semblance.provenance import read_json, read_object

LISTING = "modules.json"
# The keys of sentence-transformers before version 6, which later ones read too, by pooling.
POOLING_KEYS = {
    "cls": "pooling_mode_cls_token",
    "max": "pooling_mode_max_tokens",
    "mean": "pooling_mode_mean_tokens",
    "mean_sqrt_len_tokens": "pooling_mode_mean_sqrt_len_tokens",
    "weightedmean": "pooling_mode_weightedmean_tokens",
    "lasttoken": "pooling_mode_lasttoken",
}
# What sentence-transformers needs several modules for. The poolings that average two layers, and
# the layer that they average with the last one: 0 is the embedding layer.
AVERAGED_LAYER = {"first_last": 1, "static_last": 0}
MOST_LAYERS = 1 << 10  # no transformer comes near it
POOLER = "pooler"  # [CLS] and a dense layer
# Our names for the folders of dense layers, behind their number: modules.json tells no more.
HEAD_FOLDER = "Dense"
POOLER_FOLDER = "Pooler"
WHITENING_FOLDER = "Whitening"


class Module(NamedTuple):
    """One entry of modules.json: the folder of its files, and its kind, such as Pooling."""

    path: str
    kind: str

    @property
    def role(self) -> str:
        """What the folder's name says behind its number: Dense, Pooler, ..."""
        return self.path.partition("_")[2]


def read_modules(folder: Path) -> list[Module]:
    """Return the modules that modules.json lists, in order.

    Raises InputError for a list that is none, and for a module whose folder lies elsewhere.
    """
    path = folder / LISTING
    listed = read_json(path)
    if not isinstance(listed, list) or not listed:
        raise InputError(path, "no list of modules", "fetch it again")
    return [_module(entry, path) for entry in listed]


def _module(entry: Any, path: Path) -> Module:
    if not isinstance(entry, dict) or not isinstance(entry.get("type"), str):
        raise InputError(path, "a module has no type", "fetch it again")
    place = entry.get("path", "")
    if not isinstance(place, str) or not re.fullmatch(r"\w*", place):
        problem = f"a module's path is {place!r:.40}, which is no folder beside this file"
        raise InputError(path, problem, "fetch it again")
    return Module(place, entry["type"].rpartition(".")[2])


def find_module(folder: Path, kind: str, role: str | None = None) -> Module | None:
    """Return the first module of a kind, and of a role if one is named; None without one."""
    for module in read_modules(folder):
        if module.kind == kind and role in (None, module.role):
            return module
    return None


def stored_pooling(folder: Path) -> str:
    """Return the name of the pooling that the folder states.

    Raises InputError for two poolings at once, for one without a module, and for weights of layers
    that no module has.
    """
    pooling = find_module(folder, "Pooling")
    if pooling is None:
        raise InputError(folder / LISTING, "lists no pooling", "choose a base that has one")
    path = folder / pooling.path / "config.json"
    name = _stated_pooling(path)
    layers = find_module(folder, "WeightedLayerPooling")
    if layers is not None:
        return _layer_average(folder / layers.path, name)
    if find_module(folder, "Dense", POOLER_FOLDER) is not None:
        if name != "cls":
            raise InputError(path, f"a pooler over {name!r} is not supported", "fetch it again")
        name = POOLER
    module_path(POOLINGS, name, str(path))
    return name


def _stated_pooling(path: Path) -> str:
    """Return the one pooling that the file of a Pooling module states."""
    config = read_object(path)
    names = {key: name for name, key in POOLING_KEYS.items()}
    keys = [key for key in config if key.startswith("pooling_mode_") and config[key] is True]
    stated = [names.get(key, key) for key in keys]
    if not stated:
        stated = [config.get("pooling_mode")]
    if len(stated) > 1:
        raise InputError(path, f"states several poolings at once: {', '.join(stated)}")
    name = stated[0]
    if not isinstance(name, str):
        known = ", ".join(module_names(POOLINGS))
        raise InputError(path, f"states no pooling: {name!r:.40}", f"known are {known}")
    return name


def _layer_average(folder: Path, over_tokens: str) -> str:
    """Return the pooling that averages the layers as a WeightedLayerPooling does."""
    weights = _stored_layer_weights(folder)
    if over_tokens == "mean" and weights is not None:
        for name in AVERAGED_LAYER:
            if _weigh_alike(weights, layer_weights(name, len(weights) - 1)):
                return name
    known = ", ".join(AVERAGED_LAYER)
    advice = f"known are, with the mean over the tokens: {known}"
    raise InputError(folder, "weighs the layers as no pooling does", advice)


def _stored_layer_weights(folder: Path) -> Tensor | None:
    """Return the weights of the embedding layer and of all others; None for a wrong number of them."""
    config = read_object(folder / "config.json")
    stored = load_tensors(folder / "model.safetensors").get("layer_weights")
    layers = config.get("num_hidden_layers")
    start = config.get("layer_start")
    if type(layers) is not int or type(start) is not int or stored is None:
        return None
    if not 0 <= start <= layers <= MOST_LAYERS or tuple(stored.shape) != (layers + 1 - start,):
        return None
    return torch.cat([torch.zeros(start), stored.float()])


def _weigh_alike(weights: Tensor, others: Tensor) -> bool:
    """Tell whether two lists of weights give the same average."""
    total = weights.sum()
    if not total > 0:
        return False
    return torch.equal(weights * others.sum(), others * total)


def layer_weights(pooling: str, layers: int) -> Tensor:
    """Return the weights of the embedding layer and of all others, (layers + 1,), in an average."""
    weights = torch.zeros(layers + 1)
    weights[AVERAGED_LAYER[pooling]] += 1
    weights[layers] += 1
    return weights


def check_prompts(folder: Path, prompts: Prompts) -> None:
    """Raise InputError where the folder's pooling would leave the tokens of a prompt out."""
    if not prompts or not (folder / LISTING).is_file():
        return
    pooling = find_module(folder, "Pooling")
    if pooling is None:
        return
    path = folder / pooling.path / "config.json"
    if read_object(path).get("include_prompt") is False:
        problem = "leaves the prompt out of the pooling (include_prompt), which is not supported"
        raise InputError(path, problem, "choose another base")


def stored_normalise(folder: Path) -> bool:
    """Tell whether the folder has a module that scales vectors to length one."""
    return find_module(folder, "Normalize") is not None
