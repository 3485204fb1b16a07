"""Arrow and Parquet files: written whole or not at all, and checked when they are read.

Arrow stream files are written through ``datasets`` and memory-mapped when read. Reading needs pyarrow
alone, which starts in a fraction of the time.
"""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from semblance.errors import InputError, is_passing
from semblance.files import require_regular, whole_file

if TYPE_CHECKING:
    from datasets.arrow_writer import ArrowWriter
    from pyarrow.parquet import FileMetaData

WRITER_BATCH = 100_000  # rows of one chunk
# Of a Parquet file, as it states them: a few kilobytes can hold any number of equal values. The
# longest of ours, the predictions of one run on the transfer tasks, has some 370,000 rows.
MOST_ROWS = 10_000_000
MOST_BYTES = 1 << 30  # unpacked


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


def read_arrow(path: Path, types: dict[str, pa.DataType]) -> pa.Table:
    """Memory-map some columns of an Arrow stream file.

    Raises InputError if the file is missing or damaged, if a column is missing or of another type,
    and if a value is null.
    """
    with _refuse_damage(path, "Arrow"):
        require_regular(path)
        table = pa.ipc.open_stream(pa.memory_map(str(path))).read_all()
        table.validate(full=True)
    table = _chosen_columns(table, list(types), path)
    for name, wanted in types.items():
        if table.schema.field(name).type != wanted or table[name].null_count:
            raise InputError(
                path, f"column {name} is not of type {wanted}", "delete it and run again"
            )
    return table


def column_names(path: Path) -> list[str]:
    """Return the names of the columns of an Arrow stream file; InputError as ``read_arrow``."""
    with _refuse_damage(path, "Arrow"):
        require_regular(path)
        with pa.memory_map(str(path)) as file:
            return pa.ipc.open_stream(file).schema.names


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a Parquet file, whole or not at all."""
    import pyarrow.parquet as pq

    with whole_file(path) as temporary:
        pq.write_table(table, temporary)


def read_parquet(path: str | Path, columns: Sequence[str]) -> pa.Table:
    """Read some columns of a Parquet file.

    Raises InputError if the file is missing, damaged or too large, or if a column is missing.
    """
    import pyarrow.parquet as pq

    with _refuse_damage(path, "Parquet"):
        require_regular(path)
        file = pq.ParquetFile(path)
        _refuse_too_large(file.metadata, path)
        _require_columns(file.schema_arrow.names, columns, path)
        table = file.read(list(columns)).select(list(columns))
        table.validate(full=True)
        return table


def _refuse_too_large(stated: "FileMetaData", path: str | Path) -> None:
    size = sum(stated.row_group(i).total_byte_size for i in range(stated.num_row_groups))
    if stated.num_rows > MOST_ROWS or size > MOST_BYTES:
        problem = f"states {stated.num_rows:,} rows of {size:,} bytes"
        raise InputError(path, problem, f"at most {MOST_ROWS:,} of {MOST_BYTES:,} can be read")


@contextlib.contextmanager
def _refuse_damage(path: str | Path, kind: str) -> Iterator[None]:
    """Turn what a damaged or missing file raises into InputError."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(path, "no such file", "run the stage that writes it") from None
    except (pa.ArrowException, OSError) as error:
        if is_passing(error):  # the machine lacks room or memory; the file may be good
            raise
        raise InputError(
            path, f"not a whole {kind} file ({error})", "delete it and run again"
        ) from None


def _chosen_columns(table: pa.Table, names: Sequence[str], path: str | Path) -> pa.Table:
    _require_columns(table.column_names, names, path)
    return table.select(list(names))


def _require_columns(found: Sequence[str], names: Sequence[str], path: str | Path) -> None:
    missing = [name for name in names if name not in found]
    if missing:
        raise InputError(path, f"no column {', '.join(missing)}", "delete it and run again")
