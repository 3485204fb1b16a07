"""How often the verdicts on claims err, by simulation: the tables of docs/statistics.md.

Each line is a truth, and 2,000 made-up experiments of it for each number of seeds. The paper claims
.8 points, so that the margin is .4; the seeds' differences have the normal law. The second table is
of the other rules, at an sd of .3; the third of seeds that fail on one side alone.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from semblance.reporting import simulation, verdicts
from semblance.reporting.significance import Estimate, paired

RUNS = 2000
SIZE = 0.8
MARGIN = verdicts.margin_of(SIZE, 0.5)
SEEDS = (2, 3, 5, 7)
SPREADS = (0.001, 0.05, 0.3, 0.8)
MARKS = ("<!-- error rates -->", "<!-- end of error rates -->")
HEADER = (
    "| truth | sd of the seeds | n | reproduced | smaller | larger | far smaller | no difference | "
    "a little the other way | the other way | contradicted | undecided |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
)
COLUMNS: tuple[verdicts.Verdict, ...] = (
    "reproduced",
    "smaller than claimed",
    "larger than claimed",
    "far smaller than claimed",
    "no difference",
    "a little the other way",
    "the other way",
    "contradicted",
    "undecided",
)


class Truth(NamedTuple):
    """What is true of made-up experiments, in points: the difference, and what disturbs it.

    ``items``: the standard error that the test items cause; ``known``: whether the interval has it.
    ``failing``: the share of seeds, of ours and of the control's, that lose 2 points.
    """

    says: str
    difference: float
    spreads: tuple[float, ...] = SPREADS
    items: float = 0.0
    known: bool = True
    failing: float = 0.0


TRUTHS = (
    Truth("no difference", 0.0),
    Truth("a difference of .02", 0.02, (0.001,)),
    Truth("half of the size, which is the margin", MARGIN, (0.05, 0.3, 0.8)),
    Truth("the size", SIZE),
    Truth("twice the size", 2 * SIZE),
    Truth("the size, against the claim", -SIZE, (0.3,)),
    Truth("no difference, one seed in ten loses 2 points", 0.0, (0.05,), failing=0.1),
    Truth("no difference, items of error .3, in the interval", 0.0, (0.05,), 0.3),
    Truth("the same, with the items held fixed", 0.0, (0.05,), 0.3, known=False),
)


def experiments(truth: Truth, sd: float, n: int) -> Iterable[Estimate]:
    """Yield RUNS estimates of a truth."""
    rng = np.random.default_rng([n, round(1000 * sd), round(1000 * abs(truth.difference))])
    gaps = rng.normal(truth.difference, sd, (RUNS, n))
    gaps += truth.items * rng.normal(size=(RUNS, 1))  # other items move all seeds alike
    for side in (1, -1):
        gaps += 2.0 * side * (rng.random((RUNS, n)) < truth.failing)
    for seeds in gaps:
        yield replace(paired(seeds), more=truth.items if truth.known else 0.0)


def shares(truth: Truth, sd: float, n: int) -> dict[str, float]:
    """Return how often each verdict on a claim of SIZE points comes."""
    estimates = experiments(truth, sd, n)
    found = Counter(verdicts.of_difference(estimate, SIZE, MARGIN) for estimate in estimates)
    return {verdict: count / RUNS for verdict, count in found.items()}


def several(true: Sequence[float], holds: int, sd: float, n: int) -> Iterable[str]:
    """Yield RUNS verdicts on "ours is better than ``holds`` of these rivals", by true differences.

    Ours has the same scores in each comparison, so that any two of them correlate by one half.
    """
    rng = np.random.default_rng([n, len(true), holds])
    among = verdicts.Among(holds, len(true))
    scores = rng.normal(0, sd / math.sqrt(2), (RUNS, n, 1 + len(true)))
    gaps = scores[..., :1] - scores[..., 1:] + np.array(true)
    for one in np.moveaxis(gaps, 2, 1):
        found = [verdicts.of_difference(paired(seeds), None, MARGIN, among) for seeds in one]
        yield sorted(found, key=verdicts.FROM_WORST.index, reverse=True)[holds - 1]


def of_one(truth: float, decide: Callable[[Estimate, float], str]) -> Callable:
    """Return what yields RUNS verdicts of a rule on one true difference."""
    return lambda n: (decide(e, MARGIN) for e in experiments(Truth("", truth), OTHER_SPREAD, n))


def of_rivals(true: Sequence[float], holds: int) -> Callable:
    """Return what yields RUNS verdicts on a claim about several rivals."""
    return lambda n: several(true, holds, OTHER_SPREAD, n)


OTHER_SPREAD = 0.3
OTHER_RULES = (
    ("no difference, or a printed number; true 0", of_one(0.0, verdicts.of_no_difference)),
    ("… true: the margin", of_one(MARGIN, verdicts.of_no_difference)),
    ("… true: twice the margin", of_one(2 * MARGIN, verdicts.of_no_difference)),
    ("no gain; true 0", of_one(0.0, verdicts.of_no_gain)),
    ("… true: the margin", of_one(MARGIN, verdicts.of_no_gain)),
    ("a question of ours; true 0", of_one(0.0, verdicts.of_question)),
    ("… true: the margin", of_one(MARGIN, verdicts.of_question)),
    ("better than each of 7; true 0 of all", of_rivals([0.0] * 7, 7)),
    ("… true: 6 by twice the size, 0 of one", of_rivals([2 * SIZE] * 6 + [0.0], 7)),
    ("better in 6 of 7; true 0 in all", of_rivals([0.0] * 7, 6)),
    ("… true: twice the size in 5, 0 in two", of_rivals([2 * SIZE] * 5 + [0.0] * 2, 6)),
)
OTHER_HEADER = "| claim or question | n | verdicts |\n| --- | ---: | --- |"


def other_rules() -> str:
    """Return the table of the other rules as Markdown: each verdict that came, in percent."""
    lines = [OTHER_HEADER]
    for says, draw in OTHER_RULES:
        for n in (3, 5):
            counts = Counter(draw(n)).most_common()
            found = ", ".join(f"{verdict} {100 * count / RUNS:.1f}" for verdict, count in counts)
            lines.append(f"| {says} | {n} | {found} |")
    return "\n".join(lines)


FAILING_HEADER = (
    "| which seeds fail, and what judges | sd of the seeds | n | the row is better | worse | neither |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: |"
)


def failing_seeds() -> str:
    """Return the table of two methods, equal over all seeds, of one of which every tenth fails."""
    lines = [FAILING_HEADER]
    for sd in (0.05, 0.3):
        for n in (3, 5, 6, 7):
            rng = np.random.default_rng([n, round(1000 * sd)])
            for found in simulation.failing(rng.normal(0, sd, (RUNS, n)), MARGIN, rng):
                shares = (found.better, found.error - found.better, 1 - found.error)
                cells = [f"{100 * one:.1f}" for one in shares]
                lines.append(f"| {found.test} | {sd:g} | {n} | {' | '.join(cells)} |")
    return "\n".join(lines)


def table() -> str:
    """Return the whole table as Markdown, in percent; an empty place is a share of 0."""
    lines = [HEADER]
    for truth in TRUTHS:
        for sd in truth.spreads:
            for n in SEEDS:
                found = shares(truth, sd, n)
                cells = [f"{100 * found[v]:.1f}" if v in found else "" for v in COLUMNS]
                lines.append(f"| {truth.says} | {sd:g} | {n} | {' | '.join(cells)} |")
    return "\n".join(lines)


def fill(text: str) -> str:
    """Return a page with the tables between its marks, if it has them."""
    if MARKS[0] not in text:
        return text
    first, last = map(re.escape, MARKS)
    tables = "\n\n".join([table(), other_rules(), failing_seeds()])
    content = "\n".join([MARKS[0], tables, MARKS[1]])
    return re.sub(f"(?s){first}.*{last}", lambda _: content, text)
