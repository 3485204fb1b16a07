"""From the long CSV to a table: pick scores, average over folds and tasks, compare the rows.

Everything stays unrounded, by seed, in points (times 100). A cell whose score is absent for any
seed is missing, and a row with a missing cell has no average.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import pandas as pd

from semblance.errors import InputError
from semblance.layout import fold_corpus
from semblance.names import (
    CEILING,
    IN_NATURAL_UNIT,
    NO_CORPUS,
    SEEDS_OF_START,
    START,
    STEPS,
    TRAINING,
    UNMOVED,
)
from semblance.reporting.contrasts import compared
from semblance.reporting.layouts import Layout, Scores, find_layout, mean
from semblance.reporting.notes import ORIGIN, footnotes
from semblance.reporting.table import Cell, Row, RowSpec, Spec, Table, decode_spec

Index = dict[tuple, dict]  # the values of INDEXED -> the line of the CSV
INDEXED = ("base", "method", "seed", "fold", "task", "metric", "aggregation", "protocol")


def build(spec: dict, scores: pd.DataFrame) -> Table:
    """Build the table that the settings ``spec`` ask for from the long frame of scores."""
    asked = decode_spec(spec)
    layout = find_layout(asked.layout)
    index = _index(scores)
    rows = [
        _table_row(asked, row, protocol, index)
        for row in asked.rows
        for protocol in asked.protocols
    ]
    rows = compared(rows, asked)
    return Table(
        name=asked.name,
        title=asked.title,
        layout=asked.layout,
        columns=layout.in_order(column for row in rows for column in row.cells),
        rows=tuple(rows),
        tasks=asked.tasks,
        dataset=asked.dataset,
        folds=asked.folds,
        metric=asked.metric,
        aggregation=asked.aggregation,
        margin=asked.margin,
        notes=footnotes(asked, rows, _ceilings(asked, scores)),
    )


def _ceilings(spec: Spec, scores: pd.DataFrame) -> dict[tuple, float]:
    """Return what a perfect model has by protocol and metric, in points: the mean over folds."""
    own = scores[(scores["task"] == spec.dataset) & (scores["aggregation"] == CEILING)]
    of_fold = own.groupby(["protocol", "metric", "fold"])["value"].first()
    return (100 * of_fold.groupby(level=[0, 1]).mean()).to_dict()


def _index(scores: pd.DataFrame) -> Index:
    index: Index = {}
    for record in scores.to_dict("records"):
        if record["aggregation"] == "subset":
            continue
        corpus = record["corpus"]
        if record["method"] == START:
            corpus = NO_CORPUS  # whatever the path of its folder says
        key = (corpus, *(record[name] for name in INDEXED))
        if key in index:
            problem = f"has two scores, of the runs {index[key]['run']} and {record['run']}"
            raise InputError("/".join(map(str, key)), problem)
        index[key] = record
    return index


@dataclass
class _RowScores:
    """Looks up the scores of one row; remembers the used ones, and the runs that lack one."""

    asked: RowSpec
    corpus: str
    protocol: str
    index: Index
    used: list[dict] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def find(self, seed: int, fold: str, task: str, metric: str, aggregation: str) -> float | None:
        """Return a score in points; None if it is absent, and the run that lacks it is noted."""
        run = (self._place(fold), self.asked.base, self.asked.method)
        record = self.index.get((*run, seed, fold, task, metric, aggregation, self.protocol))
        if record is None:
            self.missing.append("/".join((*run, f"seed-{seed}")))
            return None
        self.used.append(record)
        if metric in IN_NATURAL_UNIT:
            return record["value"]
        return record["value"] * 100

    def _place(self, fold: str) -> str:
        """Return the corpus of a fold; an untrained model has one for all."""
        if not fold or self.asked.method == START:
            return self.corpus
        return fold_corpus(self.corpus, fold)

    def steps(self, seeds: tuple[int, ...]) -> dict[str, float]:
        """Return the steps that the training of an entropy model took, by seed, where known."""
        by_seed = {}
        row = (self.corpus, self.asked.base, self.asked.method)
        for seed in seeds:
            record = self.index.get((*row, seed, "", TRAINING, STEPS, "all", self.protocol))
            if record is not None and record["phi"]:
                by_seed[str(seed)] = record["value"]
        return by_seed

    def unmoved(self, seeds: tuple[int, ...], folds: Iterable[str]) -> int:
        """Return how many teachers of a training have not left their start, at most."""
        count = 0
        for seed, fold in product(seeds, folds):
            run = (self._place(fold), self.asked.base, self.asked.method, seed, fold)
            record = self.index.get((*run, TRAINING, UNMOVED, "all", self.protocol))
            count = max(count, int(record["value"]) if record else 0)
        return count


def _table_row(spec: Spec, asked: RowSpec, protocol: str, index: Index) -> Row:
    layout = find_layout(spec.layout)
    seeds, corpus = asked.seeds, asked.corpus or ""
    if layout.over_folds:
        corpus = spec.dataset or ""
    if asked.method == START:
        seeds, corpus = SEEDS_OF_START, NO_CORPUS
    scores = _RowScores(asked, corpus, protocol, index)
    by_seed = {str(seed): _of_seed(spec, layout, seed, scores) for seed in seeds}
    cells = {}
    for column, values in layout.cells(by_seed).items():
        known = {seed: value for seed, value in values.items() if value is not None}
        cells[column] = Cell(known) if len(known) == len(values) else Cell({}, partial=known)
    return Row(
        label=asked.label,
        corpus=corpus,
        base=asked.base,
        method=asked.method,
        seeds=seeds,
        protocol=protocol,
        cells=cells,
        origin={name: tuple(sorted({record[name] for record in scores.used})) for name in ORIGIN},
        missing=tuple(dict.fromkeys(scores.missing)),
        steps=scores.steps(seeds),
        unmoved=scores.unmoved(seeds, [str(fold) for fold in range(spec.folds or 0)] or [""]),
        published=asked.published,
        stand_in=asked.stand_in,
        by_mean=_by_mean(spec, layout, scores, seeds),
    )


def _by_mean(spec: Spec, layout: Layout, scores: _RowScores, seeds: Sequence[int]) -> dict:
    """Return what ``Row.by_mean`` holds: nothing for a table of other averages."""
    if not (layout.has_correlations and spec.aggregation == "all"):
        return {}
    spec = replace(spec, aggregation="mean")
    means = {str(seed): mean(_of_seed(spec, layout, seed, scores).values()) for seed in seeds}
    return {seed: value for seed, value in means.items() if value is not None}


def _of_seed(spec: Spec, layout: Layout, seed: int, scores: _RowScores) -> Scores:
    """Return a seed's value of each task or metric; over folds, the mean of the folds' values."""
    if not layout.over_folds:
        tasks = spec.tasks
        return {task: scores.find(seed, "", task, spec.metric, spec.aggregation) for task in tasks}
    folds = list(map(str, range(spec.folds)))
    return {
        metric: mean(scores.find(seed, f, spec.dataset, metric, spec.aggregation) for f in folds)
        for metric in layout.metrics
    }
