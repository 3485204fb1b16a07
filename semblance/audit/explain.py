"""What a cell was made from: seeds, predictions, weights, settings, data, code, environment."""

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from semblance import layout
from semblance.audit.cells import seed_folders
from semblance.audit.chain import Chain
from semblance.audit.deleted import DELETED, deletes_models, is_deleted
from semblance.audit.link import Link
from semblance.audit.listing import damage
from semblance.audit.sources import is_prepared
from semblance.errors import InputError
from semblance.provenance import read_text
from semblance.reporting.grids import MISSING, NAMES
from semblance.reporting.table import Cell, Row, Table, from_json

FACTS = (
    "settings",
    "counts",
    "steps",
    "training",
    "regulator_precision",
    "device",
    "code",
    "environment",
)
CHECKED = "checked"
NOT_HERE = "not here, not checked"
CHANGED = "says something else than when it was read: expected"


@dataclass
class Node:
    """One step back from a cell, with what it was made from in ``sources``.

    ``record`` is the path of its record, empty for a step that has none; ``files`` are
    {file, sha256, state}.
    """

    name: str
    record: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    files: list[dict[str, str]] = field(default_factory=list)
    sources: list["Node"] = field(default_factory=list)


def explain(
    root: str | Path, table: str, row: str, column: str, downloads: str | Path | None = None
) -> Node:
    """Return the tree of what one cell was made from, each file checked against its digest.

    ``row``: a label (with several protocols ``label [protocol]``) or a method; ``column``: as in
    the table's header; ``downloads`` as in ``Chain``. Raises an InputError that lists the known
    names for one that is unknown.
    """
    chain = Chain(root, downloads)
    shown = _table(chain.root, table)
    chosen = _row(shown, row)
    name = _column(shown, column)
    cell = chosen.cells.get(name)
    if cell is None:
        raise InputError(
            name, f"does not apply to the row {chosen.label}", f"it has {', '.join(chosen.cells)}"
        )
    tree = _Tree(chain)
    seeds = [tree.of_seed(shown, chosen, seed, value) for seed, value in cell.values.items()]
    record = Path(layout.place(chain.root, layout.TABLE_RECORD, table=table))
    return Node(
        f"{table}, {chosen.label}, {name}",
        facts=_present(_cell_facts(chosen, cell)),
        sources=[*seeds, tree.of_record(record, "table")],
    )


def explain_answerer(root: str | Path, name: str, downloads: str | Path | None = None) -> Node:
    """Return the tree of what an answerer was made from, as ``explain`` does of a cell.

    Raises an InputError that lists the known names for one that is unknown.
    """
    chain = Chain(root, downloads)
    found = chain.root.glob(layout.record("", layout.ANSWERER, answerer="*").lstrip("/"))
    known = sorted(path.parent.name for path in found)
    if name not in known:
        listed = ", ".join(known) or "none"
        advice = f"known are {listed}; of a table, name row and column, too"
        raise InputError(name, "no such answerer", advice)
    path = Path(layout.record(chain.root, layout.ANSWERER, answerer=name))
    facts: dict[str, Any] = {}
    if chain.is_readable(path):
        facts = _evidence_facts(chain.read(path).get("evidence", {}))
    return Node(f"answerer {name}", facts=facts, sources=[_Tree(chain).of_record(path, "folder")])


def _evidence_facts(evidence: dict[str, Any]) -> dict[str, Any]:
    """Return what an answerer's choice rests on, in short."""
    facts = {
        "chosen": evidence.get("chosen"),
        "map": evidence.get("score"),
        "questions": evidence.get("questions"),
    }
    for name, against in evidence.get("against", {}).items():
        facts[f"against {name}"] = against["verdict"]
    return _present(facts)


def _table(root: Path, name: str) -> Table:
    path = Path(layout.place(root, layout.TABLE_JSON, table=name))
    known = sorted(other.stem for other in path.parent.glob("*.json"))
    if name not in known:
        raise InputError(name, "no such table", f"known are {', '.join(known)}")
    return from_json(read_text(path), str(path))


def _row(table: Table, asked: str) -> Row:
    """Return the row of a label, of a label and protocol, or of a method."""
    ways = (lambda row: row.label, _label_and_protocol, lambda row: row.method)
    for name in ways:
        found = [row for row in table.rows if name(row) == asked]
        if len(found) == 1:
            return found[0]
    protocols = {row.protocol for row in table.rows}
    name = _label_and_protocol if len(protocols) > 1 else ways[0]
    known = ", ".join(map(name, table.rows))
    raise InputError(asked, "no row, or several", f"known are {known}")


def _label_and_protocol(row: Row) -> str:
    return f"{row.label} [{row.protocol}]"


def _column(table: Table, asked: str) -> str:
    for column in table.columns:
        if asked in (column, NAMES.get(column)):
            return column
    known = ", ".join(NAMES.get(column, column) for column in table.columns)
    raise InputError(asked, "no such column", f"known are {known}")


def _cell_facts(row: Row, cell: Cell) -> dict[str, Any]:
    return {
        "value": MISSING if cell.mean is None else cell.mean,
        "sd": cell.sd,
        "n": cell.n,
        "control": row.control,
        "test": row.test,
        "difference": cell.contrast and _present(asdict(cell.contrast)),
        "published": cell.published,
        "protocol": row.protocol,
        "reduction": "mean and sample standard deviation of the seeds' values",
        "chosen": row.chosen,
        "missing": list(row.missing),
    }


def _present(facts: dict) -> dict:
    return {name: value for name, value in facts.items() if value not in (None, "", [], {})}


class _Tree:
    """Follows records to their sources, each once."""

    def __init__(self, chain: Chain):
        self.chain = chain
        self.deletes = deletes_models(chain.root)
        self.known: dict[Path, Node] = {}

    def of_seed(self, table: Table, row: Row, seed: str, value: float) -> Node:
        """Return the node of a seed's value in a row, and of the predictions behind it."""
        folders = seed_folders(self.chain.root / "scores", table, row, int(seed))
        facts: dict[str, Any] = {"value": value}
        if len(folders) > 1:
            facts["reduction"] = "mean of its folds"
        sources = [self.of_record(folder / layout.RECORD, "predictions") for folder in folders]
        return Node(f"seed {seed}", facts=facts, sources=sources)

    def of_record(self, path: Path, role: str) -> Node:
        """Return the node of a record, named ``role``, with all that it was made from."""
        if path not in self.known:
            self.known[path] = self._node(path)
        return replace(self.known[path], name=role)

    def _node(self, path: Path) -> Node:
        try:
            record = self.chain.read(path)
            files = self.chain.listed(path)
        except InputError as error:
            unreadable = {"file": str(path), "sha256": "", "state": error.problem}
            return Node("", str(path), files=[unreadable])
        facts = {name: record.get(name) for name in FACTS}
        facts["made"] = f"{record.get('finished')} in {record.get('seconds')} s"
        return Node(
            "",
            str(path),
            facts=_present(facts),
            files=[self._output(file, path, digest) for file, digest in files.items()],
            sources=self._sources(path, record.get("stage", "")),
        )

    def _output(self, file: Path, path: Path, digest: str) -> dict[str, str]:
        """Return a file that the record at ``path`` lists, with its state."""
        missing = ""
        if self.deletes and is_deleted(file, path, self.chain.read(path)):
            missing = DELETED
        return _file(file, digest, missing)

    def _sources(self, path: Path, stage: str) -> list[Node]:
        """Return the nodes of what a record's inputs name."""
        if stage == "render_table":
            return []  # its scores and predictions stand with its seeds already
        nodes = []
        raw = []
        known = set()  # an answerer reads two files of each evaluation
        for link in self.chain.links(path):
            if link.source is None:
                nodes.append(self._lost(link))
            elif is_prepared(stage):
                raw.append(_file(Path(link.sought[0]), link.digest))
            elif (step := (_role(link.name), link.source, link.kept)) not in known:
                known.add(step)
                nodes.append(self._of_source(link, link.source))
        for file, digest in self.chain.user_files(path).items():
            raw.append(_file(file, digest, missing=NOT_HERE))
        if raw:
            nodes.append(Node("raw data", files=raw))
        return nodes

    def _of_source(self, link: Link, source: Path) -> Node:
        """Return the node of the record behind an input, marked if it has changed since."""
        node = self.of_record(source, _role(link.name))
        linked = self.chain.is_linked and self.chain.is_readable(source)
        if linked and self.chain.digest(source) != link.kept:
            changed = {"file": str(source), "sha256": link.kept, "state": CHANGED}
            node = replace(node, files=[changed, *node.files])
        return node

    def _lost(self, link: Link) -> Node:
        state = "in no record"
        if self.chain.is_elsewhere(link):
            state = NOT_HERE
        place = " or ".join(link.sought)
        return Node(link.name, files=[{"file": place, "sha256": link.digest, "state": state}])


def _role(name: str) -> str:
    """Return what an input is called: frozen embeddings by the method that made them."""
    if name.endswith(f"/{layout.WEIGHTS}"):
        return "model"
    if "/" in name:
        return Path(name).parts[-3]
    return name


def _file(path: Path, digest: str, missing: str = "") -> dict[str, str]:
    """Return a file with its state; that of a missing file is ``missing``, if given."""
    state = damage(path, digest) or CHECKED
    if missing and not path.is_file():
        state = missing
    return {"file": str(path), "sha256": digest, "state": state}


def problems(node: Node) -> int:
    """Return how many files in the tree differ from what their records say."""
    own = [file for file in node.files if file["state"] not in (CHECKED, DELETED, NOT_HERE)]
    return len(own) + sum(map(problems, node.sources))
