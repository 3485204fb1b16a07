"""What the evaluations on the folds of a FAQ say of an answerer: its settings and its texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from semblance.answering.card import CARD, card_text
from semblance.answering.entries import FaqEntry
from semblance.answering.judgement import Judgement, judge
from semblance.answering.learning_curve import CURVE, curve_lines, read_curve
from semblance.answering.measured import Asked, Measured, Way
from semblance.answering.settings import AnsweringSettings
from semblance.answering.summary import Subject, summary_text
from semblance.answering.threshold import TABLE, tried_csv
from semblance.layout import SUMMARY, fold_corpus
from semblance.names import START
from semblance.provenance import Record, checked
from semblance.settings import Count, Length, Seed, Share, Threads


@dataclass(frozen=True)
class AnswererSettings:
    """What an answerer is made of.

    ``models`` are the methods of the models to choose from, ``protocol`` says what the test asks,
    ``precision`` is what the threshold must be shown to have. The first of the ``seeds`` is that of
    the final models.
    """

    name: str
    bank: str
    base: str
    folds: Count
    seeds: tuple[Seed, ...]
    protocol: str
    precision: Share
    max_length: Length
    threads: Threads
    models: tuple[str, ...]
    ways: tuple[Way, ...]

    def way(self, method: str) -> Way:
        """Return the way of a method."""
        return next(way for way in self.ways if way.method == method)

    @property
    def plain(self) -> list[str]:
        """The ways that need no training and no model of one's own: the start model, and BM25."""
        return [way.method for way in self.ways if _is_plain(way)]

    @property
    def untrained(self) -> list[str]:
        """All ways that need no training, whatever they match and however they rank."""
        return [way.method for way in self.ways if way.model == START or way.ranking.by == "words"]


def _is_plain(way: Way) -> bool:
    return way.method == START or way.ranking.by == "words"


def judge_answerer(wanted: AnswererSettings, measured: Measured) -> Judgement:
    """Choose the way of an answerer and judge the choice; InputError for a missing evaluation."""
    corpora = [fold_corpus(wanted.bank, fold) for fold in range(wanted.folds)]
    ways = {way.method: measured.of_way(way, wanted.seeds, corpora) for way in wanted.ways}
    return judge(ways, wanted.folds, wanted.plain, wanted.precision, wanted.untrained)


def settings_of(wanted: AnswererSettings, found: Judgement) -> AnsweringSettings:
    """Return how the chosen way answers."""
    ranking = wanted.way(found.chosen).ranking
    return AnsweringSettings(ranking.by, ranking.match, wanted.max_length, found.threshold())


class Known(NamedTuple):
    """The number of entries of a bank, and of those wordings of users that no fold has asked."""

    entries: int
    untested: int

    @classmethod
    def of(cls, entries: Sequence[FaqEntry], asked: Asked) -> "Known":
        """Count them."""
        wordings = {text for entry in entries for text in entry.wordings}
        return cls(len(entries), len(wordings - asked.texts))


def texts_of(
    wanted: AnswererSettings,
    found: Judgement,
    known: Known,
    model: dict[str, Any],
    curves: Sequence[str],
) -> dict[str, str]:
    """Return the files that tell of an answerer, by name.

    ``model`` is the record of the chosen model, ``curves`` are the lines of the learning curves.
    """
    way = wanted.way(found.chosen)
    about = Subject(
        wanted.name,
        known.entries,
        way,
        wanted.protocol,
        _made(model, way),
        known.untested,
        tuple(curves),
    )
    return {
        SUMMARY: summary_text(found, about),
        TABLE: tried_csv(found.tried, found.certified),
        CARD: card_text(found, about, _facts(wanted, way), model),
    }


def _facts(wanted: AnswererSettings, way: Way) -> dict[str, Any]:
    """Return the settings that a card tells."""
    return {
        "bank": wanted.bank,
        "base": wanted.base,
        "method": way.method,
        "ranking": way.ranking.by,
        "compared with": way.ranking.match,
        "folds": wanted.folds,
        "seeds": ", ".join(map(str, wanted.seeds)),
        "wanted precision": wanted.precision,
        "longest text in tokens": wanted.max_length,
    }


def _made(model: dict[str, Any], way: Way) -> str:
    """Say how a model was made."""
    if way.model == START:
        return "the start model as it is"
    steps = model["training"]["step"]
    seed = model["settings"]["seed"]
    return f"{way.model}, trained on all entries for {steps} steps with seed {seed}"


class Curves(NamedTuple):
    """What the learning curves say, the digest of their file and their record, by path."""

    lines: tuple[str, ...] = ()
    digests: dict[str, str] = {}
    records: dict[str, Record] = {}


def read_curves(paths: Sequence[str]) -> Curves:
    """Read the learning curves of an answerer; there are none without a record."""
    if not paths:
        return Curves()
    [path] = paths
    record = checked(path, CURVE)
    file = Path(path).parent / CURVE
    digests = {str(file): record["outputs"][CURVE]}
    return Curves(tuple(curve_lines(read_curve(file))), digests, {path: record})
