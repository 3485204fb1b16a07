"""From the long CSV to a table: pick scores, average over folds and tasks, compare the rows.

Everything stays unrounded, by seed, in points (times 100). A cell whose score is absent for any
seed is missing, and a row with a missing cell has no average.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product

import pandas as pd

from semblance.counts import counted
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
from semblance.reporting.contrasts import ITEMS_ALONE, PAIRED, compared, control_of
from semblance.reporting.grids import NAMES
from semblance.reporting.layouts import PREVIOUS, Layout, Scores, find_layout, mean
from semblance.reporting.table import Cell, Measured, Row, RowSpec, Spec, Table, decode_spec
from semblance.statistics.significance import smallest_p_permutation, smallest_p_signs

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
    controls = [control_of(row, rows, row.control or asked.control) for row in rows]
    pairs = zip(rows, controls, strict=True)
    table = compared(
        Table(
            **{part.name: getattr(asked, part.name) for part in fields(Measured)},
            columns=layout.in_order(column for row in rows for column in row.cells),
            rows=tuple(replace(row, control=control and control.label) for row, control in pairs),
        )
    )
    notes = [
        asked.note,
        stand_in_note(table.rows),
        layout.notes(asked.folds),
        _ceiling(asked, scores),
        *_test(asked, table.rows),
        _steps(table.rows),
        _unmoved(table.rows),
        *_mixed(asked, table.rows),
        _missing(table.rows),
    ]
    return replace(table, notes=tuple(filter(None, notes)))


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
            return self.asked.corpus
        return fold_corpus(self.asked.corpus, fold)

    def of_training(self, seed: int, fold: str, metric: str) -> dict:
        """Return the line of a number of a training; an empty one where it is not known."""
        run = (self._place(fold), self.asked.base, self.asked.method, seed, fold)
        return self.index.get((*run, TRAINING, metric, "all", self.protocol), {})


def _table_row(spec: Spec, asked: RowSpec, protocol: str, index: Index) -> Row:
    layout = find_layout(spec.layout)
    corpus = spec.dataset if layout.over_folds else asked.corpus
    asked = replace(asked, corpus=corpus or "")
    if asked.method == START:
        asked = replace(asked, seeds=SEEDS_OF_START, corpus=NO_CORPUS)
    scores = _RowScores(asked, protocol, index)
    by_seed = {str(seed): _of_seed(spec, layout, seed, scores) for seed in asked.seeds}
    trainings = list(product(asked.seeds, map(str, range(spec.folds)) if spec.folds else [""]))
    steps = {seed: scores.of_training(seed, "", STEPS) for seed in asked.seeds}
    cells = {}
    for column, values in layout.cells(by_seed).items():
        known = {seed: value for seed, value in values.items() if value is not None}
        # A mean over some seeds would be compared with one over all: the cell stays empty.
        cells[column] = Cell(known) if len(known) == len(values) else Cell({}, partial=known)
    return Row(
        **vars(asked),
        protocol=protocol,
        cells=cells,
        origin={name: tuple(sorted({record[name] for record in scores.used})) for name in ORIGIN},
        missing=tuple(dict.fromkeys(scores.missing)),
        # Of an entropy model; others, whose settings state their steps, have no φ.
        steps={str(s): line["value"] for s, line in steps.items() if line.get("phi")},
        unmoved=sum(bool(scores.of_training(*one, UNMOVED).get("value")) for one in trainings),
        trainings=len(trainings),
        by_mean=_by_mean(spec, layout, scores),
    )


def _by_mean(spec: Spec, layout: Layout, scores: _RowScores) -> dict:
    """Return what ``Row.by_mean`` holds: nothing for a table of other averages."""
    if not (layout.has_correlations and spec.aggregation == "all"):
        return {}
    spec = replace(spec, aggregation="mean")
    seeds = scores.asked.seeds
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


ORIGIN = ("precision", "protocol", "code", "environment")
# Rows of two poolings have two digests of code, though one program has made both.
OWN_FILE = {"code": " (the file of a row's own pooling counts)"}
NAMED = 5  # so many missing runs are named, the rest counted
ORIENTATION = (
    "Their published values are for orientation only. The report, and stand_in in the CSV, say in "
    "what they differ."
)


def stand_in_note(rows: Sequence[Row]) -> str:
    """Say how many rows are stand-ins, and where it stands in what they differ; empty without one."""
    number = sum(bool(row.stand_in) for row in rows)
    if not number:
        return ""
    return f"Stand-ins: {number} of {counted(len(rows), 'row')}. {ORIENTATION}"


def _ceiling(spec: Spec, scores: pd.DataFrame) -> str:
    """Name the scores that no model can exceed, in points over the folds, where they are not 100."""
    own = scores[(scores["task"] == spec.dataset) & (scores["aggregation"] == CEILING)]
    of_fold = own.groupby(["protocol", "metric", "fold"])["value"].first()
    ceilings = (100 * of_fold.groupby(level=[0, 1]).mean()).to_dict()
    shown = product(spec.protocols, find_layout(spec.layout).metrics)
    known = {(p, m): ceilings.get((p, m), 100) for p, m in shown}
    below = [f"{NAMES[m]} {value:.1f} ({p})" for (p, m), value in known.items() if value < 100]
    why = "where several queries have one text, each counts its own answers alone as right."
    return f"A perfect model has {', '.join(below)}: {why}" if below else ""


def _test(spec: Spec, rows: Sequence[Row]) -> list[str]:
    """Say what the differences, the p values and the marks are, and what the seeds could show."""
    column = find_layout(spec.layout).main_column
    tested = [row for row in rows if row.test]
    if not tested:
        return []
    controls = "the trained row before"
    if spec.control != PREVIOUS:
        labels = dict.fromkeys(row.control for row in tested)
        controls = ", ".join(f"“{label}”" for label in labels)
        if len(labels) > 1:
            controls = f"the control on the same base ({controls})"
    kinds = ", ".join(dict.fromkeys(row.test for row in tested if row.test != ITEMS_ALONE))
    notes = [
        f"Difference: of {NAMES.get(column, column)}, from {controls}; paired by "
        "seed where both sides have the same seeds."
        + (f" Its interval and p are of the {kinds}-test." if kinds else "")
    ]
    contrasts = [row.contrast(column) for row in tested]
    known = [contrast for contrast in contrasts if contrast and contrast.p is not None]
    if known:
        sizes = [contrast.detectable for contrast in known]
        least, most = f"{min(sizes):.2f}", f"{max(sizes):.2f}"
        size = least if least == most else f"{least} to {most}"
        notes += [
            f"p: two-sided, corrected by Holm's method for the "
            f"{counted(len(known), 'comparison')} of its column. "
            "Marks: * p < .05 and _ p < .1, for improvements over the control; each column is "
            f"corrected for itself. ≈: equal, the interval of three seeds or more lies within "
            f"±{spec.margin:g} points.",
            f"With these seeds a test at .05, before the correction, shows a difference of {size} "
            "points with 80 % power.",
        ]
    return [*notes, " ".join(sorted({_bound(row, rows) for row in tested}))]


def _bound(row: Row, rows: Sequence[Row]) -> str:
    """Return the smallest p that an exact test of a row's and its control's seeds can give."""
    place = (row.control, row.protocol)
    control = next(peer for peer in rows if (peer.label, peer.protocol) == place)
    ours, theirs = len(row.seeds), len(control.seeds)
    if row.test == PAIRED:
        if ours < 2:
            return f"No p for {counted(ours, 'pair')} of seeds: a t-test needs two."
        smallest = f"{smallest_p_signs(ours):.4f}"
        return f"An exact sign-flip test of {ours} pairs of seeds cannot give a p below {smallest}."
    if min(ours, theirs) < 2:
        sizes = f"n = {ours} against n = {theirs}"
        return f"No p for {sizes}: Welch's t-test needs two seeds on each side."
    return (
        f"Not paired, {ours} against {counted(theirs, 'seed')}: an exact permutation test cannot "
        f"give a p below {smallest_p_permutation(ours, theirs):.4f}."
    )


def _steps(rows: Sequence[Row]) -> str:
    """Say how many steps the training of each entropy model took until its early stopping."""
    found = {row.label: list(row.steps.values()) for row in rows if row.steps}
    if not found:
        return ""
    texts = [
        f"{label}: {sum(steps) / len(steps):.1f} ({min(steps):.0f}–{max(steps):.0f})"
        for label, steps in found.items()
    ]
    return f"Steps of the entropy models, mean (range over the seeds): {'; '.join(texts)}."


def _unmoved(rows: Sequence[Row]) -> str:
    """Name the rows with teachers in which nothing of Eq. 2 shows."""
    labels = [f"“{row.label}” (in {row.has_unmoved})" for row in rows if row.unmoved]
    if not labels:
        return ""
    return (
        "Teachers that have not moved from their start (no window of their training had a lower loss "
        f"than the first): {', '.join(labels)}. Of a row with one in most trainings φ is not asked."
    )


def _mixed(spec: Spec, rows: Sequence[Row]) -> list[str]:
    """Name every property in which rows of one table differ, and which rows have which value."""
    names = list(ORIGIN)
    if len(spec.protocols) > 1:  # then each row's label names its own
        names.remove("protocol")
    notes = []
    for name in names:
        holders: dict[str, list[str]] = {}
        for row in rows:
            for value in row.origin.get(name, ()):
                holders.setdefault(value, []).append(row.label)
        if len(holders) > 1:
            texts = [f"{value} ({', '.join(dict.fromkeys(h))})" for value, h in holders.items()]
            notes.append(f"Mixed {name}{OWN_FILE.get(name, '')}: {'; '.join(texts)}.")
    return notes


def _missing(rows: Sequence[Row]) -> str:
    runs = list(dict.fromkeys(run for row in rows for run in row.missing))
    if not runs:
        return ""
    named = ", ".join(runs[:NAMED])
    if len(runs) > NAMED:
        named += f" and {len(runs) - NAMED} more"
    return f"n/a: at least one score is missing. Runs without it: {named}."
