"""The confidence below which no answer is given, for a stated precision of the answers given.

Thresholds are found on questions that the model was not trained on. A threshold counts only if an
exact binomial test shows its precision, corrected by Bonferroni's method for the number of
thresholds tried ("Learn then test", Angelopoulos et al. 2021): the precision of the answers given
is at least the stated one with probability ``1 - risk``, for questions like these.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from scipy import stats

TRIED = 10  # thresholds: those that answer 10 %, 20 %, ... of the questions
RISK = 0.1  # that the precision is lower than stated


@dataclass(frozen=True)
class Tried:
    """A threshold that was tried: the share ``answered``, and their ``precision``.

    ``low`` is the exact bound of the test: the precision is at least so high, with the probability
    that a threshold needs to count. One whose bound reaches the stated precision counts.
    """

    score: float
    answered: float
    precision: float
    low: float


@dataclass(frozen=True)
class Certified:
    """A threshold, what it answers, and how sure that is.

    ``precision`` is the share of right answers among those given, ``answered`` the share of the
    questions that get one. Each has its exact interval of confidence (Clopper and Pearson).
    """

    score: float
    stated: float
    risk: float
    questions: int
    precision: float
    precision_interval: tuple[float, float]
    answered: float
    answered_interval: tuple[float, float]


def certify(
    confidence: np.ndarray, right: np.ndarray, precision: float, risk: float = RISK
) -> Certified | None:
    """Return the lowest threshold whose precision is shown to be at least ``precision``, or None.

    ``confidence`` (n,) is that of the best answer to each question, ``right`` (n,) tells whether
    this answer is right. With None no threshold can be shown to be good enough: there are too few
    questions, or too few right answers.
    """
    questions = len(confidence)
    for threshold, answered, good in _counts(confidence, right):
        if stats.binom.cdf(answered - good, answered, 1 - precision) > risk / TRIED:
            continue
        return Certified(
            score=threshold,
            stated=precision,
            risk=risk,
            questions=questions,
            precision=good / answered,
            precision_interval=_interval(good, answered, risk),
            answered=answered / questions,
            answered_interval=_interval(answered, questions, risk),
        )
    return None


def tried_thresholds(
    confidence: np.ndarray, right: np.ndarray, risk: float = RISK
) -> tuple[Tried, ...]:
    """Return the thresholds that ``certify`` tries, the lowest first."""
    found = []
    for threshold, answered, good in _counts(confidence, right):
        low = 0.0
        if good:  # the one-sided bound of Clopper and Pearson
            low = float(stats.beta.ppf(risk / TRIED, good, answered - good + 1))
        found.append(Tried(threshold, answered / len(confidence), good / answered, low))
    return tuple(found)


def _counts(confidence: np.ndarray, right: np.ndarray) -> Iterator[tuple[float, int, int]]:
    """Yield the thresholds that answer 100 %, 90 %, ... of the questions.

    With each come the number of questions that it answers, and of those answered rightly.
    """
    confidence = np.asarray(confidence, np.float64)
    right = np.asarray(right, bool)
    highest_first = np.sort(confidence)[::-1]
    for part in range(TRIED, 0, -1):
        count = -(-len(highest_first) * part // TRIED)  # rounded up
        if count:
            threshold = float(highest_first[count - 1])
            given = confidence >= threshold
            yield threshold, int(given.sum()), int(right[given].sum())


def _interval(count: int, total: int, risk: float) -> tuple[float, float]:
    found = stats.binomtest(count, total).proportion_ci(1 - risk, method="exact")
    return float(found.low), float(found.high)


def tried_csv(tried: Sequence[Tried], chosen: Certified | None) -> str:
    """Return the thresholds as CSV, numbers unrounded; ``chosen`` is yes in the line of one."""
    text = io.StringIO()
    names = ["score", "answered", "precision", "low", "chosen"]
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    for point in tried:
        is_chosen = chosen is not None and point.score == chosen.score
        writer.writerow(asdict(point) | {"chosen": ("no", "yes")[is_chosen]})
    return text.getvalue()


def refused(without: np.ndarray, threshold: float) -> float:
    """Return the share of questions refused when their entry is missing from the FAQ.

    ``without`` (n,) is the confidence of the best answer that is not right: of what would be
    answered if the right one were not there.
    """
    return float((np.asarray(without, np.float64) < threshold).mean())
