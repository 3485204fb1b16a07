"""The modules of a sentence-transformers folder: modules.json and the files that it lists.

They are read and written here alone. The pooling's name is that of a module of ``models/poolings``.
A pooling that sentence-transformers does not have is written by its name: it refuses such a name,
where it would take the mean for a pooling without one.
"""

import json
import re
import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from semblance.errors import InputError
from semblance.models.prompts import Prompts
from semblance.models.saved import LENGTH_FILE, LISTING, WEIGHTS_FILE
from semblance.models.weights import load_tensors, load_weights, save_tensors
from semblance.named_modules import POOLINGS, module_names
from semblance.provenance import read_json, read_object, write_json

CONFIG = "config.json"
LIBRARY = "sentence_transformers."
PREFIX = f"{LIBRARY}models."
# The keys of sentence-transformers before version 6, which later ones read too, by pooling.
POOLING_KEYS = {
    "cls": "pooling_mode_cls_token",
    "max": "pooling_mode_max_tokens",
    "mean": "pooling_mode_mean_tokens",
    "mean_sqrt_len_tokens": "pooling_mode_mean_sqrt_len_tokens",
    "weightedmean": "pooling_mode_weightedmean_tokens",
    "lasttoken": "pooling_mode_lasttoken",
}
ALWAYS_WRITTEN = ("cls", "mean", "max", "mean_sqrt_len_tokens")  # by its first versions, too
# What sentence-transformers needs several modules for. The poolings that average two layers, and
# the layer that they average with the last one: 0 is the embedding layer.
AVERAGED_LAYER = {"first_last": 1, "static_last": 0}
POOLER = "pooler"  # [CLS] and a dense layer
# Our names for the folders of dense layers, behind their number: modules.json tells no more.
HEAD_FOLDER = "Dense"
POOLER_FOLDER = "Pooler"
WHITENING_FOLDER = "Whitening"
ACTIVATIONS = {  # of these layers
    HEAD_FOLDER: "torch.nn.modules.activation.Tanh",
    POOLER_FOLDER: "torch.nn.modules.activation.Tanh",
    WHITENING_FOLDER: "torch.nn.modules.linear.Identity",
}
# The order in which an encoder computes them, each at most once; dense layers by their folders.
ORDER = ("Transformer", "WeightedLayerPooling", "Pooling", POOLER_FOLDER, HEAD_FOLDER, "Normalize")
ORDER += (WHITENING_FOLDER,)
PAIR_SCORER = "ForSequenceClassification"  # in the class of a cross-encoder
VECTOR = ["sentence_embedding"]  # what modules behind the pooling read and write
BEHIND_KEYS = {"module_input_name": VECTOR, "module_output_name": VECTOR}
DENSE_KEYS = {"in_features": None, "bias": [True], "use_residual": [False]}
ENTRY_KEYS = dict.fromkeys(("idx", "name", "path", "type"))  # of modules.json, with any value


def check_keys(path: Path, found: Mapping[str, Any], known: Mapping[str, list | None]) -> None:
    """Raise InputError for a key that is not known, or has another value than those of its list.

    Of a key with None any value will do. One that says nothing (null, an empty object) is passed over.
    """
    for key, value in found.items():
        values = known.get(key, [])
        if values is None or value in (None, {}, []) or value in values:
            continue
        computed = " or ".join(map(json.dumps, values)) or "none"
        problem = f"{key} is {json.dumps(value):.60}, which is not supported (known: {computed})"
        raise InputError(path, problem, "choose another model")


class Module(NamedTuple):
    """One entry of modules.json: the folder of its files, and its kind, such as Pooling."""

    path: str
    kind: str

    @property
    def role(self) -> str:
        """What the folder's name says behind its number: Dense, Pooler, ..."""
        return self.path.partition("_")[2]

    @property
    def part(self) -> str:
        """Its name in ORDER; empty for one that has none."""
        is_dense = self.kind == "Dense"
        name = self.role if is_dense else self.kind
        return name if is_dense == (name in ACTIVATIONS) else ""


@dataclass(frozen=True)
class Modules:
    """The modules of a folder in order; a folder without modules.json has none."""

    folder: Path
    listed: tuple[Module, ...] = ()

    @classmethod
    def read(cls, folder: Path) -> "Modules":
        """Read modules.json; InputError for no list, and for a folder that lies elsewhere."""
        path = folder / LISTING
        listed = read_json(path)
        if not isinstance(listed, list) or not listed:
            raise InputError(path, "no list of modules", "fetch it again")
        modules = cls(folder, tuple(_module(entry, path) for entry in listed))
        names = [entry.get("name") for entry in listed]
        if len(set(map(str, names))) < len(names):  # of two the library would take the last
            raise InputError(path, "two modules have one name", "number them")
        return modules

    @classmethod
    def of_any(cls, folder: Path) -> "Modules":
        """Read modules.json if the folder has it."""
        if (folder / LISTING).is_file():
            return cls.read(folder)
        return cls(folder)

    def check(self, parts: Collection[str] = ORDER) -> None:
        """Raise InputError for what no encoder with these parts computes, or in another order."""
        path = self.folder / LISTING
        for module in self.listed:
            if module.part not in parts:
                problem = f"module {module.path or module.kind} ({module.kind}) is not supported"
                raise InputError(path, problem, f"known are {', '.join(parts)}")
            if module.kind in ("Dense", "Normalize"):
                self._check_behind(module)
        places = [ORDER.index(module.part) for module in self.listed]
        if places != sorted(set(places)) or places[:1] not in ([], [0]):
            order = ", ".join(module.part for module in self.listed)
            problem = f"its modules in this order are not supported: {order}"
            raise InputError(path, problem, f"known is one order, each once: {', '.join(parts)}")

    def _check_behind(self, module: Module) -> None:
        """Raise InputError for a module behind the pooling with settings that are not computed."""
        path = self.config_path(module)
        if module.kind == "Normalize":
            return check_keys(path, read_object(path) if path.is_file() else {}, BEHIND_KEYS)
        config = {"activation_function": "Tanh"} | read_object(path)
        activation = str(config["activation_function"]).rpartition(".")[2]
        own = {
            "out_features": [config.get("in_features")],
            "activation_function": [ACTIVATIONS[module.role].rpartition(".")[2]],
        }
        config["activation_function"] = activation
        return check_keys(path, config, BEHIND_KEYS | DENSE_KEYS | own)

    def find(self, kind: str, role: str | None = None) -> Module | None:
        """Return the first module of a kind, and of a role if one is named; None without one."""
        for module in self.listed:
            if module.kind == kind and role in (None, module.role):
                return module
        return None

    def config_path(self, module: Module) -> Path:
        """Return the file of a module's settings."""
        return self.folder / module.path / CONFIG

    def dense(self, module: Module) -> dict[str, Tensor]:
        """Return the weights of a dense layer."""
        stored = load_weights(self.folder / module.path / WEIGHTS_FILE)
        return {name.removeprefix("linear."): value for name, value in stored.items()}

    def pooling(self) -> str:
        """Return the name of the pooling that the folder states; InputError for any other."""
        module = self.find("Pooling")
        if module is None:
            made = str(read_object(self.folder / CONFIG).get("architectures"))
            problem = "states no pooling"
            if PAIR_SCORER in made:
                problem += ", as a cross-encoder: it scores two texts and gives no vectors"
            advice = "give the base a pooling: cls or mean in the config"
            raise InputError(self.folder, problem, advice)
        path = self.config_path(module)
        name = _stated_pooling(path)
        layers = self.find("WeightedLayerPooling")
        if layers is not None:
            return _layer_average(self.folder / layers.path, name)
        if self.find("Dense", POOLER_FOLDER) is not None:
            if name != "cls":
                raise InputError(path, f"a pooler over {name!r} is not supported", "fetch it again")
            name = POOLER
        if name not in module_names(POOLINGS):
            known = ", ".join(module_names(POOLINGS))
            raise InputError(
                path, f"its pooling {name!r:.40} is not supported", f"known are {known}"
            )
        return name

    def check_prompts(self, prompts: Prompts) -> None:
        """Raise InputError where the folder's pooling would leave the tokens of a prompt out."""
        pooling = self.find("Pooling")
        if not prompts or pooling is None:
            return
        path = self.config_path(pooling)
        if read_object(path).get("include_prompt") is False:
            problem = (
                "leaves the prompt out of the pooling (include_prompt), which is not supported"
            )
            raise InputError(path, problem, "choose another base")


def _module(entry: Any, path: Path) -> Module:
    if not isinstance(entry, dict) or not isinstance(entry.get("type"), str):
        raise InputError(path, "a module has no type", "fetch it again")
    place = entry.get("path", "")
    if not entry["type"].startswith(LIBRARY):
        problem = f"module {entry['type']:.60} is code of its makers, which is not run"
        raise InputError(path, problem, "choose another model")
    check_keys(path, entry, ENTRY_KEYS)
    if not isinstance(place, str) or not re.fullmatch(r"(\w+/?)?", place):
        problem = f"a module's path is {place!r:.40}, which is no folder beside this file"
        raise InputError(path, problem, "fetch it again")
    return Module(place.rstrip("/"), entry["type"].rpartition(".")[2])


def _stated_pooling(path: Path) -> str:
    if not path.is_file():
        raise InputError(path, f"not there, though {LISTING} lists it", "fetch the whole folder")
    config = read_object(path)
    names = {key: name for name, key in POOLING_KEYS.items()}
    keys = [key for key in config if key.startswith("pooling_mode_") and config[key]]
    stated = config.get("pooling_mode")
    if stated is None and keys:  # the newer key counts
        stated = [names.get(key, key) for key in keys]
        stated = stated[0] if len(stated) == 1 else stated
    if isinstance(stated, list) and len(stated) > 1:
        problem = f"states several poolings at once: {', '.join(map(str, stated))}"
        raise InputError(path, problem, "choose a model that has one pooling")
    if not isinstance(stated, str):
        known = ", ".join(module_names(POOLINGS))
        raise InputError(path, f"states no pooling: {stated!r:.40}", f"known are {known}")
    return stated


def _layer_average(folder: Path, over_tokens: str) -> str:
    """Return the pooling that averages the layers as a WeightedLayerPooling does."""
    stored = load_tensors(folder / WEIGHTS_FILE).get("layer_weights")
    starts_at = read_object(folder / CONFIG).get("layer_start")
    if over_tokens == "mean" and starts_at == 0 and stored is not None and stored.ndim == 1:
        layers = len(stored) - 1
        for name in AVERAGED_LAYER:
            if layers > 0 and torch.equal(stored.float(), layer_weights(name, layers)):
                return name
    known = ", ".join(AVERAGED_LAYER)
    advice = f"known are, with the mean over the tokens: {known}"
    raise InputError(folder, "weighs the layers as no pooling does", advice)


def layer_weights(pooling: str, layers: int) -> Tensor:
    """Return the weights of the embedding layer and of all others, (layers + 1,), in an average."""
    weights = torch.zeros(layers + 1)
    weights[AVERAGED_LAYER[pooling]] += 1
    weights[layers] += 1
    return weights


class Writer:
    """Writes the modules of a folder one after the other, and names its ``files``."""

    def __init__(self, folder: Path):
        """Remove the modules of an earlier save."""
        for path in folder.iterdir():
            if path.is_dir() and re.fullmatch(r"[0-9]+_[A-Za-z]+", path.name):
                shutil.rmtree(path)
        self.folder = folder
        self.files: list[str] = []
        self._listed = [_listing_entry(0, "", "Transformer")]

    def add(
        self,
        kind: str,
        role: str,
        config: dict[str, Any] | None = None,
        tensors: dict[str, Tensor] | None = None,
    ) -> None:
        """Write a module whose folder names a role; without a config it has no files."""
        place = f"{len(self._listed)}_{role}"
        self._listed.append(_listing_entry(len(self._listed), place, kind))
        (self.folder / place).mkdir()
        if config is not None:
            self.files.append(f"{place}/{CONFIG}")
            write_json(self.folder / self.files[-1], config)
        if tensors is not None:
            self.files.append(f"{place}/{WEIGHTS_FILE}")
            save_tensors(tensors, self.folder / self.files[-1])

    def add_pooling(self, name: str, width: int) -> None:
        """Write a pooling over the tokens of one layer."""
        config: dict[str, Any] = {"word_embedding_dimension": width}
        if name in POOLING_KEYS:
            config |= {POOLING_KEYS[each]: False for each in ALWAYS_WRITTEN}
            config[POOLING_KEYS[name]] = True
        else:
            config["pooling_mode"] = name
        self.add("Pooling", "Pooling", config)

    def add_layer_average(self, pooling: str, width: int, layers: int) -> None:
        """Write what averages the outputs of two layers, which transformers has to return."""
        config = {"word_embedding_dimension": width, "layer_start": 0, "num_hidden_layers": layers}
        weights = {"layer_weights": layer_weights(pooling, layers)}
        self.add("WeightedLayerPooling", "WeightedLayerPooling", config, weights)
        path = self.folder / CONFIG
        write_json(path, {**read_object(path), "output_hidden_states": True})

    def add_dense(self, layer: nn.Linear, role: str) -> None:
        """Write a dense layer."""
        config = {
            "in_features": layer.in_features,
            "out_features": layer.out_features,
            "bias": True,
            "activation_function": ACTIVATIONS[role],
        }
        state = layer.state_dict()
        tensors = {f"linear.{name}": value.cpu().contiguous() for name, value in state.items()}
        self.add("Dense", role, config, tensors)

    def finish(self, max_length: int) -> list[str]:
        """Write the list of the modules and the longest input; return the names of all files."""
        write_json(self.folder / LISTING, self._listed)
        length = {"max_seq_length": max_length, "do_lower_case": False}
        write_json(self.folder / LENGTH_FILE, length)
        return [*self.files, LISTING, LENGTH_FILE]


def _listing_entry(number: int, place: str, kind: str) -> dict[str, Any]:
    return {"idx": number, "name": str(number), "path": place, "type": PREFIX + kind}
