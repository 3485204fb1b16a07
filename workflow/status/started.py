"""What the last run on an output folder has noted of its start (workflow.controller.started)."""

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
    since the epoch. ``command`` is empty, and ``cores`` None, where the run did not note it.
    ``at_a_time``: so many jobs may a scheduler have; None for a run on one machine.
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
    said = read_object(note)
    config = read_object(path)
    try:
        folder = Path(said["folder"])
        is_there = folder.is_dir() and _same(folder / said["output"], out)
        if not is_there:  # the results were moved or copied
            folder = Path.cwd()
            config |= {"output": os.path.abspath(out)}
        _require_jobs(config)
        return Started(
            folder=folder,
            config=config,
            began=note.stat().st_mtime,
            command=str(said.get("command", "")),
            cores=_number(said.get("cores")),
            at_a_time=_number(said.get("at_a_time")),
        )
    except (LookupError, TypeError, AttributeError, ValueError):
        problem = "not the config of a run of this version"
        raise InputError(path, problem, "start the run again, which writes it anew") from None


def _same(one: Path, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _number(value: object) -> int | None:
    if value is None:
        return None
    return int(value)


def _require_jobs(config: dict) -> None:
    """Raise one of the errors of a config that lacks what a plan needs."""
    plan = Plan(config)
    for job in jobs(plan):
        record(plan, job)
