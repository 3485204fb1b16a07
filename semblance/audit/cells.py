"""The cells of a table once more, straight from the runs' recomputed scores; knows nothing of how tables are built."""

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np

from semblance.audit.recompute import Values
from semblance.layout import IN_NATURAL_UNIT
from semblance.reporting.table import Row, Table

TOLERANCE = 1e-9  # points
FAQ = ("acc@1", "acc@3", "acc@5", "map")
BySeed = dict[str, float | None]  # a column's value of each seed; None where a score is missing
Check = Callable[[bool, object, str], bool]


def check_cells(
    root: Path,
    csv_file: Path,
    json_file: Path,
    table: Table,
    runs: dict[Path, Values | None],
    check: Check,
) -> None:
    """Hold every cell of the JSON and of the CSV against the runs' scores; ``runs`` maps their folders to them."""
    with open(csv_file, encoding="utf-8", newline="") as handle:
        lines = list(csv.DictReader(handle, strict=True))
    check(
        len(lines) == len(table.rows),
        csv_file,
        f"{len(lines)} rows, {len(table.rows)} in {json_file}",
    )
    for row, line in zip(table.rows, lines, strict=False):
        damaged = [
            folder
            for folder in folders(root, table, row)
            if folder in runs and runs[folder] is None
        ]
        if damaged:
            check(False, json_file, f"{row.label}: not recomputed, {damaged[0]} cannot be read")
            continue
        cells = expected(root, table, row, runs)
        told = f"{row.label}: columns {sorted(row.cells)}, expected {sorted(cells)}"
        check(set(cells) == set(row.cells), json_file, told)
        for column, by_seed in cells.items():
            values = [] if None in by_seed.values() else list(by_seed.values())
            told = f"{row.label}, {column}: recomputed {_told(values)}"
            check(_holds(row, column, by_seed, values), json_file, told)
            mean = np.mean(values) if values else None
            check(_same(line.get(column), mean), csv_file, f"{told}, shown {line.get(column)}")
            if not column.startswith("seed "):
                spread, sd = (
                    line.get(f"{column}_sd"),
                    np.std(values, ddof=1) if len(values) > 1 else None,
                )
                check(_same(spread, sd), csv_file, f"{told}, sd shown {spread}")


def folders(root: Path, table: Table, row: Row) -> list[Path]:
    """Return the folders of the runs behind a row: one a seed, or one a fold and seed."""
    places = (
        [f"faq/{table.dataset}-{k}" for k in range(table.folds or 0)]
        if table.layout == "faq"
        else [f"sts/{row.corpus}"]
    )
    return [
        root / place / row.base / row.method / f"seed-{seed}"
        for seed in row.seeds
        for place in places
    ]


def expected(
    root: Path, table: Table, row: Row, runs: dict[Path, Values | None]
) -> dict[str, BySeed]:
    """Return each column's value by seed, in points, of the table's layout."""
    by_seed = {str(seed): _one(root, table, row, seed, runs) for seed in row.seeds}
    plain = {
        column: {seed: values[column] for seed, values in by_seed.items()}
        for column in next(iter(by_seed.values()), {})
    }
    if table.layout in ("faq", "dev"):
        return plain
    average = {seed: _mean(list(values.values())) for seed, values in by_seed.items()}
    if table.layout != "seeds":
        return {"Average": average} | (plain if table.layout == "sts" else {})
    best = sorted(average, key=lambda seed: -average[seed]) if None not in average.values() else []
    missing: BySeed = {"": None}
    return {
        "mean": average,
        "top3": {s: average[s] for s in best[:3]} if len(best) >= 3 else missing,
        "max": {s: average[s] for s in best[:1]} or missing,
    } | {f"seed {s}": {s: v} for s, v in average.items()}


def _one(
    root: Path, table: Table, row: Row, seed: int, runs: dict[Path, Values | None]
) -> dict[str, float | None]:
    found = folders(root, table, Row(**{**vars(row), "seeds": (seed,)}))
    if table.layout == "faq":
        keys = {metric: (table.dataset, "", metric, "test", row.protocol) for metric in FAQ}
    else:
        keys = {
            task: (task, "", table.metric, table.aggregation, row.protocol) for task in table.tasks
        }
    unit = 1 if table.metric in IN_NATURAL_UNIT else 100
    return {
        column: _mean([_value(runs.get(folder), key, unit) for folder in found])
        for column, key in keys.items()
    }


def _value(run: Values | None, key: tuple, unit: int) -> float | None:
    return None if run is None or key not in run else unit * run[key][0]


def _mean(values: list[float | None]) -> float | None:
    return None if None in values or not values else float(np.mean(values))


def _holds(row: Row, column: str, by_seed: BySeed, values: list[float]) -> bool:
    """Compare a JSON cell's values by seed; of seeds that tie, either may stand among the best."""
    cell = row.cells.get(column)
    if cell is None or len(cell.values) != len(values):
        return False
    if column in ("top3", "max"):
        return np.allclose(sorted(cell.values.values()), sorted(values), rtol=0, atol=TOLERANCE)
    return all(
        seed in cell.values and abs(cell.values[seed] - by_seed[seed]) <= TOLERANCE
        for seed in by_seed
        if values
    )


def _same(shown: str | None, value: float | None) -> bool:
    """Say whether a CSV field shows a value, or that there is none."""
    if value is None:
        return shown in ("", "n/a")
    return shown not in (None, "", "n/a") and abs(float(shown) - value) <= TOLERANCE


def _told(values: list[float]) -> str:
    return f"{np.mean(values)!r} of {len(values)}" if values else "as missing"
