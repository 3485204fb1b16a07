"""Tables, figures and pages, made once more from their settings and scores and compared.

Each table is built from its settings and the scores of its own runs, and its cells are recomputed
from the predictions of these runs. Its files must be, byte for byte, as their printers make them.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from semblance import layout
from semblance.audit.cells import Runs, check_cells
from semblance.audit.chain import Chain, Node
from semblance.audit.findings import CELLS, FORMS, Findings
from semblance.audit.runs import scores_behind
from semblance.figures import KINDS, FigureSettings, collected_csv, source_files
from semblance.provenance import MOST_TEXT, file_digest, input_digests, read_text
from semblance.reporting.bootstrap import with_bootstrap, with_covariances
from semblance.reporting.build import build
from semblance.reporting.claims import read_claims
from semblance.reporting.claims_page import claims_csv, claims_markdown
from semblance.reporting.comparison import FORM, attach, ledger
from semblance.reporting.formats import markdown, table_csv
from semblance.reporting.judging import judge
from semblance.reporting.latex import latex
from semblance.reporting.predictions import all_paths
from semblance.reporting.published import Published, read_published
from semblance.reporting.scores import collect, scores_csv
from semblance.reporting.table import Table, decode_spec, from_json, parse_table, to_json
from semblance.settings import decode

MOST_BYTES = 1 << 28  # of the CSV of a figure or of all scores
PRINTERS = {"csv": table_csv, "md": markdown, "tex": latex}
OTHER_PAPERS = "made with other numbers or claims of the papers"
PAGES = ("published", "claims")  # each made from all tables


@dataclass
class Tables:
    """The tables, figures and pages of a results folder, to be checked.

    ``runs``: the recomputed scores of each run's folder, None where it cannot be read;
    ``papers``: the files of their numbers and claims; ``bootstrap``: draw the bootstrap again, too.
    """

    chain: Chain
    runs: Runs
    papers: Sequence[Path]
    bootstrap: bool
    found: Findings

    def __post_init__(self):
        self.root = self.chain.root
        self.folder = self.root / layout.TABLES

    @functools.cached_property
    def printed(self) -> Published:
        """The papers' numbers."""
        return read_published(self.papers)

    @functools.cached_property
    def digests(self) -> dict[str, str]:
        """The digests of the papers' files, as records name them."""
        return {path.stem: file_digest(path) for path in self.papers}

    def _is_by_other_papers(self, node: Node) -> bool:
        """Tell whether a table or a page was made with other numbers or claims than these."""
        inputs = input_digests(node.record)
        named = inputs.keys() & self.digests
        return not named or any(inputs[name] != self.digests[name] for name in named)

    def check(self, nodes: list[Node]) -> None:
        """Check every table, figure and page that one of the records lists."""
        rendered = [node for node in nodes if node.stage == "render_table"]
        tables: dict[str, Table] = {}
        for node in nodes:
            with self.found.reading(FORMS, node.path):
                if node.stage == "render_table":
                    tables[node.path.name] = self._table(node)
                elif node.stage == "collect_figure":
                    self._figure(node)
                elif node.stage == "collect_scores":
                    text = scores_csv(collect(scores_behind(node)))
                    file = self.root / layout.ALL_SCORES
                    self._compare(file, text, "the scores of its runs give", MOST_BYTES)
        if len(tables) < len(rendered):
            return
        pages = {Path(layout.place(self.root, layout.TABLE_RECORD, table=p)) for p in PAGES}
        for node in nodes:
            if node.path in pages:
                with self.found.reading(FORMS, node.path):
                    self._page(node, tables)

    def _table(self, node: Node) -> Table:
        """Check a table's forms, settings, scores and cells; return it as it is shown."""
        name = node.path.stem
        source = Path(layout.place(self.root, layout.TABLE_JSON, table=name))
        text = read_text(source)
        table = from_json(text, str(source))
        same = parse_table(to_json(table)) == parse_table(text)
        self.found.check(FORMS, same, source, "its means, sd or n do not follow from its values")
        for form, write in PRINTERS.items():
            self._compare(self.folder / f"{name}.{form}", write(table), f"{source} gives")
        again = self._rebuilt(table, node)
        problem = (
            f"differs from what its settings and scores give: {_first_difference(table, again)}"
        )
        self.found.check(FORMS, again == table, source, problem)
        self._note_other_seeds(source, table)
        check_cells(
            self.root,
            table,
            self.runs,
            lambda holds, what: self.found.check(CELLS, holds, source, what),
        )
        return table

    def _compare(self, file: Path, expected: str, what: str, most: int = MOST_TEXT) -> None:
        """Check that a file has the text that it must have; ``what`` says by what."""
        same = read_text(file, most) == expected
        self.found.check(FORMS, same, file, f"differs from what {what}")

    def _rebuilt(self, shown: Table, node: Node) -> Table:
        """Build the table of a record again; what is not to be checked is taken as it is shown."""
        spec = decode_spec(node.record["settings"])
        table = build(node.record["settings"], collect(scores_behind(node)))
        if self.bootstrap:
            table = with_bootstrap(table, self.root, spec.draws, spec.bootstrap_seed)
        else:
            items = {(row.label, row.protocol): row.items for row in shown.rows}
            table = with_covariances(table, items, spec.draws)
        if self._is_by_other_papers(node):
            what = f"{OTHER_PAPERS}; its published values are not checked"
            self.found.note(self.folder / f"{shown.name}.md", what)
            return _with_published_of(table, shown)
        return attach(table, self.printed)

    def _note_other_seeds(self, source: Path, table: Table) -> None:
        """Note each row that leaves out a seed which was scored."""
        for row in table.rows:
            places = {path.parents[1] for path in all_paths(self.root, table, row)}
            scored = {folder.name for folder in self.runs if folder.parent in places}
            if scored - {f"seed-{seed}" for seed in row.seeds}:
                self.found.note(source, "a row leaves out a seed that has scores")

    def _figure(self, node: Node) -> None:
        """Make the CSV of a collected figure again."""
        file = Path(layout.place(self.root, layout.FIGURE, figure=node.path.stem))
        where = f"{node.path}: settings"
        if node.record.get("settings", {}).get("kind") not in KINDS:
            self.found.note(file, "not made again: no figure is of this kind any more")
            return
        settings = decode(FigureSettings, node.record.get("settings"), where)
        for source in source_files(settings, self.root):
            if reason := self.chain.lacks(source.path, self.chain.node(source.record)):
                self.found.note(file, f"not made again: a file that it is made from is {reason}")
                return
        expected = collected_csv(settings, self.root)
        self._compare(file, expected, "its settings and files give", MOST_BYTES)

    def _page(self, node: Node, tables: Mapping[str, Table]) -> None:
        """Write a page that is made from all tables again."""
        if self._is_by_other_papers(node):
            self.found.note(self.folder / f"{node.path.stem}.md", f"{OTHER_PAPERS}; not checked")
            return
        if node.path.stem == "published" and node.record.get("form") != FORM:
            self.found.note(self.folder / "published.md", "written in an earlier form; not checked")
            return
        of_page = [tables[Path(name).name] for name in node.record["tables"]]
        if node.path.stem == "published":
            texts = {"published.md": ledger(of_page, self.printed, node.record["tolerance"])}
        else:
            by_name = {table.name: table for table in of_page}
            judged = judge(read_claims(self.papers), by_name, self.printed)
            texts = {"claims.csv": claims_csv(judged), "claims.md": claims_markdown(judged)}
        for name, text in texts.items():
            self._compare(self.folder / name, text, "the tables give")


def _with_published_of(table: Table, shown: Table) -> Table:
    """Return ``table`` with the papers' values as ``shown`` has them."""
    rows = list(table.rows)
    for position, (row, other) in enumerate(zip(table.rows, shown.rows, strict=False)):
        cells = dict(row.cells)
        for column in cells.keys() & other.cells.keys():
            cells[column] = replace(cells[column], published=other.cells[column].published)
        rows[position] = replace(row, cells=cells)
    return replace(table, rows=tuple(rows))


def _first_difference(shown: Table, again: Table) -> str:
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
