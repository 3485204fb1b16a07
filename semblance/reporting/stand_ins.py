"""The note that says which rows of a table are stand-ins, and in what they differ from the paper's."""

from collections.abc import Sequence

from semblance.reporting.table import Row

ORIENTATION = "Their published values are for orientation only: no difference is shown."


def stand_in_note(rows: Sequence[Row]) -> str:
    """Return the note; empty for a table without a stand-in."""
    marked = [row for row in rows if row.stand_in]
    if not marked:
        return ""
    shared = [part for part in marked[0].stand_in if all(part in row.stand_in for row in marked)]
    sentences = []
    if shared:
        sentences.append(f"{_format_rows(marked, rows)}: {'; '.join(shared)}")
    sentences += _own_differences(marked, shared)
    return f"Stand-in: {'. '.join(sentences)}. {ORIENTATION}"


def _format_rows(marked: Sequence[Row], rows: Sequence[Row]) -> str:
    if len(marked) == len([row for row in rows if row.published]):
        return "all rows that a paper has, too"
    return _format_labels([row.label for row in marked])


def _own_differences(marked: Sequence[Row], shared: Sequence[str]) -> list[str]:
    """Return what only some of the rows differ in, rows of the same differences together."""
    labels: dict[str, list[str]] = {}
    for row in marked:
        own = "; ".join(part for part in row.stand_in if part not in shared)
        if own:
            labels.setdefault(own, []).append(row.label)
    return [f"{_format_labels(found)}: {own}" for own, found in labels.items()]


def _format_labels(labels: Sequence[str]) -> str:
    return ", ".join(f"“{label}”" for label in dict.fromkeys(labels))
