"""The way to one cell: value <- seeds <- predictions <- weights <- settings, data, code, environment."""

import json
import os
import textwrap
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from semblance.audit.cells import seed_folders
from semblance.audit.chain import Chain, damage
from semblance.errors import InputError
from semblance.provenance import read_text
from semblance.reporting.formats import MISSING, NAMES
from semblance.reporting.table import Row, Table, from_json

WIDTH = 100
DIGITS = 16  # of a digest, in the text; the JSON has it whole
FEW = 4  # so many raw files are named in the text, the rest counted
TOLD = (
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


@dataclass
class Node:
    """One step of the way: ``files`` are {file, sha256, state}, ``sources`` what it was made from.

    ``record`` is the path of its record, empty for a step that has none.
    """

    name: str
    record: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    files: list[dict[str, str]] = field(default_factory=list)
    sources: list["Node"] = field(default_factory=list)


def explain(
    root: str | Path, table: str, row: str, column: str, resources: str | Path | None = None
) -> Node:
    """Return the tree behind one cell, each file on the way checked against its digest.

    ``row``: a label (with several protocols ``label [protocol]``) or a method; ``column``: as in the
    table's header. Raises InputError that lists the known names for one that is unknown.
    """
    chain, place = Chain(root, resources), Path(root) / "tables" / "json" / f"{table}.json"
    known = sorted(p.stem for p in place.parent.glob("*.json"))
    if table not in known:
        raise InputError(table, "no such table", f"known are {', '.join(known)}")
    shown = from_json(read_text(place), str(place))
    chosen, name = _row(shown, row), _column(shown, column)
    cell, way = chosen.cells.get(name), _Way(chain)
    if cell is None:
        raise InputError(
            name, f"does not apply to the row {chosen.label}", f"it has {', '.join(chosen.cells)}"
        )
    facts = {
        "value": MISSING if cell.mean is None else cell.mean,
        "sd": cell.sd,
        "n": cell.n,
        "p": cell.p,
        "p_bootstrap": cell.p_bootstrap,
        "published": cell.published,
        "protocol": chosen.protocol,
        "reduction": "mean and sample standard deviation of the seeds' values",
        "missing": list(chosen.missing),
    }
    seeds = [_seed(way, shown, chosen, seed, value) for seed, value in cell.values.items()]
    made = [way.made(Path(root) / "tables" / "records" / f"{table}.json", "table")]
    return Node(f"{table}, {chosen.label}, {name}", "", _present(facts), [], seeds + made)


def _row(table: Table, asked: str) -> Row:
    for names in (lambda r: r.label, lambda r: f"{r.label} [{r.protocol}]", lambda r: r.method):
        found = [row for row in table.rows if names(row) == asked]
        if len(found) == 1:
            return found[0]
    several = len({row.protocol for row in table.rows}) > 1
    known = [f"{row.label} [{row.protocol}]" if several else row.label for row in table.rows]
    raise InputError(asked, "no row, or several", f"known are {', '.join(known)}")


def _column(table: Table, asked: str) -> str:
    for column in table.columns:
        if asked in (column, NAMES.get(column)):
            return column
    raise InputError(
        asked, "no such column", f"known are {', '.join(NAMES.get(c, c) for c in table.columns)}"
    )


def _seed(way: "_Way", table: Table, row: Row, seed: str, value: float) -> Node:
    places = seed_folders(way.chain.root / "scores", table, row, int(seed))
    facts = {"value": value} | ({"reduction": "mean of its folds"} if len(places) > 1 else {})
    return Node(
        f"seed {seed}",
        "",
        facts,
        [],
        [way.made(place / "record.json", "predictions") for place in places],
    )


def _present(facts: dict) -> dict:
    return {name: value for name, value in facts.items() if value not in (None, "", [], {})}


class _Way:
    """Follows records to their sources, each once."""

    def __init__(self, chain: Chain):
        self.chain = chain
        self.known: dict[Path, Node] = {}

    def made(self, path: Path, role: str) -> Node:
        """Return the node of a record, called ``role`` by its reader, and of all that it leads to."""
        if path not in self.known:
            self.known[path] = self._node(path)
        return replace(self.known[path], name=role)

    def _node(self, path: Path) -> Node:
        try:
            record, vouched = self.chain.read(path), self.chain.vouched(path)
        except InputError as error:
            return Node(
                "", str(path), {}, [{"file": str(path), "sha256": "", "state": error.problem}]
            )
        facts = {name: record.get(name) for name in TOLD} | {
            "made": f"{record.get('finished')} in {record.get('seconds')} s"
        }
        return Node(
            "",
            str(path),
            _present(facts),
            [_file(*item) for item in vouched.items()],
            self._sources(path, record),
        )

    def _sources(self, path: Path, record: dict) -> list[Node]:
        """Return the sources of a record; a table's scores and predictions stand with its seeds already."""
        stage, nodes, raw = record.get("stage", ""), [], []
        for link in self.chain.links(path) if stage != "render_table" else ():
            if link.source is None:
                lost = {
                    "file": " or ".join(link.sought),
                    "sha256": link.digest,
                    "state": "not vouched for, or not here",
                }
                nodes.append(Node(link.name, "", {}, [lost]))
            elif stage.startswith("prepare_"):
                raw.append(_file(Path(link.sought[0]), link.digest))
            else:  # frozen embeddings are called by the entropy model that made them
                nodes.append(
                    self.made(
                        link.source, Path(link.name).parts[-3] if "/" in link.name else link.name
                    )
                )
        return nodes + ([Node("raw data", "", {}, raw)] if raw else [])


def _file(path: Path, digest: str) -> dict[str, str]:
    return {"file": str(path), "sha256": digest, "state": damage(path, digest) or CHECKED}


def problems(node: Node) -> int:
    """Return how many files on the way are not what their records say."""
    return sum(file["state"] != CHECKED for file in node.files) + sum(map(problems, node.sources))


def to_json(node: Node) -> str:
    """Return the whole tree as JSON."""
    return json.dumps(asdict(node), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def to_text(node: Node) -> str:
    """Return the tree as indented lines; what stood above is told once, of settings what differs."""
    return "\n".join(_lines(node, "", {})) + "\n"


def _lines(node: Node, indent: str, seen: dict) -> Iterator[str]:
    before = node.record in seen and bool(node.record)
    yield from _wrapped(
        indent, " ".join(filter(None, [node.name, node.record, "(as above)" if before else ""]))
    )
    if before:
        return
    seen[node.record], inner = True, indent + "  "
    yield from _files(node, inner)
    for name, value in node.facts.items():
        yield from _wrapped(inner, f"{name}  {_told(name, value, seen)}")
    for source in node.sources:
        yield from _lines(source, inner, seen)


def _files(node: Node, indent: str) -> Iterator[str]:
    """Yield a line for the files that matter: weights, or the first few, and each that is not as it should be."""
    weights = [file for file in node.files if file["file"].endswith(".safetensors")]
    named = [
        file
        for file in node.files
        if file in (weights or node.files[:FEW]) or file["state"] != CHECKED
    ]
    for file in named:
        path = (
            os.path.relpath(file["file"], Path(node.record).parent) if node.record else file["file"]
        )
        yield f"{indent}{file['state']}  sha256 {file['sha256'][:DIGITS]}  {path}"
    if len(named) < len(node.files):
        yield f"{indent}{CHECKED}  {len(node.files) - len(named)} files more"


def _told(name: str, value: Any, seen: dict) -> str:
    """Return a fact as text; of settings and environments after the first, what differs from the first."""
    if name == "training":
        return (
            f"step {value.get('step')}, best step {value.get('best_step')}, dev {value.get('best')}"
        )
    if not isinstance(value, dict):
        return str(value)[:DIGITS] if name == "code" else str(value)
    first = seen.setdefault((name, frozenset(value)), value)
    changed = {key: new for key, new in value.items() if new != first[key]}
    if first is value or len(changed) > len(value) / 2:
        return _spaced(value)
    return f"as above but {_spaced(changed)}" if changed else "as above"


def _spaced(value: dict) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _wrapped(indent: str, text: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + "    ",
        break_on_hyphens=False,
        break_long_words=False,
    )
