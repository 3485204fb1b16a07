"""Which rows of a table stand for a claim, and whether they are stand-ins."""

from collections.abc import Iterable, Iterator

from semblance.names import START
from semblance.reporting.claims import Claim
from semblance.reporting.published import Published
from semblance.reporting.table import Row, Table

Rows = dict[str, Row]  # method -> the row that stands for it


def stand_ins_of(tables: Iterable[Table]) -> set[tuple[str, str]]:
    """Return each base and corpus on which some row differs from its counterpart in a paper."""
    return {(row.base, row.corpus) for table in tables for row in table.rows if row.stand_in}


def is_stand_in(row: Row, base: str | None, stand_ins: set[tuple[str, str]]) -> bool:
    """Tell whether a row is a stand-in; without a counterpart it is what those beside it are.

    ``base``: that of the paper's row; None where the claim names none.
    """
    if base and row.base != base:
        return True
    if row.published:
        return bool(row.stand_in)
    return (row.base, row.corpus) in stand_ins


def row_groups(claim: Claim, table: Table, published: Published) -> Iterator[Rows]:
    """Yield the rows of a claim's methods, once for each protocol, base and corpus of a table.

    The protocols are those of the paper's rows, if the claim names some, and the base is the
    paper's, if the table has it.
    """
    named = [term.published for term in claim.terms.values() if term.published]
    protocols = {entry.protocol for name in named for entry in published.row(name).values()}
    has_base = claim.base in {row.base for row in table.rows}
    for protocol, base in dict.fromkeys((row.protocol, row.base) for row in table.rows):
        if (named and protocol not in protocols) or (has_base and base != claim.base):
            continue
        rows = [row for row in table.rows if row.protocol == protocol]
        groups = _groups_of(claim, rows, base)
        # Where a group has one corpus for all methods, those that mix corpora are left out: else
        # the difference of two corpora would be taken for that of two methods.
        yield from [group for group in groups if not _mixes_corpora(group)] or groups


def _groups_of(claim: Claim, rows: list[Row], base: str) -> list[Rows]:
    """Return the rows of a claim's methods on one base, once for each corpus."""
    groups: list[Rows] = []
    choices = {name: _rows_for(claim, name, rows, base) for name in claim.terms}
    for corpus in dict.fromkeys(row.corpus for row in rows if row.base == base):
        group = {name: _row_of(choice, corpus) for name, choice in choices.items()}
        if None not in group.values() and group not in groups and _keeps_corpora(group):
            groups.append(group)
    return groups


def _rows_for(claim: Claim, name: str, rows: list[Row], base: str) -> list[Row]:
    """Return the rows that METHOD or CORPUS/METHOD may stand for: those that have this name.

    Where the table has none, as on stand-ins of other names, they are the rows that it sets beside
    the same printed row; but not of a claim with readings, each of which has a row beside it.
    """
    term = claim.terms[name]
    corpus, _, method = name.rpartition("/")
    peers = [row for row in rows if row.base == (term.base or base)]
    named = [row for row in peers if row.method == method and corpus in ("", row.corpus)]
    if named or term.published is None or claim.readings:
        return named
    if term.base is None:
        rows = peers
    return [row for row in rows if row.published == term.published]


def _row_of(choice: list[Row], corpus: str) -> Row | None:
    """Return the row of the corpus, or the only one; None if there is neither."""
    same_corpus = [row for row in choice if row.corpus == corpus]
    if same_corpus or len(choice) == 1:
        return (same_corpus or choice)[0]
    return None


def _keeps_corpora(rows: Rows) -> bool:
    """Tell whether rows stand on as many corpora as the claim names, each name on the same one."""
    pairs = {(name.rpartition("/")[0], row.corpus) for name, row in rows.items() if "/" in name}
    named = {corpus for corpus, _ in pairs}
    corpora = {corpus for _, corpus in pairs}
    return len(pairs) == len(named) == len(corpora)


def _mixes_corpora(rows: Rows) -> bool:
    """Tell whether trained rows have other corpora, though the claim does not name them."""
    free = [row for name, row in rows.items() if "/" not in name and row.method != START]
    return len({row.corpus for row in free}) > 1


def lacking_rows(claim: Claim, table: Table) -> str:
    """Name the rows of a claim that no base of a table has, or else say that no base has all."""
    bases = {row.base for row in table.rows}
    lacking = [
        name
        for name in claim.terms
        if not any(_rows_for(claim, name, list(table.rows), base) for base in bases)
    ]
    return ", ".join(lacking) or f"one base with {', '.join(claim.terms)}"
