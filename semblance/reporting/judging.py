"""The papers' claims, judged by what our tables show."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from semblance.names import SEEDS_OF_START, START
from semblance.reporting.claims import Claim, Claims, Part, size_of
from semblance.reporting.contrasts import SeedContrast, sum_of, term
from semblance.reporting.published import Published
from semblance.reporting.significance import Estimate
from semblance.reporting.table import Row, Table
from semblance.reporting.verdicts import (
    NOT_RUN,
    UNDECIDED,
    Verdict,
    margin_of,
    of_difference,
    of_no_difference,
    seeds_to_decide,
)

Rows = dict[str, Row]  # method -> the row that stands for it


@dataclass(frozen=True)
class Judgement:
    """A claim on one base and corpus of a table; points, unrounded; None where there is no figure.

    ``size``: the paper's. ``difference`` to ``p``: ours, with the 95 % interval. ``seeds_needed``:
    only of undecided ones. ``why``: why there is no difference.
    """

    name: str
    claim: Claim
    size: float | None
    verdict: Verdict
    why: str = ""
    base: str = ""
    corpus: str = ""
    protocol: str = ""
    stand_in: bool = False
    test: str = ""
    n: int = 0
    margin: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    sd: float | None = None
    seeds_needed: int | None = None

    @property
    def digits(self) -> int:
        """The digits to print: two, or so many that an interval without 0 does not seem to touch it."""
        if self.low is None or self.high is None or self.low <= 0 <= self.high:
            return 2
        nearest = min(abs(self.low), abs(self.high))
        for digits in (2, 3):
            if round(nearest, digits) > 0:
                return digits
        return 4


def judge(claims: Claims, tables: Mapping[str, Table], published: Published) -> list[Judgement]:
    """Judge each claim on each base and corpus of its table, in the order of the file."""
    stand_ins = _stand_ins(tables.values())
    found = []
    for name, claim in claims.by_name.items():
        judgement = Judgement(name, claim, size_of(claims, name, published), NOT_RUN)
        table = tables.get(claim.table)
        if table is None:
            why = f"this configuration has no table {claim.table}"
            found.append(replace(judgement, why=why))
            continue
        groups = list(_groups(claim, table, published))
        if not groups:
            why = f"{claim.table} lacks a row of {_lacking(claim, table)}"
            found.append(replace(judgement, why=why))
        for rows in groups:
            stand_in = any(
                _is_stand_in(row, claim.base_of(name), stand_ins) for name, row in rows.items()
            )
            placed = _placed(replace(judgement, stand_in=stand_in), table, rows)
            found.append(_judged(placed, rows))
    return found


def _stand_ins(tables: Iterable[Table]) -> set[tuple[str, str]]:
    """Return each base and corpus on which some row differs from its counterpart in a paper."""
    return {(row.base, row.corpus) for table in tables for row in table.rows if row.stand_in}


def _is_stand_in(row: Row, base: str | None, stand_ins: set[tuple[str, str]]) -> bool:
    """Tell whether a row is a stand-in; without a counterpart it is what those beside it are.

    ``base``: that of the paper's row; None where the claim names none.
    """
    if base and row.base != base:
        return True
    if row.published:
        return bool(row.stand_in)
    return (row.base, row.corpus) in stand_ins


def _groups(claim: Claim, table: Table, published: Published) -> Iterator[Rows]:
    """Yield the rows of a claim's methods, once for each protocol, base and corpus of a table."""
    for protocol, base in dict.fromkeys((row.protocol, row.base) for row in table.rows):
        if protocol not in _protocols(claim, table, published) or base not in _bases(claim, table):
            continue
        rows = [row for row in table.rows if row.protocol == protocol]
        yield from _comparable(_groups_of(claim, rows, base))


def _groups_of(claim: Claim, rows: list[Row], base: str) -> list[Rows]:
    """Return the rows of a claim's methods on one base, once for each corpus."""
    found: list[Rows] = []
    choices = {name: _rows_for(name, part, rows, base) for name, part in claim.rows.items()}
    for corpus in dict.fromkeys(row.corpus for row in rows if row.base == base):
        group = {name: _row_of(choice, corpus) for name, choice in choices.items()}
        if None not in group.values() and group not in found and _keeps_corpora(group):
            found.append(group)
    return found


def _rows_for(name: str, part: Part, rows: list[Row], base: str) -> list[Row]:
    """Return the rows that METHOD or CORPUS/METHOD may stand for: those that have this name.

    Where the table has none, as on stand-ins of other names, they are the rows that it sets beside
    the same printed row.
    """
    corpus, _, method = name.rpartition("/")
    peers = [row for row in rows if row.base == (part.base or base)]
    named = [row for row in peers if row.method == method and corpus in ("", row.corpus)]
    if named or part.published is None:
        return named
    if part.base is None:
        rows = peers
    return [row for row in rows if row.published == part.published]


def _row_of(choice: list[Row], corpus: str) -> Row | None:
    """Return the row of the corpus, or the only one; None if there is neither."""
    same_corpus = [row for row in choice if row.corpus == corpus]
    if same_corpus:
        return same_corpus[0]
    if len(choice) == 1:
        return choice[0]
    return None


def _keeps_corpora(rows: Rows) -> bool:
    """Tell whether rows stand on as many corpora as the claim names, each name on the same one."""
    pairs = {(name.rpartition("/")[0], row.corpus) for name, row in rows.items() if "/" in name}
    named = {corpus for corpus, _ in pairs}
    found = {corpus for _, corpus in pairs}
    return len(pairs) == len(named) == len(found)


def _comparable(groups: list[Rows]) -> list[Rows]:
    """Leave out the groups that mix corpora, where another group has one corpus for all methods.

    Else the difference of two corpora would be taken for that of two methods.
    """
    pure = [rows for rows in groups if not _mixes_corpora(rows)]
    return pure or groups


def _mixes_corpora(rows: Rows) -> bool:
    """Tell whether trained rows have other corpora, though the claim does not name them."""
    free = [row for name, row in rows.items() if "/" not in name and row.method != START]
    return len({row.corpus for row in free}) > 1


def _protocols(claim: Claim, table: Table, published: Published) -> set[str]:
    """Return the protocol of the paper's rows, or all of the table's if the claim names none."""
    named = [part.published for part in claim.rows.values() if part.published]
    if not named:
        return {row.protocol for row in table.rows}
    return {entry.protocol for name in named for entry in published.row(name).values()}


def _bases(claim: Claim, table: Table) -> set[str]:
    bases = {row.base for row in table.rows}
    if claim.base in bases:
        return {claim.base}
    return bases


def _lacking(claim: Claim, table: Table) -> str:
    """Name the rows of a claim that no base of a table has, or else say that no base has all."""
    bases = {row.base for row in table.rows}
    lacking = [
        name
        for name, part in claim.rows.items()
        if not any(_rows_for(name, part, list(table.rows), base) for base in bases)
    ]
    return ", ".join(lacking) or f"one base with {', '.join(claim.rows)}"


def _placed(judgement: Judgement, table: Table, rows: Rows) -> Judgement:
    """Add where the rows of a claim come from, how many seeds they have, and the margin."""
    claim = judgement.claim
    margin = claim.margin or table.margin
    if claim.expects == "difference":
        margin = margin_of(judgement.size, margin)
    trained = [row for row in rows.values() if row.method != START] or list(rows.values())
    return replace(
        judgement,
        base=trained[0].base,
        corpus=" ".join(dict.fromkeys(row.corpus for row in trained)),
        protocol=trained[0].protocol,
        n=min(len(row.seeds) for row in trained),
        margin=margin,
    )


def _judged(judgement: Judgement, rows: Rows) -> Judgement:
    claim = judgement.claim
    terms = [term(part.weight, rows[method], claim.column) for method, part in claim.rows.items()]
    found = sum_of(terms)
    if found is None:
        lacking = [method for method, row in rows.items() if not _has_values(row, claim.column)]
        return replace(judgement, n=0, why=f"no value of {', '.join(lacking)}")
    if found.estimate is None:
        why = _without_interval(rows.values())
        value = found.value
        return replace(judgement, verdict=UNDECIDED, why=why, difference=value, test=found.test)
    return _with_verdict(judgement, found, found.estimate)


def _without_interval(rows: Iterable[Row]) -> str:
    """Say why a claim has no interval."""
    if all(tuple(row.seeds) == SEEDS_OF_START for row in rows):
        return "no interval: none of its rows is trained, so that there are no seeds"
    return "no interval: it needs two seeds that differ"


def _has_values(row: Row, column: str) -> bool:
    return column in row.cells and bool(row.cells[column].values)


def _with_verdict(judgement: Judgement, found: SeedContrast, estimate: Estimate) -> Judgement:
    """Add our figures and the verdict that follows from them."""
    verdict = _decided(judgement, estimate)
    low, high = estimate.interval()
    sd = float(estimate.error) * math.sqrt(judgement.n)
    needed = None
    if verdict == UNDECIDED:
        needed = seeds_to_decide(sd, judgement.n, _size_to_show(judgement), judgement.margin)
    return replace(
        judgement,
        verdict=verdict,
        difference=found.value,
        low=float(low),
        high=float(high),
        p=float(estimate.p()),
        test=found.test,
        sd=sd,
        seeds_needed=needed,
    )


def _decided(judgement: Judgement, estimate: Estimate) -> Verdict:
    if judgement.claim.expects == "none":
        return of_no_difference(estimate, judgement.margin)
    return of_difference(estimate, judgement.size, judgement.margin)


def _size_to_show(judgement: Judgement) -> float | None:
    """Return the size that the claim expects to be shown; None where it expects none."""
    if judgement.claim.expects == "none":
        return None
    return judgement.size
