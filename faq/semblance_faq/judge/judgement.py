"""Which way to answer is chosen, how much better it is than the plain ones, and its threshold."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from semblance_faq.answer.folder import Threshold
from semblance_faq.judge.evidence import (
    FoldResult,
    Verdict,
    Ways,
    beats,
    choices_by_fold,
    choose,
    choose_by_fold,
    compare,
    joined,
)
from semblance_faq.judge.threshold import (
    Certified,
    Floor,
    Tried,
    certify,
    refused,
    tried_thresholds,
)


@dataclass(frozen=True)
class Against:
    """A verdict on another way, and that way's mean average precision."""

    verdict: Verdict
    score: float


@dataclass(frozen=True)
class Gain:
    """What training adds: the scores of the choice with and without it, and their difference."""

    with_training: float
    without: float
    verdict: Verdict


@dataclass(frozen=True)
class Judgement:
    """The way that is kept, and how good the choice is on questions that had no part in it.

    ``scores`` is the mean average precision of each way, by which it is chosen, and ``near`` are
    the ways within one standard error of the kept one. In each fold the questions of the other
    folds choose: in ``agreeing`` folds they choose the kept way. Of that nested choice are
    ``score``, its interval ``low`` to ``high``, and ``right``, the share of ``questions`` whose
    first answer is right. The questions are of so many ``clusters``, the units of the intervals.
    ``certified``, ``refusal`` (the share of questions refused when their entry is missing; None
    without one), ``floor`` and the thresholds ``tried`` are of the kept way.
    """

    chosen: str
    scores: dict[str, float]
    near: tuple[str, ...]
    agreeing: int
    folds: int
    questions: int
    clusters: int
    score: float
    low: float
    high: float
    against: dict[str, Against]
    training: Gain | None
    right: float
    stated: float
    certified: Certified | None
    refusal: float | None
    tried: tuple[Tried, ...]
    floor: Floor | None = None

    def threshold(self) -> Threshold | None:
        """Return the threshold as an answerer keeps it; None where none can be shown."""
        one = self.certified
        return one and Threshold(one.score, one.precision, one.answered)

    @property
    def is_better(self) -> bool:
        """Whether the choice was shown to be better than each plain way, and training to help."""
        verdicts = [each.verdict for each in self.against.values()]
        if self.training is not None:
            verdicts.append(self.training.verdict)
        return all(verdict.word == "better" for verdict in verdicts)


def judge(
    ways: Ways, plain: Collection[str], precision: float, untrained: Collection[str] = ()
) -> Judgement:
    """Choose a way, compare the choice with the ``plain`` ways, and find its threshold.

    ``ways`` have one result a fold, and the simplest comes first. Where some ways are trained, the
    choice among them is compared with the choice among the ``untrained`` ones.
    """
    chosen = choose(ways)
    ours = choose_by_fold(ways)
    tests = ways[chosen]
    confidence = joined(tests, "confidence")
    right = joined(tests, "right")
    certified = certify(confidence, right, precision)
    alone = compare(ours, [replace(fold, precision=np.zeros_like(fold.precision)) for fold in ours])
    others = {name: way for name, way in ways.items() if name != chosen}
    return Judgement(
        chosen=chosen,
        scores={name: _mean_of(way, "precision") for name, way in ways.items()},
        near=tuple(
            name for name, way in others.items() if not (beats(way, tests) or beats(tests, way))
        ),
        agreeing=choices_by_fold(ways).count(chosen),
        folds=len(tests),
        questions=len(joined(ours, "precision")),
        clusters=len(np.unique(joined(ours, "cluster"))),
        score=_mean_of(ours, "precision"),
        low=alone.low,
        high=alone.high,
        against={
            name: Against(compare(ours, others[name]), _mean_of(others[name], "precision"))
            for name in plain
            if name in others
        },
        training=_gain(ways, untrained),
        right=_mean_of(ours, "right"),
        stated=precision,
        certified=certified,
        refusal=_refusal(tests, certified),
        tried=tried_thresholds(confidence, right),
    )


def _gain(ways: Ways, untrained: Collection[str]) -> Gain | None:
    """Return what training adds, each choice nested; None where all ways or none are trained."""
    if not 0 < len(untrained) < len(ways):
        return None
    parts: list[dict] = [{}, {}]
    for name, way in ways.items():
        parts[name in untrained][name] = way
    trained, plain = map(choose_by_fold, parts)
    scores = (_mean_of(each, "precision") for each in (trained, plain))
    return Gain(*scores, compare(trained, plain))


def over_seeds(results: Sequence[FoldResult], folds: int) -> list[FoldResult]:
    """Return one result a fold: its precision is the mean over the seeds, the rest the first seed's.

    ``results`` are those of the first seed fold by fold, then of the next seed. So a question counts
    once, and the threshold is that of the first seed, whose model is kept.
    """
    means = []
    for fold in range(folds):
        of_fold = results[fold::folds]
        precision = np.mean([each.precision for each in of_fold], axis=0)
        means.append(replace(of_fold[0], precision=precision))
    return means


def _mean_of(results: Sequence[FoldResult], column: str) -> float:
    return float(joined(results, column).mean())


def _refusal(tests: Sequence[FoldResult], certified: Certified | None) -> float | None:
    """Return what a threshold refuses; None without a threshold or without a wrong answer."""
    without = joined(tests, "without")
    wrong = without[~np.isnan(without)]
    return refused(wrong, certified.score) if certified is not None and len(wrong) else None
