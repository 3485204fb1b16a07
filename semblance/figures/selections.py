"""A difference by every way to make one number of some seeds: their mean, the three best, each alone.

S-SimCSE's Table 1 takes the three best of seven seeds, SimCSE one of several. Source of the form:
Simonsohn, Simmons and Nelson, "Specification curve analysis", Nature Human Behaviour 2020.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from semblance import drawing
from semblance.figures import Row, specifications
from semblance.figures.specifications import PART
from semblance.reporting import table
from semblance.reporting.contrasts import NO_VALUES
from semblance.reporting.layouts import find_layout
from semblance.reporting.table import Table
from semblance.statistics.significance import share_of_luck, shift_interval, swapped

COLUMNS = specifications.COLUMNS
Selection = Callable[[np.ndarray], np.ndarray]  # scores (..., n) to the one number of each, (...)
BEST = 3  # seeds of S-SimCSE's averages
SELECTIONS: dict[str, Selection] = {
    "mean of all seeds": partial(np.mean, axis=-1),
    f"mean of the best {BEST}": lambda scores: np.sort(scores)[..., -BEST:].mean(axis=-1),
    "best seed": partial(np.max, axis=-1),
}


def rows(path: Path, *, each_seed: bool = False) -> Iterator[Row]:
    """Yield the readings of the table in a JSON file; ``each_seed``: each seed alone, too.

    Raises InputError if the file holds no table.
    """
    yield from selection_rows(table.from_file(path), each_seed)


def selection_rows(shown: Table, each_seed: bool = False) -> list[Row]:
    """Return each trained row's difference from its trained control in the main column, in points.

    Both sides take their number by the same way. ``low`` and ``high``: its exact interval at 95 %, by
    swaps of the two methods within seeds; None of a single seed, and below six seeds. ``holds``: how
    many intervals, ``of`` how many readings, lie above 0. They are not corrected: all are of the same
    seeds. ``p_joint``: of all readings together, one-sided, where all are of the same. Empty without a
    trained pair.
    """
    column = find_layout(shown.layout).main_column
    found: list[Row] = []
    of_swaps: list[np.ndarray] = []
    shared: list[tuple[str, ...]] = []
    for row, by_seed in _pairs(shown, column):
        names = {"base": row.base, "label": row.label, "n": len(by_seed)}
        ours, theirs = np.array(list(by_seed.values())).T
        shared.append(tuple(by_seed))
        for says, number in SELECTIONS.items():
            differences = swapped(ours, theirs, number)
            of_swaps.append(differences)
            low, high = shift_interval(ours, theirs, number) or (None, None)
            value = {"difference": differences[0], "low": low, "high": high}
            found.append(names | _reading(row, says) | value)
        for seed, (one, other) in by_seed.items() if each_seed else ():
            found.append(names | _reading(row, f"seed {seed}") | {"difference": one - other})
    lows = [row["low"] for row in found if row.get("low") is not None]
    whole = dict.fromkeys(COLUMNS) | {"table": shown.name, "layout": shown.layout, "column": column}
    whole |= {"holds": sum(low > 0 for low in lows) if lows else None, "of": len(of_swaps)}
    if lows and len(set(shared)) == 1:
        whole["p_joint"] = share_of_luck(np.median(of_swaps, axis=0))
    return [whole | row for row in found]


def _pairs(shown: Table, column: str) -> Iterator[tuple[table.Row, dict[str, tuple[float, float]]]]:
    """Yield each trained row with a trained control: the scores of both by the seeds of both."""
    for row in shown.rows:
        control = shown.control_of(row)
        if control is None or row.is_untrained or control.is_untrained:
            continue
        ours, theirs = (side.cells.get(column, NO_VALUES).known for side in (row, control))
        if shared := [seed for seed in ours if seed in theirs]:
            yield row, {seed: (ours[seed], theirs[seed]) for seed in shared}


def _reading(row: table.Row, way: str) -> Row:
    """Return the name of a row's number, made in one way, and what it chose."""
    label = row.label.replace(PART, ", ")
    return {"method": f"{row.method} {way}", "choices": f"by {way}{PART}{label}"}


# A function of its own: which figures have a drawing is read from the source.
def draw(rows: drawing.Rows, names: drawing.Names) -> drawing.Figure:
    """Draw the differences in order, and below them the row and the way of each."""
    return specifications.draw(rows, names)
