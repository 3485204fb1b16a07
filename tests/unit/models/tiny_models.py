"""Tiny random BERT and RoBERTa models, as their makers publish them, for tests of the encoder."""

import json
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast, RobertaConfig, RobertaModel

from semblance.models.base import BaseSettings, build_base

SPECIAL = {  # by role, in the order of their numbers
    "bert": {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]"},
    "roberta": {"cls": "<s>", "pad": "<pad>", "sep": "</s>", "unk": "<unk>"},
}
VOCABULARY, POSITIONS = 200, 40
WORDS = [f"w{i}" for i in range(VOCABULARY - 4)]
SHAPE = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": POSITIONS,
}
# A length and a padding that stand in tokenizer.json
BAKED = {"direction": "Right", "max_length": 9, "strategy": "LongestFirst", "stride": 0}
PADDED = {"strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": None}
PADDED |= {"pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"}
OF_ROBERTA = {"type_vocab_size": 1, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}


def config_of(family: str, layers: int = 2):
    """The configuration of a tiny model."""
    shape = {**SHAPE, "num_hidden_layers": layers}
    if family == "bert":
        return BertConfig(**shape, pad_token_id=0)
    return RobertaConfig(**shape, **OF_ROBERTA)


def publish(model: torch.nn.Module, folder: Path) -> torch.nn.Module:
    """Write a model as its makers do; every weight is random, biases too."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    model.save_pretrained(folder, safe_serialization=True)
    return model.eval()


def make_source(folder: Path, family: str, layers: int = 2) -> Path:
    """Write a raw model folder: config, tokenizer.json and safetensors."""
    save_tokenizer(folder, family)
    torch.manual_seed(11)
    publish({"bert": BertModel, "roberta": RobertaModel}[family](config_of(family, layers)), folder)
    return folder


def save_tokenizer(folder: Path, family: str) -> None:
    roles = SPECIAL[family]
    numbers = {token: i for i, token in enumerate([*roles.values(), *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(numbers, unk_token=roles["unk"]))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{roles['cls']} $A {roles['sep']}",
        pair=f"{roles['cls']} $A {roles['sep']} $B {roles['sep']}",
        special_tokens=[(roles[r], numbers[roles[r]]) for r in ("cls", "sep")],
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=POSITIONS - 2,
        **{f"{role}_token": token for role, token in roles.items()},
    ).save_pretrained(folder)


def built(source: Path, place: Path, pooling: str | None = "mean", limit=16, **settings) -> Path:
    """Make a base of a raw folder; return its model's folder, beside which its record lies."""
    stated = {"max_length": limit, "folder": str(source), "pooling": pooling} | settings
    build_base(BaseSettings(**stated), place / "record.json", "the code")
    return place / "model"


def sentences(lengths, seed: int = 0) -> list[str]:
    """Sentences of the given numbers of words."""
    generator = torch.Generator().manual_seed(seed)
    return [
        " ".join(WORDS[i] for i in torch.randint(len(WORDS), (n,), generator=generator).tolist())
        for n in lengths
    ]


def by_library(folder: Path):
    """The model of a folder as sentence-transformers reads it."""
    library = pytest.importorskip("sentence_transformers")
    return library.SentenceTransformer(str(folder), device="cpu", local_files_only=True)


def edit_json(path: Path, **changes) -> None:
    """Change keys of a JSON file; None removes a key."""
    values = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({k: v for k, v in values.items() if v is not None}))


def add_module(folder: Path, kind: str, place: str | None = None, **config) -> None:
    """Add a module to the list of a folder, and its settings if it has any."""
    path = folder / "modules.json"
    listed = json.loads(path.read_text()) if path.exists() else []
    number = len(listed)
    place = f"{number}_{kind}" if place is None else place
    kind = f"sentence_transformers.models.{kind}"
    listed.append({"idx": number, "name": str(number), "path": place, "type": kind})
    path.write_text(json.dumps(listed))
    if config:
        (folder / place).mkdir()
        (folder / place / "config.json").write_text(json.dumps(config))
