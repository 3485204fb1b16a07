"""What a local run makes of its machine: as many GPU jobs as GPUs, and with --sdm conda the environment's Python."""

import os
import re
import sys
from pathlib import Path

import pytest

from semblance.provenance import read_sealed
from tests.dag.tiny import CONFIG, ROOT, Project
from tests.unit.test_gpus import A, B, write_nvidia_smi

pytestmark = pytest.mark.dag
TARGET = "results/sts/record.json"  # two rules and no training
SCORES_OF_START = "results/scores/sts/none/tiny/start/seed-0/record.json"

CONDA = """#!/bin/sh
case "$*" in
  "info --json") echo '{{"conda_prefix": "{base}", "platform": "linux-64"}}' ;;
  "--version") echo "conda 24.7.1" ;;
  "config --get channel_priority --json") echo '{{"get": {{"channel_priority": "strict"}}}}' ;;
  "env create "*)
    while [ $# -gt 0 ]; do case "$1" in --file) file="$2" ;; --prefix) prefix="$2" ;; esac; shift; done
    mkdir -p "$prefix/bin"
    cp "$file" {base}/created.yaml
    printf '#!/bin/sh\\necho "$*" >> {base}/ran\\nexec {python} "$@"\\n' > "$prefix/bin/python"
    chmod +x "$prefix/bin/python" ;;
  "clean "*) ;;
  *) echo "what is conda $*?" >&2; exit 1 ;;
esac
"""


@pytest.fixture
def conda(tmp_path) -> Path:
    """A stand-in for conda, first on the path: its environments hold this Python, and note what it runs."""
    base = tmp_path / "base"
    (base / "bin").mkdir(parents=True)
    (base / "bin" / "activate").write_text('PATH="$1/bin:$PATH"\n')
    (base / "bin" / "conda").write_text(CONDA.format(base=base, python=sys.executable))
    (base / "bin" / "conda").chmod(0o755)
    return base


def with_path(folder: Path) -> dict[str, str]:
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def test_with_conda_every_job_runs_the_environments_python(tmp_path, conda):
    Project(tmp_path / "project").snakemake(
        "--cores", "1", "--sdm", "conda", "--", TARGET, **with_path(conda / "bin")
    )
    assert (conda / "created.yaml").read_text() == (ROOT / "envs/semblance.yaml").read_text()
    ran = [line.split()[1] for line in (conda / "ran").read_text().splitlines()]
    assert set(ran) == {"workflow.scripts.download", "workflow.scripts.prepare_sts"}


def test_a_finished_run_is_finished_with_conda_too(finished: Project, conda):
    printed = finished.snakemake("-n", "--sdm", "conda", **with_path(conda / "bin"))
    assert "Nothing to be done" in printed


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Project:
    """A project in which nothing has run; a training there may use a GPU."""
    return Project(tmp_path_factory.mktemp("machines") / "project")


def asked_gpus(folder: Path, *names: str) -> Path:
    """Write an nvidia-smi of these GPUs into bin/; return the file that is there once it was asked."""
    write_nvidia_smi(folder / "bin", *names)
    with open(folder / "bin/nvidia-smi", "a") as program:
        program.write(f"touch {folder}/asked\n")
    return folder / "asked"


def test_a_local_run_starts_as_many_gpu_jobs_as_there_are_places(project, tmp_path):
    """unit/run/test_hooks.py has the limits that the user sets."""
    noted = asked_gpus(tmp_path, A, B)
    project.write_config(CONFIG | {"resources": {"gpus": 1, "jobs_per_gpu": 3}})
    run = ("--cores", "1", "--force", "download_wiki1m")
    printed = project.snakemake(*run, **with_path(tmp_path / "bin"))
    [told] = [line for line in printed.splitlines() if line.startswith("Provided resources:")]
    assert re.findall("[0-9]+", told) == ["6"], told
    assert noted.exists()  # so that its absence below says something


@pytest.mark.parametrize(
    "gpus,executor", [(0, ["--cores", "1"]), (1, ["--executor", "slurm", "--jobs", "2"])]
)
def test_the_gpus_of_a_machine_that_only_submits_are_not_counted(project, tmp_path, gpus, executor):
    noted = asked_gpus(tmp_path, A)
    project.write_config(CONFIG | {"resources": {"gpus": gpus}})
    project.snakemake(
        "-n", "--quiet", "all", *executor, "--", TARGET, **with_path(tmp_path / "bin")
    )
    assert not noted.exists()


def test_a_job_of_a_scheduler_without_its_gpu_is_tried_as_often_as_retries_allow(project):
    project.write_config(CONFIG | {"resources": {"gpus": 1}})
    command = ("--cores", "1", "--retries", "1", "--", SCORES_OF_START)
    printed = project.snakemake(*command, check=False, CUDA_VISIBLE_DEVICES="", SLURM_JOB_ID="815")
    attempts = re.findall("^error: no GPU that this job can use", printed, re.MULTILINE)
    assert len(attempts) == 2, printed
    assert not (project.folder / SCORES_OF_START).exists()


def test_without_a_gpu_the_controller_and_each_job_say_so_once_and_the_run_goes_on(project):
    project.write_config(CONFIG | {"resources": {"gpus": 1}})
    printed = project.snakemake("--cores", "1", "--", SCORES_OF_START, CUDA_VISIBLE_DEVICES="")
    line = "no GPU found: runs on the CPU\n"
    assert printed.count(line) == 2  # the controller, and the one job that runs a model
    log = project.folder / "results/logs/evaluate_sts/none/tiny/start/seed-0.log"
    assert log.read_text(encoding="utf-8").count(line) == 1
    assert read_sealed(project.folder / SCORES_OF_START)["device"].startswith("cpu")


def test_the_controller_looks_at_the_queue_only_when_something_has_happened(finished: Project):
    printed = (finished.folder / "trap/printed").read_text()
    looks, ended = printed.count("Ready jobs: "), printed.count("Finished jobid: ")
    assert ended > 20 and 0 < looks <= ended + 1  # one at the start
