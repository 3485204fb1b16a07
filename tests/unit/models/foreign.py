"""Tiny models as sentence-transformers publishes them, with the tokenizer classes of their families."""

import json
import string
from collections.abc import Callable
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers.pre_tokenizers import ByteLevel
from transformers import (
    BertConfig,
    BertModel,
    BertTokenizer,
    RobertaConfig,
    RobertaModel,
    RobertaTokenizer,
    XLMRobertaConfig,
    XLMRobertaModel,
    XLMRobertaTokenizer,
)

from tests.unit.models.tiny_models import OF_ROBERTA, SHAPE, add_module, edit_json, publish

LETTERS = string.ascii_letters + string.digits + ".,?!"
WIDTH, LIMIT = 32, 16
SQUARE = {"in_features": WIDTH, "out_features": WIDTH}


def bert_tokenizer() -> BertTokenizer:
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "to", "##day"]
    pieces = [*names, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    return BertTokenizer({piece: i for i, piece in enumerate(pieces)}, model_max_length=LIMIT)


def roberta_tokenizer() -> RobertaTokenizer:
    names = ["<s>", "<pad>", "</s>", "<unk>", *sorted(ByteLevel.alphabet()), "to", "<mask>"]
    pieces = {piece: i for i, piece in enumerate(names)}
    return RobertaTokenizer(pieces, [("t", "o")], model_max_length=LIMIT)


def xlm_roberta_tokenizer() -> XLMRobertaTokenizer:
    names = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "\u2581", "\u2581to", "day", *LETTERS]
    scores = [(piece, -number / 3) for number, piece in enumerate(names)]  # of many digits
    return XLMRobertaTokenizer(scores, model_max_length=LIMIT)


FAMILIES = {
    "bert": (BertModel, BertConfig, bert_tokenizer),
    "roberta": (RobertaModel, RobertaConfig, roberta_tokenizer),
    "xlm-roberta": (XLMRobertaModel, XLMRobertaConfig, xlm_roberta_tokenizer),
}


def write_foreign(folder: Path, family: str, of_tokenizer: str = "") -> Path:
    """Write a folder whose vectors are the mean over the tokens, of another family's tokenizer if wished."""
    encoder, config, _ = FAMILIES[family]
    tokenizer = FAMILIES[of_tokenizer or family][2]
    numbers = {"pad_token_id": 0} if family == "bert" else OF_ROBERTA
    torch.manual_seed(3)
    publish(encoder(config(**{**SHAPE, **numbers, "vocab_size": 300})), folder)
    tokenizer().save_pretrained(folder)
    add_module(folder, "Transformer", "")
    add_module(folder, "Pooling", embedding_dimension=WIDTH, pooling_mode="mean")
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": LIMIT}))
    return folder


def add_dense(folder: Path, **config) -> None:
    """Add a dense layer with random weights."""
    number = len(json.loads((folder / "modules.json").read_text()))
    settings = {**SQUARE, "bias": True, **config}
    add_module(folder, "Dense", **settings)
    weights = {"linear.weight": torch.randn(settings["out_features"], WIDTH)}
    if settings["bias"]:
        weights["linear.bias"] = torch.randn(settings["out_features"])
    save_file(weights, folder / f"{number}_Dense" / "model.safetensors")


def tokenizer(change: Callable[[dict], object]) -> Callable[[Path], None]:
    """Return what changes the parts of tokenizer.json."""

    def edit(folder: Path) -> None:
        path = folder / "tokenizer.json"
        parts = json.loads(path.read_text())
        change(parts)
        path.write_text(json.dumps(parts))

    return edit


def states(name: str, **keys) -> Callable[[Path], None]:
    """Return what states keys in a file of a folder."""

    def edit(folder: Path) -> None:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if not path.is_file():
            path.write_text("{}")
        edit_json(path, **keys)

    return edit
