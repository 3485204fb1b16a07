"""A kept run: a small folder that anyone can check, without weights, vectors and data.

Tables, pages, drawings and the report lie open in it; records, scores and the other small files in
one archive. Predictions are packed: what models share stands once, and of similarities the ranks,
on which Spearman's correlation stands. To check it, the folder of the run is laid out again in a
temporary place and verified as any other.
"""

import contextlib
import lzma
import os
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from semblance import layout
from semblance.audit import findings
from semblance.audit.chain import NOT_KEPT, Chain, Node
from semblance.audit.recompute import average_precision
from semblance.audit.runs import Runs
from semblance.audit.tables import Tables
from semblance.audit.verify import check_records
from semblance.errors import InputError
from semblance.files import copy_file, whole_file
from semblance.names import FAQ_CUTOFFS
from semblance.provenance import circumstances_file, damage, read_object, write_json
from semblance.reporting.published import PAPERS

RECORDS = "records.tar.xz"
SCORES = "scores.csv.xz"
CRATE = "ro-crate-metadata.json"  # for the programs of others: workflow.run.crate
PACKED = "predictions-{kind}-{number}.parquet"
MOST_COLUMNS = 64  # of a packed file: of the STS tasks it has some 3 MB
MOST_UNPACKED = 1 << 28  # bytes of an archive
# What lies open, by its ending, and the folder of the run that it is from.
OPEN = {".md": "tables", ".csv": "tables", ".svg": "figures", ".html": ""}
# By the kind of tests: a model's own column of predictions.
OWN = {"sts": "similarity", "transfer": "predicted", "faq": "ranks"}
RANKED = "sts"  # the kind of tests of which the ranks within each task are kept
# Further columns of a model: they follow from its ranks, or no table reads them.
LEFT_OUT = set("c top top_scores confidence without acc@1 acc@3 acc@5 ap".split())
UNCHECKED = "not checked: data, models, vectors, Pearson's r and geometry, which are not kept"
WITHOUT = "no predictions: tables, intervals and verdicts are not checked"


def keep(results: str | Path, folder: Path) -> None:
    """Write what is kept of a run, in place of an earlier time; the same run gives the same bytes."""
    chain = Chain(results)
    root = chain.root
    if folder.resolve().is_relative_to(root.resolve()):
        advice = "name a folder outside: verify would check the copy for the run"
        raise InputError(folder, f"lies in the run {root}", advice)
    nodes = [chain.node(path) for path in chain.paths if path.is_relative_to(root)]
    listed = {file for node in nodes for file in node.files} - {root / layout.ALL_SCORES}
    shown = {file for file in listed if _lies_open(file, root)}
    if not shown:
        raise InputError(root, "has no finished table", "let the run make one first")
    if (folder / RECORDS).is_file():
        with laid_out(folder) as earlier:
            for name in open_names(earlier) - {file.name for file in shown}:
                (folder / name).unlink(missing_ok=True)
    small = {f for f in listed if f.suffix in (".csv", ".tex") or f.parent.name == "json"}
    archived = {file: file.relative_to(root) for file in small - shown}
    records = [node.path for node in nodes]
    beside = filter(Path.is_file, map(circumstances_file, records))
    archived |= {file: file.relative_to(root) for file in (*records, *beside)}
    archived |= {file: Path("logs", file.name) for file in PAPERS}
    with (
        whole_file(folder / RECORDS) as part,
        tarfile.open(part, "w:xz", preset=9, dereference=True) as box,
    ):
        for file, name in sorted(archived.items(), key=lambda item: item[1]):
            box.add(file, name, filter=_anonymous)
    for file in shown:
        copy_file(file, folder / file.name)
    if (root / layout.ALL_SCORES).is_file():
        with whole_file(folder / SCORES) as part:
            part.write_bytes(lzma.compress((root / layout.ALL_SCORES).read_bytes(), preset=9))
    for file in (root / "tries.jsonl", *root.glob("losses/*.py")):  # what another may doubt
        if file.is_file():
            copy_file(file, folder / file.relative_to(root))
    config = read_object(layout.place(root, layout.CONFIG))
    write_json(folder / "config.json", _without_places(config))
    for kind in OWN:
        _pack(kind, [node for node in nodes if node.stage == f"evaluate_{kind}"], folder)


def _lies_open(file: Path, root: Path) -> bool:
    return file.suffix in OPEN and file.parent == root / OPEN[file.suffix]


def open_names(chain: Chain) -> set[str]:
    """Return the names of the files of a run that lie open in a kept folder."""
    nodes = filter(None, map(chain.find, chain.paths))
    files = [file for node in nodes for file in node.files]
    return {file.name for file in files if _lies_open(file, chain.root)}


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Return a member of an archive that does not tell by whom and when it was written."""
    return member.replace(mtime=0, mode=0o644, uid=0, gid=0, uname="", gname="", deep=False)


def _without_places(value: Any) -> Any:
    """Return a config in which each absolute path is its last name alone."""
    if isinstance(value, dict):
        return {key: _without_places(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_places(each) for each in value]
    return Path(value).name if isinstance(value, str) and os.path.isabs(value) else value


def _pack(kind: str, nodes: list[Node], folder: Path) -> None:
    """Write the predictions of one kind of tests in place of those of an earlier time."""
    tables: list[pd.DataFrame] = []
    for node in nodes:
        items = pd.read_parquet(node.path.with_name(layout.PREDICTIONS))
        own = items.pop(OWN[kind])
        items = items.drop(columns=LEFT_OUT & set(items))
        if kind == RANKED:
            ranks = 2 * own.groupby(items["task"]).rank()  # ties: a half
            own = ranks.astype("uint16" if len(items) < 1 << 15 else "uint32")
        last = tables[-1] if tables else items
        if not tables or len(last.columns) == MOST_COLUMNS or not _items(last).equals(items):
            tables.append(items)
        tables[-1][_evaluated(node.path)] = own
    for earlier in folder.glob(PACKED.format(kind=kind, number="*")):
        earlier.unlink()
    for number, table in enumerate(tables, 1):
        coding: dict[str, Any] = {}
        if kind == RANKED:  # ranks are packed best with their bytes apart
            coding["use_dictionary"] = list(_items(table))
            coding["use_byte_stream_split"] = list(table.filter(like="/"))
        with whole_file(folder / PACKED.format(kind=kind, number=number)) as part:
            table.to_parquet(part, compression="zstd", compression_level=19, index=False, **coding)


def _items(table: pd.DataFrame) -> pd.DataFrame:
    return table.filter(regex="^[^/]+$")  # the names of models have slashes


def _evaluated(record: Path) -> str:
    return "/".join(record.parts[-5:-1])  # CORPUS/BASE/METHOD/seed-N


class KeptChain(Chain):
    """The records of a kept run, whose predictions are ranks: other files than those listed."""

    unknown = Chain.unknown | {"pearson"}

    def lacks(self, file: Path, node: Node) -> str:
        """Return why a file that a record lists need not be here as it was; empty if it must."""
        return "" if file.exists() and file.name != layout.PREDICTIONS else NOT_KEPT


def verify_kept(folder: Path) -> findings.Findings:
    """Check a kept run; where it has predictions, the bootstrap of its tables is drawn again, too.

    Its verdicts are judged by the claims and the papers' numbers that it was kept with.
    """
    checked = findings.Findings(advice="keep the run anew: semblance keep FOLDER")
    packed = sorted(folder.glob(PACKED.format(kind="*", number="*")))
    with laid_out(folder) as chain:
        root = chain.root
        nodes = check_records(chain, checked)
        checked.notes = [(str(folder), UNCHECKED if packed else WITHOUT)]
        pages = {file.name for file in folder.iterdir() if file.suffix in OPEN} - {"README.md"}
        if packed and (others := sorted(pages - open_names(chain))):
            checked.notes.append((str(folder), f"no record lists {', '.join(others)}"))
        for path in findings.bar(packed, "predictions"):
            with checked.reading(findings.SCORES, path):
                unpack(path, root)
        if packed:
            runs = Runs(chain, checked).check(nodes)
            Tables(chain, runs, sorted(root.glob("logs/*.yaml")), True, checked).check(nodes)
    if (folder / CRATE).is_file():
        with checked.reading(findings.DIGESTS, folder / CRATE):
            for entity in read_object(folder / CRATE)["@graph"]:
                if "File" in entity["@type"]:
                    file = folder / entity["@id"]
                    problem = damage(file, entity["sha256"])
                    checked.check(findings.DIGESTS, file, not problem, f"{problem}, by {CRATE}")

    def named(text: str) -> str:
        """Name the kept folder in place of the temporary one and of its tables."""
        for temporary in (f"{root}/{layout.TABLES}", str(root)):
            text = text.replace(temporary, str(folder))
        return text

    checked.failures = [
        findings.Problem(p.kind, named(p.path), named(p.what)) for p in checked.failures
    ]
    checked.notes = [(named(path), named(what)) for path, what in checked.notes]
    return checked


@contextlib.contextmanager
def laid_out(folder: Path) -> Iterator[Chain]:
    """Lay out a kept run as a temporary results folder, without predictions; yield its records."""
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary, "results")
        try:
            with tarfile.open(folder / RECORDS) as box:
                members = box.getmembers()
                if sum(member.size for member in members) > MOST_UNPACKED:
                    raise InputError(folder / RECORDS, f"holds more than {MOST_UNPACKED:,} bytes")
                box.extractall(root, members, filter="data")
            chain = KeptChain(root)
            nodes = filter(None, map(chain.find, chain.paths))
            for file in sorted({file for node in nodes for file in node.files}):
                if file == root / layout.ALL_SCORES and (folder / SCORES).is_file():
                    with lzma.open(folder / SCORES) as stream:
                        file.write_bytes(stream.read(MOST_UNPACKED))
                elif _lies_open(file, root) and (folder / file.name).is_file():
                    copy_file(folder / file.name, file)
        except (tarfile.TarError, lzma.LZMAError, EOFError) as error:
            raise InputError(folder, f"damaged: {error}", "keep the run anew") from None
        yield chain


def unpack(path: Path, root: Path) -> None:
    """Write the predictions of each model of a file beside its record; a similarity is its rank."""
    kind = path.name.split("-")[1]
    table = pd.read_parquet(path)
    records = {_evaluated(r): r for r in (root / layout.SCORES / kind).glob("*/*/*/*/record.json")}
    for model in table.filter(like="/"):
        own = table[model] / 2 if kind == RANKED else table[model]
        frame = _items(table).assign(**{OWN[kind]: own})
        if kind == "faq":
            frame["ap"] = own.map(average_precision)
            for k in FAQ_CUTOFFS:
                frame[f"acc@{k}"] = (own.str[0] <= k).astype(float)
        frame.to_parquet(records[model].with_name(layout.PREDICTIONS))
