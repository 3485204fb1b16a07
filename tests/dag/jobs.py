"""Every job of a config as a line: its rule, what it makes, its settings and what it reads.

``python -m tests.dag.jobs --configfile configs/minilm.yaml`` prints the lines, so that those of two
versions can be compared; ``python -m tests.dag.jobs --write`` notes in jobs.csv what each rule plans.
"""

import csv
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from snakemake import cli
from snakemake.workflow import Workflow

from semblance.provenance import ROOT
from workflow.run import changes

NOTED = Path(__file__).with_suffix(".csv")
DIGESTS = ("code", "told")  # of all code that a job runs, and of all stages that the page shows
# simcse-glove and simcse-sources are not among them: they need files that a user has to fetch.
CONFIGS = {
    "config": [],
    "demo": ["demo/config.yaml"],
    "minilm": ["configs/minilm.yaml"],
    "minilm-cpu": ["configs/minilm.yaml", "configs/minilm-cpu.yaml"],
    "minilm-gpu": ["configs/minilm.yaml", "configs/minilm-gpu.yaml"],
    "family": ["configs/family.yaml"],
    "starts": ["configs/starts.yaml"],
    "own-faq": ["configs/own-faq.yaml"],
    "simcse-cpu": ["configs/minilm.yaml", "configs/simcse-cpu.yaml"],
}


def main(arguments: list[str]) -> None:
    """Print the jobs that Snakemake plans with these arguments, sorted."""
    Workflow.printdag = print_jobs
    changes.code_digest = lambda *modules: ""  # reading all code takes seconds, and no line says it
    sys.argv = ["snakemake", *arguments, "--forceall", "--nolock", "--dag"]
    cli.main()


def print_jobs(workflow: Workflow) -> None:
    """Build the DAG as ``--dag`` does, and print a line for each job in place of the graph."""
    workflow._prepare_dag(forceall=True, ignore_incomplete=True, lock_warn_only=True)
    workflow._build_dag()
    print("\n".join(sorted(lines(workflow.dag.jobs))))


def lines(jobs) -> Iterator[str]:
    """Yield a job's rule, outputs, settings and inputs; digests of code and outline are no settings."""
    for job in jobs:
        settings = {name: value for name, value in job.params.items() if name not in DIGESTS}
        parts = (job.rule.name, sorted(job.output), settings, sorted(job.input))
        text = json.dumps(parts, sort_keys=True, default=str, ensure_ascii=False)
        yield text.replace(os.fspath(ROOT) + "/", "")


def planned(name: str) -> list[list[str]]:
    """Return, for each rule of a shipped config, the number of its jobs and a digest of them."""
    files = ["--configfile", *CONFIGS[name]] if CONFIGS[name] else []
    command = [sys.executable, "-m", "tests.dag.jobs", *files]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    rows = []
    for rule, jobs in groupby(printed.splitlines(), key=lambda line: json.loads(line)[0]):
        jobs = list(jobs)
        digest = hashlib.sha256("\n".join(jobs).encode()).hexdigest()[:16]
        rows.append([name, rule, str(len(jobs)), digest])
    return rows


def noted() -> list[list[str]]:
    """Return the rows of jobs.csv."""
    with NOTED.open(newline="") as file:
        return list(csv.reader(file))


def write() -> None:
    """Note what the present code plans."""
    with NOTED.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows(row for name in CONFIGS for row in planned(name))


if __name__ == "__main__":
    write() if sys.argv[1:] == ["--write"] else main(sys.argv[1:])
