"""The confidence below which no answer is given, for a stated precision of the answers given.

Thresholds are found on questions that the model was not trained on. A threshold counts only if an
exact binomial test shows its precision, corrected by Bonferroni's method for the number of
thresholds tried ("Learn then test", Angelopoulos et al. 2021): the precision of the answers given
is at least the stated one with probability ``1 - risk``, for questions like these.
"""

import math
import re
from dataclasses import dataclass

import numpy as np
from scipy import stats

COST = 0.02  # of the right answers, that a floor may refuse
TRIED = 10  # thresholds: those that answer 10 %, 20 %, ... of the questions
RISK = 0.1  # that the precision is lower than stated
MOST_ANSWERED = 10_000  # questions that anyone would collect for a threshold


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


def certify(confidence: np.ndarray, right: np.ndarray, precision: float) -> Certified | None:
    """Return the lowest threshold whose precision is shown to be at least ``precision``, or None.

    ``confidence`` (n,) is that of the best answer to each question, ``right`` (n,) tells whether
    this answer is right. With None no threshold can be shown to be good enough: there are too few
    questions, or too few right answers.
    """
    questions = len(confidence)
    for tried in tried_thresholds(confidence, right):
        answered = round(tried.answered * questions)
        good = round(tried.precision * answered)
        if tried.low >= precision:
            return Certified(
                score=tried.score,
                stated=precision,
                risk=RISK,
                questions=questions,
                precision=tried.precision,
                precision_interval=share_interval(good, answered),
                answered=tried.answered,
                answered_interval=share_interval(answered, questions),
            )
    return None


def tried_thresholds(confidence: np.ndarray, right: np.ndarray) -> tuple[Tried, ...]:
    """Return the thresholds that answer 100 %, 90 %, ... of the questions, the lowest first."""
    confidence = np.asarray(confidence, np.float64)
    right = np.asarray(right, bool)
    highest_first = np.sort(confidence)[::-1]
    thresholds = []
    for part in range(TRIED, 0, -1) if len(confidence) else ():
        threshold = float(highest_first[-(-len(highest_first) * part // TRIED) - 1])  # rounded up
        given = right[confidence >= threshold]
        good, answered = int(given.sum()), len(given)
        # The one-sided bound of Clopper and Pearson.
        low = float(stats.beta.ppf(RISK / TRIED, good, answered - good + 1)) if good else 0.0
        thresholds.append(Tried(threshold, answered / len(confidence), good / answered, low))
    return tuple(thresholds)


def share_interval(count: int, total: int, risk: float = RISK) -> tuple[float, float]:
    """Return the exact interval of a share (Clopper and Pearson); ``risk``: that it lies outside."""
    interval = stats.binomtest(count, total).proportion_ci(1 - risk, method="exact")
    return float(interval.low), float(interval.high)


@dataclass(frozen=True)
class Floor:
    """The score below which nothing is answered. It promises nothing of the answers above it.

    The shares are those of what it refuses: of the first answers that are right, of the questions
    ``without_entry`` (their own is taken away; None where no other answer is left), and of the
    questions from ``other_fields``.
    """

    score: float
    right: float
    without_entry: float | None
    other_fields: float


def find_floor(
    confidence: np.ndarray,
    right: np.ndarray,
    without: np.ndarray,
    other_fields: np.ndarray,
    highest: float = math.inf,
) -> Floor:
    """Return the floor just above the questions from other fields, as far as right answers allow.

    Arguments are scores of first answers, (n,) on held-out questions and (m,) of the questions from
    other fields; ``right`` and ``without`` are those of ``FoldResult``. At most ``COST`` of the
    right answers are refused. ``highest`` is that of the floor: a threshold, whose certificate counts
    all answers above it.
    """
    good = np.sort(confidence[np.asarray(right, bool)])
    score = min(highest, float(np.nextafter(np.max(other_fields), np.inf)))
    if len(good):
        score = min(score, float(good[int(COST * len(good))]))
    without = without[~np.isnan(without)]
    return Floor(
        score=score,
        right=refused(good, score) if len(good) else 0.0,
        without_entry=refused(without, score) if len(without) else None,
        other_fields=refused(other_fields, score),
    )


def refused(scores: np.ndarray, threshold: float) -> float:
    """Return the share of scores (n,) that lie below a threshold."""
    return float((np.asarray(scores, np.float64) < threshold).mean())


def fewest_questions(precision: float) -> int:
    """Return how many questions, all answered rightly, can show a precision."""
    return math.ceil(math.log(RISK / TRIED) / math.log(precision))


def questions_like(tried: Tried, precision: float) -> float:
    """Return how many questions, answered as those of a threshold are, show a precision; inf for none.

    Of its answers the share of right ones, and of the questions the share of answers, stay the same.
    """
    answered = np.arange(1, MOST_ANSWERED)
    wrong = np.ceil(answered * (1 - tried.precision) - 1e-9)  # 5.000000001 is five wrong answers
    enough = answered[stats.binom.cdf(wrong, answered, 1 - precision) <= RISK / TRIED]
    if tried.precision <= precision or not len(enough):
        return math.inf
    return math.ceil(enough[0] / tried.answered)


def can_show(questions: int) -> float:
    """Return the highest precision that so many questions can show: where each answer is right."""
    return (RISK / TRIED) ** (1 / questions)


# Few FAQs have an entry for any of these. Those that have one answer it, and the floor is a little too
# high for them: it is no promise.
FOREIGN = """
How long do I boil an egg? Who painted the ceiling of the Sistine Chapel? Why is the sky blue? How
do bees make honey? How many players are in a rugby team? How do I change a flat tyre? What does a
catalytic converter do? How far away is the moon? What is the difference between weather and
climate? Can dogs eat chocolate? Why do leaves turn red in autumn? How do I tune a guitar? Who
wrote War and Peace? How do I prove that there are infinitely many primes? What causes a solar
eclipse? How deep is the Pacific Ocean? How can I sleep better at night? How much water should I
drink each day? How do vaccines work? How do I remove a wine stain from a carpet? Which wood is
best for a garden table? How do I apply for a passport? What is inflation? Do I have to pay tax on
a gift? How do I say thank you in Japanese? How do I get from the airport to the city centre? What
is the check-in time of the hotel? How do I reset my password? Why is my internet connection so
slow? How do I back up my phone? How do I sort a list in Python? Who won the last football world
cup? How does an aeroplane stay in the air? What is the meaning of life? asdf qwerty zxcv
"""
OTHER_FIELDS = tuple(re.split(r"(?<=\?)\s", " ".join(FOREIGN.split())))
