"""The pages that are made from all tables, made once more: the comparison, claims, statistics."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semblance.provenance import file_digest
from semblance.reporting.claims import read_claims
from semblance.reporting.claims_page import claims_csv, claims_markdown
from semblance.reporting.comparison import compare, ledger
from semblance.reporting.judging import judge
from semblance.reporting.published import Published
from semblance.reporting.simulation import simulate
from semblance.reporting.simulation_page import simulation_csv, simulation_markdown
from semblance.reporting.table import Table

Texts = dict[str, str]  # the name of a file beside the tables -> what must stand in it


@dataclass(frozen=True)
class Sources:
    """What the pages are made from besides the tables: the papers' numbers and their claims."""

    published: Path
    printed: Published

    @property
    def claims(self) -> Path:
        """The file of the claims, beside that of the numbers."""
        return self.published.with_name("claims.yaml")


def comparison(record: Mapping[str, Any], tables: list[Table], sources: Sources) -> Texts:
    """Return the comparison with the papers."""
    tolerance = record["tolerance"]
    records = compare(tables, sources.printed, tolerance)
    return {"published.md": ledger(records, sources.printed, tolerance)}


def claims(record: Mapping[str, Any], tables: list[Table], sources: Sources) -> Texts:
    """Return the verdicts on the claims."""
    by_name = {table.name: table for table in tables}
    judgements = judge(read_claims(sources.claims), by_name, sources.printed)
    return {"claims.csv": claims_csv(judgements), "claims.md": claims_markdown(judgements)}


def statistics(record: Mapping[str, Any], tables: list[Table], sources: Sources) -> Texts:
    """Return the simulation of the tests."""
    found = simulate(tables)
    return {"statistics.csv": simulation_csv(found), "statistics.md": simulation_markdown(found)}


PAGES: dict[str, Callable[[Mapping[str, Any], list[Table], Sources], Texts]] = {
    "published": comparison,
    "claims": claims,
    "statistics": statistics,
}


def changed_source(record: Mapping[str, Any], sources: Sources) -> Path | None:
    """Return the file of numbers or claims that a page was made with in another version."""
    files = {"published": sources.published, "claims": sources.claims}
    for name, path in files.items():
        digest = record["inputs"].get(name)
        if digest is not None and not (path.is_file() and file_digest(path) == digest):
            return path
    return None
