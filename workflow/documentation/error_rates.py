"""How often the verdicts on claims err, by simulation: the table of docs/statistics.md.

Each line is a truth, and 2,000 made-up experiments of it for each number of seeds. The paper claims
.8 points, so that the margin is .4; the seeds' differences have the normal law.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from semblance.reporting import verdicts
from semblance.reporting.significance import Estimate, paired

RUNS = 2000
SIZE = 0.8
MARGIN = verdicts.margin_of(SIZE, 0.5)
SEEDS = (2, 3, 5, 7)
SPREADS = (0.001, 0.05, 0.3, 0.8)
MARKS = ("<!-- error rates -->", "<!-- end of error rates -->")
HEADER = (
    "| truth | sd of the seeds | n | reproduced | smaller | larger | none within | contradicted | "
    "undecided |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
)
COLUMNS: tuple[verdicts.Verdict, ...] = (
    "reproduced",
    "smaller than claimed",
    "larger than claimed",
    "none within the margin",
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


def shares(truth: Truth, sd: float, n: int, decide: Callable[[Estimate], str]) -> dict[str, float]:
    """Return how often each verdict comes."""
    found = [decide(estimate) for estimate in experiments(truth, sd, n)]
    return {verdict: found.count(verdict) / RUNS for verdict in dict.fromkeys(found)}


def of_difference(found: Estimate) -> str:
    """Return the verdict on a claim of SIZE points."""
    return verdicts.of_difference(found, SIZE, MARGIN)


def table() -> str:
    """Return the whole table as Markdown, in percent; an empty place is a share of 0."""
    lines = [HEADER]
    for truth in TRUTHS:
        for sd in truth.spreads:
            for n in SEEDS:
                found = shares(truth, sd, n, of_difference)
                cells = [f"{100 * found[v]:.1f}" if v in found else "" for v in COLUMNS]
                lines.append(f"| {truth.says} | {sd:g} | {n} | {' | '.join(cells)} |")
    return "\n".join(lines)


def fill(text: str) -> str:
    """Return a page with the table between its marks."""
    first, last = map(re.escape, MARKS)
    return re.sub(f"(?s){first}.*{last}", lambda _: f"{MARKS[0]}\n{table()}\n{MARKS[1]}", text)
