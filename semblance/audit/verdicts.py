"""The verdicts on claims, judged once more by plain arithmetic from the cells of the tables.

Which rows stand for a claim, whether it can be asked, and which of several comparisons decides, is
judged again by semblance.reporting. Sizes, sums, errors, intervals and words are computed here.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import optimize, stats

from semblance.audit.cells import TOLERANCE, BySeed, Check
from semblance.reporting.claims import Term
from semblance.reporting.claims_page import claim_row
from semblance.reporting.judgement import Judgement
from semblance.reporting.layouts import find_layout
from semblance.reporting.published import Published
from semblance.reporting.table import BETWEEN, BY_MEAN, Row, Table

Line = Mapping[str, str]  # of claims.csv, by the names of its columns
TEXTS = ("says", "source", "why", "floor", "test")  # columns of which only the numbers count
NUMBER = re.compile(r"\d+(?:\.\d+)?")
OUTSIDE = 0.05  # of an interval
FEWEST_OF_SIGNS = 6  # seeds that an exact test of signs can decide by
FEWEST_TO_EQUAL = 3
LEAST_P = 1e-12
OPEN_BY_MEAN = "open by mean"


def check_verdicts(
    lines: Sequence[Line],
    judged: Sequence[Judgement],
    tables: Mapping[str, Table],
    published: Published,
    check: Check,
) -> None:
    """Compare each line with its judgement, and its figures and its words with those found here."""
    check(len(lines) == len(judged), f"has {len(lines)} verdicts, and not {len(judged)}")
    for line, found in zip(lines, judged, strict=False):
        wrong = list(_wrong(line, claim_row(found), TEXTS))
        if found.is_judged:
            case = _case(found, tables[found.claim.table], published)
            wrong += _wrong(line, case.figures())
        columns = ", ".join(dict.fromkeys(wrong))
        text = f"{found.name}, {found.base or 'no base'}: {columns} do not follow from the tables"
        check(not wrong, text)


def _wrong(line: Line, values: Mapping[str, object], texts: Sequence[str] = ()) -> Iterator[str]:
    """Yield the columns of a line that have other values; those that only one side has are none."""
    for name in values.keys() & line.keys():
        made = "" if values[name] is None else str(values[name])
        if name in texts:
            if NUMBER.findall(line[name]) != NUMBER.findall(made):
                yield name
        elif not is_equal(line[name], made):
            yield name


def is_equal(shown: str, made: str) -> bool:
    """Tell whether two texts are the same, or numbers that are but for their last digits."""
    try:
        return math.isclose(float(shown), float(made), rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    except ValueError:
        return shown == made


class _Sum(NamedTuple):
    """A weighted sum of rows.

    ``error``: over the seeds, with its degrees of freedom; None where no interval is known.
    ``items``: from the test items; 0 where it is not known. ``seeds``: of the shortest row.
    """

    value: float
    error: float | None
    freedom: float
    items: float
    seeds: float

    def reach(self, outside: float) -> float:
        """Return half of the interval that leaves so much outside."""
        of_seeds = stats.t.ppf(1 - outside / 2, self.freedom) * self.error
        return math.hypot(of_seeds, stats.norm.ppf(1 - outside / 2) * self.items)

    def ends(self, levels: tuple[float, float]) -> tuple[float, float]:
        """Return the end that shows the claim and the one that denies it, each at its own level."""
        to_show, to_deny = levels
        return self.value - self.reach(to_show), self.value + self.reach(to_deny)

    def p(self) -> float:
        """Return the p of the interval that ends at 0."""
        if self.reach(LEAST_P) <= abs(self.value):
            return 0.0
        return optimize.brentq(lambda p: self.reach(p) - abs(self.value), LEAST_P, 1)


Part = tuple[float, Row, BySeed]  # the weight of a row, the row, and its values by seed


def _sum(parts: Sequence[Part], column: str) -> _Sum:
    """Return the sum of rows: paired by seed where all trained ones have the same list of them."""
    constant = sum(w * np.mean([*known.values()]) for w, row, known in parts if row.is_untrained)
    trained = [(w, known) for w, row, known in parts if not row.is_untrained]
    items = _error_of_items(parts, column)
    if not trained:
        return _Sum(constant, None if items is None else 0.0, math.inf, items or 0.0, math.inf)
    samples = [(w, np.array([*known.values()])) for w, known in trained]
    if len({row.seeds for _, row, _ in parts if not row.is_untrained}) == 1:
        shared = set.intersection(*(set(known) for _, known in trained))
        samples = [(1.0, np.array([sum(w * known[s] for w, known in trained) for s in shared]))]
    value = constant + sum(w * sample.mean() for w, sample in samples)
    sizes = [len(sample) for _, sample in samples]
    if min(sizes) < 2 or max(np.std(sample, ddof=1) for _, sample in samples) <= TOLERANCE:
        return _Sum(value, None, math.inf, 0.0, min(sizes))
    spread = [w**2 * np.var(sample, ddof=1) / len(sample) for w, sample in samples]
    freedom = sum(spread) ** 2 / sum(v**2 / (n - 1) for v, n in zip(spread, sizes, strict=True))
    return _Sum(value, math.sqrt(sum(spread)), freedom, items or 0.0, min(sizes))


def _error_of_items(parts: Sequence[Part], column: str) -> float | None:
    """Return the standard error that the test items add to a sum; None where it is not known."""
    variance = 0.0
    for weight, row, _ in parts:
        for other_weight, other, _ in parts:
            covariance = row.covariance(other, column)
            if covariance is None:
                return None
            variance += weight * other_weight * covariance
    return math.sqrt(max(0.0, variance))


@dataclass(frozen=True)
class _Case:
    """The comparison that decided: the signed terms of a claim's sum in one column."""

    found: Judgement
    terms: dict[str, tuple[float, Term]]
    column: str
    size: float | None
    margin: float
    has_mean: bool

    def figures(self) -> dict[str, object]:
        """Return the figures and the words of a line by its columns."""
        claim, rows = self.found.claim, self.found.rows
        known = {name: rows[name].cells[self.column].known for name in self.terms}
        total = self.total(known, self.column)
        figures = {"difference": total.value, "margin": self.margin}
        if not claim.at_least:
            figures["size"] = self.size
        if self.has_mean:
            figures |= self.by_mean(total)
        if total.error is None:
            return figures | {"verdict": "open" if claim.is_question else "undecided"}
        if math.isfinite(total.freedom):
            low, high = total._replace(items=0.0).ends(self.levels)
            figures |= {"seeds_low": low, "seeds_high": high}
        is_far = self.found.far and total.seeds >= FEWEST_OF_SIGNS
        if is_far:  # the exact test decides
            reach = stats.t.ppf(1 - self.found.total.p_exact / 2, total.freedom)
            total = total._replace(error=abs(total.value) / reach if reach else math.inf)
        low, high = total.ends(self.levels)
        word = self.word(low, high, total.seeds >= FEWEST_TO_EQUAL)
        if self.found.far and not is_far:
            word = "open"
        if self.found.floor and self.found.stand_in:
            word = "below no training"
        if math.isinf(total.error):
            return figures | {"low": None, "high": None, "p": 1.0, "verdict": word}
        return figures | {"low": low, "high": high, "p": total.p(), "verdict": word}

    def total(self, values: Mapping[str, BySeed], column: str) -> _Sum:
        """Return the sum of some values of the rows; ``column``: what the test items cause there."""
        rows = self.found.rows
        return _sum([(w, rows[n], values[n]) for n, (w, _) in self.terms.items()], column)

    @property
    def levels(self) -> tuple[float, float]:
        """What the interval leaves outside on the side that shows the claim, and on the other."""
        claim = self.found.claim
        count = len(claim.rivals or "1") * len(claim.columns if claim.at_least else "1")
        holds = claim.at_least or count
        outside = OUTSIDE / (len(claim.readings) or 1)
        return outside / (count - holds + 1), outside / holds

    def word(self, low: float, high: float, is_enough: bool) -> str:
        """Return the verdict of an interval: the first whose condition holds."""
        claim, margin = self.found.claim, self.margin
        is_within = is_enough and -margin < low and high < margin
        size = None if claim.at_least else self.size
        ladders = {
            "none": [("reproduced", is_within), ("contradicted", low > margin or high < -margin)],
            "no gain": [("reproduced", high < margin), ("contradicted", low > margin)],
            "question": [("yes", low > 0), ("no", high < 0), ("equal", is_within)],
            "difference": [
                ("no difference", low <= 0 <= high and is_within),
                ("undecided", low <= 0 <= high),
                ("contradicted", high < -margin),
                ("a little the other way", high < 0 and is_within),
                ("the other way", high < 0),
                ("far smaller than claimed", is_within),
                ("smaller than claimed", size is not None and high < size),
                ("larger than claimed", size is not None and low > size + margin),
                ("reproduced", True),
            ],
        }
        last = "open" if claim.is_question else "undecided"
        return next((word for word, holds in ladders[claim.kind] if holds), last)

    def by_mean(self, total: _Sum) -> dict[str, object]:
        """Return the figures of the sum by the mean of subsets, and the word beside the verdict."""
        names = ("by_mean", "by_mean_low", "by_mean_high", "by_mean_word")
        means, beyond = {}, {}  # of each row: by the mean, and what the average is above that
        for name in self.terms:
            row = self.found.rows[name]
            known = row.cells[self.column].known
            means[name] = {seed: v for seed, v in row.by_mean.items() if seed in known}
            beyond[name] = {seed: known[seed] - v for seed, v in means[name].items()}
        if not all(means.values()):
            return dict.fromkeys(names)
        mean, between = self.total(means, BY_MEAN), self.total(beyond, BETWEEN)
        if mean.error is None or total.error is None:
            word = OPEN_BY_MEAN if total.error is not None else ""
            return dict(zip(names, (mean.value, None, None, word), strict=True))
        ends = mean.ends(self.levels)
        all_show, mean_shows = self.shown(*total.ends(self.levels)), self.shown(*ends)
        is_sum = self.found.claim.expects == "difference"
        is_same = mean_shows == all_show or mean_shows > all_show >= 0
        if is_sum and total.value < 0:
            is_same = mean_shows == all_show or mean_shows < 0
        word = "" if is_same else OPEN_BY_MEAN
        differs = between.error is not None and abs(between.value) > between.reach(OUTSIDE)
        if differs and (is_sum or not is_same):
            word = BETWEEN
        return dict(zip(names, (mean.value, *ends, word), strict=True))

    def shown(self, low: float, high: float) -> int:
        """Return what an interval shows: its side of 0, 2 where it reaches the size, 1 if it holds."""
        claim = self.found.claim
        if claim.expects == "difference":
            reaches = low > 0 and self.size is not None and high >= self.size
            return int(low > 0) + int(reaches) - int(high < 0)
        lowest = -self.margin if claim.expects == "none" else -math.inf
        return int(lowest < low and high < self.margin)


def _case(found: Judgement, table: Table, published: Published) -> _Case:
    """Return the comparison by which a claim was judged."""
    claim = found.claim
    rival, _, column = found.against.rpartition(" on ")
    if not claim.at_least:
        rival, column = column, found.column
    terms = {name: (term.weight, term) for name, term in claim.rows.items()}
    if rival:
        terms[rival] = (-claim.rivals[rival].weight, claim.rivals[rival])
    size, margin = None, claim.margin or table.margin
    if all(term.published for _, term in terms.values()):
        printed = claim.published_column or column
        size = sum(w * published.row(t.published)[printed].value for w, t in terms.values())
        if claim.expects == "difference" and not claim.at_least:
            margin = min(margin, size / 2)
    has_mean = column == found.column == find_layout(table.layout).average_column
    return _Case(found, terms, column, size, margin, has_mean)
