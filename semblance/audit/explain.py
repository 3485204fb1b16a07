"""What a cell was made from: seeds, predictions, weights, settings, data, code, environment."""

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from semblance import layout
from semblance.audit.cells import seed_folders
from semblance.audit.chain import DELETED, NOT_KEPT, Chain, Link, Node
from semblance.errors import InputError, one_of
from semblance.names import REGULATOR, STEPS_OF
from semblance.provenance import damage, read_text
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
SOUND = (CHECKED, DELETED, NOT_KEPT, NOT_HERE)
CHANGED = "says something else than when it was read: expected"
EVIDENCE = {"chosen": "chosen", "map": "score", "questions": "questions"}  # of an answerer


@dataclass
class Step:
    """One step back from a cell, with what it was made from in ``sources``.

    ``record`` is the path of its record, empty for a step that has none; ``files`` are
    {file, sha256, state}.
    """

    name: str
    record: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    files: list[dict[str, str]] = field(default_factory=list)
    sources: list["Step"] = field(default_factory=list)


class Place(NamedTuple):
    """One cell of a table."""

    table: Table
    row: Row
    column: str

    @property
    def cell(self) -> Cell:
        """The cell."""
        return self.row.cells[self.column]

    @property
    def name(self) -> str:
        """Its name, by which it is found, too."""
        return f"{self.table.name}, {self.row.label}, {self.column}"


def find_cell(chain: Chain, table: str, row: str, column: str) -> Place:
    """Return the cell of these names; raises an InputError that lists the known ones for another.

    ``row``: a label (with several protocols ``label [protocol]``) or a method; ``column``: as in
    the table's header.
    """
    tables = all_tables(chain)
    name = one_of(table, "table", tables)
    chosen = _find_row(tables[name], row)
    place = Place(tables[name], chosen, _column(tables[name], column))
    if place.column not in chosen.cells:
        advice = f"it has {', '.join(chosen.cells)}"
        raise InputError(place.column, f"does not apply to the row {chosen.label}", advice)
    return place


def all_tables(chain: Chain) -> dict[str, Table]:
    """Return the tables of a run by their names."""
    paths = sorted(chain.root.glob(layout.pattern(layout.TABLE_JSON)))
    return {path.stem: from_json(read_text(path), str(path)) for path in paths}


def explain(chain: Chain, place: Place) -> Step:
    """Return the tree of what one cell was made from, each file checked against its digest."""
    table, row, _ = place
    tree = _Tree(chain)
    record = Path(layout.place(chain.root, layout.TABLE_RECORD, table=table.name))
    made = chain.find(record)
    read = {link.place: link.record for link in made.links} if made else {}
    steps = []
    for seed, value in place.cell.values.items():
        folders = seed_folders(chain.root, table, row, int(seed))
        facts: dict[str, Any] = {"value": value}
        if len(folders) > 1:
            facts["reduction"] = "mean of its folds"
        paths = [folder / layout.RECORD for folder in folders]
        scored = [tree.of_record(path, "predictions", read.get(path, "")) for path in paths]
        steps.append(Step(f"seed {seed}", facts=facts, sources=scored))
    steps.append(tree.of_record(record, "table"))
    return Step(place.name, facts=_present(_cell_facts(row, place.cell)), sources=steps)


def answerers(chain: Chain) -> dict[str, Path]:
    """Return the records of the answerers of a run by their names."""
    pattern = layout.record("", layout.ANSWERER, answerer="*").lstrip("/")
    return {path.parent.name: path for path in sorted(chain.root.glob(pattern))}


def explain_answerer(chain: Chain, name: str) -> Step:
    """Return the tree of what an answerer was made from, as ``explain`` does of a cell."""
    path = answerers(chain)[name]
    facts: dict[str, Any] = {}
    if node := chain.find(path):
        evidence = node.record.get("evidence", {})
        facts = {fact: evidence.get(key) for fact, key in EVIDENCE.items()}
        compared = dict(evidence.get("against", {}))
        if gain := evidence.get("training"):
            compared["no training"] = gain
        for other, against in compared.items():
            facts[f"against {other}"] = against["verdict"]
    source = _Tree(chain).of_record(path, "folder")
    return Step(f"answerer {name}", facts=_present(facts), sources=[source])


def _find_row(table: Table, label: str) -> Row:
    """Return the row of a label, of a label and protocol, or of a method."""
    ways = (lambda row: row.label, _label_and_protocol, lambda row: row.method)
    several: list[Row] = []
    for name in ways:
        rows = [row for row in table.rows if name(row).casefold() == label.casefold()]
        if len(rows) == 1:
            return rows[0]
        several = several or rows
    protocols = {row.protocol for row in table.rows}
    name = _label_and_protocol if len(protocols) > 1 else ways[0]
    known = "; ".join(map(name, several or table.rows))
    if several:
        raise InputError(label, f"{len(several)} rows", f"name one: {known}")
    raise InputError(label, "no such row", f"known are {known}")


def _label_and_protocol(row: Row) -> str:
    return f"{row.label} [{row.protocol}]"


def _column(table: Table, name: str) -> str:
    for column in table.columns:
        if name.casefold() in (column.casefold(), NAMES.get(column, column).casefold()):
            return column
    known = ", ".join(NAMES.get(column, column) for column in table.columns)
    raise InputError(name, "no such column", f"known are {known}")


def _cell_facts(row: Row, cell: Cell) -> dict[str, Any]:
    return {
        "value": MISSING if cell.mean is None else cell.mean,
        **{name: getattr(cell, name) for name in ("sd", "n", "published")},
        **{name: getattr(row, name) for name in ("control", "test", "protocol")},
        "missing": list(row.missing),
        "difference": cell.contrast and _present(asdict(cell.contrast)),
    }


def _present(facts: dict) -> dict:
    return {name: value for name, value in facts.items() if value not in (None, "", [], {})}


class _Tree:
    """Follows records to their sources, each once."""

    def __init__(self, chain: Chain):
        self.chain = chain
        self.known: dict[Path, Step] = {}

    def of_record(self, path: Path, role: str, expected: str = "") -> Step:
        """Return the step of a record, named ``role``, with all that it was made from.

        ``expected`` is the digest by which a reader knew the record. If the record has been written
        again since, the step says so.
        """
        if path not in self.known:
            try:
                self.known[path] = self._step(self.chain.node(path))
            except InputError as error:
                unreadable = _stated(path, "", error.problem)
                self.known[path] = Step("", str(path), files=[unreadable])
        step = replace(self.known[path], name=role)
        node = self.chain.find(path)
        if expected and node and node.digest != expected:
            step = replace(step, files=[_stated(path, expected, CHANGED), *step.files])
        return step

    def _step(self, node: Node) -> Step:
        record = node.record
        facts = {name: record.get(name) for name in FACTS}
        facts["made"] = f"{record.get('finished')} in {record.get('seconds')} s"
        files = []
        for file, digest in node.files.items():
            files.append(_file(file, digest, self.chain.lacks(file, node)))
        sources = []
        if node.stage != "render_table":  # its scores and predictions stand with its seeds already
            sources = self._sources(node)
        return Step("", str(node.path), _present(facts), files, sources)

    def _sources(self, node: Node) -> list[Step]:
        """Return the steps that a record's inputs lead to."""
        steps = []
        raw = []
        known = set()  # an answerer reads two files of each evaluation
        for link in node.links:
            if not link.record:
                raw.append(_file(link.place, link.digest, NOT_HERE))
                continue
            source = self.chain.find(link.place)
            if source is None or not source.lists(link.digest):
                state = "in no record" if self.chain.is_here(link.place) else NOT_HERE
                lost = _stated(link.place, link.digest, state)
                steps.append(Step(link.role, files=[lost]))
            elif not source.stage:  # a download of raw data
                raw.append(_file(link.place.parents[1] / link.role, link.digest))
            elif (_role(link), link.place, link.record) not in known:
                known.add((_role(link), link.place, link.record))
                steps.append(self.of_record(link.place, _role(link), link.record))
        if raw:
            steps.append(Step("raw data", files=raw))
        return steps


def _role(link: Link) -> str:
    """Return what an input is called: one of several, such as regulators, by the method that made it."""
    if link.role.endswith(f"/{layout.WEIGHTS}"):
        return "model"
    if "/" in link.role or link.role.startswith((REGULATOR, STEPS_OF)):
        return link.place.parts[-3]
    return link.role


def _file(path: Path, digest: str, missing: str = "") -> dict[str, str]:
    """Return a file with its state; that of a missing file is ``missing``, if given."""
    state = damage(path, digest) or CHECKED
    if missing and not path.is_file():
        state = missing
    return _stated(path, digest, state)


def _stated(path: Path, digest: str, state: str) -> dict[str, str]:
    return {"file": str(path), "sha256": digest, "state": state}


def states(step: Step) -> dict[str, str]:
    """Return the state of each file behind a step."""
    by_file = {file["file"]: file["state"] for file in step.files}
    for source in step.sources:
        by_file |= states(source)
    return by_file


def problems(step: Step) -> int:
    """Return how many files in the tree differ from what their records say."""
    return sum(state not in SOUND for state in states(step).values())
