"""What the last run on an output folder has noted of its start (workflow.run.hooks)."""

import os
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from semblance import layout
from semblance.audit.chain import run_near
from semblance.errors import InputError
from semblance.provenance import read_object
from workflow.config.model import Config

USUAL = "results"  # as in config.yaml


@dataclass(frozen=True)
class Started:
    """How the last run on a folder was started.

    ``folder`` is its working folder, from which the paths of ``config`` count. ``began``: seconds
    since the epoch. ``at_a_time``: so many jobs may a scheduler have; None for a run on one machine.
    """

    folder: Path
    config: Config
    began: float
    command: str = ""
    cores: int | None = None
    at_a_time: int | None = None


def last_output() -> str:
    """Return the output folder in this folder, or one level deeper, on which a run began last.

    Without a note of a start it is ``results``, if that is there.
    """
    notes = [path for depth in ("*", "*/*") for path in Path().glob(f"{depth}/{layout.COMMAND}")]
    if not notes and Path(USUAL).is_dir():
        return USUAL
    if not notes:
        raise InputError(Path.cwd(), "no results here yet", "name --output, or semblance run first")
    newest = max(notes, key=lambda path: path.stat().st_mtime)
    return str(newest.parents[1])


def read_start(out: str) -> Started:
    """Return what is noted in an output folder; InputError, which names the file, for what is not."""
    note = Path(layout.place(out, layout.COMMAND))
    if not note.is_file():
        raise InputError(out, "no run has noted its start here", run_near(out))
    noted = read_object(note)
    folder = Path(noted["folder"])
    moved = {}
    place = os.path.realpath(folder / noted["output"])
    if not folder.is_dir() or place != os.path.realpath(out):  # moved or copied results
        folder = Path.cwd()
        moved = {"output": os.path.abspath(out)}
    facts = {key: noted[key] for key in ("command", "cores", "at_a_time")}
    return Started(folder, noted_config(out, **moved), note.stat().st_mtime, **facts)


def noted_config(out: str, **changed: str) -> Config:
    """Return the config that a run has noted; InputError for none, or one of another version."""
    path = Path(layout.place(out, layout.CONFIG))
    if not path.is_file():
        raise InputError(out, "no run has noted its config here", run_near(out))
    try:
        return Config.model_validate(read_object(path) | changed)
    except ValidationError:
        problem = "not the config of a run of this version"
        raise InputError(path, problem, "start the run again, which writes it anew") from None
