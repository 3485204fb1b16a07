"""The lines of a file that has numbers for some steps of a training."""

import csv
from collections.abc import Iterator
from pathlib import Path

from semblance.errors import InputError, at
from semblance.figures import Row


def step_rows(path: Path, names: tuple[str, ...]) -> Iterator[Row]:
    """Yield the step and the named numbers of each line.

    Raises InputError, with the line, for one that lacks a number.
    """
    with open(path, encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        for line in reader:
            try:
                step = int(line["step"])
                yield {"step": step, **{name: float(line[name]) for name in names}}
            except (KeyError, TypeError, ValueError):
                place = at(path, reader.line_num)
                problem = f"no step with {' and '.join(names)}"
                advice = "delete the record beside it and run again"
                raise InputError(place, problem, advice) from None
