"""The files in which sentence-transformers keeps a model's modules: pooling, head, longest input.

A model that declares prompts is refused: they would be left out of what it reads.

The pooling's name is that of a module of ``models/poolings``.
"""

import shutil
from pathlib import Path
from typing import Any

from torch import Tensor

from semblance.errors import InputError
from semblance.models.encoder import Encoder
from semblance.models.tensors import save_tensors
from semblance.named_modules import POOLINGS, module_names, module_path
from semblance.provenance import read_json, read_object, write_json

MODULE = "sentence_transformers.models."
POOLING_FILE = "1_Pooling/config.json"
PROMPTS_FILE = "config_sentence_transformers.json"
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


def stored_pooling(folder: Path) -> str:
    """Return the name of the pooling that the folder states.

    Raises InputError for two poolings at once and for one without a module.
    """
    path = folder / POOLING_FILE
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
    module_path(POOLINGS, name, str(path))
    return name


def _pooling_config(pooling: str, width: int) -> dict[str, Any]:
    size = {"word_embedding_dimension": width}
    if pooling not in POOLING_KEYS:  # sentence-transformers refuses it, rather than take another
        return {**size, "pooling_mode": pooling}
    keys = {POOLING_KEYS[name]: False for name in ALWAYS_WRITTEN}
    return {**size, **keys, POOLING_KEYS[pooling]: True}


def refuse_prompts(folder: Path) -> None:
    """Raise InputError if the folder declares prompts: texts to be put before each sentence.

    Names with an empty text, as sentence-transformers writes them by itself, declare none.
    """
    path = folder / PROMPTS_FILE
    if not path.is_file():
        return
    config = read_object(path)
    prompts = config.get("prompts") or {}
    if not isinstance(prompts, dict):
        raise InputError(path, "its prompts are no mapping of names to texts", "fetch it again")
    declared = {name for name, text in prompts.items() if text != ""}
    default = config.get("default_prompt_name")
    if default and prompts.get(default) != "":
        declared.add(str(default))
    if declared:
        problem = f"declares prompts ({', '.join(sorted(declared))}), which are not supported"
        raise InputError(path, problem, "choose a base without prompts")


def stored_normalise(folder: Path) -> bool:
    """Tell whether the folder's last module scales vectors to length one."""
    return "Normalize" in module_kinds(folder)


def stored_head(folder: Path) -> bool:
    """Tell whether the folder has a projection head."""
    return "Dense" in module_kinds(folder)


def module_kinds(folder: Path) -> list[str]:
    """Return the kinds of modules that modules.json lists, in order: Transformer, Pooling, ..."""
    path = folder / "modules.json"
    listed = read_json(path)
    if not isinstance(listed, list) or not listed:
        raise InputError(path, "no list of modules", "fetch it again")
    return [_kind(module, path) for module in listed]


def _kind(module: Any, path: Path) -> str:
    if not isinstance(module, dict) or not isinstance(module.get("type"), str):
        raise InputError(path, "a module has no type", "fetch it again")
    return module["type"].rpartition(".")[2]


def write_modules(encoder: Encoder, folder: Path, keep_head: bool, max_length: int) -> list[str]:
    """Write the files of an encoder's modules; return their names."""
    width = encoder.shape.hidden_size
    write_json(folder / POOLING_FILE, _pooling_config(encoder.pooling, width))
    written = [POOLING_FILE, "modules.json", "sentence_bert_config.json"]
    modules = [("", "Transformer"), ("1_Pooling", "Pooling")]
    shutil.rmtree(folder / "2_Dense", ignore_errors=True)  # the head of an earlier save
    if encoder.head is not None and keep_head:
        modules.append(("2_Dense", "Dense"))
        written += _write_head(encoder.head.state_dict(), folder, width)
    if encoder.normalise:
        name = f"{len(modules)}_Normalize"
        modules.append((name, "Normalize"))
        (folder / name).mkdir(exist_ok=True)
    write_json(folder / "modules.json", _listing(modules))
    length = {"max_seq_length": max_length, "do_lower_case": False}
    write_json(folder / "sentence_bert_config.json", length)
    return written


def _write_head(state: dict[str, Tensor], folder: Path, width: int) -> list[str]:
    config = {
        "in_features": width,
        "out_features": width,
        "bias": True,
        "activation_function": "torch.nn.modules.activation.Tanh",
    }
    write_json(folder / "2_Dense" / "config.json", config)
    tensors = {f"linear.{name}": value.cpu().contiguous() for name, value in state.items()}
    save_tensors(tensors, folder / "2_Dense" / "model.safetensors")
    return ["2_Dense/config.json", "2_Dense/model.safetensors"]


def _listing(modules: list[tuple[str, str]]) -> list[dict[str, Any]]:
    return [
        {"idx": i, "name": str(i), "path": path, "type": MODULE + kind}
        for i, (path, kind) in enumerate(modules)
    ]
