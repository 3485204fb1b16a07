"""The papers' tables, ours over theirs, and what stands behind each row."""

import json
import shlex
from collections.abc import Iterable, Iterator
from typing import Any

from semblance.counts import rounded
from semblance.reporting.grids import DIFFERENCE, NAMES, P_VALUE, Column, Text, grid
from semblance.reporting.layouts import find_layout
from semblance.reporting.table import Row, Table
from workflow.planning.stages import model_record
from workflow.report.facts import Facts
from workflow.status.tables import HEAD


def section(facts: Facts) -> dict[str, list[Any]]:
    """Return every table that has a value, in the order of the config, and the titles of the rest."""
    shown_tables: dict[str, list[Any]] = {"shown": [], "not_run": []}
    for name, table in facts.tables.items():
        shown = _shown_table(facts, name, table)
        if shown["rows"]:
            shown_tables["shown"].append(shown)
        else:
            shown_tables["not_run"].append(table.title.removeprefix(f"{HEAD}: "))
    return shown_tables


def _shown_table(facts: Facts, name: str, table: Table) -> dict[str, Any]:
    """Return one table as it is printed, what each row unfolds to, and the rows without a value."""
    printed = grid(table)
    columns = [column for column in printed.columns[1:] if column.group == "values"]
    behind = {column.name: column.places for column in printed.columns if column.group == "behind"}
    nothing = [Text()] * len(table.rows)
    rows: list[dict[str, Any]] = []
    not_run = []
    above: Row | None = None
    for i, (label, row) in enumerate(zip(printed.labels, table.rows, strict=True)):
        if not any(cell.values for cell in row.cells.values()):
            not_run.append(label)
            continue
        shown = {
            "label": label,
            "n": len(row.seeds),
            "places": [column.places[i] for column in columns],
            "difference": behind.get(DIFFERENCE, nothing)[i].text,
            "p": behind.get(P_VALUE, nothing)[i].text,
            "stand_in": row.stand_in,
            "above": rows[-1]["label"] if rows else "",
            "changes": _changes(facts, above, row) if above else [],
            "explain": _explain_command(facts, name, table, label),
            "seeds": _seeds(table, row, columns),
            "train": _train_command(facts, row),
        }
        rows.append(shown)
        above = row
    return {
        "name": name,
        "title": table.title,
        "columns": [column.name for column in columns],
        "rows": rows,
        "not_run": not_run,
        "notes": table.notes,
        "has_differences": any(row["difference"] for row in rows),
        "has_deviations": any(place.deviation for row in rows for place in row["places"]),
    }


def _seeds(table: Table, row: Row, columns: Iterable[Column]) -> dict[str, list[str]]:
    """Return what each seed has in each column, and the worst and the best of the seeds."""
    shown = {column.name for column in columns}
    cells = [row.cells.get(c) for c in table.columns if NAMES.get(c, c) in shown]
    found = {s: [c and c.values.get(s) for c in cells] for s in map(str, row.seeds)}
    found["worst"] = [c and c.worst for c in cells]
    found["best"] = [c and c.best for c in cells]
    texts = {name: list(map(rounded, values)) for name, values in found.items()}
    return {name: values for name, values in texts.items() if any(values)}


def settings_of(facts: Facts, row: Row) -> dict[str, Any]:
    """Return the settings of a row's training by dotted names, its seed left out; or nothing."""
    _, record = facts.training(row) or (None, {})
    settings = record.get("settings", {})
    flat = {name: text for key in settings for name, text in _flat(settings[key], key)}
    flat.pop("seed", None)
    return flat


def _flat(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield each setting by its dotted name."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}")
    else:
        yield name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _changes(facts: Facts, above: Row, here: Row) -> list[tuple[str, str, str]]:
    """Return corpus, base and settings in which two rows differ, settings only of two trainings."""
    pairs = [(name, getattr(above, name), getattr(here, name)) for name in ("corpus", "base")]
    before, after = settings_of(facts, above), settings_of(facts, here)
    if before and after:
        names = {**before, **after}
        pairs += [(name, before.get(name, "–"), after.get(name, "–")) for name in names]
    return [pair for pair in pairs if pair[1] != pair[2]]


def _train_command(facts: Facts, row: Row) -> str:
    """Return the command that makes a row's first model again; empty of an untrained base."""
    training = facts.training(row)
    if training is None or not facts.command:
        return ""
    target = model_record(facts.plan, training[0])
    options = facts.command["options"]
    words = ["snakemake", "--cores", "all", *options, "--forcerun", target, "--", target]
    return shlex.join(words)


def _explain_command(facts: Facts, name: str, table: Table, label: str) -> str:
    """Return the command that follows a row's main cell; empty of a table that is not rendered."""
    if name in facts.incomplete:
        return ""
    column = find_layout(table.layout).main_column
    cell = [name, label, NAMES.get(column, column)]
    return shlex.join(["semblance", "explain", *cell, "--all", "--output", facts.plan.out])
