"""Tiny random BERT and RoBERTa models, as their makers publish them, for tests of the encoder."""

import json
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast, RobertaConfig, RobertaModel

SPECIAL = {
    "bert": ("[PAD]", "[UNK]", "[CLS]", "[SEP]"),
    "roberta": ("<s>", "<pad>", "</s>", "<unk>"),
}
ROLES = {
    "bert": dict(pad="[PAD]", unk="[UNK]", cls="[CLS]", sep="[SEP]"),
    "roberta": dict(pad="<pad>", unk="<unk>", cls="<s>", sep="</s>"),
}
VOCABULARY, POSITIONS = 200, 40
WORDS = [f"w{i}" for i in range(VOCABULARY - 4)]


def make_source(folder: Path, family: str, layers: int = 2) -> Path:
    """Write a raw model folder (config, tokenizer.json, safetensors); every weight is random, biases too."""
    save_tokenizer(folder, family)
    shape = dict(
        vocab_size=VOCABULARY,
        hidden_size=32,
        num_hidden_layers=layers,
        num_attention_heads=4,
        intermediate_size=48,
        max_position_embeddings=POSITIONS,
        hidden_dropout_prob=0.1,
        attention_probs_dropout_prob=0.1,
    )
    config = (
        BertConfig(**shape, type_vocab_size=2, pad_token_id=0)
        if family == "bert"
        else RobertaConfig(
            **shape, type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2
        )
    )
    torch.manual_seed(11)
    model = (BertModel if family == "bert" else RobertaModel)(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    model.save_pretrained(folder, safe_serialization=True)
    return folder


def save_tokenizer(folder: Path, family: str) -> None:
    roles = ROLES[family]
    numbers = {token: i for i, token in enumerate([*SPECIAL[family], *WORDS])}
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


def sentences(lengths, seed: int = 0) -> list[str]:
    """Sentences of the given numbers of words."""
    generator = torch.Generator().manual_seed(seed)
    return [
        " ".join(WORDS[i] for i in torch.randint(len(WORDS), (n,), generator=generator).tolist())
        for n in lengths
    ]


def edit_json(path: Path, **changes) -> None:
    """Change keys of a JSON file; None removes a key."""
    values = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({k: v for k, v in values.items() if v is not None}))
