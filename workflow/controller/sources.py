"""Whether all files to download can be had, asked before the first job of a run starts.

No rule can do this before all others: Snakemake 9.27 makes every job stale whose input a rule has to
make, `ancient` or not, and with it all that a finished run has downloaded.
"""

import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from snakemake.exceptions import WorkflowError

from semblance.provenance import canonical
from workflow.controller import scripts
from workflow.planning.plan import Plan
from workflow.planning.sources import wanted_by
from workflow.planning.stages import Job

LOG = "logs/sources.log"  # below the output folder
STOP = "not every file can be had (see above); --keep-going runs what does not need the others"


def ask_first(workflow, plan: Plan) -> None:
    """Ask for the files that this run downloads; nothing is asked where it downloads none.

    Stops the run if a file is nowhere to be had, unless the user wants it to keep going.
    """
    jobs = _downloads(workflow)
    if not jobs:
        return
    wanted = canonical(asdict(wanted_by(plan, jobs)))
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


def _downloads(workflow) -> list[Job]:
    """Return the download jobs among those that this run starts."""
    found = []
    for job in workflow.dag.needrun_jobs():
        if job.rule.name == "download_model":
            found.append(Job("download_model", base=job.wildcards.base))
        elif job.rule.name.startswith("download_"):
            found.append(Job("download", name=job.params.dataset))
    return found
