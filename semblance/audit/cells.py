"""The cells of a table, computed again from the runs' recomputed scores.

The arithmetic is this module's own. It asks a layout only for the names of its columns, and for
what stands in each of them.
"""

import csv
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from semblance.audit import differences
from semblance.audit.recompute import Values
from semblance.counts import counted
from semblance.files import open_text
from semblance.names import IN_NATURAL_UNIT
from semblance.provenance import MOST_TEXT
from semblance.reporting.layouts import Layout, find_layout, seed_column
from semblance.reporting.table import Row, Table

TOLERANCE = 1e-9  # points
NO_VALUE = ("", "n/a")  # how a field of the CSV says that there is none
BySeed = dict[str, float | None]  # a column's value of each seed; None where a score is missing
MISSING: BySeed = {"": None}
Runs = dict[Path, Values | None]  # a run's folder -> its scores, None where they cannot be read
Check = Callable[[bool, object, str], bool]
Computed = dict[tuple[str, str], dict[str, BySeed]]  # (label, protocol) -> the columns of a row


@dataclass(frozen=True)
class Files:
    """Where a table and the scores behind it lie: its CSV, its JSON, the folder of all runs."""

    csv: Path
    json: Path
    scores: Path


def check_cells(files: Files, table: Table, runs: Runs, check: Check) -> None:
    """Compare every cell of the JSON and of the CSV with the one computed from the runs' scores."""
    with open_text(files.csv, MOST_TEXT) as handle:
        lines = list(csv.DictReader(handle, strict=True))
    text = f"{counted(len(lines), 'row')}, {len(table.rows)} in {files.json}"
    check(len(lines) == len(table.rows), files.csv, text)
    layout = find_layout(table.layout)
    computed = {}  # a row's label and protocol -> its columns; not of rows that cannot be read
    for row, line in zip(table.rows, lines, strict=False):
        damaged = [f for f in folders(files.scores, table, row) if f in runs and runs[f] is None]
        if damaged:
            text = f"{row.label}: not recomputed, {damaged[0]} cannot be read"
            check(False, files.json, text)
            continue
        _check_choice(files, table, row, runs, check)
        cells = expected(files.scores, table, row, runs)
        computed[row.label, row.protocol] = cells
        text = f"{row.label}: columns {sorted(row.cells)}, expected {sorted(cells)}"
        check(set(cells) == set(row.cells), files.json, text)
        for column, by_seed in cells.items():
            place = _Place(layout, row, line, column)
            place.check_json(by_seed, files.json, check)
            place.check_csv(by_seed, files.csv, check)
    if len(computed) == len(table.rows):
        _check_differences(files, table, lines, computed, check)


def _check_differences(
    files: Files, table: Table, lines: list[dict], computed: Computed, check: Check
) -> None:
    """Compare every contrast with a control with the one tested again from the runs' scores."""
    layout = find_layout(table.layout)
    for column in filter(layout.has_test, table.columns):
        wanted = [_difference(table, row, column, computed) for row in table.rows]
        rows = zip(table.rows, lines, differences.corrected(wanted), strict=False)
        for row, line, cell in rows:
            shown = row.cells.get(column)
            if shown is None:
                continue
            text = f"{row.label}, {column}: its difference from {row.control}, or a figure of it"
            holds = differences.holds(shown.contrast, shown.mark, cell)
            check(holds, files.json, f"{text}, is not {cell and cell.figures}")
            same = differences.csv_holds(line, column, shown.contrast)
            check(same, files.csv, f"{text}, is not that of {files.json}")


def _difference(
    table: Table, row: Row, column: str, computed: Computed
) -> differences.Expected | None:
    """Return what a row's contrast with its control must show; None if it has none."""
    ours = computed[row.label, row.protocol].get(column)
    theirs = computed.get((row.control, row.protocol), {}).get(column)
    if ours is None or theirs is None:
        return None
    found = differences.sides(ours, theirs)
    return found and differences.expected(found, table.margin)


def _check_choice(files: Files, table: Table, row: Row, runs: Runs, check: Check) -> None:
    """Check that each seed of a row shows a candidate that none surpasses on the others' dev."""
    if row.choose is None:
        return
    for (corpus, score), seed in itertools.product(_dev_scores(table, row).items(), row.seeds):
        others = [other for other in row.seeds if other != seed] or [seed]
        means = {}
        for method in row.choose.candidates:
            folder = files.scores / corpus / row.base / method
            found = [runs.get(folder / f"seed-{other}") for other in others]
            means[method] = _mean([_value(run, score, 100) for run in found])
        place = f"{corpus.partition('/')[2]}/{seed}"
        shown = row.chosen.get(place)
        text = f"{row.label}: {shown} is chosen on {place}, the mean dev scores are {means}"
        check(_is_best(shown, means), files.json, text)


def _dev_scores(table: Table, row: Row) -> dict[str, tuple]:
    """Return the name of the dev score of each folder of corpora behind a row."""
    if not find_layout(table.layout).over_folds:
        return {f"sts/{row.corpus}": ("stsb-dev", "", "spearman", "all", row.protocol)}
    score = (table.dataset, "", "map", "dev", "dev")
    return {f"faq/{table.dataset}-{fold}": score for fold in range(table.folds or 0)}


def _is_best(shown: str | None, means: dict[str, float | None]) -> bool:
    """Tell whether none surpasses the shown method; nothing may be shown where a score is missing."""
    if None in means.values():
        return shown is None
    # Of candidates that tie, the last digit of a mean decides.
    return shown in means and means[shown] >= max(means.values()) - TOLERANCE


@dataclass(frozen=True)
class _Place:
    """One cell of a table: its row in the JSON, its line in the CSV, its column."""

    layout: Layout
    row: Row
    line: dict[str, str]
    column: str

    def check_json(self, by_seed: BySeed, path: Path, check: Check) -> None:
        """Check the values by seed."""
        values = _complete(by_seed)
        text = f"{self.row.label}, {self.column}: {_format_values(values)}"
        check(self._holds(by_seed, values), path, text)

    def _holds(self, by_seed: BySeed, values: list[float]) -> bool:
        cell = self.row.cells.get(self.column)
        if cell is None or len(cell.values) != len(values):
            return False
        if not values:
            return True
        if self.layout.is_of_best_seeds(self.column):
            # Of seeds that tie, either may stand among the best.
            shown = sorted(cell.values.values())
            return np.allclose(shown, sorted(values), rtol=0, atol=TOLERANCE)
        return all(
            seed in cell.values and abs(cell.values[seed] - value) <= TOLERANCE
            for seed, value in by_seed.items()
        )

    def check_csv(self, by_seed: BySeed, path: Path, check: Check) -> None:
        """Check the mean, and the standard deviation unless the column shows a single seed."""
        values = _complete(by_seed)
        text = f"{self.row.label}, {self.column}: {_format_values(values)}"
        shown = self.line.get(self.column)
        mean = np.mean(values) if values else None
        check(_same(shown, mean), path, f"{text}, shown {shown}")
        if self.layout.is_of_one_seed(self.column):
            return
        shown = self.line.get(f"{self.column}_sd")
        sd = np.std(values, ddof=1) if len(values) > 1 else None
        check(_same(shown, sd), path, f"{text}, sd shown {shown}")
        if self.layout.is_of_best_seeds(self.column):
            shown = self.line.get(f"{self.column}_population_sd")
            sd = np.std(values, ddof=0) if len(values) > 1 else None
            check(_same(shown, sd), path, f"{text}, population sd shown {shown}")


def folders(scores: Path, table: Table, row: Row) -> list[Path]:
    """Return the folders of the runs behind a row: one a seed, or one a seed and fold."""
    return [folder for seed in row.seeds for folder in seed_folders(scores, table, row, seed)]


def seed_folders(scores: Path, table: Table, row: Row, seed: int) -> list[Path]:
    """Return the folders of the runs behind a row's value of one seed: one, or one a fold."""
    corpora = [f"{find_layout(table.layout).tests}/{row.corpus}"]
    if find_layout(table.layout).over_folds:
        corpora = [f"faq/{table.dataset}-{fold}" for fold in range(table.folds or 0)]
    return [
        scores / corpus / row.base / row.trained(corpus.partition("/")[2], seed) / f"seed-{seed}"
        for corpus in corpora
    ]


def expected(scores: Path, table: Table, row: Row, runs: Runs) -> dict[str, BySeed]:
    """Return each column's value by seed, in points, as the table's layout has them."""
    layout = find_layout(table.layout)
    by_seed = {str(seed): _parts(scores, table, row, seed, runs) for seed in row.seeds}
    averages = {seed: _mean(list(parts.values())) for seed, parts in by_seed.items()}
    columns: dict[str, BySeed] = {}
    if layout.part_columns:
        for part in next(iter(by_seed.values()), {}):
            columns[part] = {seed: parts[part] for seed, parts in by_seed.items()}
    if layout.average_column:
        columns[layout.average_column] = averages
    for column, count in layout.best_columns:
        columns[column] = _best(averages, count)
    if layout.seed_columns:
        for seed, average in averages.items():
            columns[seed_column(seed)] = {seed: average}
    return columns


def _best(averages: BySeed, count: int) -> BySeed:
    if None in averages.values() or len(averages) < count:
        return MISSING
    best = sorted(averages, key=lambda seed: -averages[seed])[:count]
    return {seed: averages[seed] for seed in best}


def _parts(scores: Path, table: Table, row: Row, seed: int, runs: Runs) -> dict[str, float | None]:
    """Return a seed's value of each task or metric, the mean over the folds if there are any."""
    found = [runs.get(folder) for folder in seed_folders(scores, table, row, seed)]
    unit = 1 if table.metric in IN_NATURAL_UNIT else 100
    parts = {}
    for part, key in _part_keys(table, row.protocol).items():
        parts[part] = _mean([_value(run, key, unit) for run in found])
    return parts


def _part_keys(table: Table, protocol: str) -> dict[str, tuple]:
    """Return the name of the score that stands behind each task or metric."""
    metrics = find_layout(table.layout).metrics
    if metrics:
        return {
            metric: (table.dataset, "", metric, table.aggregation, protocol) for metric in metrics
        }
    return {task: (task, "", table.metric, table.aggregation, protocol) for task in table.tasks}


def _value(run: Values | None, key: tuple, unit: int) -> float | None:
    if run is None or key not in run:
        return None
    value, _ = run[key]
    return unit * value


def _mean(values: list[float | None]) -> float | None:
    if None in values or not values:
        return None
    return float(np.mean(values))


def _complete(by_seed: BySeed) -> list[float]:
    """Return the values of all seeds, none if one is missing."""
    if None in by_seed.values():
        return []
    return list(by_seed.values())


def _same(shown: str | None, value: float | None) -> bool:
    """Say whether a CSV field shows a value, or that there is none."""
    if value is None or shown in (None, *NO_VALUE):
        return value is None and shown in NO_VALUE
    return abs(float(shown) - value) <= TOLERANCE


def _format_values(values: list[float]) -> str:
    if not values:
        return "recomputed no value, because a score is missing"
    return f"recomputed {np.mean(values)!r} of {len(values)}"
