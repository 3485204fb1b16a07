"""The papers' tables, ours over theirs, and what stands behind each row."""

import shlex
from collections.abc import Iterable
from typing import Any

from semblance.counts import counted, rounded
from semblance.reporting.contrasts import STRONG
from semblance.reporting.grids import DIFFERENCE, NAMES, P_VALUE, Column, Text, grid, is_equal
from semblance.reporting.layouts import find_layout
from semblance.reporting.table import Contrast, Row, Table
from workflow.report.bars import Mark, scale_of
from workflow.report.facts import INCOMPLETE, Facts


def section(facts: Facts) -> dict[str, Any]:
    """Return every table that has a value, in the order of the config, and the titles of the rest."""
    shown: list[dict[str, Any]] = []
    not_run = []
    for name, table in facts.tables.items():
        one = _shown_table(facts, name, table)
        if one["rows"]:
            shown.append(one)
        else:
            not_run.append(table.title.removeprefix(f"{INCOMPLETE}: "))
    above, below, tested = (sum(one[n] for one in shown) for n in ("above", "below", "tested"))
    of = counted(tested, "row")
    finding = f"Of {of} with a control, {above or 'none'} lie above it and {below or 'none'} below"
    return {"shown": shown, "not_run": not_run, "finding": finding}


def _shown_table(facts: Facts, name: str, table: Table) -> dict[str, Any]:
    """Return one table as it is printed, what each row unfolds to, and the rows without a value."""
    printed = grid(table)
    columns = [column for column in printed.columns[1:] if column.group == "values"]
    behind = {column.name: column.places for column in printed.columns if column.group == "behind"}
    nothing = [Text()] * len(table.rows)
    main = find_layout(table.layout).main_column
    contrasts = [row.contrast(main) for row in table.rows]
    marks = [one and Mark(one.difference, one.low, one.high) for one in contrasts]
    rows: list[dict[str, Any]] = []
    not_run = []
    for i, (label, row) in enumerate(zip(printed.labels, table.rows, strict=True)):
        if not any(cell.values for cell in row.cells.values()):
            not_run.append(label)
            continue
        shown = {
            "label": label,
            "n": len(row.seeds),
            "places": [column.places[i] for column in columns],
            "difference": behind.get(DIFFERENCE, nothing)[i].text,
            "mark": marks[i],
            "p": behind.get(P_VALUE, nothing)[i].text,
            "stand_in": row.stand_in,
            "explain": _explain_command(facts, name, table, label),
            "seeds": _seeds(table, row, columns),
        }
        rows.append(shown)
    return {
        "name": name,
        "title": table.title,
        "scale": scale_of(filter(None, marks)),
        "margin": table.margin or 0.0,
        "columns": [column.name for column in columns],
        "rows": rows,
        "not_run": not_run,
        "notes": table.notes,
        "has_differences": any(row["difference"] for row in rows),
        "deviations": [any(r["places"][i].deviation for r in rows) for i in range(len(columns))],
        **_tested(dict(zip(printed.labels, contrasts, strict=True))),
    }


def _tested(contrasts: dict[str, Contrast | None]) -> dict[str, Any]:
    """Return how many rows are tested, and how many differ from their control; and which, in words."""
    tested = {label: one for label, one in contrasts.items() if one and one.p_holm is not None}
    differing = [n for n, one in tested.items() if one.p_holm < STRONG and not is_equal(one)]
    above = [label for label in differing if tested[label].difference > 0]
    below = [label for label in differing if label not in above]
    sides = {"Above": above, "Below": below}
    texts = [f"{side} the control: “{'”, “'.join(of)}”" for side, of in sides.items() if of]
    if not tested:
        texts = ["No row is tested against a control"]
    elif not texts:
        single = f"“{''.join(tested)}” is not"
        which = f"None of {len(tested)} rows is" if len(tested) > 1 else single
        texts = [f"{which} shown to differ from its control"]
    counts = {"tested": len(tested), "above": len(above), "below": len(below)}
    return {"finding": ". ".join(texts), **counts}


def _seeds(table: Table, row: Row, columns: Iterable[Column]) -> dict[str, list[str]]:
    """Return what each seed has in each column, and the worst and the best of the seeds."""
    shown = {column.name for column in columns}
    cells = [row.cells.get(c) for c in table.columns if NAMES.get(c, c) in shown]
    found = {s: [c and c.values.get(s) for c in cells] for s in map(str, row.seeds)}
    found["worst"] = [c and c.worst for c in cells]
    found["best"] = [c and c.best for c in cells]
    texts = {name: list(map(rounded, values)) for name, values in found.items()}
    return {name: values for name, values in texts.items() if any(values)}


def _explain_command(facts: Facts, name: str, table: Table, label: str) -> str:
    """Return the command that follows a row's main cell; empty of a table that is not rendered."""
    if name in facts.incomplete:
        return ""
    column = find_layout(table.layout).main_column
    cell = [name, label, NAMES.get(column, column)]
    return shlex.join(["semblance", "explain", *cell, "--all", "--output", facts.outline.out])
