"""What the controller asks of Slurm, against stand-ins for its programs that keep a queue in a file.

Outputs of jobs that outlived their controller are held against what snakemake itself writes and reads.
"""

import os
import subprocess
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


SNAKEFILE = """
rule all:
    input: "out/a/record.json", "out/{long}/record.json"
rule one:
    output: "out/{{name}}/record.json"
    shell: "touch {{output}}"
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


def test_squeue_is_asked_for_the_jobs_of_these_runs_alone(queue):
    queue.write_text(
        '{"1": ["aaa", "PENDING", 0], "2": ["bbb", "RUNNING", 9],'
        ' "3": ["ccc", "RUNNING", 9], "4": ["aaa", "FAILED", 0]}'
    )
    assert slurm.jobs_of(["aaa", "bbb"]) == {"1": "PENDING", "2": "RUNNING"}


def test_waiting_jobs_are_taken_back_and_running_ones_awaited(queue, capsys, monkeypatch):
    queue.write_text(
        '{"1": ["aaa", "PENDING", 0], "2": ["aaa", "RUNNING", 3], "3": ["other", "PENDING", 0]}'
    )
    slept = []
    monkeypatch.setattr(time, "sleep", slept.append)
    assert slurm.settle(["aaa"], every=7)
    left = queue.read_text()
    assert (
        '"1": ["aaa", "CANCELLED"' in left
        and '"2": ["aaa", "COMPLETED"' in left
        and '"3": ["other", "PENDING"' in left
    )
    said = capsys.readouterr().err
    assert "taken back from the queue, left by an earlier run: jobs 1" in said
    assert said.count("still running from an earlier run: jobs 2") == 1  # once, not at each look
    assert slept.count(7) == 3


@pytest.mark.parametrize("patience", [60, 0.001])
def test_without_an_answer_of_slurm_no_job_counts_as_ended(queue, patience):
    queue.write_text('{"broken": 1}')
    with pytest.raises(slurm.Unanswered, match="squeue"):
        slurm.jobs_of(["aaa"], patience)
    with pytest.raises(slurm.Unanswered, match="Unable to contact slurm controller"):
        slurm.settle(["aaa"])


def test_without_squeue_no_job_counts_as_ended(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not slurm.settle(["aaa"])
    assert "no squeue here" in capsys.readouterr().err


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


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """A folder where snakemake made two records, one of a long name, and a job without a controller made a third."""
    monkeypatch.chdir(tmp_path)
    long = "/".join("".join(chr(97 + (7 * i + j * j) % 26) for j in range(100)) for i in range(3))
    (tmp_path / "Snakefile").write_text(SNAKEFILE.format(long=long))
    subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet", "all"],
        check=True,
        capture_output=True,
    )
    (tmp_path / "out/c").mkdir()
    (tmp_path / "out/c/record.json").write_text("{}")
    return tmp_path


def test_only_a_record_without_a_note_is_an_orphan(ran):
    assert [str(path) for path in slurm.orphans("out", since=0)] == ["out/c/record.json"]
    slurm.forget_orphans("out", since=0)
    assert not (ran / "out/c/record.json").exists() and (ran / "out/a/record.json").exists()


def test_a_record_older_than_the_run_is_no_orphan(ran):
    os.utime(ran / "out/c/record.json", (1000, 1000))
    assert list(slurm.orphans("out", since=2000)) == []


def test_copied_results_are_no_orphans(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/record.json").write_text("{}")
    assert list(slurm.orphans(tmp_path / "out", 0, tmp_path / ".snakemake/metadata")) == []


def test_an_orphaned_training_is_forgotten_only_if_it_can_be_put_back(ran, capsys):
    (ran / "out/c/model").mkdir()
    slurm.forget_orphans("out", since=0)
    assert (
        ran / "out/c/record.json"
    ).exists() and "delete it to train it again" in capsys.readouterr().err
    (ran / "out/c/checkpoints/1234/finished").mkdir(parents=True)
    (ran / "out/c/checkpoints/1234/finished/record.json").write_text("{}")
    slurm.forget_orphans("out", since=0)
    assert not (ran / "out/c/record.json").exists()
    assert (ran / "out/c/checkpoints/1234/finished/record.json").exists()


def test_a_record_of_another_run_below_the_output_folder_is_no_orphan(ran):
    (ran / "out/c/.controller").touch()
    assert list(slurm.orphans("out", since=0)) == []
