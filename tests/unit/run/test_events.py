"""The events of a run: what the writer takes from Snakemake, and what is printed of failed jobs."""

import logging
import os
from pathlib import Path

import pytest

from semblance.files import write_text
from semblance.gpus import NONE_GIVEN
from workflow.run import events
from workflow.run.slurm import cause_in

SLURM_LOG = ".snakemake/slurm_logs/rule_train/5.log"
FOLDER = "results/models/nli/tiny/rcl-2/seed-1"
LOG = "results/logs/train/nli/tiny/rcl-2/seed-1.log"
JOB_OF_LOG = "logs/train/nli/tiny/rcl-2/seed-1"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(events, "PATIENCE", 0)


@pytest.fixture
def writer():
    """The writer of a run that has begun."""
    found = events.Writer("results")
    found.begin()
    return found


def say(writer, event: str | None, message: str = "", **facts) -> None:
    """Let Snakemake's logger say something."""
    record = logging.makeLogRecord({"msg": message, **facts})
    if event:
        record.event = event
    writer.handle(record)


def info(rule="train", number=1, folder=FOLDER, log=LOG) -> dict:
    """Return what Snakemake says of a job."""
    outputs = [f"{folder}/model.safetensors (temporary)", f"{folder}/record.json"]
    facts = {"rule_name": rule, "output": outputs, "input": ["tokens"]}
    return {"jobid": number, "log": [log] if log else [], "rule_msg": None, **facts}


def fail(writer, job: dict, slurm: str | None = None, own: str = "") -> str:
    """Let a job fail that has left this log, and perhaps one of Slurm's; return what is printed."""
    write_text(job["log"][0], own)
    say(writer, "job_info", **job)
    logs, aux = job["log"], {}
    if slurm is not None:
        write_text(SLURM_LOG, slurm)
        logs, aux = [*logs, SLURM_LOG], {"external_jobid": "5"}
    say(writer, "job_error", **job | {"log": logs, "aux": aux, "indent": False})
    return printed()


def refuse(writer, job: dict, answer: str) -> str:
    """Let sbatch refuse a job, in the words of Slurm's executor; return what is printed."""
    said = (
        f"SLURM sbatch failed. The error message was '{answer}'.\n    sbatch call:\n sbatch -p gpu"
    )
    say(writer, "job_error", **job | {"rule_msg": said, "aux": {}, "indent": False})
    return printed()


def printed() -> str:
    return "\n".join(events.failures(events.History("results")))


def test_a_line_that_a_kill_has_cut_hides_no_other_one(writer):
    say(writer, "job_info", **info())
    path = Path("results", events.FILE)
    os.truncate(path, path.stat().st_size - 9)
    assert events.History("results").jobs == {}
    events.append("results", "run", cluster="aaa")
    [run] = events.History("results").unsettled
    assert run["cluster"] == "aaa"
    events.append("results", "settled")
    assert events.History("results").unsettled == []


def test_neither_a_full_disk_nor_an_unknown_record_stops_a_run_on_this_machine(monkeypatch, capsys):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(events, "append", full)
    writer = events.Writer("results")
    writer.begin()
    say(writer, "job_info", **info())
    assert capsys.readouterr().err == ""
    say(writer, "job_info")
    assert "AttributeError" in capsys.readouterr().err
    say(writer, None, "SLURM run ID: aaa")
    with pytest.raises(OSError, match="No space left"):
        writer.begin()


def test_runs_on_a_cluster_are_unsettled_until_their_jobs_have_ended():
    for name in ("", "aaa", "bbb"):  # the first ran on this machine
        writer = events.Writer("results")
        if name:
            say(writer, None, f"SLURM run ID: {name}")
        writer.begin()
    runs = events.History("results").unsettled
    assert [run["cluster"] for run in runs] == ["aaa", "bbb"]


JOB = "*** JOB 5 ON n4 CANCELLED AT 2026"


@pytest.mark.parametrize(
    "slurm, own, cause, node",
    [
        ("slurmstepd-n3: error: Detected 1 oom-kill event(s) in S.", "", "out of memory", "n3"),
        (f"{JOB} DUE TO TIME LIMIT ***", "", "its time was up before", "n4"),
        (f"{JOB} DUE TO PREEMPTION ***", "", "preempted", "n4"),
        (f"{JOB} DUE TO NODE FAILURE ***", "", "the node failed", "n4"),
        (f"{JOB} ***".replace("n4", "gpu-17"), "", "cancelled (by scancel", "gpu-17"),
        ("node n1, Slurm job 5\nnode n2, Slurm job 5\n", "", "it ended with an error", "n2"),
        ("", f"error: {NONE_GIVEN}\nnode n3, Slurm job 5\n", "it has no GPU that", "n3"),
        ("", "error: x: out of time at step 8 of 9; saved\n", "its time was up; it s", "unknown"),
        ("", "error: another process writes here\n", "another job trains into", "unknown"),
    ],
)
def test_the_cause_and_the_node_of_a_batch_job_are_named(writer, slurm, own, cause, node):
    head, *_, advice = fail(writer, info(), slurm, own).splitlines()
    place = f"(Slurm job 5 on node {node})"
    assert head.startswith(f"failed: train {FOLDER} {place}: {cause}")
    assert head.endswith(f": {slurm}") or not cause_in(slurm).pattern
    assert advice.startswith("    try: ") and "{" not in advice


def test_a_refused_job_is_reported_with_the_answer_of_sbatch_and_not_with_an_earlier_log(writer):
    fail(writer, info(), f"{JOB} ***", "step 8 of 9\n")
    head, advice = refuse(writer, info(), "sbatch: error: Memory\nsbatch: error: no").splitlines()
    refusal = "sbatch: error: Memory; sbatch: error: no"
    assert head == f"failed: train {FOLDER}: sbatch refused it: {refusal}"
    assert "slurm/profile.yaml" in advice
    assert events.last_line(events.History("results")) == f"train: {refusal}"


def test_a_job_that_was_cancelled_before_it_began_has_the_state_that_slurm_gives(writer):
    said = "SLURM-job '5' failed, SLURM status is: 'CANCELLED'. "
    assert ": cancelled (by scancel" in fail(writer, info() | {"rule_msg": said}, "")


@pytest.mark.parametrize(
    "end, ends",
    [
        ("slurmstepd-n3: error: Detected 1 oom-kill event(s) in S.", 2),
        (f"{JOB} ***", 0),
        (f"{JOB} DUE TO PREEMPTION ***", 0),
        (f"{JOB} DUE TO TIME LIMIT ***", 0),
    ],
)
def test_only_ends_for_lack_of_memory_are_counted_as_such(writer, end, ends):
    for _ in range(2):
        fail(writer, info(), end, "step 8 of 9\n")
        refuse(writer, info(), "sbatch: error: Memory specification can not be satisfied")
    assert writer.out_of_memory[JOB_OF_LOG] == ends


def test_a_group_without_memory_counts_for_each_of_its_jobs(writer):
    first = info("train", 1)
    second = info("evaluate_sts", 2, "results/scores/x", "results/logs/evaluate_sts/x.log")
    for job in (first, second):
        say(writer, "job_info", **job)
    write_text(SLURM_LOG, "oom-kill")
    say(writer, "group_error", job_error_info=[first, second], aux_logs=[SLURM_LOG])
    assert writer.out_of_memory == {JOB_OF_LOG: 1, "logs/evaluate_sts/x": 1}


def test_the_last_lines_of_its_own_log_are_shown_and_its_node_is_read_there(writer):
    own = "\n".join(f"line {i}" for i in range(9)) + "\nnode c12, Slurm job 5\n"
    head, *shown, _ = fail(writer, info(), "", own).splitlines()
    assert shown == [f"    | line {i}" for i in range(5, 9)] + ["    | node c12, Slurm job 5"]
    assert "on node c12" in head


def test_the_last_try_of_the_last_run_is_the_one_that_counts(writer):
    fail(writer, info(), "oom-kill")
    assert fail(writer, info(), "DUE TO TIME LIMIT").count("failed: ") == 1
    assert "its time was up" in printed()
    say(writer, "job_info", **info())  # it runs again
    assert printed() == ""
    say(writer, "job_finished", job_id=1)
    assert printed() == ""
    fail(writer, info(), "oom-kill")
    events.Writer("results").begin()
    assert printed() == ""


def test_in_a_group_the_first_job_without_output_is_the_one_that_failed(writer):
    first = info("train", 1)
    second = info("evaluate_sts", 2, "results/scores/x", "results/logs/evaluate_sts/x.log")
    second["input"] = [f"{FOLDER}/record.json"]
    group = {"job_error_info": [second, first], "aux_logs": [SLURM_LOG], "external_jobid": "5"}
    for job in (first, second):
        say(writer, "job_info", **job)
    say(writer, "group_error", **group)
    for job in (second, first):
        say(writer, "job_error", **job, aux={}, indent=True)
    [line] = [line for line in printed().splitlines() if line.startswith("failed")]
    assert line.startswith(f"failed: train {FOLDER} (Slurm job 5")
    write_text(f"{FOLDER}/model.safetensors", "")
    write_text(f"{FOLDER}/record.json", "")
    say(writer, "job_finished", job_id=1)
    say(writer, "group_error", **group)
    assert printed().startswith("failed: evaluate_sts results/scores/x (Slurm job 5")


def test_a_job_without_a_log_of_slurms_is_reported_with_its_last_lines_and_what_to_try(writer):
    lines = [f"line {number}" for number in range(7)] + ["error: a.csv: no such file"]
    head, *shown, advice = fail(writer, info(), own="\n".join(lines)).splitlines()
    assert head == f"failed: train {FOLDER}"
    assert shown == [f"    | {line}" for line in lines[-5:]]
    assert advice.startswith("    try: mend what the last line says")
    assert fail(writer, info(), own="step 3\nerror: interrupted") == ""  # by Ctrl-C
    report = fail(writer, info(), own="made x in 1.2 s")  # its log has no error
    assert "probably killed" in report and "mend what the last line says" not in report
    head, advice = fail(writer, info()).splitlines()  # it wrote nothing
    assert head == f"failed: train {FOLDER}" and "probably killed" in advice
    say(writer, None, f"{events.RUN_ID}aaa")
    head, advice = fail(writer, info()).splitlines()  # no executor has said why
    assert head == f"failed: train {FOLDER}: it did not begin" and "logs/run.log" in advice


@pytest.mark.parametrize(
    "log, error",
    [
        ("step 7\n", ""),
        ("error: first\nerror: out of memory (x)\nnode n1, Slurm job 3\n", "out of memory (x)"),
        (
            "a\nTraceback (most recent call last):\n  x\nKeyError: 'b'\nnode n1, Slurm job 3\n",
            "KeyError: 'b'",
        ),
    ],
)
def test_the_error_of_a_script_is_its_last_one_line(log, error):
    assert events.error_in(log) == error
