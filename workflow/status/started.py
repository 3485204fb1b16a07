"""What the last run on an output folder has noted of its start (workflow.controller.hooks)."""

import os
from dataclasses import dataclass
from pathlib import Path

from semblance import layout
from semblance.errors import InputError
from semblance.provenance import read_object
from workflow.planning.plan import Plan
from workflow.planning.stages import jobs, record

ADVICE = "name the output folder of a run"


@dataclass(frozen=True)
class Started:
    """How the last run on a folder was started.

    ``folder`` is its working folder, from which the paths of ``config`` count. ``began``: seconds
    since the epoch. ``at_a_time``: so many jobs may a scheduler have; None for a run on one machine.
    """

    folder: Path
    config: dict
    began: float
    command: str = ""
    cores: int | None = None
    at_a_time: int | None = None


def last_output() -> str:
    """Return the output folder in this folder, or one level deeper, on which a run began last."""
    notes = [path for depth in ("*", "*/*") for path in Path().glob(f"{depth}/{layout.COMMAND}")]
    if not notes:
        raise InputError(Path.cwd(), "no run has begun in a folder of this one", ADVICE)
    newest = max(notes, key=lambda path: path.stat().st_mtime)
    return str(newest.parents[1])


def read_start(out: str) -> Started:
    """Return what is noted in an output folder; InputError, which names the file, for what is not."""
    note = Path(layout.place(out, layout.COMMAND))
    path = Path(layout.place(out, layout.CONFIG))
    if not note.is_file() or not path.is_file():
        raise InputError(out, "no run has noted its start here", ADVICE)
    noted = read_object(note)
    config = read_object(path)
    try:
        folder = Path(noted["folder"])
        place = os.path.realpath(folder / noted["output"])
        if not folder.is_dir() or place != os.path.realpath(out):  # moved or copied results
            folder = Path.cwd()
            config |= {"output": os.path.abspath(out)}
        plan = Plan(config)
        for job in jobs(plan):  # raises one of these errors for a config that lacks something
            record(plan, job)
        facts = {key: noted.get(key) for key in ("cores", "at_a_time")}
        return Started(folder, config, note.stat().st_mtime, noted.get("command", ""), **facts)
    except (LookupError, TypeError, AttributeError, ValueError):
        problem = "not the config of a run of this version"
        raise InputError(path, problem, "start the run again, which writes it anew") from None
