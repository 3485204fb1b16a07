"""Would more data help: trainings on parts of a bank, scored on the same held-out questions."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from semblance.answering.evidence import LEVEL, FoldResult, Verdict, compare, joined
from semblance.answering.judgement import over_seeds
from semblance.answering.measured import Measured, Way
from semblance.errors import InputError
from semblance.layout import fold_corpus
from semblance.provenance import read_text
from semblance.settings import Count, Seed

CURVE = "curve.csv"
PICTURE = "curve.svg"
ALL = 100


@dataclass(frozen=True)
class PartTrained:
    """A method that is trained on a number of percent of the entries or wordings; 100 is all."""

    method: str
    of: str
    percent: int


@dataclass(frozen=True)
class CurveSettings:
    """The learning curves of an answerer: ``parts`` by what they are of, the smallest first."""

    bank: str
    base: str
    folds: Count
    seeds: tuple[Seed, ...]
    protocol: str
    parts: tuple[PartTrained, ...]


@dataclass(frozen=True)
class Point:
    """One part: its mean average precision, and how much more all of the data give.

    ``to_all`` is the mean difference, ``low`` to ``high`` its interval, over the same questions.
    """

    of: str
    percent: int
    questions: int
    map: float
    to_all: float
    low: float
    high: float


def points_of(settings: CurveSettings, measured: Measured) -> list[Point]:
    """Return the points of all curves; a question counts once, however many seeds there are."""
    found = []
    for of in dict.fromkeys(part.of for part in settings.parts):
        parts = [part for part in settings.parts if part.of == of]
        results = [_results(settings, measured, part) for part in parts]
        for part, result in zip(parts, results, strict=True):
            found.append(_point(part, result, compare(results[-1], result)))
    return found


def _results(settings: CurveSettings, measured: Measured, part: PartTrained) -> list[FoldResult]:
    corpora = [fold_corpus(settings.bank, fold) for fold in range(settings.folds)]
    way = Way(part.method, settings.seeds)
    return over_seeds(measured.of_way(way, settings.seeds, corpora), settings.folds)


def _point(part: PartTrained, result: Sequence[FoldResult], to_all: Verdict) -> Point:
    precision = joined(result, "precision")
    return Point(
        part.of,
        part.percent,
        len(precision),
        float(precision.mean()),
        to_all.difference,
        to_all.low,
        to_all.high,
    )


def curve_csv(points: Iterable[Point]) -> str:
    """Return the CSV of learning curves, numbers unrounded."""
    text = io.StringIO()
    names = [field.name for field in fields(Point)]
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(map(asdict, points))
    return text.getvalue()


def read_curve(path: str | Path) -> list[Point]:
    """Read what ``curve_csv`` wrote; InputError for anything else."""
    rows = csv.DictReader(io.StringIO(read_text(path)))
    try:
        return [_read_point(row) for row in rows]
    except (KeyError, TypeError, ValueError):
        problem = "is no table of a learning curve"
        raise InputError(path, problem, "delete its record and run again") from None


def _read_point(row: dict[str, str]) -> Point:
    scores = {name: float(row[name]) for name in ("map", "to_all", "low", "high")}
    counts = {name: int(row[name]) for name in ("percent", "questions")}
    return Point(of=row["of"], **counts, **scores)


def curve_lines(points: Sequence[Point]) -> list[str]:
    """Return one line for each curve: what the step from its largest part to all of it gave."""
    largest = {point.of: point for point in points if point.percent < ALL}
    return [_line(point) for point in largest.values()]


def _line(point: Point) -> str:
    said = "it is not shown that more would help"
    if point.low > 0:
        said = "more may help further"
    if point.high < 0:
        said = "more made it worse"
    return (
        f"More {point.of}: {100 * point.to_all:+.1f} points of MAP from {point.percent}% to all of"
        f" them ({LEVEL:.0%} interval {100 * point.low:+.1f} to {100 * point.high:+.1f}): {said}."
    )
