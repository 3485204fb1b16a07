"""What the controller asks of Slurm, against stand-ins for its programs that keep a queue in a file."""

import json
import os
import sys
import time
from types import SimpleNamespace

import pytest

from semblance.errors import InputError
from semblance.files import write_text
from workflow.controller import private, slurm

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


def write_program(path, text):
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def queue(tmp_path, monkeypatch):
    """A queue that squeue shows and scancel changes: {job: [name, state, looks until it is over]}."""
    programs, file = tmp_path / "programs", tmp_path / "queue.json"
    programs.mkdir()
    for name in ("squeue", "scancel"):
        write_program(programs / name, QUEUE.format(python=sys.executable, queue=file))
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
    monkeypatch.setattr(slurm, "time", SimpleNamespace(sleep=slept.append))
    assert slurm.settle(["aaa"], every=7)
    states = {job: state for job, (_, state, _) in json.loads(queue.read_text()).items()}
    assert states == {"1": "CANCELLED", "2": "COMPLETED", "3": "PENDING"}
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
    job = {"SLURM_JOB_ID": "7"}
    assert slurm.end_of_allocation({}) is None
    assert slurm.end_of_allocation(job | {"SLURM_JOB_END_TIME": "1700000000"}) == 1700000000
    monkeypatch.setenv("PATH", str(tmp_path))
    there = int(time.mktime((2026, 1, 2, 3, 4, 5, 0, 0, -1)))
    for answer, end in (("2026-01-02T03:04:05", there), ("N/A", None)):  # a job without a limit
        write_program(tmp_path / "squeue", f"#!/bin/sh\necho {answer}\n")
        assert slurm.end_of_allocation(job) == end


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Put Slurm's programs alone on the PATH; sinfo knows two partitions."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sbatch", "squeue", "sinfo"):
        write_program(folder / name, "#!/bin/sh\nprintf 'cpu\\ngpu\\n'\n")
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_programs_and_partitions_that_are_there_pass(programs):
    slurm.check_cluster(["sbatch", "squeue", "sinfo"], ["gpu", "cpu"])


@pytest.mark.parametrize(
    "names, partitions, line",
    [
        (["sbatch", "scancel", "sinfo"], [], "scancel: no such program here; start on a login"),
        (["sinfo", "sacct"], [], "sacct: no such program here; set slurm_account, or"),
        (["scancel", "sacct"], [], "scancel, sacct: no such program here; start on a login"),
        (["sinfo"], ["cpu", "gpuu"], "no partition gpuu; name one of cpu, gpu at the top of"),
    ],
)
def test_what_the_cluster_does_not_have_is_reported_in_one_line(programs, names, partitions, line):
    with pytest.raises(InputError, match=line):
        slurm.check_cluster(names, partitions)


def test_an_unanswered_question_for_partitions_is_no_unknown_partition(programs):
    (programs / "sinfo").write_text("#!/bin/sh\necho no controller >&2\nexit 1\n")
    with pytest.raises(slurm.Unanswered, match="sinfo: no controller"):
        slurm.check_cluster(["sinfo"], ["cpu"])


@pytest.fixture
def record(tmp_path, monkeypatch):
    """The record of a job that ended without a controller, beside one that Snakemake has noted."""
    monkeypatch.chdir(tmp_path)
    private.NOTES.mkdir(parents=True)
    for name in ("a", "c"):
        write_text(f"out/{name}/record.json", "{}")
    private.note_of("out/a/record.json").touch()
    return tmp_path / "out/c/record.json"


def test_only_a_record_without_a_note_that_is_no_older_than_the_run_is_forgotten(record):
    os.utime(record, (1000, 1000))
    slurm.forget_orphans("out", since=2000)
    assert record.exists()
    slurm.forget_orphans("out", since=0)
    assert not record.exists() and (record.parents[1] / "a/record.json").exists()


@pytest.mark.parametrize("of", ["copied results", "another run below"])
def test_a_record_of_no_job_of_this_folder_is_kept(record, of):
    if of == "copied results":
        private.note_of("out/a/record.json").unlink()
    else:
        (record.parent / ".controller").touch()
    slurm.forget_orphans("out", since=0)
    assert record.exists()


def test_an_orphaned_training_is_forgotten_only_if_it_can_be_put_back(record, capsys):
    (record.parent / "model").mkdir()
    slurm.forget_orphans("out", since=0)
    assert record.exists() and "delete it to train it again" in capsys.readouterr().err
    kept = record.parent / "checkpoints/1234/finished/record.json"
    write_text(kept, "{}")
    slurm.forget_orphans("out", since=0)
    assert not record.exists() and kept.exists()
