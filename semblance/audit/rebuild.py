"""The rendered tables and the comparison page, made once more and compared.

Each table is built from its settings and the scores of its own runs, and its cells are recomputed
from the predictions of these runs.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from semblance import layout
from semblance.audit.cells import Files, check_cells, folders
from semblance.audit.chain import Chain
from semblance.audit.findings import CELLS, FORMS, UNREADABLE, Findings
from semblance.audit.pages import PAGES, Sources, changed_source
from semblance.audit.recompute import Values
from semblance.provenance import file_digest, read_text
from semblance.reporting.bootstrap import noted, with_bootstrap
from semblance.reporting.build import build
from semblance.reporting.comparison import attach
from semblance.reporting.contrasts import with_items
from semblance.reporting.formats import csv_text, markdown
from semblance.reporting.latex import latex
from semblance.reporting.published import Published, read_published
from semblance.reporting.scores import collect
from semblance.reporting.table import Cell, Row, Table, decode_spec, from_json, to_json


@dataclass
class Tables:
    """The tables of a results folder, to be checked.

    ``runs``: the recomputed scores of each run's folder, None where it cannot be read;
    ``published``: the papers' numbers; ``bootstrap``: draw the bootstrap again, too.
    """

    chain: Chain
    runs: dict[Path, Values | None]
    published: Path
    bootstrap: bool
    found: Findings

    def __post_init__(self):
        self.folder = self.chain.root / layout.TABLES

    @functools.cached_property
    def printed(self) -> Published:
        """The papers' numbers."""
        return read_published(self.published)

    @functools.cached_property
    def printed_digest(self) -> str:
        """The digest of the papers' numbers; empty if the file is not there."""
        if not self.published.is_file():
            return ""
        return file_digest(self.published)

    def check(self, readable: list[Path]) -> None:
        """Check every table that one of the readable records lists, and the pages made from all."""
        records = [
            path for path in readable if self.chain.read(path).get("stage") == "render_table"
        ]
        shown: dict[str, Table] = {}
        for path in records:
            try:
                shown[path.name] = self._table(path)
            except UNREADABLE as error:
                self.found.unreadable(FORMS, path, error)
        if len(shown) < len(records):
            return
        for name in PAGES:
            page = self.folder / "records" / f"{name}.json"
            if page in readable:
                try:
                    self._page(page, shown)
                except UNREADABLE as error:
                    self.found.unreadable(FORMS, page, error)

    def _table(self, path: Path) -> Table:
        """Check a table's forms, settings, scores and cells; return it as it is shown."""
        source = Path(layout.place(self.chain.root, layout.TABLE_JSON, table=path.stem))
        text = read_text(source)
        table = from_json(text, str(source))
        same = to_json(table) == text
        self.found.check(FORMS, same, source, "its means, sd or n do not follow from its values")
        for form, write in (("csv", csv_text), ("md", markdown), ("tex", latex)):
            file = self.folder / f"{path.stem}.{form}"
            same = read_text(file) == write(table)
            self.found.check(FORMS, same, file, f"differs from what {source} gives")
        again = self._rebuilt(table, path)
        problem = f"differs from what its settings and scores give: {_difference(table, again)}"
        self.found.check(FORMS, again == table, source, problem)
        for row in table.rows:
            self._note_other_seeds(source, table, row)
        csv_file = self.folder / f"{path.stem}.csv"
        files = Files(csv_file, source, self.chain.root / "scores")
        check_cells(files, table, self.runs, functools.partial(self.found.check, CELLS))
        return table

    def _rebuilt(self, shown: Table, path: Path) -> Table:
        """Build the table of a record again; what is not to be checked is taken as it is shown."""
        record = self.chain.read(path)
        spec = decode_spec(record["settings"])
        table = build(record["settings"], collect(self.chain.scores_behind(path)))
        if self.bootstrap:
            table = with_bootstrap(table, self.chain.root, spec.draws, spec.bootstrap_seed)
        else:
            table = noted(with_items(_with_items_of(table, shown)), spec.draws)
        if record["inputs"].get("published") == self.printed_digest:
            return attach(table, self.printed)
        self.found.note(
            self.folder / f"{shown.name}.md",
            f"made with another {self.published.name}; its published values are not checked",
        )
        return _with_published_of(table, shown)

    def _note_other_seeds(self, source: Path, table: Table, row: Row) -> None:
        """Note the seeds that were scored for a row and that the table leaves out."""
        places = {folder.parent for folder in folders(self.chain.root / "scores", table, row)}
        runs = [folder for folder in self.runs if folder.parent in places]
        scored = {int(folder.name.removeprefix("seed-")) for folder in runs}
        left_out = sorted(scored - set(row.seeds))
        if left_out:
            seeds = ", ".join(map(str, left_out))
            self.found.note(
                source, f"{row.label}: the table leaves out the seeds {seeds}, which have scores"
            )

    def _page(self, path: Path, tables: dict[str, Table]) -> None:
        """Write a page that is made from all tables again."""
        record = self.chain.read(path)
        sources = Sources(self.published, self.printed)
        changed = changed_source(record, sources)
        if changed is not None:
            page = self.folder / f"{path.stem}.md"
            self.found.note(page, f"made with another {changed.name}; not checked")
            return
        asked = [tables[Path(name).name] for name in record["tables"]]
        for name, text in PAGES[path.stem](record, asked, sources).items():
            file = self.folder / name
            same = read_text(file) == text
            self.found.check(FORMS, same, file, "differs from what the tables give")


def _with_items_of(table: Table, shown: Table) -> Table:
    """Return ``table`` with what the test items cause in each row as ``shown`` has it."""
    items = {(row.label, row.protocol): row.items for row in shown.rows}
    rows = [replace(row, items=items.get((row.label, row.protocol), {})) for row in table.rows]
    return replace(table, rows=tuple(rows))


def _with_published_of(table: Table, shown: Table) -> Table:
    """Return ``table`` with the papers' values as ``shown`` has them."""
    return _with_cells(table, shown, lambda cell, other: replace(cell, published=other.published))


def _with_cells(table: Table, shown: Table, change: Callable[[Cell, Cell], Cell]) -> Table:
    """Return ``table`` with each cell changed by what ``shown`` has in its place."""
    rows = list(table.rows)
    for position, (row, other) in enumerate(zip(table.rows, shown.rows, strict=False)):
        cells = dict(row.cells)
        for column in cells.keys() & other.cells.keys():
            cells[column] = change(cells[column], other.cells[column])
        rows[position] = replace(row, cells=cells)
    return replace(table, rows=tuple(rows))


def _difference(shown: Table, again: Table) -> str:
    """Name the first thing in which two tables differ."""
    for row, other in zip(shown.rows, again.rows, strict=False):
        for column in dict.fromkeys([*row.cells, *other.cells]):
            if row.cells.get(column) != other.cells.get(column):
                return f"row {row.label}, column {column}"
        if row != other:
            return f"row {row.label}, {_different_fields(row, other)}"
    return _different_fields(shown, again)


def _different_fields(shown: object, again: object) -> str:
    names = [name for name, value in vars(shown).items() if value != getattr(again, name)]
    return ", ".join(names)
