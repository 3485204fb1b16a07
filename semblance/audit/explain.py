"""What a cell was made from: seeds, predictions, weights, settings, data, code, environment."""

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from semblance import layout
from semblance.audit.chain import DELETED, NOT_KEPT, Chain, Node
from semblance.errors import InputError, one_of
from semblance.names import REGULATOR, STEPS_OF
from semblance.provenance import circumstances, damage
from semblance.reporting.grids import MISSING, NAMES
from semblance.reporting.predictions import paths_of_seed
from semblance.reporting.table import Cell, Row, Table, from_file

FACTS = tuple(  # of a record
    "settings counts steps training regulator_precision device code environment".split()
)
CHECKED = "checked"
NOT_HERE = "not here, not checked"
SOUND = (CHECKED, DELETED, NOT_KEPT, NOT_HERE)
CHANGED = "says something else than when it was read: expected"


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
    """Return the cell of these names, in any case; InputError with the right ones for another.

    ``row``: a label, a label with its protocol (``label [protocol]``) or a method, of one row
    alone; ``column``: as in the table's header.
    """
    tables = all_tables(chain)
    chosen = tables[one_of(table, "table", tables)]
    line = _row(chosen, row)
    columns = {name: each for each in chosen.columns for name in (each, NAMES.get(each, each))}
    name = columns[one_of(column, "column", columns)]
    if name not in line.cells:
        advice = f"it has {', '.join(line.cells)}"
        raise InputError(name, f"does not apply to the row {line.label}", advice)
    return Place(chosen, line, name)


def _row(table: Table, name: str) -> Row:
    ways = (
        lambda row: row.label,
        lambda row: f"{row.label} [{row.protocol}]",
        lambda row: row.method,
    )
    for way in ways:
        rows = [row for row in table.rows if way(row).casefold() == name.casefold()]
        if len(rows) == 1:
            return rows[0]
    advice = f"name one of {'; '.join(map(ways[1], table.rows))}"
    raise InputError(name, "not the name of one row", advice)


def all_tables(chain: Chain) -> dict[str, Table]:
    """Return the tables of a run by their names."""
    paths = sorted(chain.root.glob(layout.pattern(layout.TABLE_JSON)))
    return {path.stem: from_file(path) for path in paths}


def explain(chain: Chain, place: Place) -> Step:
    """Return the tree of what one cell was made from, each file checked against its digest."""
    table, row, _ = place
    cell = place.cell
    tree = _Tree(chain)
    record = Path(layout.place(chain.root, layout.TABLE_RECORD, table=table.name))
    made = chain.find(record)
    read = {link.place: link.record for link in made.links} if made else {}
    steps = []
    for seed, value in cell.values.items():
        behind = paths_of_seed(chain.root, table, row, int(seed))
        paths = [path.with_name(layout.RECORD) for path in behind]
        scored = [tree.of_record(path, "predictions", read.get(path, "")) for path in paths]
        steps.append(Step(f"seed {seed}", facts={"value": value}, sources=scored))
    steps.append(tree.of_record(record, "table"))
    facts = {
        "value": MISSING if cell.mean is None else cell.mean,
        **{name: getattr(cell, name) for name in ("sd", "n", "published")},
        **{name: getattr(row, name) for name in ("control", "test", "protocol")},
        "missing": list(row.missing),
        "difference": cell.contrast and _present(asdict(cell.contrast)),
    }
    return Step(place.name, facts=_present(facts), sources=steps)


def explain_record(chain: Chain, name: str, path: Path, facts: dict) -> Step:
    """Return the tree of what a folder was made from, by its record, as ``explain`` does of a cell."""
    source = _Tree(chain).of_record(path, "folder")
    return Step(name, facts=_present(facts), sources=[source])


def _present(facts: dict) -> dict:
    return {name: value for name, value in facts.items() if value not in (None, "", [], {})}


class _Tree:
    """Follows records to their sources, each once."""

    def __init__(self, chain: Chain):
        self.chain = chain
        self.steps: dict[Path, Step] = {}

    def of_record(self, path: Path, role: str, expected: str = "") -> Step:
        """Return the step of a record, named ``role``, with all that it was made from.

        ``expected`` is the digest by which a reader knew the record. If the record has been written
        again since, the step says so.
        """
        if path not in self.steps:
            try:
                self.steps[path] = self._step(self.chain.node(path))
            except InputError as error:
                self.steps[path] = Step("", str(path), files=[_file(path, "", error.problem)])
        step = replace(self.steps[path], name=role)
        node = self.chain.find(path)
        if expected and node and node.digest != expected:
            step.files = [_file(path, expected, CHANGED), *step.files]
        return step

    def _step(self, node: Node) -> Step:
        facts = {name: node.record.get(name) for name in FACTS}
        ran = node.record | circumstances(node.path)  # earlier records hold them themselves
        if "finished" in ran:
            facts["made"] = f"{ran['finished']} in {ran['seconds']} s"
        files = [
            _file(file, digest, self.chain.lacks(file, node)) for file, digest in node.files.items()
        ]
        sources = []
        if node.stage != "render_table":  # its scores and predictions stand with its seeds already
            sources = self._sources(node)
        return Step("", str(node.path), _present(facts), files, sources)

    def _sources(self, node: Node) -> list[Step]:
        """Return the steps that a record's inputs lead to."""
        steps = []
        raw = []
        followed = set()  # a stage may read two files of one evaluation
        for role, place, digest, record in node.links:
            if not record:  # a file of the user's own
                raw.append(_file(place, digest, "" if place.is_file() else NOT_HERE))
                continue
            source = self.chain.find(place)
            name = _name(role, place)
            if source is None or not source.lists(digest):
                state = "in no record" if self.chain.is_here(place) else NOT_HERE
                steps.append(Step(role, files=[_file(place, digest, state)]))
            elif not source.stage:  # a download of raw data
                raw.append(_file(place.parents[1] / role, digest))
            elif (name, place, record) not in followed:
                followed.add((name, place, record))
                steps.append(self.of_record(place, name, record))
        if raw:
            steps.append(Step("raw data", files=raw))
        return steps


def _name(role: str, place: Path) -> str:
    """Return what an input is called: one of several, such as regulators, by its method."""
    if role.endswith(f"/{layout.WEIGHTS}"):
        return "model"
    if "/" in role or role.startswith((REGULATOR, STEPS_OF)):
        return place.parts[-3]
    return role


def _file(path: Path, digest: str, state: str = "") -> dict[str, str]:
    """Return a file with its state, by which its digest is checked where none is given."""
    return {"file": str(path), "sha256": digest, "state": state or damage(path, digest) or CHECKED}


def states(step: Step) -> dict[str, str]:
    """Return the state of each file behind a step."""
    by_file = {file["file"]: file["state"] for file in step.files}
    for source in step.sources:
        by_file |= states(source)
    return by_file


def problems(step: Step) -> int:
    """Return how many files in the tree differ from what their records say."""
    return sum(state not in SOUND for state in states(step).values())
