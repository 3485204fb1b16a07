"""The papers' claims, judged by what our tables show."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from semblance.counts import interval, signed
from semblance.reporting.by_mean import ByMean, by_mean
from semblance.reporting.claim_rows import (
    Rows,
    floor_of,
    is_stand_in,
    lacking_rows,
    lacks,
    row_groups,
    stand_ins_of,
    unmoved,
)
from semblance.reporting.claims import Claim, Claims, WeightedSum, size_of
from semblance.reporting.contrasts import weighted_sum
from semblance.reporting.grids import NAMES
from semblance.reporting.layouts import find_layout
from semblance.reporting.published import Published
from semblance.reporting.table import Table
from semblance.statistics.significance import Estimate, holm
from semblance.statistics.verdicts import (
    ALONE,
    BELOW,
    CANNOT,
    FEWEST_OF_SIGNS,
    FEWEST_TO_PLAN,
    FROM_WORST,
    NOT_RUN,
    OPEN,
    UNDECIDED,
    WITHIN,
    Among,
    Verdict,
    by_exact_test,
    far_seeds,
    margin_of,
    of_difference,
    of_no_difference,
    of_no_gain,
    of_question,
    seeds_to_decide,
)

WITHOUT_DIFFERENCE = {"none": of_no_difference, "no gain": of_no_gain}


@dataclass(frozen=True)
class Judgement:
    """A claim on one base and corpus of a table; points, unrounded; None where there is no figure.

    ``size``: the paper's. ``difference`` to ``p``: ours, with the 95 % interval over seeds and test
    items; without the predictions it is that over the seeds (``items`` is false), which is always
    ``seeds_low`` to ``seeds_high``. ``against``: of several comparisons, the one that decides;
    ``among``: how many there are, for which the ends of its interval are corrected.
    ``missing``: the seeds that not all rows have. ``far``: those that lie far from the others.
    ``by_mean``: the same sum by the mean of subsets, of a claim on an STS average.
    ``seeds_needed``: only of undecided ones. ``why``: why there is no verdict or no difference.
    ``reading``: of a claim that is judged under several; ``p_holm`` is corrected for their number.
    ``floor``: the row without a training that lies above all trained rows, in words. ``rows``: those
    that stand for it.
    """

    name: str
    claim: Claim
    column: str
    size: float | None
    verdict: Verdict
    why: str = ""
    reading: str = ""
    base: str = ""
    corpus: str = ""
    protocol: str = ""
    stand_in: bool = False
    against: str = ""
    among: Among = ALONE
    test: str = ""
    n: int = 0
    margin: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    items: bool = False
    seeds_low: float | None = None
    seeds_high: float | None = None
    p_exact: float | None = None
    sd: float | None = None
    missing: tuple[str, ...] = ()
    far: tuple[str, ...] = ()
    seeds_needed: str = ""
    floor: str = ""
    by_mean: ByMean | None = None
    rows: Rows = field(default_factory=dict)

    @property
    def is_judged(self) -> bool:
        """Whether it has a verdict: it can be asked here, and no table or value is missing."""
        return self.verdict not in (CANNOT, NOT_RUN)

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
    def shown_verdict(self) -> str:
        """The verdict as it is printed: with the margin, or the seed, by which it is so."""
        if self.verdict in WITHIN:
            return f"{self.verdict} (within ±{self.margin:.2g}){self.word}"
        if self.verdict == OPEN and self.far and self.n < FEWEST_OF_SIGNS:
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
        if self.difference is not None and self.low is not None and not self.items:
            texts.append("the test items are held fixed")
        if self.missing:
            texts.append(f"missing: seed {', '.join(self.missing)}")
        if self.far:
            exact = "" if self.p_exact is None else f" (exact p = {self.p_exact:.3g})"
            texts.append(f"far from the others: seed {', '.join(self.far)}{exact}")
            if self.n >= FEWEST_OF_SIGNS:
                texts.append("the interval is that of the exact test")
        if self.floor:
            texts.append(self.floor)
        if self.seeds_needed:
            texts.append(f"about {self.seeds_needed} seeds would decide")
        return texts


def judge(claims: Claims, tables: Mapping[str, Table], published: Published) -> list[Judgement]:
    """Judge each claim on each base and corpus of its table, in the order of the file."""
    court = _Court(claims, tables, published, stand_ins_of(tables.values()))
    return [
        judgement for name in claims.by_name for judgement in _corrected(list(court.of_claim(name)))
    ]


def _corrected(judgements: list[Judgement]) -> list[Judgement]:
    """Correct the p of a claim that has readings for their number, by Holm's method."""
    places: dict[tuple[str, ...], list[int]] = {}
    for i, one in enumerate(judgements):
        if one.reading and one.p is not None:
            place = (one.column, one.base, one.corpus, one.protocol)
            places.setdefault(place, []).append(i)
    corrected = list(judgements)
    for group in places.values():
        without = [1.0] * (corrected[group[0]].among.readings - len(group))
        for i, p in zip(group, holm([*(corrected[i].p for i in group), *without]), strict=False):
            corrected[i] = replace(corrected[i], p_holm=p)
    return corrected


@dataclass(frozen=True)
class _Court:
    """All that a verdict may depend on."""

    claims: Claims
    tables: Mapping[str, Table]
    published: Published
    stand_ins: set[tuple[str, str]]

    def of_claim(self, name: str) -> Iterator[Judgement]:
        """Yield the judgements of a claim: of each reading, column and group of rows."""
        for reading, claim in self.claims.by_name[name].by_reading().items():
            yield from self._of_reading(name, reading, claim)

    def _of_reading(self, name: str, reading: str, claim: Claim) -> Iterator[Judgement]:
        columns = [", ".join(claim.columns)] if claim.at_least else claim.columns
        table = self.tables.get(claim.table)
        why = f"this configuration has no table {claim.table}"
        groups: list[Rows] = []
        if table is not None:
            groups = list(row_groups(claim, table, self.published))
            why = f"{claim.table} lacks a row of {lacking_rows(claim, table)}"
        for column in columns:
            size = self._size(name, column)
            blank = Judgement(name, claim, column, size, NOT_RUN, reading=reading)
            if not groups:
                yield replace(blank, why=why)
            for rows in groups:
                yield self._of_group(_placed(blank, rows, self.stand_ins), table, rows)

    def _size(self, name: str, column: str) -> float | None:
        """Return the paper's size in a column; of several rivals, against the best of them."""
        claim = self.claims.by_name[name]
        if claim.at_least:
            return None
        sums = claim.sums(column)
        sizes = [size_of(self.claims, name, one, self.published) for one in sums]
        return None if None in sizes else min(sizes)

    def _of_group(self, blank: Judgement, table: Table, rows: Rows) -> Judgement:
        claim = blank.claim
        why = claim.needs.why if claim.needs else ""
        lacking = lacks(claim.needs, rows, table, self.tables, blank.stand_in)
        if not lacking and blank.stand_in:
            why, lacking = "teachers that have moved from their start", unmoved(rows)
        if lacking:
            return replace(blank, verdict=CANNOT, why=f"it needs {why}: {lacking}")
        columns = claim.columns if claim.at_least else [blank.column]
        sums = [one for column in columns for one in claim.sums(column)]
        among = Among(claim.at_least or len(sums), len(sums), len(claim.readings) or 1)
        blank = replace(blank, among=among)
        judged = _worst([self._of_sum(blank, table, rows, one) for one in sums])
        return replace(judged, column=blank.column, size=None) if claim.at_least else judged

    def _of_sum(
        self, blank: Judgement, table: Table, rows: Rows, claimed: WeightedSum
    ) -> Judgement:
        """Judge one weighted sum of a claim."""
        claim, column = blank.claim, claimed.column
        size = size_of(self.claims, blank.name, claimed, self.published)
        margin = claim.margin or table.margin
        if claim.expects == "difference" and not claim.at_least:
            margin = margin_of(size, margin)
        rivals = [name for name in claimed.terms if name in claim.rivals]
        against = [*rivals, *([column] if claim.at_least else [])]
        judged = replace(blank, size=size, margin=margin, against=" on ".join(against))
        terms = [(term.weight, rows[name]) for name, term in claimed.terms.items()]
        contrast = weighted_sum(terms, column)
        if contrast is None:
            cells = {name: rows[name].cells.get(column) for name in claimed.terms}
            lacking = [name for name, cell in cells.items() if cell is None or not cell.known]
            return replace(judged, n=0, why=f"no value of {', '.join(lacking)}")
        judged = replace(
            judged,
            test=contrast.test,
            n=len(contrast.by_seed) or judged.n,
            difference=contrast.value,
            p_exact=contrast.p_exact,
            missing=contrast.missing,
            far=far_seeds(contrast.by_seed, margin),
        )
        if column == judged.column == find_layout(table.layout).average_column:
            judged = replace(judged, by_mean=by_mean(terms, judged))
        estimate = contrast.of_both or contrast.estimate
        if estimate is None:
            why = "it needs two seeds that differ"
            if all(row.is_untrained for row in rows.values()):
                why = "none of its rows is trained, and the predictions are not there"
            undecided = OPEN if claim.is_question else UNDECIDED
            return replace(judged, verdict=undecided, why=f"no interval: {why}")
        if contrast.estimate is not None:
            low, high = contrast.estimate.interval()
            sd = float(contrast.estimate.error) * math.sqrt(judged.n)
            judged = replace(judged, seeds_low=float(low), seeds_high=float(high), sd=sd)
        exact = by_exact_test(estimate, judged.n, contrast.p_exact) if judged.far else estimate
        judged = _decided(judged, exact or estimate, contrast.of_both is not None)
        if exact is None:
            judged = replace(judged, verdict=OPEN)
        if any(rows[name].is_untrained for name in claimed.terms):
            return judged
        return _above_floor(judged, floor_of(table, judged.base, judged.protocol, column))


def _above_floor(judgement: Judgement, floor: str) -> Judgement:
    """Add the floor, if there is one: of stand-ins it takes the place of the verdict.

    Which of two trainings does less harm is no finding about either. What the paper did with its
    own base is judged as it stands.
    """
    if not floor or not judgement.stand_in:
        return replace(judgement, floor=floor)
    return replace(judgement, floor=floor, verdict=BELOW, seeds_needed="")


def _worst(judgements: list[Judgement]) -> Judgement:
    """Return the judgement that decides whether so many hold as must: the worst of the best.

    One without a verdict decides before all others. Of equal verdicts the one whose interval begins
    lowest is the worst.
    """

    def rank(found: Judgement) -> tuple[int, float]:
        """Return the place of a judgement from the worst to the best."""
        if found.verdict not in FROM_WORST:
            return -1, 0.0
        return FROM_WORST.index(found.verdict), -math.inf if found.low is None else found.low

    return sorted(judgements, key=rank, reverse=True)[judgements[0].among.holds - 1]


def _decided(judgement: Judgement, found: Estimate, items: bool) -> Judgement:
    """Add the interval, and the verdict that follows from it."""
    claim, n = judgement.claim, judgement.n
    size = None if claim.at_least else judgement.size
    if claim.expects != "difference":
        decide = WITHOUT_DIFFERENCE[claim.expects]
        verdict = decide(found, judgement.margin, judgement.among)
        size = None
    elif claim.is_question:
        verdict = of_question(found, judgement.margin, judgement.among)
    else:
        verdict = of_difference(found, size, judgement.margin, judgement.among)
    low, high = judgement.among.interval(found)
    if math.isinf(found.error):  # of an exact test whose p is 1: all numbers are in it
        low = high = None
    needed = ""
    # Where the test items cause most of the error, more seeds cannot decide; and a seed that failed
    # says nothing of the spread of the others.
    is_seeds_luck = found.more < found.error and not judgement.far
    if verdict in (UNDECIDED, OPEN) and n >= FEWEST_TO_PLAN and is_seeds_luck:
        needed = seeds_to_decide(judgement.sd, n, size, judgement.margin)
    return replace(
        judgement,
        verdict=verdict,
        low=low,
        high=high,
        p=float(found.p()),
        items=items,
        seeds_needed=needed,
    )


def _placed(judgement: Judgement, rows: Rows, stand_ins: set[tuple[str, str]]) -> Judgement:
    """Add where the rows of a claim come from, how many seeds they have, and what they stand for."""
    claim = judgement.claim
    trained = [row for row in rows.values() if not row.is_untrained] or list(rows.values())
    return replace(
        judgement,
        rows=rows,
        base=trained[0].base,
        corpus=" ".join(dict.fromkeys(row.corpus for row in trained)),
        protocol=trained[0].protocol,
        n=min(len(row.seeds) for row in trained),
        stand_in=any(
            is_stand_in(row, claim.base_of(name), stand_ins) for name, row in rows.items()
        ),
    )
