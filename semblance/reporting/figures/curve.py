"""Alignment and uniformity of a model during its training (SimCSE, Figure 2)."""

import csv
from collections.abc import Iterator
from pathlib import Path

from semblance.errors import InputError, at
from semblance.figures import Row

COLUMNS = ("step", "alignment", "uniformity")


def rows(path: Path) -> Iterator[Row]:
    """Yield one row for each measured step, from the curve that ``train_curve`` wrote.

    Raises InputError, with the line, for one that is not such a row.
    """
    with open(path, encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        for line in reader:
            try:
                step = int(line["step"])
                yield {"step": step, **{name: float(line[name]) for name in COLUMNS[1:]}}
            except (KeyError, TypeError, ValueError):
                problem = "no step with alignment and uniformity"
                advice = "delete the record beside it and run again"
                raise InputError(at(path, reader.line_num), problem, advice) from None
