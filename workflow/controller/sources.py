"""Whether all files to download can be had, asked before the first job of a run starts.

No rule can do this before all others: Snakemake 9.27 makes every job stale whose input a rule has to
make, `ancient` or not, and with it all that a finished run has downloaded.
"""

import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from snakemake.exceptions import WorkflowError

from semblance.download.origins import check_origins
from semblance.errors import InputError
from semblance.provenance import canonical
from workflow.controller import command, scripts
from workflow.planning.plan import Plan
from workflow.planning.stages import STAGES, Job, jobs, record, wanted_by

LOG = "logs/sources.log"  # below the output folder
STOP = "not every file can be had (see above); --keep-going runs what does not need the others"


def ask_first(workflow, plan: Plan) -> None:
    """Ask for the files that this run downloads; nothing is asked where it downloads none.

    Stops the run if a file is nowhere to be had, unless the user wants it to keep going.
    """
    downloads = _downloads(workflow, plan)
    if not downloads:
        return
    wanted = canonical(asdict(wanted_by(plan, downloads)))
    done = subprocess.run(
        [*scripts.arguments("sources"), "--settings", wanted],
        env=scripts.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    print(done.stdout, file=sys.stderr, end="")
    log = Path(plan.out, LOG)
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(done.stdout, encoding="utf-8")
    if done.returncode and not workflow.execution_settings.keep_going:
        raise WorkflowError(STOP)


def require_unchanged(plan: Plan, arguments: list[str]) -> None:
    """Raise WorkflowError for a file of the mirror, or of a base's folder, that was changed.

    ``arguments`` are those of snakemake. Without this, a finished run would say that there is
    nothing to be done.
    """
    try:
        check_origins(wanted_by(plan), may_write=command.read(arguments).starts_jobs)
    except InputError as error:
        raise WorkflowError(str(error)) from None


def _downloads(workflow, plan: Plan) -> list[Job]:
    """Return the download jobs among those that this run starts, known by their records.

    A workflow that uses this one as a module may give the rules other names.
    """
    downloads = [job for job in jobs(plan) if STAGES[job.stage].work == "download"]
    by_record = {record(plan, job): job for job in downloads}
    made = [str(file) for job in workflow.dag.needrun_jobs() for file in job.output]
    return [by_record[file] for file in made if file in by_record]
