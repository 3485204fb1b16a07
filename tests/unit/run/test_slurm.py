"""What the controller asks of Slurm, against stand-ins for its programs."""

import math
import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from semblance.errors import InputError
from semblance.files import write_text
from workflow.run import private, slurm
from workflow.run.command import ELSEWHERE


def write_program(path, text):
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def queue(monkeypatch):
    """A queue that squeue shows and scancel changes: {job: [name, state, looks until it is over]}."""
    jobs = {}

    def ask(program, *arguments, patience=60):
        if program == "scancel":
            for job in arguments[1:]:
                jobs[job][1] = "CANCELLED"
            return ""
        [names] = [word[7:].split(",") for word in arguments if word.startswith("--name=")]
        lines = [f"{job} {state}" for job, (name, state, _) in jobs.items() if name in names]
        for entry in jobs.values():
            entry[2] -= 1
            if entry[1:] == ["RUNNING", 0]:
                entry[1] = "COMPLETED"
        return "\n".join(lines)

    monkeypatch.setattr(slurm, "_ask", ask)
    monkeypatch.setattr(slurm.shutil, "which", str)
    return jobs


def test_squeue_is_asked_for_the_jobs_of_these_runs_alone(queue):
    names = {"1": "aaa", "2": "bbb", "3": "ccc", "4": "aaa"}
    queue.update({job: [name, "PENDING", 9] for job, name in names.items()})
    queue["4"][1] = "FAILED"
    assert slurm.jobs_of(["aaa", "bbb"]) == {"1": "PENDING", "2": "PENDING"}


def test_waiting_jobs_are_taken_back_and_running_ones_awaited(queue, capsys, monkeypatch):
    queue["1"] = ["aaa", "PENDING", 0]
    queue["2"] = ["aaa", "RUNNING", 3]
    queue["3"] = ["other", "PENDING", 0]
    slept = []
    monkeypatch.setattr(slurm, "time", SimpleNamespace(sleep=slept.append))
    assert slurm.settle(["aaa"], every=7)
    states = {job: state for job, (_, state, _) in queue.items()}
    assert states == {"1": "CANCELLED", "2": "COMPLETED", "3": "PENDING"}
    said = capsys.readouterr().err
    assert "taken back from the queue, left by an earlier run: jobs 1" in said
    assert said.count("still running from an earlier run: jobs 2") == 1  # once, not at each look
    assert slept.count(7) == 3


def test_without_an_answer_of_slurm_no_job_counts_as_ended(tmp_path, monkeypatch):
    write_program(tmp_path / "squeue", "#!/bin/sh\necho Unable to contact slurm >&2; exit 1\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(slurm.Unanswered, match="squeue: .* timed out after"):
        slurm.jobs_of(["aaa"], patience=0.0)
    with pytest.raises(slurm.Unanswered, match="squeue: Unable to contact slurm"):
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
    slurm.check_cluster(["sbatch", "squeue", "sinfo"], ["gpu", "cpu"])  # it has these
    with pytest.raises(InputError, match=line):
        slurm.check_cluster(names, partitions)


@pytest.mark.parametrize(
    "partitions, most",
    [("gpu", 16000), ("cpu,gpu", 64000), ("", 64000), (ELSEWHERE, math.inf)],
)
def test_the_largest_node_is_that_of_the_partitions_or_of_the_default_one(
    programs, partitions, most
):
    nodes = "cpu* 8000\ncpu* 64000+\ngpu 16000\n"
    write_program(programs / "sinfo", f"#!/bin/sh\nprintf '{nodes}'\n")
    assert slurm.largest_memory(partitions) == most
    write_program(programs / "sinfo", "#!/bin/sh\nexit 1\n")
    assert slurm.largest_memory(partitions) == math.inf


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


def test_the_record_of_a_figure_is_forgotten_like_those_of_other_jobs(record):
    for name in ("noted", "orphan"):
        write_text(f"out/figures/records/{name}.json", "{}")
    private.note_of("out/figures/records/noted.json").touch()
    slurm.forget_orphans("out", since=0)
    assert [path.stem for path in Path("out/figures/records").iterdir()] == ["noted"]


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
