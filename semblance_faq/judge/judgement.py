"""Which way to answer is chosen, how much better it is than the plain ones, and its threshold."""

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from semblance_faq.answer.folder import Threshold
from semblance_faq.judge.evidence import (
    FoldResult,
    Verdict,
    Ways,
    choose,
    choose_by_fold,
    compare,
    joined,
)
from semblance_faq.judge.threshold import (
    Certified,
    Tried,
    certify,
    refused,
    tried_thresholds,
)

# The choice among the ways without a training. No method has a blank in its name.
UNTRAINED = "no training"


@dataclass(frozen=True)
class Against:
    """A verdict on another way, and that way's mean average precision."""

    verdict: Verdict
    score: float


@dataclass(frozen=True)
class Refusal:
    """The share of questions refused when their entry is missing.

    It is measured on ``questions``. ``left_out`` questions have no wrong answer in the whole bank.
    """

    share: float
    questions: int
    left_out: int


@dataclass(frozen=True)
class Judgement:
    """The way that is chosen, and what the questions say that it had no part in.

    ``dev`` is the mean dev score of each way. ``score`` is the mean average precision of the nested
    choice, in which each fold's own dev questions choose, ``low`` to ``high`` its interval. The
    ``questions`` are of so many ``clusters``, the units of the intervals.
    ``right`` is the share of questions whose best answer is right, of the chosen way; so are
    ``certified``, ``refusal`` and the thresholds ``tried``.
    """

    chosen: str
    dev: dict[str, float]
    questions: int
    clusters: int
    score: float
    low: float
    high: float
    against: dict[str, Against]
    right: float
    stated: float
    certified: Certified | None
    refusal: Refusal | None
    tried: tuple[Tried, ...]

    def threshold(self) -> Threshold | None:
        """Return the threshold as an answerer keeps it; None where none can be shown."""
        if self.certified is None:
            return None
        facts = json.loads(json.dumps(asdict(self.certified)))  # intervals as lists
        if self.refusal is not None:
            facts["refused_without_entry"] = asdict(self.refusal)
        return Threshold.from_json(facts)


def judge(
    ways: Ways,
    folds: int,
    plain: Collection[str],
    precision: float,
    untrained: Collection[str] = (),
) -> Judgement:
    """Choose a way, compare the choice with the ``plain`` ways, and find its threshold.

    Where some ways are trained, the choice is also compared with the choice among the
    ``untrained`` ones, which the dev questions make in the same way: what does training add?
    Each way has the results of its first seed on so many ``folds``, then those of its next seed.
    A question counts once: its average precision is the mean over the seeds, and the threshold is
    that of the first seed, whose model is kept.
    """
    chosen = choose(ways)
    ours = over_seeds(choose_by_fold(ways), folds)
    tests = ways[chosen][:folds]
    confidence = joined(tests, "confidence")
    right = joined(tests, "right")
    certified = certify(confidence, right, precision)
    others = {name: over_seeds(ways[name], folds) for name in plain}
    if 0 < len(untrained) < len(ways):
        others[UNTRAINED] = over_seeds(choose_by_fold({n: ways[n] for n in untrained}), folds)
    alone = compare(ours, [replace(fold, precision=np.zeros_like(fold.precision)) for fold in ours])
    return Judgement(
        chosen=chosen,
        dev={name: float(np.mean([each.dev for each in way])) for name, way in ways.items()},
        questions=len(joined(ours, "precision")),
        clusters=len(np.unique(joined(ours, "cluster"))),
        score=_mean_of(ours, "precision"),
        low=alone.low,
        high=alone.high,
        against={name: _against(ours, theirs) for name, theirs in others.items()},
        right=_mean_of(tests, "right"),
        stated=precision,
        certified=certified,
        refusal=_refusal(tests, certified),
        tried=tried_thresholds(confidence, right),
    )


def over_seeds(results: Sequence[FoldResult], folds: int) -> list[FoldResult]:
    """Return one result a fold: its precision is the mean over the seeds, the rest the first seed's."""
    found = []
    for fold in range(folds):
        of_fold = results[fold::folds]
        precision = np.mean([each.precision for each in of_fold], axis=0)
        found.append(replace(of_fold[0], precision=precision))
    return found


def _against(ours: Sequence[FoldResult], theirs: Sequence[FoldResult]) -> Against:
    return Against(compare(ours, theirs), _mean_of(theirs, "precision"))


def _mean_of(results: Sequence[FoldResult], column: str) -> float:
    return float(joined(results, column).mean())


def _refusal(tests: Sequence[FoldResult], certified: Certified | None) -> Refusal | None:
    """Return what a threshold refuses; None without a threshold or without a wrong answer."""
    if certified is None:
        return None
    without = joined(tests, "without")
    known = without[~np.isnan(without)]
    if len(known) == 0:
        return None
    return Refusal(refused(known, certified.score), len(known), len(without) - len(known))
