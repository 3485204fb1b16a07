"""The papers' claims, judged by what our tables show.

The way of one claim:

1. The sum of its rows, each with its weight, by seed; a row without a training is a constant.
2. Two errors: of the seeds, sd / √n (Welch's where rows have other seeds), and of the test items,
   whose variance is the sum of the rows' covariances, each with both weights.
3. The interval: mean ± √((t · error of the seeds)² + (z · error of the items)²), at a level that is
   corrected for the readings of the claim and for the comparisons that are judged together.
4. The size: the same sum of the paper's numbers; the margin: at most half of it.
5. The verdict: where the interval lies to 0, to ±margin and to the size; of several comparisons
   the worst of those that must hold.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from semblance.reporting import claim_rows
from semblance.reporting.claims import Claims, WeightedSum, size_of
from semblance.reporting.contrasts import NO_VALUES, Parts, weighted_sum
from semblance.reporting.judgement import ByMean, Judgement
from semblance.reporting.layouts import find_layout
from semblance.reporting.published import Published
from semblance.reporting.table import BETWEEN, BY_MEAN, Cell, Row, Table
from semblance.statistics import verdicts
from semblance.statistics.significance import holm

OPEN_BY_MEAN = "open by mean"
RULES = {
    "none": verdicts.of_no_difference,
    "no gain": verdicts.of_no_gain,
    "question": verdicts.of_question,
}


def judge(claims: Claims, tables: Mapping[str, Table], published: Published) -> list[Judgement]:
    """Judge each claim on each base and corpus of its table, in the order of the file."""
    rows = [row for table in tables.values() for row in table.rows]
    stand_ins = {(row.base, row.corpus) for row in rows if row.stand_in}
    court = _Court(claims, tables, published, stand_ins)
    return [one for name in claims.by_name for one in _corrected(list(court.of_claim(name)))]


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
    """All that a verdict may depend on; ``stand_ins``: where some row differs from the paper's."""

    claims: Claims
    tables: Mapping[str, Table]
    published: Published
    stand_ins: set[tuple[str, str]]

    def of_claim(self, name: str) -> Iterator[Judgement]:
        """Yield the judgements of a claim: of each reading, column and group of rows."""
        for reading, claim in self.claims.by_name[name].by_reading().items():
            table = self.tables.get(claim.table)
            why = f"this configuration has no table {claim.table}"
            groups: list[claim_rows.Rows] = []
            if table is not None:
                groups = list(claim_rows.row_groups(claim, table, self.published))
                why = f"{claim.table} lacks a row of {claim_rows.lacking_rows(claim, table)}"
            for column in [", ".join(claim.columns)] if claim.at_least else claim.columns:
                sums = () if claim.at_least else claim.sums(column)
                sizes = [size_of(self.claims, name, one, self.published) for one in sums]
                # Of several rivals, against the best of them.
                size = None if None in sizes else min(sizes, default=None)
                asked = Judgement(name, claim, column, size, reading=reading)
                if not groups:
                    yield replace(asked, why=why)
                for rows in groups:
                    yield self._of_group(replace(asked, rows=rows), table)

    def _of_group(self, asked: Judgement, table: Table) -> Judgement:
        """Judge all sums of a claim on one group of rows, if it can be asked there."""
        claim, rows = asked.claim, asked.rows
        stand_in = any(
            claim_rows.is_stand_in(rows[name], claim.base_of(name), self.stand_ins) for name in rows
        )
        why = claim.needs.why if claim.needs else ""
        lacking = claim_rows.lacks(claim.needs, rows, self.tables, stand_in)
        if not lacking and stand_in:
            why, lacking = "teachers that have moved from their start", claim_rows.unmoved(rows)
        if lacking:
            why = f"it needs {why}: {lacking}"
            return replace(asked, stand_in=stand_in, verdict=verdicts.CANNOT, why=why)
        columns = claim.columns if claim.at_least else [asked.column]
        sums = [one for column in columns for one in claim.sums(column)]
        among = verdicts.Among(claim.at_least or len(sums), len(sums), len(claim.readings) or 1)
        asked = replace(asked, stand_in=stand_in, among=among)
        return _worst([self._of_sum(asked, table, one) for one in sums])

    def _of_sum(self, asked: Judgement, table: Table, claimed: WeightedSum) -> Judgement:
        """Judge one weighted sum of a claim."""
        claim, column = asked.claim, claimed.column
        size, margin = None, claim.margin or table.margin
        if not claim.at_least:
            size = size_of(self.claims, asked.name, claimed, self.published)
        if claim.expects == "difference":
            margin = verdicts.margin_of(size, margin)
        against = [name for name in claimed.terms if name in claim.rivals]
        against += [column] if claim.at_least else []
        rows = {name: asked.rows[name] for name in claimed.terms}
        parts = [(claimed.terms[name].weight, row) for name, row in rows.items()]
        total = weighted_sum(parts, column)
        judged = replace(asked, size=size, margin=margin, against=" on ".join(against), total=total)
        if total is None:
            cells = {name: row.cells.get(column) for name, row in rows.items()}
            lacking = [name for name, cell in cells.items() if cell is None or not cell.known]
            return replace(judged, why=f"no value of {', '.join(lacking)}")
        if column == judged.column == find_layout(table.layout).average_column:
            judged = replace(judged, by_mean=by_mean(parts, judged))
        if total.found is None:
            why = "it needs two seeds that differ"
            if all(row.is_untrained for row in judged.rows.values()):
                why = "none of its rows is trained, and the predictions are not there"
            undecided = verdicts.OPEN if claim.is_question else verdicts.UNDECIDED
            return replace(judged, verdict=undecided, why=f"no interval: {why}")
        floor = ""
        if not any(row.is_untrained for row in rows.values()):
            floor = claim_rows.floor_of(table, judged.base, judged.protocol, column)
        return _decided(judged, floor)


def _decided(judged: Judgement, floor: str) -> Judgement:
    """Add the interval, the verdict that follows from it, and what may take its place."""
    n, far, found = judged.n, judged.far, judged.total.found
    exact = verdicts.by_exact_test(found, n, judged.total.p_exact) if far else found
    found = exact or found
    size = judged.size if judged.claim.expects == "difference" else None
    rule = RULES.get(judged.claim.kind, partial(verdicts.of_difference, size=size))
    verdict = rule(found, margin=judged.margin, among=judged.among)
    needed = ""
    # Where the test items cause most of the error, more seeds cannot decide; and a seed that failed
    # says nothing of the spread of the others.
    is_seeds_luck = found.more < found.error and not far and n >= verdicts.FEWEST_TO_PLAN
    if verdict in (verdicts.UNDECIDED, verdicts.OPEN) and is_seeds_luck:
        needed = verdicts.seeds_to_decide(judged.sd, n, size, judged.margin)
    if exact is None:
        verdict = verdicts.OPEN
    # Which of two trainings does less harm is no finding about either. What the paper did with its
    # own base is judged as it stands.
    if floor and judged.stand_in:
        verdict, needed = verdicts.BELOW, ""
    low, high = judged.among.interval(found)
    if math.isinf(found.error):  # of an exact test whose p is 1: all numbers are in it
        low = high = None
    ends = {"low": low, "high": high, "p": float(found.p())}
    return replace(judged, verdict=verdict, seeds_needed=needed, floor=floor, **ends)


def by_mean(parts: Parts, judged: Judgement) -> ByMean | None:
    """Return a claim's sum once more, by the mean of each task's subsets; None without such values.

    One correlation over the pairs of several subsets also moves when the scores of one subset shift
    against those of another. No paper prints a size by the mean: the claim's own stands beside it.
    """
    parts = [(weight, _split(row, judged.column)) for weight, row in parts]
    means, beyond = [weighted_sum(parts, name) for name in (BY_MEAN, BETWEEN)]
    if means is None:
        return None
    over_all, over_means, between = (one.found for one in (judged.total, means, beyond))
    if over_all is None or over_means is None:
        return ByMean(means.value, word=OPEN_BY_MEAN if over_all else "")
    low, high = judged.among.interval(over_means)
    below = judged.claim.expects == "difference" and over_all.value < 0
    shown = _shown(judged, *judged.among.interval(over_all))
    mean_shows = _shown(judged, low, high)
    holds = mean_shows == shown or (mean_shows < 0 if below else mean_shows > shown >= 0)
    differs = between is not None and abs(between.value) > between.reach()
    word = "" if holds else OPEN_BY_MEAN
    if differs and not (holds and judged.claim.expects != "difference"):
        word = BETWEEN
    return ByMean(float(over_means.value), low, high, word)


def _split(row: Row, column: str) -> Row:
    """Return a row with what its average is by the mean of subsets, and what it is beyond that."""
    known = row.cells.get(column, NO_VALUES).known
    by_mean = {seed: value for seed, value in row.by_mean.items() if seed in known}
    between = {seed: known[seed] - value for seed, value in by_mean.items()}
    return replace(row, cells=row.cells | {BY_MEAN: Cell(by_mean), BETWEEN: Cell(between)})


def _shown(judged: Judgement, low: float, high: float) -> int:
    """Return what an interval shows: its sign or 0, or of a claim of no difference 1 if it holds.

    It shows 2 where it lies above 0 and reaches the claimed size.
    """
    if judged.claim.expects == "difference":
        reaches = low > 0 and judged.size is not None and high >= judged.size
        return int(low > 0) + int(reaches) - int(high < 0)
    lowest = -judged.margin if judged.claim.expects == "none" else -math.inf
    return int(lowest < low and high < judged.margin)


def _worst(judgements: list[Judgement]) -> Judgement:
    """Return the judgement that decides whether so many hold as must: the worst of the best.

    One without a verdict decides before all others. Of equal verdicts the one whose interval begins
    lowest is the worst.
    """

    def rank(found: Judgement) -> tuple[int, float]:
        """Return the place of a judgement from the worst to the best."""
        if found.verdict not in verdicts.FROM_WORST:
            return -1, 0.0
        place = verdicts.FROM_WORST.index(found.verdict)
        return place, -math.inf if found.low is None else found.low

    return sorted(judgements, key=rank, reverse=True)[judgements[0].among.holds - 1]
