"""The shapes that a table can have: one frozen object for each layout, which everyone asks.

A new shape is one more entry of ``LAYOUTS`` and one more word in the enum of the config's schema.
This module imports nothing heavy, because the planning of runs asks it too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal

from semblance.errors import InputError
from semblance.names import FAQ_DEV, FAQ_METRICS, STS_DEV, TRANSFER_TASKS

AVERAGE = "Average"
PREVIOUS = "previous"  # the control that means: the trained row before
SEED = "seed "  # a seed's own column is called by this word and its number

MEANS = "Mean ± sample standard deviation (n - 1) over n seeds; a single value has no deviation."
FOLDS = "The value of a seed is the mean over its {folds} folds."
# ASSUME averages are of unrounded scores (the papers average rounded ones): at most .01 apart.
AVERAGES = (
    "Averages are computed from unrounded task scores; "
    "a row with a missing task score has no average."
)
BEST_SEEDS = (
    "top3: mean ± sample sd of the three best seeds, and in brackets their population sd (n), which "
    "eight of the nine rows of the paper's table fit; because these seeds are chosen by their "
    "scores, it is higher than the mean of all seeds. max: the best seed."
)
OF_SUBSETS = "A task's value is the mean of its subsets' correlations"
WEIGHT = "the weight of its pairs"
PEARSON = "The correlation is Pearson's, over all pairs of a task."

Scores = Mapping[str, float | None]  # a task or a metric -> its value, None where it is missing
Tests = Literal["sts", "faq", "transfer"]  # that score a model
Values = dict[str, float | None]  # a seed -> its value; None where it misses a score


@dataclass(frozen=True)
class Layout:
    """What a table of one layout reads, and how its columns are made, tested and printed.

    A *part* is a task, or with ``metrics`` one of these metrics. Columns stand in this order: one
    for each part, the average over the parts, the best seeds, one for each seed.
    """

    name: str

    # What it reads. With ``metrics``: these, over the folds of a FAQ bank. Without: the metric that
    # the settings name, on each task. None: the settings choose.
    metrics: tuple[str, ...] = ()
    tasks: tuple[str, ...] | None = None
    metric: str | None = None
    aggregation: str | None = None
    protocols: tuple[str, ...] = ("senteval",)  # if the settings name none

    # Which columns it has; each of ``best_columns`` has a name and a number of best seeds.
    part_columns: bool = False
    average_column: str | None = None
    best_columns: tuple[tuple[str, int], ...] = ()
    seed_columns: bool = False

    # How rows are compared. The bootstrap resamples "items" within each task for correlations,
    # "labels" within each task for accuracies, or "queries" within each fold for metrics.
    resampling: Literal["items", "labels", "queries"] | None = None
    control: str | None = None  # if the settings name none

    # How it is printed: ``turned`` makes columns of the rows; the footnote may hold {folds}.
    turned: bool = False
    footnote: tuple[str, ...] = (MEANS,)

    @property
    def on_dev_questions(self) -> bool:
        """Whether its scores are those of the dev questions of folds."""
        return self.aggregation == FAQ_DEV

    @property
    def over_folds(self) -> bool:
        """Whether its scores come from the folds of a FAQ bank; if not, from tasks."""
        return bool(self.metrics)

    @property
    def has_correlations(self) -> bool:
        """Whether its average is of rank correlations, each over all pairs of a task."""
        return self.resampling == "items" and self.average_column is not None

    @property
    def tests(self) -> Tests:
        """The kind of tests whose scores it reads."""
        if self.over_folds:
            return "faq"
        if self.tasks == TRANSFER_TASKS:
            return "transfer"
        return "sts"

    @property
    def main_column(self) -> str:
        """The column that a table is about: its average, its last metric, or its one task."""
        if self.average_column:
            return self.average_column
        return (self.metrics or self.tasks)[-1]

    def cells(self, by_seed: Mapping[str, Scores]) -> dict[str, Values]:
        """Return each column's values by seed, from the scores of each seed."""
        columns: dict[str, Values] = {}
        if self.part_columns:
            for seed, scores in by_seed.items():
                for part, value in scores.items():
                    columns.setdefault(part, {})[seed] = value
        averages = {seed: mean(scores.values()) for seed, scores in by_seed.items()}
        if self.average_column:
            columns[self.average_column] = averages
        for column, count in self.best_columns:
            columns[column] = _best(averages, count)
        if self.seed_columns:
            columns |= {seed_column(s): {s: value} for s, value in averages.items()}
        return columns

    def in_order(self, columns: Iterable[str]) -> tuple[str, ...]:
        """Return each column once, in the given order; the seeds' own columns last, by number."""
        names = list(dict.fromkeys(columns))
        seeds = [column for column in names if self.is_of_one_seed(column)]
        seeds.sort(key=lambda column: int(column.removeprefix(SEED)))
        return (*(column for column in names if column not in seeds), *seeds)

    def is_of_one_seed(self, column: str) -> bool:
        """Tell whether a column shows one named seed: no spread, no test, no published value."""
        return self.seed_columns and column.startswith(SEED)

    def is_of_best_seeds(self, column: str) -> bool:
        """Tell whether a column's seeds are chosen by their values."""
        return column in dict(self.best_columns)

    def has_test(self, column: str) -> bool:
        """Tell whether a column is compared with the control: only if it holds all seeds."""
        return not (self.is_of_one_seed(column) or self.is_of_best_seeds(column))

    def has_spread(self, column: str) -> bool:
        """Tell whether a column is printed with a standard deviation: not if it holds one seed."""
        holds_the_best = (column, 1) in self.best_columns
        return not (self.is_of_one_seed(column) or holds_the_best)

    def notes(self, folds: int | None) -> str:
        """Return what the footnote says about how the columns are made."""
        return " ".join(self.footnote).format(folds=folds)


def seed_column(seed: str | int) -> str:
    """Return the name of a seed's own column."""
    return f"{SEED}{seed}"


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values, None if one of them is missing."""
    values = list(values)
    if None in values:
        return None
    return fmean(values)


def _best(values: Values, count: int) -> Values:
    """Return the ``count`` highest values, the lower seed first of equals; none of too few."""
    if None in values.values():
        return {}
    ranked = sorted(values.items(), key=lambda item: (-item[1], int(item[0])))
    if len(ranked) < count:
        return {}
    return dict(ranked[:count])


def _averaged(name: str, *about: str, **given: Any) -> Layout:
    """Return a layout of tasks and their average; ``about``: what else its footnote says."""
    footnote = (MEANS, AVERAGES, *about)
    shape = {"part_columns": True, "average_column": AVERAGE, "footnote": footnote}
    return Layout(name, **(shape | given))


SPEARMAN = {"metric": "spearman"}
PEARSONS = {"metric": "pearson"}
TRANSFERRED = {"metric": "accuracy", "tasks": TRANSFER_TASKS}
LAYOUTS = {
    layout.name: layout
    for layout in (
        _averaged("sts", resampling="items"),
        Layout(
            "faq",
            metrics=FAQ_METRICS,
            tasks=(),
            aggregation="test",
            protocols=("pairs",),
            part_columns=True,
            resampling="queries",
            footnote=(MEANS, FOLDS),
        ),
        # The settings of SimCSE's App. B; the items of a task's subsets are not resampled.
        _averaged("sts-mean", f"{OF_SUBSETS}.", **SPEARMAN, aggregation="mean"),
        _averaged(
            "sts-wmean", f"{OF_SUBSETS}, each with {WEIGHT}.", **SPEARMAN, aggregation="wmean"
        ),
        _averaged("sts-pearson", PEARSON, **PEARSONS, aggregation="all"),
        Layout(  # RCL's Table 4, which marks each column against the one before it
            "regulators",
            average_column=AVERAGE,
            resampling="items",
            control=PREVIOUS,
            turned=True,
            footnote=(MEANS, AVERAGES),
        ),
        Layout(  # S-SimCSE's Table 1
            "seeds",
            average_column="mean",
            best_columns=(("top3", 3), ("max", 1)),
            seed_columns=True,
            resampling="items",
            footnote=(MEANS, AVERAGES, BEST_SEEDS),
        ),
        Layout("dev", tasks=(STS_DEV,), part_columns=True, resampling="items"),
        # SimCSE's Table E.1; the second column of its Table D.2 is an average on dev.
        _averaged("transfer", **TRANSFERRED, aggregation="test", resampling="labels"),
        _averaged("transfer-dev", **TRANSFERRED, aggregation="dev", average_column="transfer-dev"),
        Layout(
            "faq-dev",
            metrics=("map",),
            tasks=(),
            aggregation=FAQ_DEV,
            protocols=(FAQ_DEV,),
            part_columns=True,
            footnote=(MEANS, FOLDS),
        ),
    )
}


def find_layout(name: str, where: str = "layout") -> Layout:
    """Return the layout of a name; raises InputError at ``where``, with the known names."""
    if name not in LAYOUTS:
        raise InputError(where, f"unknown layout {name!r}", f"known: {', '.join(LAYOUTS)}")
    return LAYOUTS[name]
