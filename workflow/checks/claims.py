"""Checks of what papers/ says that the papers claim: each name is one of the project's own config.

A configuration laid over that one may leave out tables and methods, and so may that config itself,
by ``null``: their names stay known.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from semblance.names import START, STS_TASKS
from semblance.reporting.claims import Claim, Claims, Needs, read_claims, size_of
from semblance.reporting.layouts import find_layout
from workflow.checks.load import entropy_models
from workflow.checks.options import Check, check_known
from workflow.checks.tables import published
from workflow.config.layers import PROJECT, Layered, laid_over, shown
from workflow.config.model import PAPERS

SECTIONS = {"base": "bases", "corpus": "corpora", "table": "tables"}
Known = dict[str, Iterable[str]]  # the names of each kind; columns are those of one table


def claim_checks(
    paths: Iterable[str | Path] = PAPERS.values(), project: Path = PROJECT
) -> Iterator[Check]:
    """Yield a check of each claim of the papers' files; its InputError is at file:line."""
    claims = read_claims(map(shown, paths))
    known = known_names(laid_over([project]))
    for name in claims.by_name:
        yield partial(_check_claim, claims, name, known)


def known_names(written: Layered) -> Known:
    """Return the names that claims may use, of a config as it is written."""
    known = {kind: written[key] for kind, key in SECTIONS.items()}
    models = dict(entropy_models(written.values_of_all()))
    known["method"] = {START, *written["methods"], *models}
    columns = {f"column of {name}": _table_columns(t) for name, t in written["tables"].items() if t}
    return known | columns


def _table_columns(table: dict[str, Any]) -> list[str]:
    """Return the columns of a table, but for those of single seeds."""
    layout = find_layout(table["layout"])
    parts = layout.metrics or layout.tasks or table.get("tasks") or STS_TASKS
    return [*layout.cells({"0": dict.fromkeys(parts, 0.0)}), *dict(layout.best_columns)]


def _check_claim(claims: Claims, name: str, known: Known) -> None:
    """Check the names of a claim under each reading, and its size in the paper's numbers."""
    claim = claims.by_name[name]
    for one in claim.by_reading().values():
        for kind, word in _names(one):
            # Of a table that is null no column is known. Only of a wrong name its line is looked up.
            if kind in known and word not in known[kind]:
                check_known(claims.place(name, word), word, known[kind], kind)
    for column in claim.columns:
        for claimed in claim.sums(column):
            size_of(claims, name, claimed, published())


def _names(claim: Claim) -> Iterator[tuple[str, str]]:
    """Yield each name in a claim with its kind."""
    yield "table", claim.table
    yield from (("base", base) for base in map(claim.base_of, claim.terms) if base is not None)
    yield from ((f"column of {claim.table}", column) for column in claim.columns)
    rows = [*claim.terms]
    for instead in claim.readings.values():
        rows += [*instead, *instead.values()]
    needs = claim.needs or Needs("")
    yield from (("base", base) for base in needs.bases)
    for asked in filter(None, (needs.differing, needs.better)):
        yield "table", asked.table
        yield f"column of {asked.table}", asked.column
    if needs.tuned:
        yield "table", needs.tuned.table
        rows.append(needs.tuned.row)
    rows += needs.differing.rows if needs.differing else ()
    rows += (needs.better.row, needs.better.than) if needs.better else ()
    for row in rows:
        corpus, slash, method = row.rpartition("/")
        yield "method", method
        if slash:
            yield "corpus", corpus
