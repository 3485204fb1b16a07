"""Orphans: outputs of jobs that ended after their controller had died.

Snakemake has no note of the settings that they were made with, and so takes them for up to date,
whatever the config says later. They are made again, this time noted: a training in seconds, from
what it kept when it finished (``semblance.training.keeping.finished``), other stages in minutes.
"""

import os
import sys
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path

from semblance.layout import RECORD
from workflow.controller import lock

NOTES = Path(".snakemake/metadata")  # one file for each output that Snakemake made


def records(out: str | Path, since: float, notes: Path = NOTES) -> Iterator[Path]:
    """Yield the records below ``out`` written after ``since`` of which Snakemake has no note."""
    if not notes.is_dir() or not any(notes.iterdir()):
        return  # the results were copied here, and Snakemake has no note of any
    for folder, subfolders, files in os.walk(out):
        # Another run's output folder may lie below this one.
        subfolders[:] = [
            name
            for name in subfolders
            if name != "checkpoints" and not Path(folder, name, lock.NAME).exists()
        ]
        if RECORD not in files:
            continue
        record = Path(folder, RECORD)
        if record.stat().st_mtime >= since and not _note(str(record), notes).exists():
            yield record


def forget(out: str | Path, since: float, notes: Path = NOTES) -> None:
    """Delete the records of orphans, so that their stages run again.

    A finished training that could not be put back keeps its record, with a warning.
    """
    for record in list(records(out, since, notes)):
        if _would_train_again(record.parent):
            print(
                f"warning: {record.parent} was finished after its controller had died. Snakemake"
                " will not notice a change of its settings; delete it to train it again",
                file=sys.stderr,
            )
        else:
            record.unlink()


def _would_train_again(folder: Path) -> bool:
    """Tell whether a folder holds a training that kept no second copy of its outputs."""
    kept = any(folder.glob(f"checkpoints/*/finished/{RECORD}"))
    return (folder / "model").is_dir() and not kept


def _note(path: str, notes: Path) -> Path:
    """Return where Snakemake notes how a file was made.

    It is the file's name in base64, cut into folders where that is too long for one name.
    """
    longest = os.pathconf(notes, "PC_NAME_MAX") - 1
    name = urlsafe_b64encode(path.encode()).decode()
    parts = [name[first : first + longest] for first in range(0, len(name), longest)]
    return notes.joinpath(*(f"@{part}" for part in parts[:-1]), parts[-1])
