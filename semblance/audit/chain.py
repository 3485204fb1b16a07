"""The records of a finished run: each is a node, and its inputs are links to other records.

A results folder keeps the record of each artefact beside it, those of the tables in a folder of
their own. Raw data and base models lie in the folder of downloads, to which the links lead.
"""

import functools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from semblance import layout
from semblance.errors import InputError
from semblance.layout import RECORD
from semblance.names import IN_NATURAL_UNIT
from semblance.provenance import outputs_digest, read_object, read_sealed, record_digest

UNRECORDED = layout.WITHOUT_RECORD
MAKE_AGAIN = "delete it and run again"
# What the records of downloads that others were made from are called, below the downloads.
DOWNLOADED = (f"{layout.RAW_DATA}/{layout.RAW_RECORD}", f"{layout.BASE}/{RECORD}")
DEPTH = 3  # parts of these names
DELETED = "deleted after its use (keep.models: final)"
NOT_KEPT = "not kept"


class Link(NamedTuple):
    """An input of a record: its role, where it lies, its digest, and what its record says.

    ``place`` is the record that lists it and ``record`` the digest of that one when it was read.
    Of a user's own file, which is in no record, ``place`` is the file and ``record`` is empty.
    """

    role: str
    place: Path
    digest: str
    record: str


class Node(NamedTuple):
    """A record, the digest of what it says, its files {path: sha256}, and its inputs.

    Those inputs that lie outside of what a run keeps have no place and are not among the links.
    """

    path: Path
    record: dict[str, Any]
    digest: str
    files: dict[Path, str]
    links: tuple[Link, ...]

    @property
    def stage(self) -> str:
        """The stage that wrote it; empty for a download of raw data."""
        return self.record.get("stage", "")

    @property
    def sources(self) -> set[Path]:
        """The records that it was made from."""
        return {link.place for link in self.links if link.record}

    def lists(self, digest: str) -> bool:
        """Tell whether a digest is that of one of its files, or of all of them together."""
        if digest in self.files.values():
            return True
        return "outputs" in self.record and digest == outputs_digest(self.record)


class Chain:
    """All records below a results folder and those of the downloads that it was made from.

    ``downloads``: their folder; by default the one that the records name. Raises InputError for a
    folder that does not exist or that no run has written.
    """

    unknown = IN_NATURAL_UNIT  # metrics that predictions cannot give

    def __init__(self, root: str | Path, downloads: str | Path | None = None):
        self.root = Path(os.path.abspath(root))
        self._given = Path(os.path.abspath(downloads)) if downloads else None
        self._nodes: dict[Path, Node] = {}
        for folder in filter(None, (self.root, self._given)):
            if not folder.is_dir():
                raise InputError(folder, "no such folder", run_near(folder))
        if not _is_of_run(self.root):
            problem = "no run has this folder as its output"
            raise InputError(self.root, problem, run_near(self.root))

    def _results(self) -> Iterator[Path]:
        """Yield the path of every record below the results folder."""
        for template in (layout.TABLE_RECORD, layout.FIGURE_RECORD, layout.DRAWING_RECORD):
            yield from self.root.glob(layout.pattern(template))
        for path in self.root.rglob(RECORD):
            if not UNRECORDED & set(path.relative_to(self.root).parts):
                yield path

    @functools.cached_property
    def downloads(self) -> tuple[Path, ...]:
        """Those folders of downloads that the records name, or the given one, that are here."""
        if self._given:
            return (self._given,)
        nodes = filter(None, map(self.find, self._results()))
        places = {link.place for node in nodes for link in node.links}
        folders = {place.parents[DEPTH - 1] for place in places if is_download(place)}
        return tuple(sorted(folder for folder in folders - {self.root} if folder.is_dir()))

    @functools.cached_property
    def paths(self) -> list[Path]:
        """The path of every record, sorted."""
        records = set(self._results())
        for folder in self.downloads:
            base = layout.pattern(layout.BASE)
            data = layout.pattern(DOWNLOADED[0])
            for name in (f"{base}/{RECORD}", f"{base}/{layout.SOURCE_RECORD}", data):
                records.update(folder.glob(name))
        return sorted(records)

    def node(self, path: Path) -> Node:
        """Read a record, once; InputError if its seal is broken or it has not the form of one."""
        if path not in self._nodes:
            record = read_sealed(path)
            try:
                links = tuple(self._links(path, record.get("inputs", [])))
                files = _listed_files(path, record)
            except (TypeError, AttributeError, LookupError, ValueError):
                raise InputError(path, "not a record of this version", MAKE_AGAIN) from None
            self._nodes[path] = Node(path, record, record_digest(record), files, links)
        return self._nodes[path]

    def find(self, path: Path) -> Node | None:
        """Read a record; None if it cannot be read."""
        try:
            return self.node(path)
        except (InputError, OSError):
            return None

    def changed_since(self, path: Path) -> list[Path]:
        """Return the records behind one that have been written again since they were read for it."""
        changed = []
        waiting = [path]
        seen: set[tuple[Path, str]] = set()
        while waiting:
            node = self.find(waiting.pop())
            for link in node.links if node else ():
                source = self.find(link.place) if link.record else None
                if source is None or (link.place, link.record) in seen:
                    continue
                seen.add((link.place, link.record))
                waiting.append(source.path)
                if source.digest != link.record:
                    changed.append(source.path)
        return changed

    def _links(self, path: Path, inputs: list[dict[str, str]]) -> Iterator[Link]:
        """Yield the links of the record at ``path``; they lead to where its sources are now."""
        for link in (Link(**plain) for plain in inputs):
            if not (link.place or link.record):
                continue
            place = Path(os.path.normpath(path.parent / link.place))
            is_outside = link.record and not place.is_relative_to(self.root)
            if self._given and is_outside and is_download(place):
                place = self._given.joinpath(*place.parts[-DEPTH:])
            yield link._replace(place=place)

    def is_here(self, place: Path) -> bool:
        """Tell whether the downloads, or the folder of the results, that a place lies in are here."""
        if place.is_relative_to(self.root):
            return (self.root / place.relative_to(self.root).parts[0]).exists()
        return place.parents[DEPTH - 1].is_dir()

    @functools.cached_property
    def _deletes_models(self) -> bool:
        """Whether the last run deleted models after their use, by its note of its config."""
        try:
            keep = read_object(layout.place(self.root, layout.CONFIG)).get("keep")
        except (InputError, OSError):
            return False
        return isinstance(keep, dict) and keep.get("models") == "final"

    def lacks(self, file: Path, node: Node) -> str:
        """Return why a file that a record lists need not be here as it was; empty if it must.

        A run deletes weights on purpose.
        """
        weights = node.path.parent / layout.WEIGHTS
        may_go = node.stage in layout.DELETE_WEIGHTS and self._deletes_models
        return DELETED if may_go and file == weights and not file.exists() else ""


def run_near(folder: str | Path) -> str:
    """Return as advice the output folder of a run above a folder, below it or here, if there is one."""
    path = Path(os.path.abspath(folder))
    places = (path, Path.cwd())
    below = [
        path_below for place in places for depth in ("*", "*/*") for path_below in place.glob(depth)
    ]
    near = next(filter(_is_of_run, (*path.parents, *below)), None)
    return f"did you mean {near}?" if near else "name the output folder of a run"


def _is_of_run(folder: Path) -> bool:
    """Tell whether a folder is the output of a run: each has one of these folders."""
    return any((folder / name).is_dir() for name in ("corpora", "scores", "tables"))


def is_download(place: Path) -> bool:
    """Tell whether a place is that of the record of raw data or of a downloaded base."""
    name = "/".join(place.parts[-DEPTH:])
    return any(layout.parse(template, name) for template in DOWNLOADED)


def _listed_files(path: Path, record: dict[str, Any]) -> dict[Path, str]:
    """Return {file: sha256} of the files that the record of a stage or a download lists."""
    folder = path.parent
    entries = record.get("files", {})
    if folder.name == Path(layout.RAW_RECORD).parent.name and entries:
        folder = folder.parent
    digests = {name: entry["sha256"] for name, entry in entries.items()}
    digests |= record.get("outputs", {})
    return {Path(os.path.normpath(folder / name)): digest for name, digest in digests.items()}
