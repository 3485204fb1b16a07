"""Which tokens of a tokenizer continue a word, and which are special."""

import json
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from semblance.data.vocabulary import read_vocabulary

WORDS = "a tokenizer splits unbelievable words into pieces"


def wordpiece() -> Tokenizer:
    words = ["[UNK]", "[CLS]", "un", "##believ", "##able", "words", "##s", "a"]
    tokenizer = Tokenizer(models.WordPiece({w: n for n, w in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(["[UNK]", "[CLS]"])
    return tokenizer


def byte_level() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        [WORDS], trainers.BpeTrainer(vocab_size=30, special_tokens=["<s>"], show_progress=False)
    )
    return tokenizer


def metaspace() -> Tokenizer:
    pieces = [("<unk>", 0.0), ("▁un", -1.0), ("believ", -1.0), ("able", -1.0), ("▁words", -1.0)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.add_special_tokens(["<unk>"])
    return tokenizer


def saved(tokenizer: Tokenizer, folder) -> Path:
    path = folder / "tokenizer.json"
    tokenizer.save(str(path))
    return path


@pytest.mark.parametrize(
    "make, text",
    [(wordpiece, "unbelievable words"), (byte_level, WORDS), (metaspace, "unbelievable words")],
)
def test_the_words_of_tokens_are_those_that_blanks_separate(tmp_path, make, text):
    tokenizer = make()
    encoding = tokenizer.encode(text)
    expected = [text[:end].count(" ") for _, end in encoding.offsets]
    found = read_vocabulary(saved(tokenizer, tmp_path)).words(np.asarray(encoding.ids))
    assert found.tolist() == expected
    assert len(expected) > len(set(expected)) > 1  # pieces, of several words


def test_special_tokens_are_not_ordinary(tmp_path):
    vocabulary = read_vocabulary(saved(wordpiece(), tmp_path))
    assert vocabulary.ordinary.tolist() == [2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("name, expected", [("[MASK]", 2), ("<mask>", 2), ("mask", None)])
def test_of_whole_words_none_continues_one_and_the_mask_has_a_name(tmp_path, name, expected):
    model = models.WordLevel({"a": 0, "b": 1, name: 2}, unk_token="a")
    path = saved(Tokenizer(model), tmp_path)
    assert "continuing_subword_prefix" not in json.loads(path.read_text())["model"]
    vocabulary = read_vocabulary(path)
    assert vocabulary.words(np.asarray([1, 0, 1])).tolist() == [0, 1, 2]
    assert vocabulary.mask == expected
