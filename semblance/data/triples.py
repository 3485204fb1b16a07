"""Rows of query, positive and hard negative, the commonest training files of retrieval, to a corpus."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any, Literal

from semblance.data.corpus import write_rows
from semblance.data.csv_text import read_csv
from semblance.data.raw import Raw
from semblance.data.text import at_least_one, filled
from semblance.errors import InputError, at
from semblance.lines import read_json_lines

COLUMNS = ("query", "pos", "neg")


@dataclass(frozen=True)
class TripleSettings:
    """A training set of queries: its data sets in the manifest, and a cap on its rows."""

    kind: Literal["triples"]
    datasets: tuple[str, ...]
    limit: int | None = None


def read_triples(path: Path | str) -> Iterator[tuple[str, str, str]]:
    """Yield query, positive and hard negative of a CSV, Parquet or JSON-lines file.

    ``pos`` and ``neg`` may be lists: each positive makes a row, and the negatives of its query take
    turns. InputError for other columns, and for a field that is empty or missing.
    """
    for line, row in at_least_one(_records(Path(path)), "row", path):
        if set(row) != set(COLUMNS):
            problem = f"the columns are {', '.join(map(str, row))}"
            raise InputError(at(path, line), problem, f"rename them to {', '.join(COLUMNS)}")
        query = filled(row["query"], "query", path, line)
        positives, negatives = (
            [filled(text, name, path, line) for text in _texts(row[name])] for name in COLUMNS[1:]
        )
        for positive, negative in zip(positives, cycle(negatives), strict=False):
            yield query, positive, negative


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the fields of each row; its form is that of the file's name."""
    name = path.name.removesuffix(".gz")
    if name.endswith((".jsonl", ".json")):
        return read_json_lines(path)
    if name.endswith(".csv"):
        return read_csv(path, ())
    if name.endswith(".parquet"):
        import pyarrow as pa  # slow to import
        import pyarrow.parquet as pq

        try:
            return enumerate(pq.read_table(path).to_pylist(), 1)
        except pa.ArrowInvalid:
            raise InputError(path, "is no Parquet file", "name it by what it is") from None
    raise InputError(path, "is no .jsonl, .csv or .parquet", "name it by what it is")


def _texts(value: Any) -> list[Any]:
    """Return a field as a list, an empty one as one text that is missing."""
    return (value or [None]) if isinstance(value, list) else [value]


def write_query_rows(raw: Raw, settings: TripleSettings, folder: Path) -> dict[str, int]:
    """Write a corpus of queries with their positives and hard negatives; return its counts."""
    rows: list[tuple[str, str, str]] = []
    for name in settings.datasets:
        found = list(read_triples(raw.file(name)))
        raw.check(name, triples=len(found))
        rows += found
    return write_rows(folder, rows[: settings.limit])
