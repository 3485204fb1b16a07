"""Starts beside living runs, after killed controllers, on a Slurm that is not there; and Ctrl-C."""

import copy
import os
import re
import shutil
import signal
import time
from pathlib import Path

import pytest

from tests.dag.tiny import CONFIG, Project
from tests.reliability.runs import ended, logged, slow_training, start, wait_for_writer
from tests.shipped import merged

CORPUS = "corpora/nli/record.json"
TRAINED = "results/models/nli/tiny/attention-dropout-0.1/seed-1"


def small_config() -> dict:
    """Return a config of one table, with one training."""
    config = copy.deepcopy(CONFIG)
    shipped = merged("config.yaml")
    table = config["tables"]["rcl_table1a"]
    config["answerers"] = {}
    config["tables"] = dict.fromkeys(shipped["tables"]) | {"rcl_table1a": table}
    return config


@pytest.fixture
def project(tmp_path) -> Project:
    project = Project(tmp_path / "project")
    project.write_config(small_config())
    return project


def test_two_runs_that_share_their_downloads_both_end_well(project):
    first = start(project, "--", f"results/{CORPUS}")
    second = start(project, "--config", "output=second", "--", f"second/{CORPUS}")
    said = [ended(run) for run in (first, second)]
    assert [first.returncode, second.returncode] == [0, 0], said
    assert "unlock" not in said[0] + said[1]


def test_the_next_start_waits_for_a_job_that_outlived_its_controller(project):
    first = start(project, "--", f"{TRAINED}/record.json", **slow_training(3))
    orphan = wait_for_writer(project.folder / TRAINED)
    os.kill(orphan, signal.SIGSTOP)  # it must not end before the second run comes to its job
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    second = start(project, "--", f"{TRAINED}/record.json")
    waits = f"pid {orphan}, which writes {TRAINED}"
    while waits not in logged(project):
        assert second.poll() is None
        time.sleep(0.1)
    os.kill(orphan, signal.SIGCONT)
    said = ended(second)
    assert second.returncode == 0, said[-3000:]
    assert logged(project).count(waits) == 1
    assert "already trained: its outputs are put back" in logged(project)


def test_an_interrupted_run_says_in_two_lines_that_it_stopped_and_goes_on(project):
    config = small_config()
    config["resources"]["checkpoint_steps"] = 1
    config["training"]["max_steps"] = 4
    project.write_config(config)
    first = start(project, "--", f"{TRAINED}/record.json", **slow_training(4))
    wait_for_writer(project.folder / TRAINED)
    while not list((project.folder / TRAINED).glob("checkpoints/*/step-*")):
        assert first.poll() is None
        time.sleep(0.05)
    os.killpg(first.pid, signal.SIGINT)
    said = ended(first)
    assert first.returncode == 130, said[-3000:]
    stopped, go_on = said.splitlines()[-2:]
    assert re.fullmatch(r"stopped by you; (\d+) of (\d+) jobs done", stopped)
    assert go_on.startswith("to go on: the same command again")
    assert "failed: " not in said and "Traceback" not in said and "unlock" not in said
    second = start(project, "--", f"{TRAINED}/record.json")
    said = ended(second)
    assert second.returncode == 0 and "resumed from step" in logged(project), said[-3000:]


# --- Slurm that is not there ----------------------------------------------------------------------


@pytest.fixture
def path(tmp_path) -> Path:
    """A PATH of links to what a shell and Snakemake need, and of programs in the place of Slurm's."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("bash", "sh", "env", "which", "tee", "uname", "getconf"):
        found = shutil.which(name)
        if found:
            (folder / name).symlink_to(found)
    for name in ("sbatch", "squeue", "scancel", "sinfo", "sacct"):
        (folder / name).write_text("#!/bin/sh\nprintf 'cpu\\nlarge\\n'\n")
        (folder / name).chmod(0o755)
    return folder


def start_on_slurm(project: Project, path: Path, *arguments: str) -> tuple[int, str]:
    run = start(project, "--profile", "slurm", *arguments, PATH=str(path))
    said = ended(run, 120)
    return run.returncode, said


def test_a_partition_that_is_not_there_is_reported_before_anything_starts(project, path):
    status, said = start_on_slurm(project, path, "--", f"results/{CORPUS}")
    assert status != 0, said
    assert said.count("there is no partition gpu; name one of cpu, large") == 1, said
    assert "Traceback" not in said and "Job stats" not in said
    assert not (project.folder / "results").exists()


def test_a_failed_download_is_tried_once_on_a_cluster_too(project, path):
    shutil.rmtree(project.folder / "demo/data/nli")
    settings = [f"{rule}:slurm_partition=large" for rule in ("train", "embed")]
    status, said = start_on_slurm(
        project, path, "--set-resources", *settings, "--", f"results/{CORPUS}"
    )
    assert status != 0 and said.count("error: nli/nli_for_simcse.csv") >= 1, said
    assert "Trying to restart" not in said
    _, _, end = said.rpartition("\nfailed: ")
    assert end.startswith("download_nli-simcse resources/data/nli\n    | error: ")
    assert "    try: " in end and "stopped: jobs that are done, and stay done: 0 of 2" in end
