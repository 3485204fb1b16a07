"""Changes of a results folder, and what a verification says of them: the audit's tests share it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from semblance.audit.findings import Findings
from semblance.audit.verdicts import check_verdicts
from semblance.provenance import digests, read_sealed, write_sealed
from semblance.reporting.claims_page import claims_csv
from semblance.reporting.formats import markdown, table_csv
from semblance.reporting.judgement import Judgement
from semblance.reporting.latex import latex
from semblance.reporting.published import Published
from semblance.reporting.table import Row, Table, from_json, to_json
from tests.unit.reporting.example_scores import csv_lines


def change_record(record: Path, change: Callable[[dict], object]) -> None:
    """Change what a record says, without a change of a file, and seal it anew."""
    value = read_sealed(record)
    change(value)
    write_sealed(record, value)


def reseal(record: Path, **facts) -> None:
    """Make a record list whatever now lies beside it."""
    value = read_sealed(record) | facts
    write_sealed(record, value | {"outputs": digests(record.parent, value["outputs"])})


def shown(results: Path, name: str) -> Table:
    """Return a table as it is shown."""
    return from_json((results / f"tables/json/{name}.json").read_text())


def shown_row(results: Path, table: str, label: str, protocol: str = "") -> Row:
    rows = shown(results, table).rows
    return next(r for r in rows if r.label == label and protocol in ("", r.protocol))


def change_table(results: Path, name: str, change: Callable[[Table], Table]) -> None:
    """Change a table in all its forms alike, and seal its record again."""
    table = change(shown(results, name))
    (results / f"tables/json/{name}.json").write_text(to_json(table))
    for end, form in (("csv", table_csv), ("md", markdown), ("tex", latex)):
        (results / f"tables/{name}.{end}").write_text(form(table))
    reseal(results / f"tables/records/{name}.json")


def with_cell(label: str, column: str, protocol: str = "", **fields) -> Callable[[Table], Table]:
    """Return the change of a table that gives one cell other fields."""

    def changed(row: Row) -> Row:
        if row.label != label or protocol not in ("", row.protocol):
            return row
        return replace(row, cells=row.cells | {column: replace(row.cells[column], **fields)})

    return lambda table: replace(table, rows=tuple(map(changed, table.rows)))


def wrong_verdicts(
    judged: list[Judgement], tables: dict[str, Table], published: Published, **forged: str
) -> list[str]:
    """Return what the audit says of the verdicts' CSV, in each line of which some columns are forged."""
    lines = [line | forged for line in csv_lines(claims_csv(judged))]
    problems: list[str] = []

    def check(holds: bool, what: str) -> bool:
        if not holds:
            problems.append(what)
        return holds

    check_verdicts(lines, judged, tables, published, check)
    return problems


def failed(found: Findings) -> set[str]:
    return {kind for kind, count in found.failed.items() if count}


def texts(found: Findings, path: Path) -> list[str]:
    """Return the problems of one path."""
    return [what for where, what in found.problems if where == str(path.resolve())]
