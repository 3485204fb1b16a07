"""What the controller asks of Slurm, against stand-ins for its programs that keep a queue in a file."""

import json
import os
import sys
import time

import pytest

from semblance.errors import InputError
from workflow.controller import slurm

QUEUE = """#!{python}
import json, pathlib, sys
queue = pathlib.Path(r"{queue}")
jobs = json.loads(queue.read_text())
program = pathlib.Path(sys.argv[0]).name
if "broken" in jobs:
    sys.exit("slurm_load_jobs error: Unable to contact slurm controller")
if program == "scancel":
    for job in sys.argv[2:]:
        jobs[job][1] = "CANCELLED"
else:
    names = next(a for a in sys.argv if a.startswith("--name=")).removeprefix("--name=").split(",")
    for job, (name, state, left) in jobs.items():
        if name in names:
            print(job, state)
        if state == "RUNNING":
            jobs[job] = [name, "RUNNING" if left > 1 else "COMPLETED", left - 1]
queue.write_text(json.dumps(jobs))
"""


@pytest.fixture
def queue(tmp_path, monkeypatch):
    """A queue that squeue shows and scancel changes: {job: [name, state, looks until it is over]}."""
    programs, file = tmp_path / "programs", tmp_path / "queue.json"
    programs.mkdir()
    for name in ("squeue", "scancel"):
        (programs / name).write_text(QUEUE.format(python=sys.executable, queue=file))
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return file


def noted(tmp_path, *names):
    out = tmp_path / "results"
    for name in names:
        log = tmp_path / "snakemake.log"
        log.write_text(f"Building DAG of jobs...\nSLURM run ID: {name}\nUsing shell: /bin/bash\n")
        slurm.note_run(out, [log])
    return out


def test_a_local_run_leaves_no_note_of_jobs(tmp_path):
    log = tmp_path / "snakemake.log"
    log.write_text("Building DAG of jobs...\nProvided cores: 2\n")
    slurm.note_run(tmp_path / "results", [log])
    assert not slurm.has_runs(tmp_path / "results")


def test_squeue_is_asked_for_the_jobs_of_all_noted_runs_alone(tmp_path, queue):
    noted(tmp_path, "aaa", "bbb")
    queue.write_text(
        '{"1": ["aaa", "PENDING", 0], "2": ["bbb", "RUNNING", 9],'
        ' "3": ["ccc", "RUNNING", 9], "4": ["aaa", "FAILED", 0]}'
    )
    assert slurm.jobs_of(["aaa", "bbb"]) == {"1": "PENDING", "2": "RUNNING"}


def test_waiting_jobs_are_taken_back_and_running_ones_awaited(tmp_path, queue, capsys, monkeypatch):
    out = noted(tmp_path, "aaa")
    queue.write_text(
        '{"1": ["aaa", "PENDING", 0], "2": ["aaa", "RUNNING", 3], "3": ["other", "PENDING", 0]}'
    )
    slept = []
    monkeypatch.setattr(time, "sleep", slept.append)
    slurm.settle_earlier(out, every=7)
    left = queue.read_text()
    assert (
        '"1": ["aaa", "CANCELLED"' in left
        and '"2": ["aaa", "COMPLETED"' in left
        and '"3": ["other", "PENDING"' in left
    )
    said = capsys.readouterr().err
    assert "taken back from the queue, left by an earlier run: jobs 1" in said
    assert said.count("still running from an earlier run: jobs 2") == 1  # once, not at each look
    assert slept.count(7) == 3 and not slurm.has_runs(out)


def test_without_an_answer_of_slurm_no_job_counts_as_ended(tmp_path, queue):
    out = noted(tmp_path, "aaa")
    queue.write_text('{"broken": 1}')
    with pytest.raises(slurm.Unanswered, match="Unable to contact slurm controller"):
        slurm.settle_earlier(out)
    assert slurm.has_runs(out)


def test_without_squeue_the_note_of_the_jobs_stays(tmp_path, monkeypatch, capsys):
    out = noted(tmp_path, "aaa")
    monkeypatch.setenv("PATH", str(tmp_path))
    slurm.settle_earlier(out)
    assert slurm.has_runs(out) and "no squeue here" in capsys.readouterr().err


def test_the_end_of_an_allocation_comes_from_the_environment_or_from_squeue(tmp_path, monkeypatch):
    assert slurm.end_of_allocation({}) is None
    assert (
        slurm.end_of_allocation({"SLURM_JOB_ID": "7", "SLURM_JOB_END_TIME": "1700000000"})
        == 1700000000
    )
    program = tmp_path / "squeue"
    program.write_text("#!/bin/sh\necho 2026-01-02T03:04:05\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    there = time.mktime((2026, 1, 2, 3, 4, 5, 0, 0, -1))
    assert slurm.end_of_allocation({"SLURM_JOB_ID": "7"}) == int(there)
    program.write_text("#!/bin/sh\necho N/A\n")  # a job without a limit
    assert slurm.end_of_allocation({"SLURM_JOB_ID": "7"}) is None


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Put Slurm's programs alone on the PATH; sinfo knows two partitions."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sbatch", "squeue", "sinfo"):
        (folder / name).write_text("#!/bin/sh\nprintf 'cpu\\ngpu\\n'\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_programs_and_partitions_that_are_there_pass(programs):
    slurm.check_cluster(["sbatch", "squeue", "sinfo"], ["gpu", "cpu"])


def test_missing_programs_are_told_in_one_line(programs):
    with pytest.raises(InputError, match="sbatch, scancel: no such program here; start on a login"):
        (programs / "sbatch").unlink()
        slurm.check_cluster(["sbatch", "scancel", "sinfo"], [])
    with pytest.raises(InputError, match="sacct: no such program here; set slurm_account, or"):
        slurm.check_cluster(["sinfo", "sacct"], [])


def test_an_unknown_partition_is_told_with_the_known_ones(programs):
    with pytest.raises(InputError, match="no partition gpuu; name one of cpu, gpu at the top of"):
        slurm.check_cluster(["sinfo"], ["cpu", "gpuu"])


def test_an_unanswered_question_for_partitions_is_no_unknown_partition(programs):
    (programs / "sinfo").write_text("#!/bin/sh\necho no controller >&2\nexit 1\n")
    with pytest.raises(slurm.Unanswered, match="sinfo: no controller"):
        slurm.check_cluster(["sinfo"], ["cpu"])


def test_the_queue_is_counted_without_a_change_to_it(tmp_path, queue):
    out = noted(tmp_path, "run-1", "run-2")
    jobs = {
        "1": ["run-1", "PENDING", 0],
        "2": ["run-2", "COMPLETED", 0],
        "3": ["else", "RUNNING", 9],
    }
    queue.write_text(json.dumps(jobs))
    assert slurm.queue_of(out, patience=60) == {"1": "PENDING"}
    assert json.loads(queue.read_text()) == jobs | {
        "3": ["else", "RUNNING", 8]
    }  # the stand-in's clock
    assert slurm.has_runs(out)


def test_the_queue_of_a_folder_without_a_run_on_a_cluster_is_empty(tmp_path):
    assert slurm.queue_of(tmp_path, patience=60) == {}


def test_a_queue_that_gives_no_answer_in_time_is_an_error(tmp_path, queue):
    out = noted(tmp_path, "run-1")
    with pytest.raises(slurm.Unanswered, match="squeue"):
        slurm.queue_of(out, patience=0.001)
