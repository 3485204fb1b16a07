"""Would more data help: trainings on parts of a bank, scored on the same held-out questions."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from semblance.layout import fold_corpus
from semblance.provenance import read_text
from semblance.settings import Count, Seed
from semblance_faq.judge.evaluations import Evaluations, Way
from semblance_faq.judge.evidence import LEVEL, compare, joined
from semblance_faq.judge.judgement import over_seeds

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


def points_of(settings: CurveSettings, evaluations: Evaluations) -> list[Point]:
    """Return the points of all curves; a question counts once, however many seeds there are."""
    found = []
    corpora = [fold_corpus(settings.bank, fold) for fold in range(settings.folds)]
    for of in dict.fromkeys(part.of for part in settings.parts):
        parts = [part for part in settings.parts if part.of == of]
        ways = [Way(part.method, settings.seeds) for part in parts]
        runs = [evaluations.of_way(way, settings.seeds, corpora) for way in ways]
        results = [over_seeds(run, settings.folds) for run in runs]
        for part, result in zip(parts, results, strict=True):
            to_all = compare(results[-1], result)
            precision = joined(result, "precision")
            score = float(precision.mean())
            differences = (to_all.difference, to_all.low, to_all.high)
            found.append(Point(of, part.percent, len(precision), score, *differences))
    return found


def curve_csv(points: Iterable[Point]) -> str:
    """Return the CSV of learning curves, numbers unrounded."""
    text = io.StringIO()
    names = [field.name for field in fields(Point)]
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(map(asdict, points))
    return text.getvalue()


def read_curve(path: str | Path) -> list[Point]:
    """Read what ``curve_csv`` wrote."""
    types = {field.name: field.type for field in fields(Point)}
    rows = csv.DictReader(io.StringIO(read_text(path)))
    return [Point(**{name: types[name](value) for name, value in row.items()}) for row in rows]


def curve_lines(points: Sequence[Point]) -> list[str]:
    """Return one line for each curve: what the step from its largest part to all of it gave."""
    largest = {point.of: point for point in points if point.percent < ALL}
    lines = []
    for of, point in largest.items():
        word = "it is not shown that more would help"
        if point.low > 0:
            word = "more may help further"
        if point.high < 0:
            word = "more made it worse"
        interval = f"{LEVEL:.0%} interval {100 * point.low:+.1f} to {100 * point.high:+.1f}"
        lines.append(
            f"More {of}: {100 * point.to_all:+.1f} points of MAP from {point.percent}% to all of"
            f" them ({interval}): {word}."
        )
    return lines
