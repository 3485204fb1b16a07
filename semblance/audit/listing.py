"""The files that a record lists, and whether they are as it says."""

import os
from pathlib import Path
from typing import Any

from semblance import layout
from semblance.provenance import file_digest

LOCK = layout.DIGEST_LOCK


def listed_files(path: Path, record: dict[str, Any]) -> dict[Path, str]:
    """Return {file: sha256} of the files that the record at ``path`` lists.

    It is the record of a stage, that of a download, or the lock file of the downloads.
    """
    if "outputs" in record:
        return _below(path.parent, record["outputs"])
    folder = path.parent
    entries = record.get("files", {})
    if path.name == LOCK:  # it has entries for repositories, too, which name no file of ours
        entries = {name: entry for name, entry in record.items() if "sha256" in entry}
    elif folder.name == Path(layout.RAW_RECORD).parent.name:
        folder = folder.parent
    return _below(folder, {name: entry["sha256"] for name, entry in entries.items()})


def _below(folder: Path, names: dict[str, str]) -> dict[Path, str]:
    return {Path(os.path.normpath(folder / name)): digest for name, digest in names.items()}


def damage(path: Path, expected: str) -> str:
    """Return what is wrong with a file whose digest is known; empty if nothing is."""
    if not path.is_file():
        return f"missing: expected sha256 {expected}"
    actual = file_digest(path)
    if actual == expected:
        return ""
    return f"damaged: expected sha256 {expected}, found {actual}"
