"""Tokens of sentences: made by a tokenizer's own file, and kept in a memory-mapped Arrow file."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from semblance.data.arrow import arrow_writer, read_arrow
from semblance.errors import InputError, is_transient
from semblance.provenance import read_text

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CHUNK = 2000  # texts that the tokenizer gets at once
MOST_BYTES = 1 << 26  # of a tokenizer.json; XLM-R's, the largest of its family, has 17 MB
# What Rust's library raises where it meets a state that it takes for impossible. The class cannot be
# imported, and is no Exception.
PANIC = "PanicException"
LARGEST = 1 << 24  # of a token's number; no vocabulary comes near it
MOST_GROWTH = 16  # times as long as it was a text may be when all its replacements are made
REGEXES = (" {2,}",)  # of SentencePiece's converters; any other one may take for ever


class Tokens(NamedTuple):
    """Token ids of sentences laid end to end: ids (T,) int32, offsets (N + 1,) int64."""

    ids: np.ndarray
    offsets: np.ndarray

    def lengths(self) -> np.ndarray:
        """Return the number of tokens of each sentence, special ones included, shape (N,)."""
        return np.diff(self.offsets)

    def require_known(self, size: int, tokenizer: str | Path) -> None:
        """Raise InputError unless all are tokens of a model with so many."""
        if len(self.ids) and not 0 <= self.ids.min() <= self.ids.max() < size:
            problem = f"makes tokens beyond the {size} of the model"
            raise InputError(tokenizer, problem, "fetch both from one revision")

    def part(self, first: int, last: int) -> "Tokens":
        """Return the sentences from ``first`` up to, not including, ``last``, or up to the end."""
        offsets = self.offsets[first : last + 1]
        return Tokens(self.ids[offsets[0] : offsets[-1]], offsets - offsets[0])


def load_tokenizer(path: str | Path) -> "Tokenizer":
    """Read a tokenizer.json; InputError if it is missing or damaged."""
    from tokenizers import Tokenizer

    text = read_text(path, MOST_BYTES)
    with refuse_tokenizer(path):
        tokenizer = Tokenizer.from_str(text)
    _refuse_parts(tokenizer, path)
    return tokenizer


def _refuse_parts(tokenizer: "Tokenizer", path: str | Path) -> None:
    """Raise InputError, which names the part, for one that may take any time or memory."""
    growth = 1.0
    for part in (tokenizer.normalizer, tokenizer.pre_tokenizer):
        for each in _parts(json.loads(part.__getstate__()) if part else {}):
            pattern = each.get("pattern", {})
            if pattern.get("Regex", REGEXES[0]) not in REGEXES:
                problem = f"its {each['type']} has the regular expression {pattern['Regex']!r:.40}"
                raise InputError(path, problem, "choose another model")
            if each["type"] == "Replace":
                growth *= max(1, len(each["content"]) / len(pattern.get("String", "  ") or " "))
    if growth > MOST_GROWTH:
        problem = f"its normalizer makes a text up to {growth:.3g} times as long"
        raise InputError(path, problem, "choose another model")
    largest = max(tokenizer.get_vocab().values(), default=0)
    if largest > LARGEST:
        raise InputError(path, f"a token has the number {largest:,}", "choose another model")


def _parts(state: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a part of a tokenizer, and each part in it."""
    if "type" in state:
        yield state
    for inner in [*state.get("normalizers", []), *state.get("pretokenizers", [])]:
        yield from _parts(inner)


@contextmanager
def refuse_tokenizer(path: str | Path, advice: str = "fetch it again") -> Iterator[None]:
    """Turn what the library raises for a tokenizer that it cannot use into InputError."""
    try:
        yield
    except BaseException as error:
        # The library raises nothing narrower than Exception.
        of_library = isinstance(error, Exception) or type(error).__name__ == PANIC
        if not of_library or is_transient(error):
            raise
        problem = f"no tokenizer that can be used ({error})"
        raise InputError(path, problem, advice) from None


def tokenise(tokenizer_file: str | Path, texts: Sequence[str], lower_case: bool = False) -> Tokens:
    """Tokenise texts, special tokens included, without truncation.

    Uses the fast tokenizer's own file, so it gives what ``transformers`` gives without its start-up.
    With ``lower_case`` letters are put in lower case first, as by sentence-transformers: outside
    tokens that the text names, such as [SEP].
    Raises InputError for a tokenizer that fails, such as one without its token for unknown words.
    """
    from tokenizers import normalizers

    tokenizer = load_tokenizer(tokenizer_file)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    if lower_case:
        parts = (normalizers.Lowercase(), tokenizer.normalizer)
        tokenizer.normalizer = normalizers.Sequence([part for part in parts if part])
    ids: list[np.ndarray] = []
    for start in range(0, len(texts), CHUNK):
        with refuse_tokenizer(tokenizer_file):
            batch = tokenizer.encode_batch_fast(list(texts[start : start + CHUNK]))
        ids += [np.asarray(encoding.ids, dtype=np.int32) for encoding in batch]
    lengths = [len(sentence) for sentence in ids]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    none = np.zeros(0, np.int32)  # so that no text at all gives an empty array
    return Tokens(np.concatenate([none, *ids]), offsets)


def write_tokens(path: Path, tokens: Tokens) -> None:
    """Write the tokens as one list of int32 a sentence.

    All lists are in one chunk: the file is then read without a copy. Raises pyarrow.ArrowInvalid
    beyond 2^31 - 1 tokens, the most that a chunk holds.
    """
    from datasets import List, Value  # slow to import, and only writers need it

    offsets = pa.array(tokens.offsets, type=pa.int32())
    ids = pa.array(tokens.ids, type=pa.int32())
    lists = pa.ListArray.from_arrays(offsets, ids)
    with arrow_writer(path, {"ids": List(Value("int32"))}) as writer:
        writer.write_table(pa.table({"ids": lists}), writer_batch_size=max(1, len(lists)))


def read_tokens(path: str | Path) -> Tokens:
    """Memory-map a token file; a file of one chunk is not copied, and several chunks are joined."""
    column = read_arrow(Path(path))["ids"]
    if column.num_chunks == 1:
        lists = column.chunk(0)
    else:
        lists = column.combine_chunks()
    return Tokens(lists.values.to_numpy(), lists.offsets.to_numpy().astype(np.int64))
