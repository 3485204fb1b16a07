"""Corpora on disk: distinct sentences, rows that point into them, and their tokens.

All are Arrow stream files written through ``datasets`` and memory-mapped when read: of a corpus only the
row numbers are held in memory, 12 bytes a row. Reading needs pyarrow alone, which starts in a fraction of the time.
"""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from semblance.errors import InputError, is_passing
from semblance.files import whole_file
from semblance.provenance import read_text

if TYPE_CHECKING:
    from datasets.arrow_writer import ArrowWriter
    from tokenizers import Tokenizer

NONE = -1  # a row without a negative
CHUNK = 2000


class Rows(NamedTuple):
    """Training rows as sentence numbers: arrays of shape (N,), int32; negative is -1 where absent."""

    query: np.ndarray
    positive: np.ndarray
    negative: np.ndarray

    def views(self) -> tuple[np.ndarray, ...]:
        """Return query, positive and, if any row has one, negative."""
        return tuple(self) if (self.negative != NONE).any() else (self.query, self.positive)


class Tokens(NamedTuple):
    """Token ids of sentences laid end to end: ids (T,) int32, offsets (N + 1,) int64."""

    ids: np.ndarray
    offsets: np.ndarray

    def lengths(self) -> np.ndarray:
        """Return the number of tokens of each sentence, special ones included, shape (N,)."""
        return np.diff(self.offsets)

    def part(self, first: int, last: int) -> "Tokens":
        """Return the sentences from ``first`` up to, not including, ``last``, or up to the end."""
        offsets = self.offsets[first : last + 1]
        return Tokens(self.ids[offsets[0] : offsets[-1]], offsets - offsets[0])


def number_sentences(rows: Iterable[Sequence[str | None]]) -> tuple[list[str], Rows]:
    """Number the distinct sentences in order of first appearance; return them and the rows."""
    numbers: dict[str, int] = {}
    columns: tuple[list[int], ...] = ([], [], [])
    for row in rows:
        for column, text in zip(columns, row, strict=True):
            column.append(NONE if text is None else numbers.setdefault(text, len(numbers)))
    return list(numbers), Rows(*(np.asarray(c, dtype=np.int32) for c in columns))


def write_corpus(folder: Path, sentences: Sequence[str], rows: Rows) -> None:
    """Write ``sentences.arrow`` and ``rows.arrow`` into a folder."""
    _write(folder / "sentences.arrow", {"text": "string"}, ({"text": s} for s in sentences))
    _write(
        folder / "rows.arrow",
        dict.fromkeys(Rows._fields, "int32"),
        (dict(zip(Rows._fields, map(int, row), strict=True)) for row in zip(*rows, strict=True)),
    )


def write_tokens(path: Path, tokens: Tokens) -> None:
    """Write the tokens as one list of int32 a sentence, all in one chunk: it is then read without a copy.

    Raises pyarrow.ArrowInvalid beyond 2^31 - 1 tokens, the most that a chunk holds.
    """
    from datasets import List, Value  # slow to import, and only writers need it

    lists = pa.ListArray.from_arrays(
        pa.array(tokens.offsets, type=pa.int32()), pa.array(tokens.ids, type=pa.int32())
    )
    with _writer(path, {"ids": List(Value("int32"))}) as writer:
        writer.write_table(pa.table({"ids": lists}), writer_batch_size=max(1, len(lists)))


def _write(path: Path, columns: dict[str, str], examples: Iterable[dict]) -> None:
    from datasets import Value

    with _writer(path, {name: Value(kind) for name, kind in columns.items()}) as writer:
        for example in examples:
            writer.write(example)


@contextlib.contextmanager
def _writer(path: Path, features: dict) -> Iterator["ArrowWriter"]:
    from datasets import Features
    from datasets.arrow_writer import ArrowWriter

    with whole_file(path) as temporary:
        writer = ArrowWriter(
            path=str(temporary), features=Features(features), writer_batch_size=100_000
        )
        yield writer
        writer.finalize()


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a whole Parquet file or none."""
    import pyarrow.parquet as pq

    with whole_file(path) as temporary:
        pq.write_table(table, temporary)


def read_parquet(path: str | Path, columns: Sequence[str]) -> pa.Table:
    """Read some columns of a Parquet file; InputError if it is missing, damaged or has other columns."""
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except FileNotFoundError:
        raise InputError(path, "no such file", "run the stage that writes it") from None
    except (pa.ArrowException, OSError) as error:
        if is_passing(error):  # a machine in need is no damaged file
            raise
        raise InputError(
            path, f"not a whole Parquet file ({error})", "delete it and run again"
        ) from None
    return _columns(table, columns, path)


def _columns(table: pa.Table, names: Sequence[str], path: str | Path) -> pa.Table:
    missing = [name for name in names if name not in table.column_names]
    if missing:
        raise InputError(path, f"no column {', '.join(missing)}", "delete it and run again")
    return table.select(list(names))


def read_sentences(folder: str | Path) -> list[str]:
    """Return the distinct sentences of a corpus."""
    return _table(Path(folder, "sentences.arrow"), {"text": pa.string()})["text"].to_pylist()


def read_rows(folder: str | Path) -> Rows:
    """Return the rows of a corpus."""
    table = _table(Path(folder, "rows.arrow"), dict.fromkeys(Rows._fields, pa.int32()))
    return Rows(*(table[name].to_numpy() for name in Rows._fields))


def read_tokens(path: str | Path) -> Tokens:
    """Memory-map a token file; its one chunk costs no copy (several, of older files, are joined once)."""
    column = _table(Path(path), {"ids": pa.list_(pa.int32())})["ids"]
    array = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return Tokens(array.values.to_numpy(), array.offsets.to_numpy().astype(np.int64))


def _table(path: Path, types: dict[str, pa.DataType]) -> pa.Table:
    try:
        table = _columns(pa.ipc.open_stream(pa.memory_map(str(path))).read_all(), list(types), path)
    except FileNotFoundError:
        raise InputError(path, "no such file", "run the stage that writes it") from None
    except (pa.ArrowException, OSError) as error:
        if is_passing(error):
            raise
        raise InputError(
            path, f"not a whole Arrow file ({error})", "delete it and run again"
        ) from None
    odd = [
        name
        for name, wanted in types.items()
        if table.schema.field(name).type != wanted or table[name].null_count
    ]
    if odd:
        raise InputError(
            path, f"column {odd[0]} is not of type {types[odd[0]]}", "delete it and run again"
        )
    return table


def load_tokenizer(path: str | Path) -> "Tokenizer":
    """Read a tokenizer.json; InputError if it is missing or damaged."""
    from tokenizers import Tokenizer

    try:
        return Tokenizer.from_str(read_text(path))
    except InputError:
        raise
    except Exception as error:  # the library raises nothing narrower
        if is_passing(error):
            raise
        raise InputError(
            path, f"no tokenizer that can be read ({error})", "fetch it again"
        ) from None


def tokenise(tokenizer_file: str | Path, texts: Sequence[str]) -> Tokens:
    """Tokenise texts, special tokens included, without truncation.

    Uses the fast tokenizer's own file, so it gives what ``transformers`` gives without its start-up.
    """
    tokenizer = load_tokenizer(tokenizer_file)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    lists = []
    for start in range(0, len(texts), CHUNK):
        batch = tokenizer.encode_batch_fast(list(texts[start : start + CHUNK]))
        lists += [np.asarray(e.ids, dtype=np.int32) for e in batch]
    offsets = np.concatenate([[0], np.cumsum([len(a) for a in lists])]).astype(np.int64)
    return Tokens(np.concatenate(lists) if lists else np.zeros(0, np.int32), offsets)
