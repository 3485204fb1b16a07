"""Outputs of jobs that outlived their controller: Snakemake has no note of the settings they were made with.

It takes them for up to date for ever, whatever the config says later. So they are made again, under its eyes:
a training in seconds, from what it kept when it finished (semblance.training.keeping.finished),
other stages in minutes.
"""

import os
import sys
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path

NOTES = Path(".snakemake/metadata")


def records(out: str | Path, since: float, notes: Path = NOTES) -> Iterator[Path]:
    """Yield the records below ``out`` that were written after ``since`` and of which Snakemake has no note."""
    if not notes.is_dir() or not any(notes.iterdir()):
        return  # results from elsewhere: nothing here has a note
    for folder, below, files in os.walk(out):
        below[:] = [name for name in below if name != "checkpoints"]
        record = Path(folder, "record.json")
        if (
            "record.json" in files
            and record.stat().st_mtime >= since
            and not _note(str(record), notes).exists()
        ):
            yield record


def forget(out: str | Path, since: float, notes: Path = NOTES) -> None:
    """Delete those records, so that their stages run again; a training that kept nothing stays, with a warning."""
    for record in list(records(out, since, notes)):
        if record.parent.joinpath("model").is_dir() and not any(
            record.parent.glob("checkpoints/*/finished/record.json")
        ):
            print(
                f"warning: {record.parent} was finished after its controller had died, and stays:"
                " changes of its settings will go unnoticed; delete it to train it again",
                file=sys.stderr,
            )
        else:
            record.unlink()


def _note(path: str, notes: Path) -> Path:
    """Return where Snakemake notes how a file was made: its name in base64, in folders where that is too long."""
    longest = os.pathconf(notes, "PC_NAME_MAX") - 1
    name = urlsafe_b64encode(path.encode()).decode()
    parts = [name[i : i + longest] for i in range(0, len(name), longest)]
    return notes.joinpath(*(f"@{part}" for part in parts[:-1]), parts[-1])
