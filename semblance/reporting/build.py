"""From the long CSV to a table: pick the scores, average over folds and tasks, compare with the reference.

Everything stays unrounded, by seed, in points (times 100). A cell whose score is absent for any
seed is missing, and a row with a missing cell has no average.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import pandas as pd

from semblance.errors import InputError
from semblance.layout import FAQ_METRICS, IN_NATURAL_UNIT
from semblance.reporting.notes import ORIGIN, footnotes
from semblance.reporting.significance import one_sample, welch
from semblance.reporting.table import (
    AVERAGE,
    UNTRAINED,
    Cell,
    Row,
    RowSpec,
    Spec,
    Table,
    decode_spec,
)

Index = dict[tuple, dict]
BySeed = dict[int, dict[str, float | None]]  # seed -> column -> value, None where absent


def build(spec: dict, scores: pd.DataFrame) -> Table:
    """Build the table that the settings ``spec`` ask for from the long frame of scores."""
    asked = decode_spec(spec)
    index = _index(scores)
    rows = [_row(asked, row, protocol, index) for row in asked.rows for protocol in asked.protocols]
    rows = [
        _compared(row, _reference(position, rows, asked.reference))
        for position, row in enumerate(rows)
    ]
    return Table(
        asked.name,
        asked.title,
        asked.layout,
        _columns(asked, rows),
        tuple(rows),
        asked.tasks,
        asked.dataset,
        asked.folds,
        "" if asked.layout == "faq" else asked.metric,
        "test" if asked.layout == "faq" else asked.aggregation,
        asked.stand_in,
        footnotes(asked, rows),
    )


def _index(scores: pd.DataFrame) -> Index:
    index: Index = {}
    for record in scores.to_dict("records"):
        if record["aggregation"] != "subset":
            # An untrained model belongs to no corpus, whatever the path of its folder says.
            corpus = "none" if record["method"] == UNTRAINED else record["corpus"]
            key = (
                corpus,
                record["base"],
                record["method"],
                record["seed"],
                record["fold"],
                record["task"],
                record["metric"],
                record["aggregation"],
                record["protocol"],
            )
            if key in index:
                raise InputError(
                    "/".join(map(str, key)),
                    f"two scores, of {index[key]['run']} and {record['run']}",
                )
            index[key] = record
    return index


def _row(spec: Spec, asked: RowSpec, protocol: str, index: Index) -> Row:
    untrained = asked.method == UNTRAINED
    seeds = (0,) if untrained else asked.seeds
    corpus = "none" if untrained else (spec.dataset if spec.layout == "faq" else asked.corpus) or ""
    used: list[dict] = []
    missing: list[str] = []

    def find(seed: int, fold: str, task: str, metric: str, aggregation: str) -> float | None:
        where = f"{corpus}-{fold}" if fold and not untrained else corpus
        record = index.get(
            (where, asked.base, asked.method, seed, fold, task, metric, aggregation, protocol)
        )
        if record is None or not math.isfinite(record["value"]):
            missing.append(f"{where}/{asked.base}/{asked.method}/seed-{seed}")
            return None
        used.append(record)
        return record["value"] * (1 if metric in IN_NATURAL_UNIT else 100)

    by_seed = {
        seed: (_faq_values if spec.layout == "faq" else _sts_values)(spec, seed, find)
        for seed in seeds
    }
    origin = {name: tuple(sorted({record[name] for record in used})) for name in ORIGIN}
    return Row(
        asked.label,
        corpus,
        asked.base,
        asked.method,
        seeds,
        protocol,
        CELLS[spec.layout](by_seed),
        origin,
        tuple(dict.fromkeys(missing)),
        asked.published,
    )


def _sts_values(spec: Spec, seed: int, find: Callable) -> dict[str, float | None]:
    return {task: find(seed, "", task, spec.metric, spec.aggregation) for task in spec.tasks}


def _faq_values(spec: Spec, seed: int, find: Callable) -> dict[str, float | None]:
    """A seed's value is the mean of the folds, each fold counting once."""
    return {
        metric: _mean(
            [find(seed, str(fold), spec.dataset, metric, "test") for fold in range(spec.folds)]
        )
        for metric in FAQ_METRICS
    }


def _mean(values: list[float | None]) -> float | None:
    return None if None in values else math.fsum(values) / len(values)


def _cell(values: Mapping[int, float | None]) -> Cell:
    return Cell(
        {} if None in values.values() else {str(seed): value for seed, value in values.items()}
    )


def _averages(by_seed: BySeed) -> dict[int, float | None]:
    return {seed: _mean(list(values.values())) for seed, values in by_seed.items()}


def _plain(by_seed: BySeed) -> dict[str, Cell]:
    columns = next(iter(by_seed.values()), {})
    return {
        column: _cell({seed: values[column] for seed, values in by_seed.items()})
        for column in columns
    }


def _average_only(by_seed: BySeed) -> dict[str, Cell]:
    return {AVERAGE: _cell(_averages(by_seed))}


def _with_average(by_seed: BySeed) -> dict[str, Cell]:
    return _plain(by_seed) | _average_only(by_seed)


def _by_seed(by_seed: BySeed) -> dict[str, Cell]:
    """All seeds, the paper's top 3 of them (S-SimCSE, Table 1), the best, and each."""
    averages = _averages(by_seed)
    whole = _cell(averages)
    best = sorted(whole.values.items(), key=lambda item: (-item[1], int(item[0])))
    cells = {
        "mean": whole,
        "top3": Cell(dict(best[:3]) if len(best) >= 3 else {}),
        "max": Cell(dict(best[:1])),
    }
    return cells | {f"seed {seed}": _cell({seed: value}) for seed, value in averages.items()}


CELLS = {
    "sts": _with_average,
    "faq": _plain,
    "regulators": _average_only,
    "dev": _plain,
    "seeds": _by_seed,
}


def _columns(spec: Spec, rows: list[Row]) -> tuple[str, ...]:
    """Columns in order of first appearance, the seeds' own columns by number."""
    found = list(dict.fromkeys(column for row in rows for column in row.cells))
    if spec.layout == "seeds":
        return tuple(
            found[:3] + sorted(found[3:], key=lambda column: int(column.removeprefix("seed ")))
        )
    return tuple(found)


def _reference(position: int, rows: list[Row], reference: str | None) -> Row | None:
    row = rows[position]
    if reference == "previous":
        return next(
            (other for other in reversed(rows[:position]) if other.protocol == row.protocol), None
        )
    peers = [other for other in rows if other.protocol == row.protocol]
    named = [other for other in peers if other.label == reference] or [
        other for other in peers if other.method == reference and other.base == row.base
    ]
    named.sort(
        key=lambda other: other.corpus != row.corpus
    )  # of several, the one on the row's own corpus
    return named[0] if named and row not in named else None


def _compared(row: Row, reference: Row | None) -> Row:
    """Give each cell the p of its difference from the reference's cell, and the mark of an improvement."""
    if reference is None:
        return row
    untrained = UNTRAINED in (row.method, reference.method)
    cells = {
        column: _tested(cell, reference.cells.get(column, Cell({})), untrained)
        if column not in ("top3", "max") and not column.startswith("seed ")
        else cell
        for column, cell in row.cells.items()
    }
    return replace(
        row, cells=cells, reference=reference.label, test="one-sample t" if untrained else "Welch t"
    )


def _tested(cell: Cell, reference: Cell, untrained: bool) -> Cell:
    a, b = list(cell.values.values()), list(reference.values.values())
    if not a or not b:
        return cell
    if not untrained:
        p = welch(a, b)
    else:  # the untrained side is a constant, without seeds
        p = one_sample(a, b[0]) if len(b) == 1 else one_sample(b, a[0])
    if math.isnan(p):
        return cell
    better = cell.mean > reference.mean
    return replace(cell, p=p, mark=("*" if p < 0.05 else "_" if p < 0.1 else "") if better else "")
