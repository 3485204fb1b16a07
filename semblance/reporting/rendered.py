"""Rendered tables, read again from their JSON."""

from collections.abc import Iterable
from pathlib import Path

from semblance.provenance import checked, read_text
from semblance.reporting.table import Table, from_json


def table_digests(records: Iterable[str | Path]) -> dict[str, str]:
    """Check the JSON of each table against its record; return {path: sha256}."""
    found = {}
    for record in map(Path, records):
        name = f"../json/{record.name}"  # as the record names it
        found[f"{record.parent}/{name}"] = checked(record, name)["outputs"][name]
    return found


def read_tables(paths: Iterable[str]) -> list[Table]:
    """Read the JSON of tables; raises InputError naming the file that is not one."""
    return [from_json(read_text(path), path) for path in paths]
