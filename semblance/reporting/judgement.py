"""A verdict on a claim, with what stands behind it, and how it is said."""

import math
from dataclasses import dataclass, field

from semblance.counts import interval, signed
from semblance.reporting.claim_rows import Rows
from semblance.reporting.claims import Claim
from semblance.reporting.contrasts import SeedContrast
from semblance.reporting.grids import NAMES
from semblance.reporting.table import Row
from semblance.statistics import verdicts


@dataclass(frozen=True)
class ByMean:
    """The sum by the mean of subsets, with its interval if it has one.

    ``word``: what must stand beside the verdict: ``BETWEEN`` where the difference of all pairs and
    mean has an interval without 0, though a claim of no difference may hold by both; else
    ``OPEN_BY_MEAN`` where the mean does not show the same.
    """

    difference: float
    low: float | None = None
    high: float | None = None
    word: str = ""


@dataclass(frozen=True)
class Judgement:
    """A claim on one base and corpus of a table; points, unrounded; None where there is no figure.

    ``rows``: those that stand for it. ``size``: the paper's. ``total``: our sum of the rows.
    ``low`` to ``p``: its 95 % interval over seeds and test items; without the predictions, over the
    seeds. ``against``: of several comparisons, the one that decides; ``among``: how many there are,
    for which the ends of its interval are corrected. ``by_mean``: the same sum by the mean of
    subsets, of a claim on an STS average. ``seeds_needed``: only of undecided ones. ``why``: why
    there is no verdict or no interval. ``reading``: of a claim that is judged under several;
    ``p_holm`` is corrected for their number. ``floor``: the row without a training that lies above
    all trained rows, in words.
    """

    name: str
    claim: Claim
    column: str
    size: float | None
    verdict: str = verdicts.NOT_RUN
    why: str = ""
    reading: str = ""
    rows: Rows = field(default_factory=dict)
    stand_in: bool = False
    against: str = ""
    among: verdicts.Among = verdicts.ALONE
    margin: float | None = None
    total: SeedContrast | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    seeds_needed: str = ""
    floor: str = ""
    by_mean: ByMean | None = None

    @property
    def trained(self) -> list[Row]:
        """The rows that have a training; all of them where none has."""
        rows = list(self.rows.values())
        return [row for row in rows if not row.is_untrained] or rows

    @property
    def base(self) -> str:
        """The base of its rows; empty without rows."""
        return self.trained[0].base if self.rows else ""

    @property
    def corpus(self) -> str:
        """The corpora of its rows."""
        return " ".join(dict.fromkeys(row.corpus for row in self.trained))

    @property
    def protocol(self) -> str:
        """The protocol of its rows; empty without rows."""
        return self.trained[0].protocol if self.rows else ""

    @property
    def n(self) -> int:
        """The number of seeds that all rows have; without a sum, those of the shortest row."""
        if self.total is None and self.verdict == verdicts.NOT_RUN:
            return 0
        shared = len(self.total.by_seed) if self.total else 0
        return shared or min((len(row.seeds) for row in self.trained), default=0)

    @property
    def difference(self) -> float | None:
        """Our sum."""
        return self.total.value if self.total else None

    @property
    def far(self) -> tuple[str, ...]:
        """The seeds that lie far from the others."""
        return verdicts.far_seeds(self.total.by_seed, self.margin) if self.total else ()

    @property
    def sd(self) -> float | None:
        """The standard deviation of the seeds' sums; None without an interval over the seeds."""
        estimate = self.total and self.total.estimate
        return estimate and float(estimate.error) * math.sqrt(self.n)

    @property
    def is_judged(self) -> bool:
        """Whether it has a verdict: it can be asked here, and no table or value is missing."""
        return self.verdict not in (verdicts.CANNOT, verdicts.NOT_RUN)

    @property
    def says(self) -> str:
        """What is claimed, of the base that ran, and of which column where several are judged."""
        base, corpus = self.base, self.corpus
        if not self.is_judged:
            base, corpus = self.claim.base, ""
        text = self.claim.says.format(base=base or "its base", corpus=corpus or "its corpus")
        if self.reading:
            text += f", {self.reading} form"
        if len(self.claim.columns) > 1 and not self.claim.at_least:
            text += f" ({NAMES.get(self.column, self.column)})"
        return text

    @property
    def digits(self) -> int:
        """The digits to print: two, or so many that no end of the interval seems to be 0."""
        if self.low is None or self.high is None:
            return 2
        nearest = min(abs(self.low), abs(self.high))
        if nearest == 0:
            return 2
        return next((digits for digits in (2, 3) if round(nearest, digits) > 0), 4)

    @property
    def interval(self) -> str:
        """The interval as it is printed; empty where there is none."""
        return interval(self.low, self.high, self.digits)

    @property
    def word(self) -> str:
        """What must stand behind the verdict where the mean of subsets does not show the same."""
        return f", {self.by_mean.word}" if self.by_mean and self.by_mean.word else ""

    @property
    def family(self) -> verdicts.Family:
        """The family of its verdict; a gain that the mean of subsets does not show is partly one."""
        family = verdicts.FAMILIES[self.verdict]
        return "partly" if family == "reproduced" and self.word else family

    @property
    def others_say(self) -> str:
        """Its verdict in the words of others, and whether it is on the paper's own data and models."""
        word = verdicts.OTHERS_SAY[self.family]
        if not self.stand_in:
            return f"{word}, exact"
        return f"{word if word == verdicts.OTHERS_SAY['open'] else verdicts.TOY}, stand-in"

    @property
    def shown_verdict(self) -> str:
        """The verdict as it is printed: with the margin, or the seed, by which it is so."""
        if self.verdict in verdicts.WITHIN:
            return f"{self.verdict} (within ±{self.margin:.2g}){self.word}"
        if self.verdict == verdicts.OPEN and self.far and self.n < verdicts.FEWEST_OF_SIGNS:
            are = "is" if len(self.far) == 1 else "are"
            return f"{self.verdict}, seed {', '.join(self.far)} {are} far{self.word}"
        return self.verdict + self.word

    @property
    def remarks(self) -> list[str]:
        """What must be known beside the verdict, each a sentence part."""
        texts = [self.why] if self.why else []
        if mean := self.by_mean:
            ends = interval(mean.low, mean.high, self.digits)
            texts.append(f"by the mean of subsets {signed(mean.difference, self.digits)} {ends}")
        if self.reading and self.low is not None:
            texts.append(f"corrected for {self.among.readings} forms")
        if self.against:
            texts.append(f"decided by {self.against}, corrected for {self.among.of} comparisons")
        total = self.total
        if total and self.low is not None and total.of_both is None:
            texts.append("the test items are held fixed")
        if total and total.missing:
            texts.append(f"missing: seed {', '.join(total.missing)}")
        if self.far:
            exact = "" if total.p_exact is None else f" (exact p = {total.p_exact:.3g})"
            texts.append(f"far from the others: seed {', '.join(self.far)}{exact}")
            if self.n >= verdicts.FEWEST_OF_SIGNS:
                texts.append("the interval is that of the exact test")
        if self.floor:
            texts.append(self.floor)
        if self.seeds_needed:
            texts.append(f"about {self.seeds_needed} seeds would decide")
        return texts
