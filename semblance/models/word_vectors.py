"""From a user's file of word vectors to the folder of a model (``models.word_average``).

A text is put in lower case and split at white space, and a word without a vector is left out.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from semblance.data.raw import Raw
from semblance.data.word_vectors import read_word_vectors
from semblance.files import whole_folder
from semblance.models import saved
from semblance.models.weights import save_tensors
from semblance.models.word_average import KIND, MATRIX
from semblance.provenance import write_json
from semblance.settings import Count

if TYPE_CHECKING:
    from tokenizers import Tokenizer

OUTPUTS = (saved.WEIGHTS, saved.TOKENIZER, f"{saved.FOLDER}/{saved.LISTING}", saved.LENGTH)
# Before each word in the tokenizer. So no word of the file is a single letter to it.
MARK = "▁"


@dataclass(frozen=True)
class WordVectorSettings:
    """The user's file of word vectors, and how many of its lines count: the first ``words``."""

    path: str
    words: Count | None = None


def write_word_vectors(raw: Raw, settings: WordVectorSettings, folder: Path) -> dict[str, int]:
    """Write ``model/`` into a folder out of a file in GloVe's text format; return its counts.

    Words that no text can have after its preparation are left out. Words that stand twice are named
    in one printed line.
    """
    path = raw.user_file(settings.path)
    found = read_word_vectors(path, _can_be_read, settings.words)
    if found.counts["repeated"]:
        note = f"note: {path}: {found.counts['repeated']:,} words stand again; the first counts"
        print(note, file=sys.stderr)
    with whole_folder(folder / saved.FOLDER) as staging:
        save_tensors({MATRIX: torch.from_numpy(found.matrix)}, staging / saved.WEIGHTS_FILE)
        make_tokenizer(found.rows).save(str(staging / saved.TOKENIZER_FILE), pretty=False)
        entry = {"idx": 0, "name": "0", "path": "", "type": f"sentence_transformers.models.{KIND}"}
        write_json(staging / saved.LISTING, [entry])
        write_json(staging / saved.LENGTH_FILE, {"max_seq_length": saved.LONGEST})
    return {**found.counts, "words": len(found.rows), "dimensions": found.matrix.shape[1]}


def _can_be_read(word: str) -> bool:
    """Tell whether a prepared text may have the word: without white space, in lower case."""
    return word == word.lower() and word.split() == [word]


def make_tokenizer(rows: Mapping[str, int]) -> "Tokenizer":
    """Return the tokenizer whose tokens are words, each numbered by its row.

    The model is a byte-pair encoding without merges. It takes a word whole if it knows it. If not,
    it takes the word's letters and drops those that are no token: all of them, because each token
    begins with MARK and has a word behind it. A word-level model would need a token for all unknown
    words, which would count in the mean.
    """
    from tokenizers import Tokenizer, normalizers, pre_tokenizers
    from tokenizers.models import BPE

    vocabulary = {f"{MARK}{word}": row for word, row in rows.items()}
    tokenizer = Tokenizer(BPE(vocab=vocabulary, merges=[], ignore_merges=True))
    tokenizer.normalizer = normalizers.Lowercase()
    # ASSUME words stand between white space, as in the texts that SentEval's protocol has tokenised
    marked = pre_tokenizers.Metaspace(replacement=MARK, prepend_scheme="always", split=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), marked])
    return tokenizer
