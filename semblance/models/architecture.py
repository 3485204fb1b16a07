"""The shape of a BERT-family transformer, as its config.json gives it."""

from dataclasses import asdict, dataclass
from pathlib import Path

from semblance.errors import InputError
from semblance.provenance import read_object
from semblance.settings import decode

CLASSES = {  # the families that can be read, with transformers' class of each
    "bert": "BertModel",
    "roberta": "RobertaModel",
    "xlm-roberta": "XLMRobertaModel",
    "camembert": "CamembertModel",
}
POSITIONS_AFTER_PADDING = {"roberta", "xlm-roberta", "camembert"}  # they number real tokens alone
LARGEST = 1 << 24  # of any size in a config.json; no vocabulary comes near it


@dataclass(frozen=True)
class Architecture:
    """The sizes and rates of a transformer, by the names of config.json."""

    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    vocab_size: int
    max_position_embeddings: int
    type_vocab_size: int
    layer_norm_eps: float
    hidden_dropout_prob: float
    attention_probs_dropout_prob: float
    pad_token_id: int
    position_offset: int  # RoBERTa numbers positions from pad_token_id + 1, and BERT from 0
    mask_token_id: int | None = None  # of a model whose pooling reads a mask token


def read_architecture(folder: str | Path) -> Architecture:
    """Read config.json; InputError for another forward pass and for impossible sizes."""
    path = Path(folder, "config.json")
    config = read_object(path)
    family = config.get("model_type")
    if not isinstance(family, str) or family not in CLASSES:
        known = ", ".join(CLASSES)
        raise InputError(path, f"model_type {family!r} is not supported", f"use one of {known}")
    positions = config.get("position_embedding_type", "absolute")
    if positions != "absolute" or config.get("hidden_act") != "gelu":
        raise InputError(path, "only absolute positions and the gelu activation are supported")
    if config.get("is_decoder"):
        raise InputError(path, "a decoder (is_decoder) is not supported", "choose an encoder")
    after_padding = family in POSITIONS_AFTER_PADDING
    padding = config.get("pad_token_id", int(after_padding))  # without the key: transformers' own
    if padding is None and not after_padding:  # then BERT's has no use
        padding = 0
    offset = padding + 1 if after_padding and type(padding) is int else 0
    known = {name: config[name] for name in Architecture.__dataclass_fields__ if name in config}
    values = {**known, "pad_token_id": padding, "position_offset": offset}
    shape = decode(Architecture, values, str(path))
    _check_sizes(shape, path)
    return shape


def _check_sizes(shape: Architecture, path: Path) -> None:
    limits = {
        "hidden_dropout_prob": (0, 0.99),
        "attention_probs_dropout_prob": (0, 0.99),
        "layer_norm_eps": (0, 1),
        "pad_token_id": (0, shape.vocab_size - 1),
        "position_offset": (0, shape.max_position_embeddings - 3),
        "mask_token_id": (0, shape.vocab_size - 1),
    }
    for name, value in asdict(shape).items():
        if value is None:
            continue
        low, high = limits.get(name, (1, LARGEST))
        if not low <= value <= high:
            raise InputError(path, f"{name} is {value!r:.40}", f"expected {low} to {high}")
    heads = shape.num_attention_heads
    if shape.hidden_size % heads:
        raise InputError(path, f"{heads} heads do not divide hidden_size {shape.hidden_size}")
