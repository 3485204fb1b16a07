"""What a change of tokens has to know of a tokenizer: which tokens continue a word, which are special."""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

from semblance.data.tokens import load_tokenizer

# What stands before the first token of a word: byte-level BPE's and SentencePiece's mark of a space.
WORD_MARKS = ("Ġ", "▁")
MASK_TOKENS = ("[MASK]", "<mask>")  # BERT's and RoBERTa's


class Vocabulary(NamedTuple):
    """The tokens of a tokenizer with V tokens."""

    continues: np.ndarray  # (V,) bool: whether a token continues the word of the token before it
    ordinary: np.ndarray  # the ids of all tokens that are not special, such as [CLS]
    mask: int | None = None  # the token that stands in the place of a masked one

    def words(self, ids: np.ndarray) -> np.ndarray:
        """Return the number of each token's word, (n,), from 0; the first token begins one."""
        begins = ~self.continues[ids]
        begins[:1] = True
        return np.cumsum(begins) - 1


def read_vocabulary(path: str | Path) -> Vocabulary:
    """Read the vocabulary of a tokenizer.json; InputError as ``load_tokenizer``."""
    tokenizer = load_tokenizer(path)
    by_token = tokenizer.get_vocab(with_added_tokens=True)
    special = {
        number for number, token in tokenizer.get_added_tokens_decoder().items() if token.special
    }
    continues = np.zeros(max(by_token.values(), default=-1) + 1, dtype=bool)
    # What stands before a token that continues a word; WordPiece alone has such a prefix.
    prefix = json.loads(tokenizer.to_str())["model"].get("continuing_subword_prefix")
    marked = any(token.startswith(WORD_MARKS) for token in by_token)
    for token, number in by_token.items():
        if number in special:
            continue
        if prefix:
            continues[number] = token.startswith(prefix)
        else:
            continues[number] = marked and not token.startswith(WORD_MARKS)
    ordinary = np.asarray(sorted(set(by_token.values()) - special), dtype=np.int32)
    masks = [by_token[token] for token in MASK_TOKENS if token in by_token]
    return Vocabulary(continues, ordinary, next(iter(masks), None))
