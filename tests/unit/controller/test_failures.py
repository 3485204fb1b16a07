"""What is told of a failed batch job, from the log that Slurm and snakemake leave of it."""

import os

import pytest

from semblance.gpus import NONE_GIVEN
from workflow.controller.failures import failures, report

LOG = """\
[Sat Jan  3 10:00:00 2026]
localrule train:
    input: results/corpora/nli/record.json
    output: results/models/nli/tiny/{method}/seed-1/record.json, results/models/nli/tiny/{method}/seed-1/dev.csv
    log: results/logs/train/{method}.log
Shell command: python -m workflow.scripts.train
{slurm}
"""


def job(folder, number, method, slurm, own="", age=0.0):
    """Leave the log of a failed job, and the training's own."""
    log = folder / f".snakemake/slurm_logs/group_training_train/{number}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(LOG.format(method=method, slurm=slurm))
    os.utime(log, (1000 - age, 1000 - age))
    mine = folder / f"results/logs/train/{method}.log"
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text(own)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "slurm, cause, node",
    [
        (
            "slurmstepd-n3: error: Detected 1 oom-kill event(s) in StepId=1.0.",
            "out of memory",
            "n3",
        ),
        (
            "slurmstepd: error: *** JOB 5 ON n4 CANCELLED AT 2026-01-03T10:01:00 DUE TO TIME LIMIT ***",
            "its time was up",
            "n4",
        ),
        (
            "slurmstepd: error: *** JOB 5 ON n4 CANCELLED AT 2026-01-03T10:01:00 DUE TO PREEMPTION ***",
            "preempted",
            "n4",
        ),
        (
            "slurmstepd: error: *** JOB 5 ON gpu-17 CANCELLED AT 2026-01-03T10:01:00 ***",
            "cancelled",
            "gpu-17",
        ),
        ("nothing in particular", "it ended with an error", "unknown"),
    ],
)
def test_the_cause_and_the_node_are_named(here, slurm, cause, node):
    job(here, 5, "rcl-2", slurm)
    head, *_, advice = report(".snakemake/slurm_logs", since=0).splitlines()
    assert head.startswith(
        f"failed: train results/models/nli/tiny/rcl-2/seed-1 (Slurm job 5 on node {node}): {cause}"
    )
    assert advice.startswith("    try: ") and "{" not in advice


def test_a_job_without_its_gpu_is_told_where_to_ask_for_one(here):
    job(here, 5, "rcl-2", "", own=f"error: {NONE_GIVEN}\nnode n3, Slurm job 5\n")
    head, *_, advice = report(".snakemake/slurm_logs", since=0).splitlines()
    assert head.endswith("it has no GPU that it can use")
    assert "slurm/profile.yaml" in advice


def test_the_last_lines_of_its_own_log_are_shown(here):
    job(
        here,
        5,
        "rcl-2",
        "",
        own="\n".join(f"line {i}" for i in range(9)) + "\nnode c12, Slurm job 5\n",
    )
    shown = [
        line
        for line in report(".snakemake/slurm_logs", 0).splitlines()
        if line.startswith("    | ")
    ]
    assert shown == [
        "    | line 5",
        "    | line 6",
        "    | line 7",
        "    | line 8",
        "    | node c12, Slurm job 5",
    ]
    assert "on node c12" in report(".snakemake/slurm_logs", 0)


def test_an_output_that_a_later_try_made_is_no_failure(here):
    job(here, 5, "rcl-2", "")
    made = here / "results/models/nli/tiny/rcl-2/seed-1/record.json"
    made.parent.mkdir(parents=True)
    made.write_text("{}")
    assert report(".snakemake/slurm_logs", 0) == ""


def test_only_the_last_try_of_this_run_is_reported(here):
    job(here, 4, "rcl-4", "oom-kill", age=500)
    job(here, 5, "rcl-2", "oom-kill", age=20)
    job(here, 6, "rcl-2", "DUE TO TIME LIMIT", age=10)
    heads = [
        line
        for line in report(".snakemake/slurm_logs", since=900).splitlines()
        if line.startswith("failed")
    ]
    assert len(heads) == 1 and "Slurm job 6" in heads[0] and "its time was up" in heads[0]


def test_in_a_group_the_job_without_output_is_the_one_that_failed(here):
    job(here, 5, "rcl-2", LOG.format(method="rcl-4", slurm=""))
    made = here / "results/models/nli/tiny/rcl-2/seed-1/record.json"
    made.parent.mkdir(parents=True)
    made.write_text("{}")
    assert [f.what for f in failures(".snakemake/slurm_logs", 0)] == [
        "results/models/nli/tiny/rcl-4/seed-1"
    ]


def test_without_a_failure_the_report_is_empty(here):
    assert report(".snakemake/slurm_logs", 0) == ""
