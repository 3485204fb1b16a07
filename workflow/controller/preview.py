"""What a run is going to do, in a few lines: jobs of each stage, what runs again, and why.

``snakemake -n`` alone prints this in place of some twelve lines for each job. With an option that
asks for Snakemake's own listing, such as ``-np`` or ``--quiet``, it stands below that.
"""

import atexit
import contextlib
import logging
import sys

from snakemake.common import NOTHING_TO_BE_DONE_MSG
from snakemake.logging import logger
from snakemake_interface_logger_plugins.common import LogEvent

from workflow.controller import code_notes, command, reasons

END = "nothing was started; `snakemake -np` lists each job, `semblance plan` says what they cost"


class _PlanIsMade(logging.Filter):
    """Lets warnings pass, or all; ``true`` as soon as Snakemake has said what is to be done."""

    def __init__(self, everything: bool):
        super().__init__()
        self.everything = everything
        self.true = False

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a line is printed."""
        if getattr(record, "event", None) == LogEvent.RUN_INFO:
            self.true = True
            if not self.everything:
                sys.exit()  # before Snakemake makes the texts of all jobs, which nobody sees
        if record.getMessage() == NOTHING_TO_BE_DONE_MSG:
            self.true = True
        return self.everything or record.levelno >= logging.WARNING


def shorten_dry_run(workflow, out: str, arguments: list[str]) -> None:
    """Print the short form at the end, if ``arguments`` of snakemake ask for a dry run."""
    asked = command.read(arguments)
    if asked.dry_run:
        made = _PlanIsMade(asked.lists_jobs)
        logger.addFilter(made)
        atexit.register(_print, workflow, out, made)


def _print(workflow, out: str, made: _PlanIsMade) -> None:
    if made.true:
        print(describe(workflow.dag, out))


def describe(dag, out: str) -> str:
    """Return the short form."""
    plan = reasons.read_plan(dag, code_notes.parts(out))
    if not plan.new and not plan.again:
        return f"Nothing to be done: jobs that are done: {plan.jobs.total():,}"
    return "\n".join([*reasons.format_table(plan), *reasons.format_reasons(plan), END])


def explain_start(workflow, out: str) -> None:
    """Print which finished jobs a run makes again, and why; note what code its jobs run."""
    with contextlib.suppress(OSError):  # only a help for readers: a full disk is told elsewhere
        plan = reasons.read_plan(workflow.dag, code_notes.parts(out))
        for line in reasons.format_reasons(plan):
            print(line, file=sys.stderr)
        code_notes.note(out)
