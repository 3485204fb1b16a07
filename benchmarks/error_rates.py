"""How often the verdicts on claims, `semblance compare` and `semblance try` err, by simulation.

python -m benchmarks.error_rates          (writes its tables into docs, in ten minutes)

A line of a table is a truth and RUNS made-up experiments of it. The paper claims .8 points, so that
the margin is .4; the seeds' differences have the normal law. What judges them is the code of runs.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from benchmarks import many_tries
from semblance.files import write_text
from semblance.provenance import ROOT
from semblance.reporting import compared
from semblance.reporting.score_files import ScoreSet
from semblance.statistics import verdicts
from semblance.statistics.significance import Estimate, p_sign_flips, paired

PAGE = ROOT / "docs/statistics.md"
GAIN_PAGE = ROOT / "docs/is-it-a-gain.md"
RUNS = 2000
SIZE = 0.8
MARGIN = verdicts.margin_of(SIZE, 0.5)
SEEDS, SPREADS = (2, 3, 5, 7), (0.05, 0.3, 0.8)
OTHER_SPREAD = 0.3  # of the seeds, in the table of the other rules
LOSS, FAILING = 2.0, 0.1  # points that a failing seed loses; the share of the seeds that fail
ITEMS, COMPARED_MARGIN = 200, 0.5  # of the sets that `compare` gets
VERDICTS = (  # on a claimed difference
    *("reproduced", "larger than claimed", "smaller than claimed", "far smaller than claimed"),
    *("no difference", "a little the other way", "the other way", "contradicted", "undecided"),
)


class Truth(NamedTuple):
    """What is true of made-up experiments, in points."""

    says: str
    difference: float
    spreads: tuple[float, ...] = SPREADS
    items: float = 0.0  # the standard error that the test items cause
    known: bool = True  # to the interval
    failing: float = 0.0  # share of the seeds, of ours and of the control's, that lose LOSS points


TRUTHS = (
    Truth("no difference", 0.0),
    Truth("a difference of .02", 0.02, (0.001,)),
    Truth("half of the size, which is the margin", MARGIN),
    Truth("the size", SIZE),
    Truth("twice the size", 2 * SIZE),
    Truth("the size, against the claim", -SIZE, (0.3,)),
    Truth("no difference, one seed in ten loses 2 points", 0.0, (0.05,), failing=FAILING),
    Truth("no difference, items of error .3, in the interval", 0.0, (0.05,), 0.3),
    Truth("the same, with the items held fixed", 0.0, (0.05,), 0.3, known=False),
)


def experiments(truth: Truth, sd: float, n: int) -> Iterator[Estimate]:
    """Yield RUNS estimates of a truth."""
    rng = np.random.default_rng([n, round(1000 * sd), round(1000 * abs(truth.difference))])
    gaps = rng.normal(truth.difference, sd, (RUNS, n))
    gaps += truth.items * rng.normal(size=(RUNS, 1))  # other items move all seeds alike
    for side in (1, -1):
        gaps += LOSS * side * (rng.random((RUNS, n)) < truth.failing)
    for seeds in gaps:
        yield replace(paired(seeds), more=truth.items if truth.known else 0.0)


def of_claims() -> Iterator[list[str]]:
    """Yield the lines on a claimed difference; an empty place is a share of 0."""
    yield ["truth", "sd of the seeds", "n", *(v.removesuffix(" than claimed") for v in VERDICTS)]
    for truth in TRUTHS:
        for sd, n in itertools.product(truth.spreads, SEEDS):
            estimates = experiments(truth, sd, n)
            counts = Counter(verdicts.of_difference(each, SIZE, MARGIN) for each in estimates)
            cells = (percent(counts[v]) if counts[v] else "" for v in VERDICTS)
            yield [truth.says, f"{sd:g}", str(n), *cells]


def percent(count: int) -> str:
    return f"{100 * count / RUNS:.1f}"


def of_one(decide: Callable[[Estimate, float], str], truth: float, n: int) -> Iterator[str]:
    """Yield RUNS verdicts of a rule on one true difference."""
    return (decide(each, MARGIN) for each in experiments(Truth("", truth), OTHER_SPREAD, n))


def of_rivals(holds: int, true: Sequence[float], n: int) -> Iterator[str]:
    """Yield RUNS verdicts on "better than ``holds`` of these rivals", by true differences.

    Ours has the same scores in each comparison, so that any two of them correlate by one half.
    """
    rng = np.random.default_rng([n, len(true), holds])
    among = verdicts.Among(holds, len(true))
    scores = rng.normal(0, OTHER_SPREAD / math.sqrt(2), (RUNS, n, 1 + len(true)))
    gaps = scores[..., :1] - scores[..., 1:] + np.array(true)
    for one in np.moveaxis(gaps, 2, 1):
        each = [verdicts.of_difference(paired(seeds), None, MARGIN, among) for seeds in one]
        yield sorted(each, key=verdicts.FROM_WORST.index, reverse=True)[holds - 1]


OTHER_RULES = (
    ("no difference, or a printed number; true 0", of_one, verdicts.of_no_difference, 0.0),
    ("… true: the margin", of_one, verdicts.of_no_difference, MARGIN),
    ("… true: twice the margin", of_one, verdicts.of_no_difference, 2 * MARGIN),
    ("no gain; true 0", of_one, verdicts.of_no_gain, 0.0),
    ("… true: the margin", of_one, verdicts.of_no_gain, MARGIN),
    ("a question of ours; true 0", of_one, verdicts.of_question, 0.0),
    ("… true: the margin", of_one, verdicts.of_question, MARGIN),
    ("better than each of 7; true 0 of all", of_rivals, 7, [0.0] * 7),
    ("… true: 6 by twice the size, 0 of one", of_rivals, 7, [2 * SIZE] * 6 + [0.0]),
    ("better in 6 of 7; true 0 in all", of_rivals, 6, [0.0] * 7),
    ("… true: twice the size in 5, 0 in two", of_rivals, 6, [2 * SIZE] * 5 + [0.0] * 2),
)


def of_other_rules() -> Iterator[list[str]]:
    """Yield the lines on the other rules: each verdict that came."""
    yield ["claim or question", "n", "verdicts"]
    for (says, draw, rule, truth), n in itertools.product(OTHER_RULES, (3, 5)):
        counts = Counter(draw(rule, truth, n)).most_common()
        yield [says, str(n), ", ".join(f"{verdict} {percent(count)}" for verdict, count in counts)]


def is_better(seeds: np.ndarray, careful: bool) -> str:
    """Answer "is the row better?"; a run is ``careful``: it does not trust t where a seed is far."""
    estimate = paired(seeds)
    if careful and verdicts.far_seeds(dict(enumerate(seeds)), MARGIN):
        estimate = verdicts.by_exact_test(estimate, len(seeds), float(p_sign_flips(seeds)))
    return verdicts.OPEN if estimate is None else verdicts.of_question(estimate, MARGIN)


def of_failing_seeds() -> Iterator[list[str]]:
    """Yield the lines on two methods of which every tenth seed of one fails.

    What the failing ones lose, the others gain: over all seeds the two methods are equal.
    """
    heads = ("the row is better", "worse", "neither")
    yield ["which seeds fail, and what judges", "sd of the seeds", "n", *heads]
    for sd, n in itertools.product((0.05, 0.3), (3, 5, 6, 7)):
        rng = np.random.default_rng([n, round(1000 * sd)])
        gaps = rng.normal(0, sd, (RUNS, n))
        for side, sign in (("row", -1), ("control", 1)):
            lost = gaps + sign * LOSS * ((rng.random(gaps.shape) < FAILING) - FAILING)
            for judge, careful in (("paired t", False), ("verdict", True)):
                counts = Counter(is_better(seeds, careful) for seeds in lost)
                shown = (counts["yes"], counts["no"], counts["equal"] + counts[verdicts.OPEN])
                cells = [f"seeds of the {side} fail: {judge}", f"{sd:g}", str(n)]
                yield [*cells, *map(percent, shown)]


def compare(rng: np.random.Generator, seeds: int, sd: float, gap: float) -> compared.Difference:
    """Return what `semblance compare` says of two sets that differ by ``gap``.

    They share each item's score and add errors of sd 1; a seed moves all items of its set.
    """
    items = 9 + rng.normal(size=ITEMS)
    sets = []
    for name, shift in (("a", gap), ("b", 0.0)):
        own = items + shift + rng.normal(size=ITEMS)
        scores = own + rng.normal(scale=sd, size=(seeds, 1))
        cells = {(f"{k}", "", f"{i}"): value for (k, i), value in np.ndenumerate(scores)}
        sets.append(ScoreSet(name, name, cells))
    (difference,) = compared.compare(sets, COMPARED_MARGIN, draws=500)
    return difference


def of_compare() -> Iterator[list[str]]:
    """Yield the lines on two equal sets, and on two that differ by the margin."""
    heads = ("of two equal sets: an interval without 0", "of two that differ by the margin: equal")
    yield ["seeds", "sd of the seeds", *heads]
    for seeds, sd in ((1, 0.0), (3, 0.02), (3, 0.2), (5, 0.02), (5, 0.2)):
        rng = np.random.default_rng([seeds, round(1000 * sd)])
        alike = [compare(rng, seeds, sd, 0.0) for _ in range(RUNS)]
        differs = sum(one.low > 0 or one.high < 0 for one in alike)
        apart = (compare(rng, seeds, sd, COMPARED_MARGIN).verdict for _ in range(RUNS))
        equal = sum(verdict == "no difference" for verdict in apart)
        yield [str(seeds), f"{sd:g}", percent(differs), percent(equal)]


BLOCKS = {
    "claims": (of_claims, of_other_rules, of_failing_seeds),
    "compare": (of_compare,),
    "tries": (
        many_tries.of_spreads,
        many_tries.of_equal_losses,
        many_tries.of_better_loss,
        many_tries.of_unlike_spreads,
    ),
    "rules": (many_tries.of_keep_rules,),
    "queries": (many_tries.of_queries,),
}


def fill(text: str, name: str) -> str:
    """Return a page with the tables of a block between its marks."""
    first, last = f"<!-- error rates: {name} -->", f"<!-- end of {name} -->"
    before, rest = text.split(first)
    tables = [first]
    for head, *rows in (table() for table in BLOCKS[name]):
        sides = ["---" if cell[:1].isalpha() else "---:" for cell in rows[0]]
        lines = (head, sides, *rows)
        tables.append("".join(f"| {' | '.join(line)} |\n" for line in lines))
    return before + "\n".join(tables) + last + rest.split(last)[1]


if __name__ == "__main__":
    for place in (PAGE, GAIN_PAGE):
        page = place.read_text(encoding="utf-8")
        for block in BLOCKS:
            page = fill(page, block) if f"<!-- end of {block} -->" in page else page
        write_text(place, page)
