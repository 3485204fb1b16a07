"""The scores of a model under every protocol: as a table of a terminal, as CSV and for JSON."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from semblance.evaluation.protocols import AVERAGE, COLUMNS, FoundModel, Row, line_of

LEADING = ("pooling", "text", "aggregation", "metric")
OWN = "*"  # behind the folder's own pooling
NOTHING = "n/a"  # a correlation that does not exist: all cosines are alike, or a vector is zero
Emphasis = Callable[[str], str]


def headline(model: FoundModel, prompt: str, max_length: int) -> str:
    """Return the line that says what the folder itself states."""
    pooling = f"its own pooling is {model.own}"
    if model.own is None:
        pooling = "states no pooling (sentence-transformers would take mean)"
    declared = ", ".join(f"{name} {text!r}" for name, text in model.prompts.texts.items())
    prompts = "no prompts"
    if declared:
        prompts = f"prompts {declared}; read with {prompt!r}"
    length = f"max length {max_length} tokens"
    if max_length != model.max_length:
        length += f" (stated: {model.max_length})"
    return f"{model.folder}: {pooling}; {length}; {prompts}"


def table_text(rows: Sequence[Row], tasks: Sequence[str], emphasise: Emphasis = str) -> str:
    """Return one line for each protocol, values in points with two decimals.

    ``emphasise`` marks the lines of the folder's own pooling.
    """
    shown = [*tasks, AVERAGE] if len(tasks) > 1 else list(tasks)
    lines: dict[tuple, dict[str, float | None]] = {}
    for row in rows:
        if row["aggregation"] != "subset":
            lines.setdefault(line_of(row), {})[row["task"]] = row["value"]
    cells = [[*LEADING, *(_heading(name, tasks) for name in shown)]]
    for (pooling, own, text, metric, aggregation), values in lines.items():
        leading = [pooling + OWN * own, text, aggregation, metric]
        cells.append([*leading, *(_points(values.get(name)) for name in shown)])
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    header, *others = [_aligned(line, widths) for line in cells]
    marked = [emphasise(text) if key[1] else text for key, text in zip(lines, others, strict=True)]
    return "\n".join([header, *marked])


def _heading(name: str, tasks: Sequence[str]) -> str:
    if name == AVERAGE:
        return f"average of {len(tasks)}"
    return name


def _points(value: float | None) -> str:
    if value is None:
        return NOTHING
    return f"{value:.2f}"


def _aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    """Return the fields of a line: words to the left, numbers to the right."""
    count = len(LEADING)
    words = [text.ljust(width) for text, width in zip(line[:count], widths[:count], strict=True)]
    numbers = [text.rjust(width) for text, width in zip(line[count:], widths[count:], strict=True)]
    return "  ".join([*words, *numbers])


def nearest(rows: Iterable[Row], number: float, task: str, count: int = 3) -> list[Row]:
    """Return the scores of a task, or of the average, that lie nearest to a number."""
    found = [
        row
        for row in rows
        if row["task"] == task and row["value"] is not None and row["aggregation"] != "subset"
    ]
    return sorted(found, key=lambda row: abs(row["value"] - number))[:count]


def nearest_text(rows: Sequence[Row], number: float) -> str:
    """Return a sentence for each score near a number: by how much, and its protocol."""
    lines = [f"nearest to {number:g}:"]
    for row in rows:
        words = ", ".join([row["pooling"], row["text"], row["aggregation"], row["metric"]])
        lines.append(f"  {row['value']:.2f} ({row['value'] - number:+.2f}): {words}")
    return "\n".join(lines)


def csv_text(rows: Iterable[Row]) -> str:
    """Return the scores as CSV, unrounded, one a line; an undefined one is ``n/a``."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        values = [row[name] for name in COLUMNS]
        writer.writerow([_csv_field(value) for value in values])
    return buffer.getvalue()


def _csv_field(value: Any) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def as_object(
    model: FoundModel, how: dict[str, Any], missing: dict[str, str], rows: Sequence[Row]
) -> dict[str, Any]:
    """Return all that is known, for JSON; the value of an undefined score is null."""
    return {
        "folder": str(model.folder),
        "pooling": model.own,
        "max_length": model.max_length,
        "prompts": model.prompts.texts,
        "read": how,
        "missing": missing,
        "scores": list(rows),
    }
