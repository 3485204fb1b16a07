"""The records of a finished run as a chain: the files in each, and where its inputs come from.

A results folder keeps the record of each artefact beside it, those of the tables in a folder of
their own. Raw data and base models lie in the folder of downloads, which the records of prepared
data name.
"""

import contextlib
import functools
import glob
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from semblance import layout
from semblance.audit.findings import UNREADABLE
from semblance.audit.link import Link
from semblance.audit.listing import LOCK, listed_files
from semblance.audit.sources import OF_FILES, OUTSIDE, is_prepared, method_of_model, sought
from semblance.errors import InputError
from semblance.layout import RECORD
from semblance.provenance import beside, outputs_digest, read_sealed, record_digest

SCORE_FILE = "scores.csv"  # of one run
UNRECORDED = layout.WITHOUT_RECORD
MAPS = ("outputs", "inputs", "records", "places")  # of a record: from names to texts
MAKE_AGAIN = "delete it and run again"


class Chain:
    """All records below a results folder and those of the downloads that it was made from.

    ``downloads``: their folder; by default the one that the records name. Raises InputError for a
    folder that does not exist, and for one that no run has written.
    """

    def __init__(self, root: str | Path, downloads: str | Path | None = None):
        self.root = Path(os.path.abspath(root))
        self._given = None
        if downloads:
            self._given = Path(os.path.abspath(downloads))
        self._read: dict[Path, dict] = {}
        self._digests: dict[Path, str] = {}
        self._links: dict[Path, list[Link]] = {}
        for folder in filter(None, (self.root, self._given)):
            if not folder.is_dir():
                raise InputError(folder, "no such folder", "name a folder that a run has filled")
        if not _is_of_run(self.root):
            near = [*self.root.parents, *self.root.glob("*"), *self.root.glob("*/*")]
            advice = next(
                (f"did you mean {f}?" for f in near if _is_of_run(f)), "name its `output`"
            )
            raise InputError(self.root, "no run has this folder as its output", advice)

    @functools.cached_property
    def downloads(self) -> tuple[Path, ...]:
        """Those folders of downloads that are here."""
        return tuple(folder for folder in self._named_downloads if folder.is_dir())

    @functools.cached_property
    def _named_downloads(self) -> tuple[Path, ...]:
        """The folders of downloads that the records name, or the one that was given.

        The records of earlier versions name none: then it is ``resources`` beside the results.
        """
        if self._given:
            return (self._given,)
        data = {self.place(path, layout.RAW_DATA) for path in self._results}
        # A stage that was run by hand may have read its raw data anywhere.
        of_runs = {folder.parent for folder in data if folder and folder.name == layout.RAW_DATA}
        return tuple(sorted(of_runs)) or (self.root.parent / "resources",)

    def place(self, path: Path, name: str) -> Path | None:
        """Return where an input lay, as the record at ``path`` says; None if it does not say it."""
        place = None
        if self.is_readable(path):
            place = self.read(path).get("places", {}).get(name)
        return place and Path(os.path.normpath(path.parent / place))

    def _data_folder(self, path: Path) -> Path:
        """Return the folder of the raw data that the record of prepared data was made from."""
        named = None
        if not self._given:
            named = self.place(path, layout.RAW_DATA)
        return named or self._named_downloads[0] / layout.RAW_DATA

    @functools.cached_property
    def is_linked(self) -> bool:
        """Tell whether the records keep what the records that they read say.

        Those of earlier versions do not. A record that keeps nothing among others that do is wrong.
        """
        readable = [path for path in self._results if self.is_readable(path)]
        return not readable or any("records" in self.read(path) for path in readable)

    @functools.cached_property
    def _results(self) -> list[Path]:
        """The path of every record below the results folder."""
        found = [
            path
            for path in self.root.rglob(RECORD)
            if not UNRECORDED & set(path.relative_to(self.root).parts)
        ]
        for template in (layout.TABLE_RECORD, layout.FIGURE_RECORD, layout.DRAWING_RECORD):
            found += self.root.glob(layout.pattern(template))
        return found

    @functools.cached_property
    def paths(self) -> list[Path]:
        """The path of every record, sorted."""
        found = set(self._results)
        for folder in self.downloads:
            base = layout.pattern(layout.BASE)
            found.update(folder.glob(f"{base}/{RECORD}"))
            found.update(folder.glob(f"{base}/{layout.SOURCE_RECORD}"))
            found.update(folder.glob(f"*/{LOCK}"))
            found.update(folder.glob(f"{layout.RAW_DATA}/{layout.pattern(layout.RAW_RECORD)}"))
        return sorted(found)

    def read(self, path: Path) -> dict:
        """Read a record, once; InputError if its seal is broken or it has not the form of one."""
        if path not in self._read:
            record = read_sealed(path)
            for name in MAPS:
                if not _is_of_texts(record.get(name, {})):
                    raise InputError(path, f"its {name} do not map names to texts", MAKE_AGAIN)
            self._read[path] = record
        return self._read[path]

    def digest(self, path: Path) -> str:
        """Return the digest of what a record says."""
        if path not in self._digests:
            self._digests[path] = record_digest(self.read(path))
        return self._digests[path]

    def is_readable(self, path: Path) -> bool:
        """Tell whether a record can be read."""
        try:
            return bool(self.read(path))
        except (InputError, OSError):
            return False

    def listed(self, path: Path) -> dict[Path, str]:
        """Return {file: sha256} of the files that the record at ``path`` lists.

        Raises InputError for a file outside of the results and the downloads.
        """
        found = listed_files(path, self.read(path))
        for file in found:
            if not any(file.is_relative_to(folder) for folder in (self.root, *self.downloads)):
                problem = f"lists {file}, which lies outside of the results and the downloads"
                raise InputError(path, problem, MAKE_AGAIN)
        return found

    @functools.cached_property
    def owners(self) -> dict[Path, Path]:
        """Each file with the record that lists it, as far as the records can be read."""
        found: dict[Path, Path] = {}
        for path in self.paths:
            if path.name != LOCK:
                with contextlib.suppress(*UNREADABLE):
                    found |= dict.fromkeys(self.listed(path), path)
        return found

    def links(self, path: Path) -> list[Link]:
        """Return the inputs of a record, each with the record that lists its digest.

        A user's own file is in no record: see ``user_files``.
        """
        if path not in self._links:
            self._links[path] = list(self._found_links(path))
        return self._links[path]

    def _found_links(self, path: Path) -> Iterator[Link]:
        record = self.read(path)
        stage = record.get("stage", "")
        for name, digest in record.get("inputs", {}).items():
            if name in OUTSIDE or stage == "download_model" or name in record.get("places", {}):
                continue  # their sources lie outside of what a run keeps
            link = Link(name, digest, None, ())
            if is_prepared(stage):
                data = self._data_folder(path)
                yield self._to_file(link, record, data, data / name)
            elif stage in OF_FILES:
                yield self._to_file(link, record, path.parent, path.parent / name)
            else:
                places = self._sought(path, stage, name)
                yield self._to_record(replace(link, sought=places), record)

    def sources(self, path: Path) -> list[Path]:
        """Return the records that a record was made from, those that are missing included."""
        if not self.is_readable(path):
            return []
        found = {link.source for link in self.links(path) if link.source}
        record = self.read(path)
        stage = record.get("stage", "")
        for name in record.get("records", {}):
            found.add(self._named(path, stage, name))
        return sorted(filter(None, found))

    def _named(self, path: Path, stage: str, name: str) -> Path | None:
        """Return the record that a reader names; None if not even its folder is here."""
        if is_prepared(stage):
            return self._data_folder(path) / name
        if stage in OF_FILES:
            return self._as_found(path.parent / name)
        for pattern in self._sought(path, stage, name):
            for folder in sorted(glob.glob(os.path.dirname(pattern))):
                return Path(folder, RECORD)
        return None

    def _sought(self, path: Path, stage: str, name: str) -> tuple[str, ...]:
        used = method_of_model(self.read(path))
        return sought(self.root, self._named_downloads, path, stage, name, used)

    def user_files(self, path: Path) -> dict[Path, str]:
        """Return {file: sha256} of the user's own files that a record's data were made from."""
        record = self.read(path)
        places = {name: self.place(path, name) for name in record.get("places", {})}
        inputs = record.get("inputs", {})
        return {file: inputs[name] for name, file in places.items() if name in inputs and file}

    def is_elsewhere(self, link: Link) -> bool:
        """Tell whether a missing source may lie in a folder (such as models) that is not here."""
        here = bool(link.sought) and all(self.has_folder_of(Path(place)) for place in link.sought)
        return link.source is None and not here

    def has_folder_of(self, place: Path) -> bool:
        """Tell whether the downloads, or the folder of the results, that a place lies in are here."""
        if place.is_relative_to(self.root):
            top = place.relative_to(self.root).parts[0]
            return (self.root / top).exists()
        return any(place.is_relative_to(folder) for folder in self.downloads)

    def scores_behind(self, path: Path) -> list[Path]:
        """Return the score files that the record of a table or of the long CSV names."""
        links = self.links(path)
        return [Path(link.sought[0]) for link in links if link.name.endswith(f"/{SCORE_FILE}")]

    def _to_file(self, link: Link, reader: dict, folder: Path, file: Path) -> Link:
        """Return a link to the record of a file; the reader names that record as from ``folder``."""
        file = self._as_found(file)
        owner = self.owners.get(file)
        if not owner or self.listed(owner)[file] != link.digest:
            return replace(link, sought=(str(file),))
        records = reader.get("records", {})
        kept = records.get(beside(folder / RECORD, owner), "")
        if not kept:  # a link may lie between the two
            named = (name for name in records if self._as_found(folder / name) == owner)
            kept = records.get(next(named, ""), "")
        return replace(link, sought=(str(file),), source=owner, kept=kept)

    def _as_found(self, file: Path) -> Path:
        """Return a file by the name under which it was found here, whatever links lead to it."""
        file = Path(os.path.normpath(file))
        if file in self.owners:
            return file
        return self._by_real_path.get(os.path.realpath(file), file)

    @functools.cached_property
    def _by_real_path(self) -> dict[str, Path]:
        return {os.path.realpath(file): file for file in (*self.paths, *self.owners)}

    def _to_record(self, link: Link, reader: dict) -> Link:
        """Return a link to a record that lists its digest; to the one that was read, if it is there."""
        kept = reader.get("records", {}).get(link.name, "")
        found = [
            source
            for pattern in link.sought
            for source in map(Path, sorted(glob.glob(pattern)))
            if self._gives(source, link.digest)
        ]
        found.sort(key=lambda source: self.digest(source) != kept)
        return replace(link, source=next(iter(found), None), kept=kept)

    def _gives(self, source: Path, digest: str) -> bool:
        """Tell whether a digest is that of one output of a record, or of all of them together."""
        if not self.is_readable(source) or "outputs" not in self.read(source):
            return False
        record = self.read(source)
        return digest == outputs_digest(record) or digest in record["outputs"].values()


def _is_of_run(folder: Path) -> bool:
    """Tell whether a folder is the output of a run: each has one of these folders."""
    return any((folder / name).is_dir() for name in ("answerers", "corpora", "tables"))


def _is_of_texts(value: object) -> bool:
    """Tell whether a record's entry maps names to texts."""
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())
