"""Results of other settings that Snakemake takes for current: after `--touch`, or without a trigger.

Snakemake compares the parameters of a job with its own notes, which `--touch` writes anew. A record
holds a digest of the settings that its stage was given, so the plan is compared with that, too.
"""

import logging
import shlex
import sys
from pathlib import Path

from snakemake.common import NOTHING_TO_BE_DONE_MSG
from snakemake.logging import logger
from snakemake_interface_logger_plugins.common import LogEvent

from semblance.counts import counted
from semblance.errors import InputError
from semblance.provenance import read_object, settings_digest

BAD_INPUT = 2


class _OnPlan(logging.Filter):
    """Looks at the plan once, as soon as Snakemake has said what is to be done."""

    def __init__(self, workflow, touches: bool):
        super().__init__()
        self.workflow = workflow
        self.touches = touches
        self.is_done = False

    def filter(self, record: logging.LogRecord) -> bool:
        """Let each line pass; end the process with one line if a result is stale."""
        planned = getattr(record, "event", None) == LogEvent.RUN_INFO
        if not self.is_done and (planned or record.getMessage() == NOTHING_TO_BE_DONE_MSG):
            self.is_done = True
            problem = find_stale(self.workflow.dag, self.touches)
            if problem:
                print(f"error: {problem}", file=sys.stderr)
                sys.exit(BAD_INPUT)  # an exception would be told with lines of the code
        return True


def watch_plan(workflow, touches: bool) -> None:
    """Let the start end with one line where a result is of other settings than the plan's."""
    logger.addFilter(_OnPlan(workflow, touches))


def find_stale(dag, touches: bool) -> str:
    """Return which results of other settings this start would take for current; "" if it takes none."""
    to_do = set(dag.needrun_jobs(exclude_finished=False))
    if touches:
        changed = [job for job in to_do if dag.reason(job).params_changed or _is_stale(job)]
        if changed:
            problem = (
                f"--touch would call {counted(len(changed), 'result')} of other settings current"
            )
            return f"{problem}, such as {min(map(_record, changed))}; start without it"
    stale = [job for job in dag.jobs if job.output and job not in to_do and _is_stale(job)]
    if stale:
        rules = " ".join(sorted({job.rule.name for job in stale}))
        problem = f"{counted(len(stale), 'result')} of other settings than the plan's"
        advice = f"make them again: --forcerun {rules}"
        return f"{problem}, such as {min(map(_record, stale))}; {advice}"
    return ""


def _record(job) -> str:
    return str(job.output.get("record"))


def _is_stale(job) -> bool:
    """Tell whether a job's record says that other settings made it; one of an earlier version does not."""
    record = _record(job)
    if not job.shellcmd or not Path(record).is_file():
        return False
    try:
        given = read_object(record).get("given")
    except InputError:
        return False  # a damaged record is refused by the job that reads it
    return given is not None and given != settings_digest(shlex.split(job.shellcmd))
