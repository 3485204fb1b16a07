"""What this project changes or reads in Snakemake though its documentation does not promise it.

It stands here alone, each part with its reason; tests/unit/run/test_private.py fails when
Snakemake changes one of them. Of its ``Workflow`` and its plan, ``hooks`` and ``preview`` read public
attributes only. Events come by Python's ``logging``, with the records that Snakemake makes for its
logger plugins. A plugin itself cannot be named in profiles/default: the command ``snakemake`` looks
for plugins among installed packages, not in this folder, and without it every start is a usage error.
It would also get the records in a thread of its own, after the end of the run is printed.
"""

import functools
import os
from base64 import urlsafe_b64encode
from pathlib import Path
from threading import RLock

# The message with which the executor for Slurm names all jobs of a run.
RUN_ID = "SLURM run ID: "
# One file for each output that Snakemake made.
NOTES = Path(".snakemake/metadata")
# In what Snakemake logs as errors when jobs failed, beside its events of them: the exception of a
# command, and a last line. And what it logs of a signal that ends a run.
FAILED = ("CalledProcessError in file", "Exiting because a job execution failed")
STOPPING = ("Terminating processes", "Will exit after finishing")
# Snakemake's default limit of starts in a time, which is never reached: 100 a second.
DEFAULT_LIMIT = (100, 1)


def mend_scheduler(workflow) -> None:
    """Keep Snakemake 9.27 from waiting for itself at a SIGTERM, and from ever more looks at the queue."""
    # The handler of SIGTERM takes this lock in the thread that may hold it, and would wait for itself
    # for ever: that thread may take it twice.
    workflow.scheduler._lock = RLock()
    # Under a limit, each look at the queue orders a new one. The looks after a finished job start one
    # more such chain, which never ends: after 80 jobs they took a quarter of a core, and ever more.
    # A limit of the user's own stays.
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if limit and (limit.max_jobs, limit.timespan) == DEFAULT_LIMIT:
        workflow.scheduler.job_rate_limiter = None


def uncolour(logger) -> None:
    """Let Snakemake's own handler of the terminal write without colours, since a log gets its lines."""
    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler":
            handler.nocolor = True


def inspect_functions_once() -> None:
    """Let Snakemake inspect each function of the rules once, and not anew for each job."""
    from snakemake import common, rules  # slow to load, and not needed to read events

    once = functools.cache(common.get_function_params)
    common.get_function_params = rules.get_function_params = once


def keep_words_about_groups() -> None:
    """Let Snakemake log what an executor says of a failed group, as it does of a failed job."""
    from snakemake.jobs import GroupJob  # slow to load, and not needed to read events

    log_error = GroupJob.log_error

    def log_with_words(self, msg=None, **facts):
        log_error(self, **{"rule_msg": msg} | facts)

    GroupJob.log_error = log_with_words


def note_of(path: str | os.PathLike) -> Path:
    """Return where Snakemake notes how a file was made, from which it tells what has changed.

    It is the file's name in base64, cut into folders where that is too long for one name.
    """
    longest = os.pathconf(NOTES, "PC_NAME_MAX") - 1
    name = urlsafe_b64encode(os.fsencode(path)).decode()
    parts = [name[first : first + longest] for first in range(0, len(name), longest)]
    return NOTES.joinpath(*(f"@{part}" for part in parts[:-1]), parts[-1])
