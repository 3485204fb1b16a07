"""The numbers of tables, figures and verdicts, computed again from settings and scores and compared.

Each table is built from its settings and the scores of its own runs, and its cells are recomputed
from the predictions of these runs. All is compared by the names of columns: one that this version
does not know, or that an earlier one did not have, is no problem. Of words the digest is enough.
"""

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from semblance import layout
from semblance.audit.cells import TOLERANCE, Runs, check_cells, check_csv
from semblance.audit.chain import Chain, Node
from semblance.audit.findings import CELLS, NUMBERS, VERDICTS, Findings, bar
from semblance.audit.runs import scores_behind
from semblance.audit.verdicts import check_verdicts
from semblance.figures import KINDS, FigureSettings, collected_csv, source_files
from semblance.provenance import file_digest, input_digests, read_text
from semblance.reporting.bootstrap import with_bootstrap, with_covariances
from semblance.reporting.build import build
from semblance.reporting.claims import read_claims
from semblance.reporting.comparison import attach
from semblance.reporting.judging import judge
from semblance.reporting.predictions import all_paths
from semblance.reporting.published import Published, read_published
from semblance.reporting.scores import collect, scores_csv
from semblance.reporting.table import Table, decode_spec, from_json, to_json
from semblance.settings import decode
from semblance.strict_json import parse_strict

MOST_BYTES = 1 << 28  # of the CSV of a figure or of all scores
OTHER_PAPERS = "made with other numbers or claims of the papers"
WORDS = {"title", "notes", "columns", "test"}  # of a table: the text of a version, and its order


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

    @cached_property
    def printed(self) -> Published:
        """The papers' numbers."""
        return read_published(self.papers)

    @cached_property
    def digests(self) -> dict[str, str]:
        """The digests of the papers' files, as records name them."""
        return {path.stem: file_digest(path) for path in self.papers}

    def _is_by_other_papers(self, node: Node) -> bool:
        """Tell whether a table or a page was made with other numbers or claims than these."""
        inputs = input_digests(node.record)
        named = inputs.keys() & self.digests
        return not named or any(inputs[name] != self.digests[name] for name in named)

    def check(self, nodes: list[Node]) -> None:
        """Check every table, figure and verdict that one of the records lists."""
        rendered = [node for node in nodes if node.stage == "render_table"]
        tables: dict[str, Table] = {}
        for node in bar(nodes, "tables"):
            with self.found.reading(NUMBERS, node.path):
                if node.stage == "render_table":
                    tables[node.path.name] = self._table(node)
                elif node.stage == "collect_figure":
                    self._figure(node)
                elif node.stage == "collect_scores":
                    text = scores_csv(collect(scores_behind(node)))
                    self._compare(self.root / layout.ALL_SCORES, text, "the scores of its runs")
        if len(tables) < len(rendered):
            return
        for node in nodes:
            if node.stage == "judge_claims":
                with self.found.reading(VERDICTS, node.path):
                    self._verdicts(node, tables)

    def _table(self, node: Node) -> Table:
        """Check a table's settings, scores, cells and CSV; return it as it is shown."""
        source = Path(layout.place(self.root, layout.TABLE_JSON, table=node.path.stem))
        text = read_text(source)
        table = from_json(text, str(source))
        again = parse_strict(to_json(self._rebuilt(table, node)))
        others = {"published"} if self._is_by_other_papers(node) else set()
        differences = list(_differences(parse_strict(text), again, WORDS | others))
        problem = f"differs from what its settings and scores give: {', '.join(differences[:1])}"
        self.found.check(NUMBERS, source, not differences, problem)
        for row in table.rows:
            places = {path.parents[1] for path in all_paths(self.root, table, row)}
            scored = {folder.name for folder in self.runs if folder.parent in places}
            if scored - {f"seed-{seed}" for seed in row.seeds}:
                self.found.note(source, "a row leaves out a seed that has scores")
        check_cells(self.root, table, self.runs, partial(self.found.check, CELLS, source))
        file = self.folder / f"{table.name}.csv"
        check_csv(table, _csv_lines(read_text(file)), partial(self.found.check, CELLS, file))
        return table

    def _compare(self, file: Path, expected: str, what: str) -> None:
        """Check that a CSV has the lines that it must have, by columns; ``what`` gives them."""
        ours, theirs = _csv_lines(read_text(file, MOST_BYTES)), _csv_lines(expected)
        wrong = {} if len(ours) == len(theirs) else {"its number of lines": None}
        for line, other in zip(ours, theirs, strict=False):
            wrong |= {name: None for name in line if line[name] != other.get(name, line[name])}
        problem = f"differs from what {what} give: {', '.join(wrong)}"
        self.found.check(NUMBERS, file, not wrong, problem)

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
        return attach(table, self.printed)

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
        self._compare(file, expected, "its settings and files")

    def _verdicts(self, node: Node, tables: Mapping[str, Table]) -> None:
        """Judge the claims again."""
        file = self.folder / "claims.csv"
        if self._is_by_other_papers(node):
            self.found.note(file, f"{OTHER_PAPERS}; not checked")
            return
        of_page = [tables[Path(name).name] for name in node.record["tables"]]
        by_name = {table.name: table for table in of_page}
        judged = judge(read_claims(self.papers), by_name, self.printed)
        check = partial(self.found.check, VERDICTS, file)
        check_verdicts(_csv_lines(read_text(file)), judged, by_name, self.printed, check)


def _csv_lines(text: str) -> list[dict[str, str]]:
    """Return the lines of a CSV, each by the names of its columns."""
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def _differences(shown: Any, again: Any, left_out: set[str], place: str = "") -> Iterator[str]:
    """Yield the places at which two JSON values differ; a name that one alone has is none."""
    if isinstance(shown, dict) and isinstance(again, dict):
        for name in again:
            if name in shown and name not in left_out:
                yield from _differences(shown[name], again[name], left_out, f"{place} {name}")
    elif isinstance(shown, list) and isinstance(again, list) and len(shown) == len(again):
        for one, other in zip(shown, again, strict=True):
            name = other.get("label", "") if isinstance(other, dict) else ""
            yield from _differences(one, other, left_out, f"{place} {name}".rstrip())
    elif isinstance(shown, float | int) and isinstance(again, float | int):
        if not math.isclose(shown, again, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            yield place.strip()
    elif shown != again:
        yield place.strip()
