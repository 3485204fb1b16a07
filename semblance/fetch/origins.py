"""Whether files that were copied from a folder of the user's were changed there since.

A run reads its copies. So a file that is edited later in a mirror, or in the folder of a base, would
change nothing, and nobody would notice. A note keeps of each such file its size, the time of its
last change and its digest; as long as size and time are the same, a look costs nothing.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from semblance.errors import InputError
from semblance.fetch.manifest import is_url
from semblance.fetch.wanted import Wanted
from semblance.provenance import file_digest, place_of, read_sealed, write_sealed

# Of a note, in the folder of the raw data and beside each base; hidden, as no record lists it.
NAME = ".origins.json"


def stamp(path: Path) -> dict[str, int]:
    """Return what tells that a file was touched; take it before the file is copied."""
    found = path.stat()
    return {"size": found.st_size, "changed": found.st_mtime_ns}


def origin(taken: Mapping[str, int], sha256: str, copy: str) -> dict[str, Any]:
    """Return what a note keeps of a file: its ``stamp``, its digest, and the path of its copy.

    The path is relative to the note and leads to what was made from the file.
    """
    return {**taken, "sha256": sha256, "copy": copy}


def note_origins(folder: Path, origins: Mapping[Path, dict[str, Any]]) -> None:
    """Add files, each with its ``origin``, to the note in a folder."""
    if origins:
        note = folder / NAME
        new = {place_of(note, path): entry for path, entry in origins.items()}
        write_sealed(folder / NAME, {**_read_note(folder), **new})


def check_origins(wanted: Wanted, may_write: bool) -> None:
    """Raise InputError for a file that was changed after it was copied.

    Looked at are the places that are named now, the mirror and the folders of bases, and files
    whose copy is there. ``may_write`` allows to note the time of a file that was only touched.
    """
    places = [base.folder for base in wanted.bases.values() if base.folder]
    if wanted.mirror and not is_url(wanted.mirror):
        places.append(wanted.mirror)
    inside = [os.path.abspath(place) for place in places]
    for folder in (wanted.data, *map(wanted.base_folder, wanted.bases)):
        touched = {}
        for name, entry in _read_note(folder).items():
            path = Path(os.path.abspath(folder / name))
            is_used = (folder / entry["copy"]).exists() and any(map(path.is_relative_to, inside))
            if is_used and path.is_file() and not stamp(path).items() <= entry.items():
                touched[path] = {**entry, **_new_stamp(path, entry, folder)}
        if touched and may_write:
            note_origins(folder, touched)


def _new_stamp(path: Path, entry: Mapping[str, Any], folder: Path) -> dict[str, int]:
    """Return the stamp of a file that was only touched; raise InputError for a new content."""
    now = stamp(path)
    found = file_digest(path)
    if found != entry["sha256"]:
        problem = f"changed after it was copied: sha256 {entry['sha256']} then, {found} now"
        advice = (
            f"put the old file back; or, to use the new one, delete {folder / entry['copy']} and"
            " correct the digest that pins the file, if there is one"
        )
        raise InputError(path, problem, advice)
    return now


def _read_note(folder: Path) -> dict[str, Any]:
    return read_sealed(folder / NAME) if (folder / NAME).exists() else {}
