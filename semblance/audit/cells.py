"""The cells of a table, computed again from the runs' recomputed scores and compared once.

The arithmetic is this module's own: plain loops, and scipy's ready-made tests, where
semblance.reporting has formulas. It asks a layout only for the names of its columns, and for what
stands in each of them. What the test items cause is taken as it is shown; `verify --bootstrap`
draws it again.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from scipy import optimize, stats

from semblance.audit.recompute import Values
from semblance.names import IN_NATURAL_UNIT
from semblance.reporting.grids import MISSING, OF_CONTRAST
from semblance.reporting.layouts import find_layout, seed_column
from semblance.reporting.predictions import all_paths, paths_of_seed
from semblance.reporting.table import Cell, Contrast, Row, Table

TOLERANCE = 1e-9  # of values and differences, in points, and of p values
NO_SPREAD = 1e-9  # points
MOST_LOOPS = 5000  # signs or labels that a loop tries; the exact p of more is left unchecked
OF_ITEMS = ("p_bootstrap", "bootstrap_low", "bootstrap_high", "item_error", "subsets_reach")
OF_ROW = ("corpus", "base", "method", "control")  # texts of a row that its CSV has, too
# What ends the names of a cell's numbers in the CSV, but for those of its contrast.
OF_CELL = ("", "_sd", "_population_sd", "_worst", "_best", "_published", "_difference")
BySeed = dict[str, float | None]  # a column's value of each seed; None where a score is missing
Runs = dict[Path, Values | None]  # a run's folder -> its scores, None where they cannot be read
Check = Callable[[bool, str], bool]
Frame = dict[tuple[str, str], dict[str, BySeed]]  # (label, protocol) -> the columns of a row


def check_cells(results: Path, table: Table, runs: Runs, check: Check) -> None:
    """Compare every cell of a table with the one computed from the scores of the runs."""
    frame: Frame = {}
    form = find_layout(table.layout)
    for row in table.rows:
        behind = [path.parent for path in all_paths(results, table, row)]
        damaged = [folder for folder in behind if folder in runs and runs[folder] is None]
        if damaged:
            check(False, f"{row.label}: not recomputed, {damaged[0]} cannot be read")
            continue
        columns = _by_column(results, table, row, runs)
        frame[row.label, row.protocol] = columns
        check(form.main_column in row.cells, f"{row.label}: has no {form.main_column}")
        for column in columns.keys() & row.cells.keys():
            by_seed = columns[column]
            values = [] if None in by_seed.values() else list(by_seed.values())
            text = f"{row.label}, {column}: recomputed no value, because a score is missing"
            if values:
                text = f"{row.label}, {column}: recomputed {float(np.mean(values))!r} of {len(values)} seeds"
            # Of seeds that tie, either may stand among the best.
            named = not form.is_of_best_seeds(column)
            check(_holds(row.cells.get(column), by_seed if values else {}, named), text)
        if form.has_correlations and table.aggregation == "all":
            by_mean = _by_column(results, replace(table, aggregation="mean"), row, runs)
            averages = by_mean[form.average_column]
            known = {seed: value for seed, value in averages.items() if value is not None}
            text = f"{row.label}: its average by the mean of subsets, recomputed {known}"
            check(_holds(Cell(row.by_mean), known, True), text)
    if len(frame) == len(table.rows):
        for column in filter(form.has_test, table.columns):
            _check_differences(table, column, frame, check)


def check_csv(table: Table, lines: Sequence[Mapping[str, str]], check: Check) -> None:
    """Compare each number of a table's CSV with its cells, by the names of the columns."""
    by_row = {(line["label"], line["protocol"]): line for line in lines}
    check(len(lines) == len(by_row) == len(table.rows), f"has {len(lines)} rows")
    for row in table.rows:
        line = by_row.get((row.label, row.protocol), {})
        wrong = [name for name in OF_ROW if line.get(name) != (getattr(row, name) or "")]
        if line.get("seeds") != " ".join(map(str, row.seeds)):
            wrong.append("seeds")
        numbers = {"n": len(row.seeds), "margin": table.margin, "folds": table.folds}
        for column in table.columns:
            numbers |= _numbers(column, row.cells.get(column))
            wrong += [column] * (column not in line)
        for name, number in numbers.items():
            text = line.get(name, number)
            shown = None if text in (None, "", MISSING) else float(text)
            if (shown is None) != (number is None) or not _are_close([shown], [number]):
                wrong.append(name)
        check(not wrong, f"{row.label}: {', '.join(wrong)} of the CSV are not those of its cells")


def _numbers(column: str, cell: Cell | None) -> dict[str, float | None]:
    """Return the numbers of a cell, each by the name of its column in the CSV."""
    values = list(cell.values.values()) if cell else []
    published = cell and cell.published
    spread = [np.std(values, ddof=1), np.std(values)] if len(values) > 1 else [None, None]
    ends = [min(values), max(values)] if len(values) > 1 else [None, None]
    mean = np.mean(values) if values else None
    gap = None if None in (mean, published) else mean - published
    numbers = dict(zip(OF_CELL, [mean, *spread, *ends, published, gap], strict=True))
    contrast = cell and cell.contrast
    numbers |= {end: getattr(contrast, name, None) for end, name in OF_CONTRAST.items()}
    return {f"{column}{end}": number for end, number in numbers.items()}


def _holds(cell: Cell | None, values: BySeed, named: bool) -> bool:
    """Tell whether a cell has these values, under their seeds if they are named, and their spread."""
    if cell is None or len(cell.values) != len(values):
        return False
    ours, theirs = sorted(values.values()), sorted(cell.values.values())
    if named:
        if cell.values.keys() != values.keys():
            return False
        ours, theirs = list(values.values()), [cell.values[seed] for seed in values]
    spread = [np.std(ours, ddof=1), np.std(ours, ddof=0)] if len(ours) > 1 else [None, None]
    derived = [np.mean(ours) if ours else None, *spread]
    shown = [cell.mean, cell.sd, cell.population_sd]
    return _are_close(theirs, ours) and _are_close(shown, derived)


def _are_close(shown: list[float | None], values: list[float | None]) -> bool:
    """Compare numbers; where there is none, there must be none."""
    sides = [np.array(side, float) for side in (shown, values)]  # None becomes NaN
    return np.allclose(*sides, rtol=0, atol=TOLERANCE, equal_nan=True)


def _by_column(results: Path, table: Table, row: Row, runs: Runs) -> dict[str, BySeed]:
    """Return each column's value by seed, in points, as the table's layout has them."""
    form = find_layout(table.layout)
    names = {
        task: (task, "", table.metric, table.aggregation, row.protocol) for task in table.tasks
    }
    if form.metrics:
        of_bank = (table.aggregation, row.protocol)
        names = {metric: (table.dataset, "", metric, *of_bank) for metric in form.metrics}
    unit = 1 if table.metric in IN_NATURAL_UNIT else 100
    by_seed = {}
    for seed in row.seeds:
        scores = [runs.get(path.parent) for path in paths_of_seed(results, table, row, seed)]
        by_seed[str(seed)] = {p: _mean_score(scores, name, unit) for p, name in names.items()}
    averages = {seed: _mean(list(parts.values())) for seed, parts in by_seed.items()}
    columns: dict[str, BySeed] = {}
    if form.part_columns:
        for part in names:
            columns[part] = {seed: parts[part] for seed, parts in by_seed.items()}
    if form.average_column:
        columns[form.average_column] = averages
    for column, count in form.best_columns:
        columns[column] = {"": None}
        if None not in averages.values() and len(averages) >= count:
            best = sorted(averages, key=lambda seed: -averages[seed])[:count]
            columns[column] = {seed: averages[seed] for seed in best}
    if form.seed_columns:
        columns |= {seed_column(seed): {seed: value} for seed, value in averages.items()}
    return columns


def _mean_score(runs: list[Values | None], name: tuple, unit: int) -> float | None:
    """Return the mean of one score over runs, such as the folds; None where one is missing."""
    values: list[float | None] = []
    for run in runs:
        is_scored = run is not None and name in run
        values.append(unit * run[name][0] if is_scored else None)
    return _mean(values)


def _mean(values: list[float | None]) -> float | None:
    if None in values or not values:
        return None
    return float(np.mean(values))


def _check_differences(table: Table, column: str, frame: Frame, check: Check) -> None:
    """Compare a column's contrasts with those tested again, and its marks."""
    tested = {}
    untrained = {(row.label, row.protocol) for row in table.rows if row.is_untrained}
    for row in table.rows:
        ours = frame[row.label, row.protocol].get(column)
        theirs = frame.get((row.control, row.protocol), {}).get(column)
        figures = None
        if ours and theirs and None not in (*ours.values(), *theirs.values()):
            # The one value of an untrained control stands against each seed of a trained row.
            if (row.control, row.protocol) in untrained:
                theirs = dict.fromkeys(ours, *theirs.values())
            figures = _test(ours, theirs, table.margin)
        tested[row.label, row.protocol] = figures
    ps = [figures["p"] for figures in tested.values() if figures and "p" in figures]
    for row in table.rows:
        cell = row.cells.get(column)
        figures = tested[row.label, row.protocol]
        if figures and "p" in figures:
            figures["p_holm"] = _holm(figures["p"], ps)
        if cell is not None:
            text = f"{row.label}, {column}: its difference from {row.control}, or a figure of it"
            said = figures and {name: float(value) for name, value in figures.items()}
            check(_shows(cell, figures), f"{text}, is not {said}")


def _test(
    by_seed: dict[str, float], by_seed_of_control: dict[str, float], margin: float
) -> dict[str, float]:
    """Return the figures of a test of two columns, paired if they have the same seeds."""
    paired = by_seed.keys() == by_seed_of_control.keys()
    ours = np.array([by_seed[seed] for seed in sorted(by_seed)])
    theirs = np.array([by_seed_of_control[seed] for seed in sorted(by_seed_of_control)])
    figures = {"difference": float(ours.mean() - theirs.mean())}
    spreads = [ours - theirs] if paired else [ours, theirs]
    if min(len(ours), len(theirs)) < 2 or all(np.std(s, ddof=1) <= NO_SPREAD for s in spreads):
        return figures

    def test(null: float, alternative: str):
        """Return the t-test against a difference of ``null`` points."""
        if paired:
            return stats.ttest_1samp(ours - theirs, null, alternative=alternative)
        return stats.ttest_ind(ours - null, theirs, equal_var=False, alternative=alternative)

    of_seeds = test(0.0, "two-sided")
    low, high = of_seeds.confidence_interval(0.95)
    figures |= {"low": low, "high": high, "p": of_seeds.pvalue}
    figures["p_equivalence"] = max(test(-margin, "greater").pvalue, test(margin, "less").pvalue)
    if min(len(ours), len(theirs)) < 3:
        figures["p_equivalence"] = 1.0
    if paired and 2 ** len(ours) <= MOST_LOOPS:
        signs = itertools.product((1, -1), repeat=len(ours))
        figures["p_exact"] = _share([np.dot(sign, ours - theirs) for sign in signs])
    elif not paired and math.comb(len(ours) + len(theirs), len(ours)) <= MOST_LOOPS:
        both = np.concatenate([ours, theirs])
        # Each choice of ours among them, the true one first.
        chosen = map(list, itertools.combinations(range(len(both)), len(ours)))
        differences = [np.mean(both[c]) - np.mean(np.delete(both, c)) for c in chosen]
        figures["p_exact"] = _share(differences)
    limit = stats.t.ppf(0.975, of_seeds.df)  # in standard errors
    power = partial(stats.nct.sf, limit, of_seeds.df)
    shift = optimize.brentq(lambda shift: power(shift) - 0.8, 0, 2 * limit + 2)
    return figures | {"detectable": shift * (high - low) / 2 / limit}


def _share(differences: list[float]) -> float:
    """Return the share of differences that are as large as the first, which was observed."""
    sizes = np.abs(differences)
    return float(np.mean(sizes >= sizes[0] - TOLERANCE))


def _holm(p: float, others: list[float]) -> float:
    """Return a p corrected for a column's ``others``, which hold it too, from Holm's definition.

    It is the largest of (how many are at least as large) x p_j, over all p_j up to p.
    """
    steps = [sum(third >= other for third in others) * other for other in others if other <= p]
    return min(1.0, max(steps))


def _shows(cell: Cell, figures: dict[str, float] | None) -> bool:
    """Tell whether a cell's contrast shows what it must, and the mark that follows from it."""
    shown = cell.contrast
    if figures is None or shown is None:
        return figures is None and shown is None and not cell.mark
    for name, value in figures.items():
        figure = getattr(shown, name)
        if figure is None or not abs(figure - value) <= TOLERANCE:
            return False
    if "p" not in figures:
        seedless = replace(shown, **dict.fromkeys(OF_ITEMS))
        return seedless == Contrast(shown.difference) and not cell.mark
    mark = ""
    if figures["difference"] > 0 and figures["p_holm"] < 0.1:
        mark = "*" if figures["p_holm"] < 0.05 else "_"
    return mark == cell.mark and _holds_with_items(shown)


def _holds_with_items(shown: Contrast) -> bool:
    """Tell whether the interval of seeds and items, if there is one, is that of both errors."""
    ends = [shown.bootstrap_low, shown.bootstrap_high]
    if shown.p_bootstrap is None:
        return ends == [None, None]
    of_seeds = (shown.high - shown.low) / 2
    reach = math.hypot(of_seeds, stats.norm.ppf(0.975) * shown.item_error)
    is_wide = shown.subsets_reach is None or shown.subsets_reach >= of_seeds - TOLERANCE
    is_no_surer = shown.p - TOLERANCE <= shown.p_bootstrap <= 1
    both = [shown.difference - reach, shown.difference + reach]
    return _are_close(ends, both) and is_wide and is_no_surer
