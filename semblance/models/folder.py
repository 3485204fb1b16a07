"""Model folders: read and written as sentence-transformers and transformers read them.

Weights are safetensors only. The pooling, the longest input and the optional head are stored in the
folder, once, in the files where sentence-transformers looks for them.
"""

import shutil
from dataclasses import asdict
from pathlib import Path

import torch
from torch import Tensor

from semblance.errors import InputError
from semblance.files import copy_file
from semblance.models.encoder import Architecture, Encoder
from semblance.models.tensors import load_tensors, save_tensors
from semblance.provenance import read_json, read_object, write_json
from semblance.settings import decode

FAMILIES = {
    "bert": False,
    "roberta": True,
    "xlm-roberta": True,
    "camembert": True,
}  # positions start after pad?
TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
)
LAYER_NAMES = {
    "out": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "norm2": "output.LayerNorm",
}
TOP_NAMES = {
    "words": "embeddings.word_embeddings",
    "positions": "embeddings.position_embeddings",
    "types": "embeddings.token_type_embeddings",
    "norm": "embeddings.LayerNorm",
}
MODULE = "sentence_transformers.models."
LARGEST = 1 << 24  # of any size in a config.json; no vocabulary comes near it


def architecture(folder: str | Path) -> Architecture:
    """Read config.json; InputError for a family whose forward pass this is not, and for impossible sizes."""
    path = Path(folder, "config.json")
    config = read_object(path)
    family = config.get("model_type")
    if not isinstance(family, str) or family not in FAMILIES:
        raise InputError(
            path, f"model_type {family!r} is not supported", f"use one of {', '.join(FAMILIES)}"
        )
    if (
        config.get("position_embedding_type", "absolute") != "absolute"
        or config.get("hidden_act") != "gelu"
    ):
        raise InputError(path, "only absolute positions and the gelu activation are supported")
    pad = config.get("pad_token_id") or 0
    values = {name: config[name] for name in Architecture.__dataclass_fields__ if name in config}
    offset = pad + 1 if FAMILIES[family] and type(pad) is int else 0
    shape = decode(
        Architecture, {**values, "pad_token_id": pad, "position_offset": offset}, str(path)
    )
    _check_sizes(shape, path)
    return shape


def _check_sizes(shape: Architecture, path: Path) -> None:
    for name, value in asdict(shape).items():
        low, high = {
            "hidden_dropout_prob": (0, 0.99),
            "attention_probs_dropout_prob": (0, 0.99),
            "layer_norm_eps": (0, 1),
            "pad_token_id": (0, shape.vocab_size - 1),
            "position_offset": (0, shape.max_position_embeddings - 3),
        }.get(name, (1, LARGEST))
        if not low <= value <= high:
            raise InputError(path, f"{name} is {value!r:.40}", f"expected {low} to {high}")
    if shape.hidden_size % shape.num_attention_heads:
        raise InputError(
            path, f"{shape.num_attention_heads} heads do not divide hidden_size {shape.hidden_size}"
        )


def load_weights(path: str | Path) -> dict[str, Tensor]:
    """Read a safetensors file as float32; InputError if it is missing or damaged, or a weight is not finite."""
    weights = {_plain_name(name): value.float() for name, value in load_tensors(path).items()}
    for name, value in weights.items():
        if not value.isfinite().all():
            raise InputError(
                path, f"weight {name!r} is not finite", "fetch it again, or train it again"
            )
    return weights


def _plain_name(name: str) -> str:
    for prefix in ("bert.", "roberta."):
        name = name.removeprefix(prefix)
    return name.replace("LayerNorm.gamma", "LayerNorm.weight").replace(
        "LayerNorm.beta", "LayerNorm.bias"
    )


def to_ours(weights: dict[str, Tensor], layers: int, where: str | Path) -> dict[str, Tensor]:
    """Rename transformers' weights to the encoder's names, joining query, key and value.

    InputError if one is missing, or query, key and value do not fit together.
    """
    try:
        ours = {
            f"{a}.{kind}": weights[f"{b}.{kind}"]
            for a, b in TOP_NAMES.items()
            for kind in (("weight", "bias") if a == "norm" else ("weight",))
        }
        for i in range(layers):
            theirs = f"encoder.layer.{i}"
            for kind in ("weight", "bias"):
                parts = [
                    weights[f"{theirs}.attention.self.{p}.{kind}"]
                    for p in ("query", "key", "value")
                ]
                ours[f"layers.{i}.qkv.{kind}"] = torch.cat(parts)
                for a, b in LAYER_NAMES.items():
                    ours[f"layers.{i}.{a}.{kind}"] = weights[f"{theirs}.{b}.{kind}"]
    except KeyError as error:
        raise InputError(
            where, f"weight {error} is missing", "the file is not a whole BERT-family encoder"
        ) from None
    except RuntimeError as error:
        raise InputError(
            where, f"query, key and value do not fit together: {error}", "fetch it again"
        ) from None
    return ours


def check_shape(shape: Architecture, ours: dict[str, Tensor], where: str | Path) -> None:
    """Raise InputError unless the config's sizes are those of the weights, before any memory is asked for them."""
    wanted = {
        "words.weight": (shape.vocab_size, shape.hidden_size),
        "types.weight": (shape.type_vocab_size, shape.hidden_size),
        "positions.weight": (shape.max_position_embeddings, shape.hidden_size),
        "layers.0.up.weight": (shape.intermediate_size, shape.hidden_size),
    }
    for name, size in wanted.items():
        if tuple(ours[name].shape) != size:
            raise InputError(
                where,
                f"weights and config.json disagree: {name} is {tuple(ours[name].shape)}, not {size}",
                "fetch both from one revision",
            )


def to_theirs(ours: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename the encoder's weights to transformers' names, splitting query, key and value."""
    theirs = {}
    for name, value in ours.items():
        top, *rest = name.split(".")
        if top in TOP_NAMES:
            theirs[f"{TOP_NAMES[top]}.{rest[0]}"] = value
        elif top == "layers":
            i, part, kind = rest
            if part == "qkv":
                for p, piece in zip(("query", "key", "value"), value.chunk(3), strict=True):
                    theirs[f"encoder.layer.{i}.attention.self.{p}.{kind}"] = piece.contiguous()
            else:
                theirs[f"encoder.layer.{i}.{LAYER_NAMES[part]}.{kind}"] = value
    return theirs


def load(folder: str | Path, head: bool = False) -> Encoder:
    """Load a model folder as an Encoder on the CPU, in float32.

    ``head`` adds a fresh projection head (drawn from torch's generator) where the folder has none.
    """
    folder = Path(folder)
    shape = architecture(folder)
    pooling = stored_pooling(folder)
    stored_head = _has_module(folder, "Dense")
    weights = to_ours(load_weights(folder / "model.safetensors"), shape.num_hidden_layers, folder)
    check_shape(shape, weights, folder)
    encoder = Encoder(shape, pooling, head=head or stored_head, normalise=stored_normalise(folder))
    if encoder.head is not None:
        if stored_head:
            stored = load_weights(folder / "2_Dense" / "model.safetensors")
            weights |= {
                f"head.{name.removeprefix('linear.')}": value for name, value in stored.items()
            }
        else:
            torch.nn.init.normal_(encoder.head.weight, std=0.02)
            torch.nn.init.zeros_(encoder.head.bias)
            weights |= {f"head.{k}": v.clone() for k, v in encoder.head.state_dict().items()}
    fill(encoder, weights, folder)
    return encoder


def fill(encoder: Encoder, weights: dict[str, Tensor], where: str | Path) -> None:
    """Load weights in our names; InputError where their shapes are not those of the config."""
    try:
        encoder.load_state_dict(weights)
    except RuntimeError as error:
        raise InputError(
            where,
            f"weights and config.json disagree: {' '.join(str(error).split())[:200]}",
            "fetch both from one revision",
        ) from None


def stored_pooling(folder: Path) -> str:
    """Return ``mean`` or ``cls`` as the folder's pooling module states it."""
    config = read_object(folder / "1_Pooling" / "config.json")
    modes = {
        key for key, value in config.items() if key.startswith("pooling_mode_") and value is True
    }
    for mode, old in (("cls", {"pooling_mode_cls_token"}), ("mean", {"pooling_mode_mean_tokens"})):
        if modes == old or (not modes and config.get("pooling_mode") == mode):
            return mode
    raise InputError(folder / "1_Pooling" / "config.json", "pooling is neither mean nor cls alone")


def stored_normalise(folder: Path) -> bool:
    """Tell whether the folder's last module scales vectors to length one."""
    return _has_module(folder, "Normalize")


def _has_module(folder: Path, kind: str) -> bool:
    return kind in module_kinds(folder)


def module_kinds(folder: Path) -> list[str]:
    """Return the kinds of the modules that modules.json lists, in order: Transformer, Pooling and so on."""
    path = folder / "modules.json"
    listed = read_json(path)
    types = (
        [m.get("type") if isinstance(m, dict) else None for m in listed]
        if isinstance(listed, list)
        else []
    )
    if not types or not all(isinstance(name, str) for name in types):
        raise InputError(path, "no list of modules, each with its type", "fetch it again")
    return [name.rpartition(".")[2] for name in types]


def save(
    encoder: Encoder,
    folder: str | Path,
    source: str | Path,
    keep_head: bool,
    max_length: int,
    pooler: dict[str, Tensor] | None = None,
) -> list[str]:
    """Write ``encoder`` as a sentence-transformers folder, its config and tokenizer from ``source``.

    Returns the names of the files written. Weights that the encoder does not use (BERT's pooler) are
    carried over unchanged, from ``pooler`` or from the source's own, so that ``transformers`` finds
    the folder complete.
    """
    folder, source = Path(folder), Path(source)
    folder.mkdir(parents=True, exist_ok=True)
    state = {
        name: value.detach().cpu().contiguous() for name, value in encoder.state_dict().items()
    }
    weights = to_theirs(state)
    spare = load_weights(source / "model.safetensors") if pooler is None else pooler
    weights |= {n: v for n, v in spare.items() if n.startswith("pooler.")}
    save_tensors(weights, folder / "model.safetensors")
    copied = [n for n in ("config.json", *TOKENIZER_FILES) if (source / n).is_file()]
    for name in copied if folder != source else ():
        copy_file(source / name, folder / name)
    return [
        "model.safetensors",
        *copied,
        *_save_modules(encoder, folder, state, keep_head, max_length),
    ]


def _save_modules(
    encoder: Encoder, folder: Path, state: dict, keep_head: bool, max_length: int
) -> list[str]:
    d = encoder.shape.hidden_size
    modules = [("", "Transformer"), ("1_Pooling", "Pooling")]
    write_json(
        folder / "1_Pooling" / "config.json",
        {
            "word_embedding_dimension": d,
            "pooling_mode_cls_token": encoder.pooling == "cls",
            "pooling_mode_mean_tokens": encoder.pooling == "mean",
            "pooling_mode_max_tokens": False,
            "pooling_mode_mean_sqrt_len_tokens": False,
        },
    )
    written = ["1_Pooling/config.json", "modules.json", "sentence_bert_config.json"]
    shutil.rmtree(folder / "2_Dense", ignore_errors=True)  # an earlier save's head
    if encoder.head is not None and keep_head:
        modules.append(("2_Dense", "Dense"))
        write_json(
            folder / "2_Dense" / "config.json",
            {
                "in_features": d,
                "out_features": d,
                "bias": True,
                "activation_function": "torch.nn.modules.activation.Tanh",
            },
        )
        save_tensors(
            {"linear.weight": state["head.weight"], "linear.bias": state["head.bias"]},
            folder / "2_Dense" / "model.safetensors",
        )
        written += ["2_Dense/config.json", "2_Dense/model.safetensors"]
    if encoder.normalise:
        modules.append((f"{len(modules)}_Normalize", "Normalize"))
        (folder / modules[-1][0]).mkdir(exist_ok=True)
    listing = [
        {"idx": i, "name": str(i), "path": p, "type": MODULE + t}
        for i, (p, t) in enumerate(modules)
    ]
    write_json(folder / "modules.json", listing)
    write_json(
        folder / "sentence_bert_config.json", {"max_seq_length": max_length, "do_lower_case": False}
    )
    return written
