"""Which rows of a table stand for a claim, and what they lack of what it needs to be asked of them."""

from collections.abc import Iterator, Mapping

from semblance.counts import interval, signed
from semblance.names import START
from semblance.reporting.claims import Better, Claim, Differing, Needs, Tuned
from semblance.reporting.contrasts import weighted_sum
from semblance.reporting.layouts import find_layout
from semblance.reporting.published import Published
from semblance.reporting.table import Row, Table

Rows = dict[str, Row]  # method -> the row that stands for it
Tables = Mapping[str, Table]


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
        choices = {name: _rows_for(claim, name, rows, base) for name in claim.terms}
        groups: list[Rows] = []
        for corpus in dict.fromkeys(row.corpus for row in rows if row.base == base):
            group = {name: _row_of(choice, corpus) for name, choice in choices.items()}
            if None not in group.values() and group not in groups and _keeps_corpora(group):
                groups.append(group)
        # Where a group has one corpus for all methods, those that mix corpora are left out: else
        # the difference of two corpora would be taken for that of two methods.
        yield from [group for group in groups if not _mixes_corpora(group)] or groups


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


def lacks(needs: Needs | None, rows: Rows, tables: Tables, stand_in: bool) -> str:
    """Say what a claim needs and the rows of a group do not have; empty if they have all.

    What is measured is asked of stand-ins alone: the papers' own bases are what the papers judged.
    """
    if not needs:
        return ""
    first = next(iter(rows.values()))
    if needs.bases and not {row.base for row in rows.values()} & set(needs.bases):
        return f"this is {first.base}"
    lacking = ""
    if stand_in and needs.differing:
        lacking = _too_alike(needs.differing, first, tables)
    if stand_in and needs.tuned:
        lacking = lacking or _gains_more(needs.tuned, first, tables)
    if stand_in and needs.better:
        lacking = lacking or _not_better(needs.better, rows, tables)
    return lacking


def unmoved(rows: Rows) -> str:
    """Say which rows have in most trainings a teacher that has not moved; empty if none has."""
    most = [row for row in rows.values() if 2 * row.unmoved > row.trainings]
    labels = [f"{row.label} (in {row.has_unmoved})" for row in most]
    return f"those of {', '.join(labels)} have not" if labels else ""


def _rows_of(tables: Tables, name: str) -> tuple[Row, ...]:
    return tables[name].rows if name in tables else ()


def _too_alike(asked: Differing, first: Row, tables: Tables) -> str:
    peers = [row for row in _rows_of(tables, asked.table) if row.method in asked.rows]
    rows = [row for row in peers if (row.base, row.protocol) == (first.base, first.protocol)]
    means = [row.cells[asked.column].mean for row in rows if asked.column in row.cells]
    if len(means) < len(asked.rows) or None in means:
        return f"{asked.table} does not show how far they differ"
    spread = max(means) - min(means)
    if spread < asked.by:
        return f"here they differ by {spread:.2f} points, and not by {asked.by:g}"
    return ""


def _gains_more(asked: Tuned, first: Row, tables: Tables) -> str:
    peers = [row for row in _rows_of(tables, asked.table) if row.base == first.base]
    column = find_layout(tables[asked.table].layout).main_column if peers else ""
    of_method = {row.method: row for row in peers if column in row.cells}
    ours, start = (of_method.get(method) for method in (asked.row, START))
    means = [row.cells[column].mean for row in (ours, start) if row]
    if len(means) < 2 or None in means:
        return f"{asked.table} does not show what {asked.row} gains over the start"
    gain = means[0] - means[1]
    if gain <= asked.at_most:
        return ""
    return f"here {ours.label} gains {gain:.2f} points over it, and not at most {asked.at_most:g}"


def _not_better(asked: Better, rows: Rows, tables: Tables) -> str:
    """Look on the same base and a corpus of the claim; empty if the interval lies above 0."""
    places = {(row.base, row.corpus) for row in rows.values() if not row.is_untrained}
    peers = [row for row in _rows_of(tables, asked.table) if (row.base, row.corpus) in places]
    said = f"{asked.table} does not show {asked.shows}"
    for ours in (row for row in peers if row.method == asked.row):
        for theirs in (row for row in peers if row.method == asked.than):
            ends = _interval(ours, theirs, asked.column) if ours.corpus == theirs.corpus else None
            if ends is not None and ends[1] > 0:
                return ""
            if ends is not None:
                value, low, high = ends
                said = f"here it is {signed(value)} {interval(low, high)}"
    return said


def floor_of(table: Table, base: str, protocol: str, column: str) -> str:
    """Say which row without a training beats the best trained one by an interval; empty if none.

    Only of retrieval: there, words or the base as it is may do better than any training.
    """
    if table.layout != "faq":
        return ""
    rows = [row for row in table.rows if (row.base, row.protocol) == (base, protocol)]
    rows = [row for row in rows if column in row.cells]
    means = {row.label: row.cells[column].mean for row in rows}
    rows = [row for row in rows if means[row.label] is not None]
    rows.sort(key=lambda row: means[row.label], reverse=True)
    best = next((row for row in rows if not row.is_untrained), None)
    for row in rows if best else ():
        ends = _interval(row, best, column) if row.is_untrained else None
        if ends is not None and ends[1] > 0:
            value, low, high = ends
            above = f"{signed(value)} {interval(low, high)}"
            return f"without a training, {row.label} is above {best.label}, the best row: {above}"
    return ""


def _interval(ours: Row, theirs: Row, column: str) -> tuple[float, float, float] | None:
    """Return the difference of two rows and the ends of its interval; None without an interval."""
    contrast = weighted_sum([(1, ours), (-1, theirs)], column)
    estimate = contrast and contrast.found
    return (contrast.value, *map(float, estimate.interval())) if estimate else None
