"""A base without a transformer: a text's vector is the mean of the vectors of its words.

It is made of a text file such as GloVe's: each line has a word and its numbers, separated by single
blanks. The folder is that of sentence-transformers' StaticEmbedding: a tokenizer whose tokens are
the words, and a matrix with a row for each.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from semblance.data.tokens import Tokens
from semblance.errors import InputError, at
from semblance.lines import read_lines
from semblance.models.modules import PREFIX, Modules
from semblance.models.saved import LENGTH_FILE, LISTING, TOKENIZER_FILE, WEIGHTS_FILE
from semblance.models.weights import load_tensors, save_tensors
from semblance.provenance import write_json
from semblance.settings import Precision

KIND = "StaticEmbedding"  # the only module of such a folder
MATRIX = "embedding.weight"  # its name in the weights
MARK = "▁"  # before each word in the tokenizer: no word is a single letter to it


class WordAverage(nn.Module):
    """Takes the place of an encoder where texts are embedded; it cannot be trained."""

    precision: Precision = "fp32"  # another one changes nothing

    def __init__(self, matrix: Tensor):
        """``matrix`` holds a vector for each token, (n, d)."""
        super().__init__()
        self.words = nn.EmbeddingBag.from_pretrained(matrix, mode="mean", include_last_offset=True)

    def encode(self, tokens: Tokens, max_length: int) -> np.ndarray:
        """Return the mean of all vectors of each sentence, (N, d) float32: 0 without a word."""
        device = self.words.weight.device
        ids, offsets = (torch.tensor(part, dtype=torch.int64, device=device) for part in tokens)
        return self.words(ids, offsets).cpu().numpy()


def load(folder: Path) -> WordAverage | None:
    """Load a folder of word vectors on the CPU; None for that of a transformer."""
    if Modules.read(folder).listed[0].kind != KIND:
        return None
    return WordAverage(load_tensors(folder / WEIGHTS_FILE)[MATRIX])


def write(path: Path, max_length: int, folder: Path) -> list[str]:
    """Write a model folder out of a file of word vectors; return the names of its files."""
    rows: dict[str, int] = {}
    numbers = bytearray()  # of all vectors; it grows in its place, and may take gigabytes
    for word, vector in _entries(path):
        # A text is put in lower case and split at white space: it never has another word. Of a
        # word that stands twice the first line counts.
        if word == word.lower() and word.split() == [word] and word not in rows:
            rows[word] = len(rows)
            numbers += vector.tobytes()
    if not rows:
        raise InputError(path, "no word in lower case", "name a text file of GloVe vectors")
    matrix = np.frombuffer(numbers, np.float32).reshape(len(rows), -1)
    save_tensors({MATRIX: torch.from_numpy(matrix)}, folder / WEIGHTS_FILE)
    _write_tokenizer(rows, folder / TOKENIZER_FILE)
    write_json(folder / LISTING, [{"idx": 0, "name": "0", "path": "", "type": PREFIX + KIND}])
    write_json(folder / LENGTH_FILE, {"max_seq_length": max_length})
    return [WEIGHTS_FILE, TOKENIZER_FILE, LISTING, LENGTH_FILE]


def _entries(path: Path) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the word of each line and its vector, (d,) float32; InputError for a malformed line."""
    width = 0
    for line, text in read_lines(path):
        width = width or text.count(" ")
        # A few words of glove.840B.300d contain blanks: the last fields are the numbers.
        word, *fields = text.rsplit(" ", width)
        try:
            vector = np.array([float(field) for field in fields], np.float32)
        except ValueError:
            vector = np.array([])
        more = " " in word and word[-1].isdigit()
        if more or not 0 < width == len(vector) or not np.isfinite(vector).all():
            problem = f"no word with {width or 'its'} finite numbers behind it"
            raise InputError(at(path, line), problem, "fetch the file again")
        yield word, vector


def _write_tokenizer(words: dict[str, int], path: Path) -> None:
    """Write the tokenizer whose tokens are words, each numbered by its row.

    A byte-pair encoding without merges takes a word whole if it knows it. If not, it drops the
    word's letters, none of which is a token. A word-level model would need a token for all unknown
    words, which would count in the mean.
    """
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    vocabulary = {f"{MARK}{word}": row for word, row in words.items()}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[], ignore_merges=True))
    tokenizer.normalizer = normalizers.Lowercase()
    # ASSUME words stand between white space, as in the texts that SentEval's protocol has tokenised
    marked = pre_tokenizers.Metaspace(replacement=MARK, prepend_scheme="always", split=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), marked])
    tokenizer.save(str(path), pretty=False)
