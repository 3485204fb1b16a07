"""Arrow and Parquet files: written whole or not at all.

Arrow stream files are written through ``datasets`` and memory-mapped when read. Reading needs pyarrow
alone, which starts in a fraction of the time. This program alone writes these files, and the digests
in their records say that they are whole: a reader checks no more than that they can be read.
"""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from semblance.errors import InputError, is_transient
from semblance.files import whole_file

if TYPE_CHECKING:
    from datasets.arrow_writer import ArrowWriter

WRITER_BATCH = 100_000  # rows of one chunk


@contextlib.contextmanager
def arrow_writer(path: Path, features: dict) -> Iterator["ArrowWriter"]:
    """Yield a writer of an Arrow stream file; ``features`` maps each column to its ``datasets`` type."""
    from datasets import Features  # slow to import, and only writers need it
    from datasets.arrow_writer import ArrowWriter

    with whole_file(path) as temporary:
        writer = ArrowWriter(
            path=str(temporary), features=Features(features), writer_batch_size=WRITER_BATCH
        )
        yield writer
        writer.finalize()


def write_arrow(path: Path, columns: dict[str, str], rows: Iterable[dict]) -> None:
    """Write rows as an Arrow stream file; ``columns`` maps each column to its type's name."""
    from datasets import Value

    features = {name: Value(kind) for name, kind in columns.items()}
    with arrow_writer(path, features) as writer:
        for row in rows:
            writer.write(row)


def read_arrow(path: Path) -> pa.Table:
    """Memory-map an Arrow stream file; InputError if it is missing or damaged."""
    with _refuse_damage(path, "Arrow"):
        return pa.ipc.open_stream(pa.memory_map(str(path))).read_all()


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a Parquet file, whole or not at all."""
    import pyarrow.parquet as pq

    with whole_file(path) as temporary:
        pq.write_table(table, temporary)


def read_parquet(path: str | Path, columns: Sequence[str]) -> pa.Table:
    """Read some columns of a Parquet file; InputError if it is missing, damaged or lacks one."""
    import pyarrow.parquet as pq

    with _refuse_damage(path, "Parquet"):
        return pq.ParquetFile(path).read(list(columns)).select(list(columns))


@contextlib.contextmanager
def _refuse_damage(path: str | Path, kind: str) -> Iterator[None]:
    """Turn what a damaged or missing file raises into InputError."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(path, "no such file", "run the stage that writes it") from None
    except (pa.ArrowException, KeyError, OSError) as error:
        if is_transient(error):  # the machine lacks room or memory; the file may be good
            raise
        problem = f"not a whole {kind} file ({error})"
        raise InputError(path, problem, "delete it and run again") from None
