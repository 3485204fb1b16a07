"""What the papers claim, held against our tables.

A claim is a weighted sum of the rows of one table. A row stands for its method; its base and corpus
are those that the table has. Where a table has no row of that name, as on stand-ins, its row is the
one that the table sets beside the same row of the paper.
"""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from semblance.errors import InputError, at
from semblance.provenance import read_text
from semblance.reporting.published import PAPERS, Published
from semblance.settings import Count, Positive, decode
from semblance.strict_yaml import key_lines, read_yaml


@dataclass(frozen=True)
class Term:
    """The weight of a method's row in a claim's sum, and the row of the paper as paper/table/row.

    ``base``: that of the row, where it is another than the claim's.
    """

    weight: float = 1.0
    published: str | None = None
    base: str | None = None


@dataclass(frozen=True)
class Differing:
    """Rows of a table whose means must span at least ``by`` points."""

    table: str
    column: str
    rows: tuple[str, ...]
    by: Positive


@dataclass(frozen=True)
class Better:
    """A row of a table whose difference from another, ``than``, must have an interval above 0."""

    table: str
    column: str
    row: str
    than: str
    shows: str  # what the table shows by it, in words


@dataclass(frozen=True)
class Tuned:
    """A row of a table that gains at most ``at_most`` points over the start, on the claim's base."""

    table: str
    row: str
    at_most: Positive


@dataclass(frozen=True)
class Needs:
    """What a claim is about, without which it cannot be asked: ``why`` says it in words.

    ``bases``: one of these. The others are measured, and asked of stand-ins alone.
    """

    why: str
    bases: tuple[str, ...] = ()
    differing: Differing | None = None
    tuned: Tuned | None = None
    better: Better | None = None


@dataclass(frozen=True)
class WeightedSum:
    """One weighted sum of a claim: its terms by method, in one column."""

    column: str
    terms: dict[str, Term]


@dataclass(frozen=True)
class Claim:
    """One claim. Its weighted sum is above 0 where the claim is right.

    ``columns``: each is judged for itself; with ``at_least`` the claim is that it holds in so many
    of them. ``rivals``: methods, each of which is taken from the sum of ``rows``; the claim must
    hold against all of them. ``expects``: a difference above 0, none, or none above 0. ``base``:
    the paper's; a table without it shows the claim on each base that it has.
    ``published_column``: the paper's column, where it has another name than ours. ``margin``:
    points; by default the table's. ``says`` may hold {base} and {corpus}. ``readings``: where the
    paper can be read in several ways, the name of each with the rows that it has in place of others.
    ``quote``: the paper's words at ``source``; None where it has numbers alone, or we ask.
    """

    says: str
    source: str
    table: str
    columns: tuple[str, ...]
    rows: dict[str, Term]
    rivals: dict[str, Term] = field(default_factory=dict)
    at_least: Count | None = None
    expects: Literal["difference", "none", "no gain"] = "difference"
    base: str | None = None
    published_column: str | None = None
    margin: Positive | None = None
    needs: Needs | None = None
    readings: dict[str, dict[str, str]] = field(default_factory=dict)
    quote: str | None = None

    def by_reading(self) -> dict[str, "Claim"]:
        """Return the claim of each reading, by its name; the claim itself where it has none."""
        return {name: self._read(rows) for name, rows in self.readings.items()} or {"": self}

    def _read(self, instead: Mapping[str, str]) -> "Claim":
        """Return the claim with other rows in place of some."""
        rows, rivals = (
            {instead.get(name, name): term for name, term in terms.items()}
            for terms in (self.rows, self.rivals)
        )
        needs = self.needs
        if needs and needs.differing:
            differing = tuple(instead.get(name, name) for name in needs.differing.rows)
            needs = replace(needs, differing=replace(needs.differing, rows=differing))
        return replace(self, rows=rows, rivals=rivals, needs=needs)

    @property
    def terms(self) -> dict[str, Term]:
        """The rows and the rivals."""
        return self.rows | self.rivals

    @property
    def is_question(self) -> bool:
        """Whether it is a question of ours: no paper prints its rows, nor says that they are equal."""
        printed = any(term.published for term in self.terms.values())
        return not printed and self.expects == "difference"

    @property
    def kind(self) -> str:
        """What is expected, or that it is a question."""
        return "question" if self.is_question else self.expects

    def base_of(self, name: str) -> str | None:
        """Return the base of a row of the paper; None where the claim names none."""
        return self.terms[name].base or self.base

    def sums(self, column: str) -> list[WeightedSum]:
        """Return the sums that must hold in a column: the one of its rows, or one for each rival."""
        if not self.rivals:
            return [WeightedSum(column, self.rows)]
        return [
            WeightedSum(column, self.rows | {name: replace(term, weight=-term.weight)})
            for name, term in self.rivals.items()
        ]


@dataclass(frozen=True)
class Claims:
    """Claims by name; ``paths`` are the files that they stand in."""

    by_name: dict[str, Claim]
    paths: dict[str, str]

    def place(self, name: str, word: str = "") -> str:
        """Return file:line of a claim, or of the first line of it that holds a word."""
        path = self.paths[name]
        keys = key_lines(path)
        first = next(keys[key] for key in keys if key[-2:] == ("claims", name))
        head, *others = read_text(path).splitlines()[first - 1 :]
        own = itertools.takewhile(lambda line: _indent(line) > _indent(head), others)
        lines = enumerate([head, *own], start=first)
        return at(path, next((number for number, line in lines if word in line), first))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def read_claims(paths: Iterable[str | Path] = PAPERS) -> Claims:
    """Read the claims; raises InputError, with file:line, naming the key that is wrong."""
    claims = Claims({}, {})
    for path in paths:
        stated = _claimed(read_yaml(path))
        claims.paths.update(dict.fromkeys(stated, str(path)))
        for name, claim in stated.items():
            try:
                claims.by_name[name] = decode(Claim, claim, name)
            except InputError as error:
                place = claims.place(name, error.where.rpartition(".")[2])
                raise InputError(place, f"{error.where}: {error.problem}", error.advice) from None
    return claims


def _claimed(data: dict[str, Any]) -> dict[str, Any]:
    """Return the claims of a paper's file, which stand below its tables."""
    claims = {}
    for name, table in data.get("tables", {}).items():
        for claim, stated in table.get("claims", {}).items():
            terms = {key: stated[key] for key in ("rows", "rivals") if key in stated}
            for key, rows in terms.items():
                weights = rows if isinstance(rows, dict) else dict.fromkeys(rows, 1)
                terms[key] = {
                    row: _term(row, term, stated.get("base"), table)
                    for row, term in weights.items()
                }
            claims[claim] = {"table": name, **stated, **terms}
    return claims


def _term(row: str, term: float | dict, base: str | None, table: dict) -> dict[str, Any]:
    """Return a term as a mapping, with the printed row that the table sets beside its row."""
    stated = term if isinstance(term, dict) else {"weight": term}
    beside = table.get("published", {})
    of_base = f"{stated.get('base', base)}/{row}"
    printed = beside.get(of_base) or beside.get(row)
    return {"published": printed, **stated} if printed else stated


def size_of(claims: Claims, name: str, claimed: WeightedSum, published: Published) -> float | None:
    """Return the size of a sum in the paper's numbers; None if it names no rows of a paper.

    Raises InputError, with file:line, for an unknown row or column, for rows of which only some
    name a row of the paper, and for a size with the wrong sign, unless the claim is ``at_least``.
    """
    claim = claims.by_name[name]
    named = [term for term in claimed.terms.values() if term.published]
    if not named:
        return None
    if len(named) < len(claimed.terms):
        problem = "only some of its rows name a row of the paper"
        raise InputError(claims.place(name), problem, "name all or none")
    column = claim.published_column or claimed.column
    size = 0.0
    for term in named:
        try:
            entries = published.row(term.published)
        except InputError as error:
            place = claims.place(name, term.published)
            raise InputError(place, f"{term.published!r}: {error.problem}", error.advice) from None
        if column not in entries:
            place = claims.place(name, term.published)
            raise InputError(place, f"{term.published!r} has no column {column!r}")
        size += term.weight * entries[column].value
    if claim.expects == "difference" and size <= 0 and claim.at_least is None:
        problem = f"the paper's numbers give {size:+z.2f}"
        raise InputError(claims.place(name), problem, "turn its weights round")
    return size
