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
    """Return what is noted in an output folder.

    InputError, which names the file, for what is not noted, or is of another version.
    """
    note, config = Path(layout.place(out, layout.COMMAND)), Path(layout.place(out, layout.CONFIG))
    for path, what in ((note, "start"), (config, "config")):
        if not path.is_file():
            raise InputError(out, f"no run has noted its {what} here", run_near(out))
    noted = read_object(note)
    folder = Path(noted["folder"])
    moved = {}
    place = os.path.realpath(folder / noted["output"])
    if not folder.is_dir() or place != os.path.realpath(out):  # moved or copied results
        folder = Path.cwd()
        moved = {"output": os.path.abspath(out)}
    try:
        of_run = Config.model_validate(read_object(config) | moved)
    except ValidationError:
        problem = "not the config of a run of this version"
        raise InputError(config, problem, "start the run again, which writes it anew") from None
    facts = {key: noted[key] for key in ("command", "cores", "at_a_time")}
    return Started(folder, of_run, note.stat().st_mtime, **facts)
