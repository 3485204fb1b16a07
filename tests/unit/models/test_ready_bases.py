"""Small models with the shapes of the ready bases give the vectors of sentence-transformers.

E5: BERT, mean, normalised, a prompt for each role. BGE and Arctic: BERT, cls, normalised, a prompt
for queries. Multilingual E5: a BERT encoder with XLM-R's tokenizer. And XLM-R itself, whose
positions start behind the number of its padding token.
"""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, XLMRobertaConfig, XLMRobertaModel

from semblance.data.tokens import tokenise
from semblance.models import folder as model_folder
from semblance.models.saved import SavedModel
from tests.unit.models.tiny_models import SHAPE, add_module, built, by_library, publish

LIMIT = 16
TEXTS = [
    "how do i renew a loan",
    "renew",
    "a loan a loan how do i renew it when it is late again now",
]
E5 = ({"query": "query: ", "document": "passage: "}, "query")
BGE = ({"query": "represent this: "}, None)


def wordpiece() -> tuple[Tokenizer, dict[str, str]]:
    """Return BERT's kind of tokenizer over letters, and its special tokens."""
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", ":"]
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    pieces = [*names, *letters, *(f"##{letter}" for letter in letters)]
    made = Tokenizer(models.WordPiece({p: i for i, p in enumerate(pieces)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return made, {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]"}


def unigram() -> tuple[Tokenizer, dict[str, str]]:
    """Return XLM-R's kind of tokenizer, SentencePiece's unigrams, and its special tokens."""
    names = ["<s>", "<pad>", "</s>", "<unk>", "▁", ":"]
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    pieces = [*names, "▁loan", "▁renew", "▁query", "▁query:", "▁a", *letters]
    scores = [(piece, -float(number)) for number, piece in enumerate(pieces)]
    made = Tokenizer(models.Unigram(scores, unk_id=3))
    made.normalizer = normalizers.NFKC()
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    made.decoder = decoders.Metaspace()
    made.post_processor = processors.TemplateProcessing(
        "<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    special = {"pad_token": "<pad>", "unk_token": "<unk>", "cls_token": "<s>"}
    return made, special


def bert() -> torch.nn.Module:
    return BertModel(BertConfig(**SHAPE, pad_token_id=0), add_pooling_layer=False)


def xlm_roberta() -> torch.nn.Module:
    numbers = {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
    return XLMRobertaModel(
        XLMRobertaConfig(**SHAPE, **numbers, type_vocab_size=1), add_pooling_layer=False
    )


# name: what makes the encoder, what makes the tokenizer, the pooling, the prompts
SHAPES = {
    "e5": (bert, wordpiece, "mean", E5),
    "bge": (bert, wordpiece, "cls", BGE),
    "multilingual-e5": (bert, unigram, "mean", E5),
    "xlm-roberta": (xlm_roberta, unigram, "mean", E5),
}


def write(folder, encoder, tokenizer, pooling) -> None:
    """Write a model as its makers do: without a pooler, with the modules' list and position_ids."""
    publish(encoder(), folder)
    weights = load_file(folder / "model.safetensors")
    weights["embeddings.position_ids"] = torch.arange(40)[None]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    made, special = tokenizer()
    made.add_special_tokens([*special.values()])
    made.save(str(folder / "tokenizer.json"))
    stated = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": LIMIT, **special}
    (folder / "tokenizer_config.json").write_text(json.dumps(stated))
    modes = {"cls": "pooling_mode_cls_token", "mean": "pooling_mode_mean_tokens"}
    config = {key: name == pooling for name, key in modes.items()}
    add_module(folder, "Transformer", "")
    add_module(folder, "Pooling", word_embedding_dimension=SHAPE["hidden_size"], **config)
    add_module(folder, "Normalize")  # a folder without files: it is not there


@pytest.fixture(scope="module", params=SHAPES)
def base(request, tmp_path_factory) -> SavedModel:
    encoder, tokenizer, pooling, (prompts, default) = SHAPES[request.param]
    place = tmp_path_factory.mktemp(request.param)
    (place / "raw").mkdir()
    write(place / "raw", encoder, tokenizer, pooling)
    built(place / "raw", place, None, LIMIT, prompts=prompts, default_prompt=default)
    return SavedModel.read(place / "record.json")


def vectors(base: SavedModel, texts: list[str]) -> np.ndarray:
    encoder = model_folder.load(base.folder).eval()
    return encoder.encode(tokenise(base.tokenizer, texts), base.max_length)


def test_both_give_the_same_vectors_by_role(base):
    theirs = by_library(base.folder)
    prompts = base.prompts
    alike = [prompts.default + text for text in TEXTS]
    pairs = [
        (theirs.encode_query(TEXTS), prompts.queries(TEXTS)),
        (theirs.encode_document(TEXTS), prompts.documents(TEXTS)),
        (theirs.encode(TEXTS), alike),
    ]
    for expected, texts in pairs:
        found = vectors(base, texts)
        assert np.abs(found - expected).max() < 1e-6
        assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
