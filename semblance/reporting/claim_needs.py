"""What a claim needs to be asked of a table's rows, and the floor of the rows without a training."""

from collections.abc import Mapping

from semblance.counts import interval, signed
from semblance.names import START
from semblance.reporting.claim_rows import Rows
from semblance.reporting.claims import Better, Differing, Needs
from semblance.reporting.contrasts import weighted_sum
from semblance.reporting.layouts import find_layout
from semblance.reporting.table import Row, Table

Tables = Mapping[str, Table]


def lacks(needs: Needs | None, rows: Rows, table: Table, tables: Tables, stand_in: bool) -> str:
    """Say what a claim needs and the rows of a group do not have; empty if they have all.

    What is measured is asked of stand-ins alone: the papers' own bases are what the papers judged.
    """
    if not needs:
        return ""
    first = next(iter(rows.values()))
    if needs.bases and not {row.base for row in rows.values()} & set(needs.bases):
        return f"this is {first.base}"
    reasons = []
    if stand_in and needs.differing:
        reasons.append(_too_alike(needs.differing, first, tables))
    if stand_in and needs.start_within:
        reasons.append(_start_too_low(needs.start_within, first, table))
    if stand_in and needs.better:
        reasons.append(_not_better(needs.better, rows, tables))
    return next(filter(None, reasons), "")


def unmoved(rows: Rows) -> str:
    """Say which rows have teachers that have not left their start; empty if none has."""
    labels = [row.label for row in rows.values() if row.unmoved]
    return f"those of {', '.join(labels)} have not" if labels else ""


def _too_alike(asked: Differing, first: Row, tables: Tables) -> str:
    table = tables.get(asked.table)
    rows = [row for row in table.rows if row.method in asked.rows] if table else []
    rows = [row for row in rows if (row.base, row.protocol) == (first.base, first.protocol)]
    means = [row.cells[asked.column].mean for row in rows if asked.column in row.cells]
    if len(means) < len(asked.rows) or None in means:
        return f"{asked.table} does not show how far they differ"
    spread = max(means) - min(means)
    if spread < asked.by:
        return f"here they differ by {spread:.2f} points, and not by {asked.by:g}"
    return ""


def _start_too_low(most: float, first: Row, table: Table) -> str:
    column = find_layout(table.layout).main_column
    peers = [row for row in table.rows if (row.base, row.protocol) == (first.base, first.protocol)]
    peers = [row for row in peers if column in row.cells and row.cells[column].mean is not None]
    starts = [row.cells[column].mean for row in peers if row.method == START]
    trained = [row.cells[column].mean for row in peers if not row.is_untrained]
    if not starts or not trained:
        return f"{table.name} does not show how near its rows are to the start"
    below = max(trained) - max(starts)
    if below > most:
        return (
            f"here it lies {below:.2f} points below the best trained row, and not within {most:g}"
        )
    return ""


def _not_better(asked: Better, rows: Rows, tables: Tables) -> str:
    """Look on the same base and a corpus of the claim; empty if the interval lies above 0."""
    places = {(row.base, row.corpus) for row in rows.values() if not row.is_untrained}
    table = tables.get(asked.table)
    peers = [row for row in table.rows if (row.base, row.corpus) in places] if table else []
    said = f"{asked.table} does not show {asked.shows}"
    for ours in (row for row in peers if row.method == asked.row):
        for theirs in (row for row in peers if row.method == asked.than):
            ends = _interval(ours, theirs, asked.column) if ours.corpus == theirs.corpus else None
            if ends is not None and ends[1] > 0:
                return ""
            if ends is not None:
                value, low, high = ends
                said = f"here it is {signed(value)} {interval(low, high)}"
    return said


def floor_of(table: Table, base: str, protocol: str, column: str) -> str:
    """Say which row without a training beats the best trained one by an interval; empty if none.

    Only of retrieval: there, words or the base as it is may do better than any training.
    """
    if table.layout != "faq":
        return ""
    rows = [row for row in table.rows if (row.base, row.protocol) == (base, protocol)]
    rows = [row for row in rows if column in row.cells]
    means = {row.label: row.cells[column].mean for row in rows}
    rows = [row for row in rows if means[row.label] is not None]
    rows.sort(key=lambda row: means[row.label], reverse=True)
    best = next((row for row in rows if not row.is_untrained), None)
    for row in rows if best else ():
        ends = _interval(row, best, column) if row.is_untrained else None
        if ends is not None and ends[1] > 0:
            value, low, high = ends
            above = f"{signed(value)} {interval(low, high)}"
            return f"without a training, {row.label} is above {best.label}, the best row: {above}"
    return ""


def _interval(ours: Row, theirs: Row, column: str) -> tuple[float, float, float] | None:
    """Return the difference of two rows and the ends of its interval; None without an interval."""
    contrast = weighted_sum([(1, ours), (-1, theirs)], column)
    estimate = contrast and (contrast.of_both or contrast.estimate)
    return (contrast.value, *map(float, estimate.interval())) if estimate else None
