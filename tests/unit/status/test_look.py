"""One look at a run: running, starting, failed, killed and finished jobs, and the queue of a cluster."""

import json
import os
import shutil
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.provenance import ROOT, write_json
from tests.shipped import merged
from tests.unit.status.example_run import LINE, NOBODY, OTHER, TRAINING
from workflow.controller import events, slurm
from workflow.planning.config import load
from workflow.planning.stages import jobs
from workflow.status import started
from workflow.status.look import look, whole
from workflow.status.page import as_json, as_page

PLAIN = lambda text, colour: text
NAME = "train nli/nli-roberta-base-v2/rcl-2/seed-1"


def line_of(text: str, word: str) -> str:
    """Return the one line that holds a word."""
    [line] = [line for line in text.splitlines() if word in line]
    return line


def test_a_fresh_run_has_all_its_jobs_to_do(example):
    example.control()
    status = example.look()
    assert sum(count.jobs for count in status.stages) == len(jobs(example.plan))
    assert all(count.to_do == count.jobs for count in status.stages)
    assert status.lives and not whole(status) and not status.measured
    assert not (status.running or status.starting or status.failed or status.left_behind)
    shown = as_page(status, PLAIN)
    assert f"results: a run works ({status.controller.describe()})" in shown
    assert "snakemake --cores 4" in shown and f"done: 0 of {len(example.jobs)} jobs, 0%" in shown


def test_a_working_run_says_how_many_finished_jobs_it_makes_again(example):
    example.control()
    out = example.plan.out
    events.append(out, "progress", done=0, total=1 + len(example.jobs))  # one is the rule `all`
    assert not example.look().notes
    events.append(out, "progress", done=2, total=6 + len(example.jobs))
    status = example.look()
    assert status.notes == ["at least 3 jobs that count as done are made again"]
    assert status.remaining.bound == "at least"
    example.happened("started", TRAINING)
    assert example.look().notes == ["at least 2 jobs that count as done are made again"]
    example.control(pid=NOBODY)
    assert not example.look().notes


def test_a_running_training_is_named_with_its_process_its_age_and_its_step(example):
    example.control()
    example.tell(TRAINING, LINE.format("x", 1234, 5000, 3))
    example.hold(
        TRAINING, host="n7", job="815", pid=7, beat=31
    )  # thirty times ten seconds after the first
    status = example.look()
    [job] = status.running
    assert (job.job, job.step, job.steps) == (NAME, 1234, 5000)
    assert job.holder.pid == 7 and job.age == pytest.approx(300, abs=5)
    [count] = [count for count in status.stages if count.stage == "train"]
    assert (count.jobs, count.done, count.running, count.to_do) == (2, 0, 1, 1)
    told = line_of(as_page(status, PLAIN), f"{NAME}: ")
    assert "n7, Slurm job 815, pid 7, for 5 min, step 1,234 of 5,000, about 21 min left" in told


def test_a_job_that_has_begun_but_has_no_lease_yet_is_starting_while_the_run_lives(example):
    example.happened("started", TRAINING)
    example.control()
    status = example.look()
    assert [job.job for job in status.starting] == [NAME] and not status.left_behind
    example.control(pid=NOBODY)
    status = example.look()
    assert [job.job for job in status.left_behind] == [NAME] and not status.starting


def test_a_failed_job_is_named_with_its_error_until_it_runs_again_or_another_run_begins(example):
    path = example.happened("failed", TRAINING, "nli.csv:7: an empty sentence")
    status = example.look()
    [job] = status.failed
    assert job.error == f"nli.csv:7: an empty sentence ({path})"
    assert f"{NAME}: {job.error}" in as_page(status, PLAIN)
    lease = example.hold(TRAINING)
    status = example.look()
    assert [job.job for job in status.running] == [NAME] and not status.failed
    lease.unlink()
    events.append(example.plan.out, "run", cluster=None)
    assert not example.look().failed


def test_after_a_crash_it_is_said_what_was_killed_and_where_each_training_goes_on(example):
    example.control(pid=NOBODY)
    example.hold(TRAINING, pid=NOBODY)
    example.hold(OTHER, pid=NOBODY)
    example.save(TRAINING, 400)
    status = example.look()
    assert not status.lives and {job.saved for job in status.left_behind} == {400, None}
    shown = as_page(status, PLAIN)
    assert "the run was killed (" in shown and f"pid {NOBODY}" in shown
    assert "goes on at step 400" in line_of(shown, f"{NAME}, was made by")
    assert "begins anew" in line_of(shown, "seed-2, was made by")
    assert shown.endswith("to go on: snakemake --cores 4")


@pytest.mark.parametrize(
    "controller, head, words",
    [
        (None, "results: no run works here; the last one began", "to go on: "),
        ({"host": "n7", "age": 120}, "results: no sign of life for 2 min of the run (n7", "to go"),
        ({"pid": NOBODY}, "results: the run was killed (", "still run without their controller"),
    ],
)
def test_a_controller_that_is_gone_is_called_what_it_is(example, controller, head, words):
    if controller:
        example.control(**controller)
    example.hold(TRAINING)
    shown = as_page(example.look(), PLAIN)
    assert shown.startswith(head) and words in shown


def test_a_finished_run_has_no_time_left_and_nothing_to_go_on_with(example):
    example.finish(*example.jobs)
    status = example.look()
    assert whole(status) and status.share == 1 and status.remaining.seconds == 0
    line = as_page(status, PLAIN)
    assert line.startswith("results: finished") and "\n" not in line
    shown = as_page(status, PLAIN, everything=True)
    assert shown.startswith("results: finished") and "100% of the work" in shown
    assert "time left" not in shown and "to go on" not in shown


def test_the_rates_of_finished_jobs_predict_the_time_and_are_not_written(example):
    place = example.cost.places["train"]
    seconds = example.cost.seconds(TRAINING) / 2
    facts = {"seconds": seconds, "steps": 9, "training": {"step": 9}}
    example.finish_all_but(OTHER)
    before = example.look()
    path = Path(example.plan.out, "models/nli/nli-roberta-base-v2/rcl-2/seed-1/record.json")
    path.write_text(json.dumps(facts | {"device": "cpu, 1 threads"}))
    after = example.look()
    assert after.measured and not before.measured
    slowest = max(seconds, seconds * place.cores / 4)
    assert after.remaining.seconds == pytest.approx(slowest, rel=1e-3)


def test_a_look_changes_nothing(example):
    example.control(pid=NOBODY)
    example.hold(TRAINING, pid=NOBODY)
    example.save(TRAINING, 4)

    def state() -> dict[str, tuple[int, int]]:
        found = list(Path().rglob("*"))
        return {str(p): (p.stat().st_mtime_ns, p.stat().st_size) for p in found}

    before = state()
    example.look()
    assert state() == before


def test_the_queue_of_the_cluster_is_counted_by_state_where_there_is_a_squeue(example, monkeypatch):
    assert example.look().queue is None
    events.append(example.plan.out, "run", cluster="run-1")
    with monkeypatch.context() as patched:
        patched.setenv("PATH", "")
        status = example.look()
    assert status.queue is None
    assert "note: the queue of the cluster is not known (squeue: " in as_page(status, PLAIN)
    states = {"1": "PENDING", "2": "RUNNING", "3": "PENDING"}
    monkeypatch.setattr(slurm, "jobs_of", lambda names, patience: states)
    status = example.look()
    assert status.queue == {"PENDING": 2, "RUNNING": 1}
    assert "in the queue of the cluster: 2 pending, 1 running" in as_page(status, PLAIN)


def test_of_many_jobs_the_first_are_named_and_the_others_counted(example):
    example.happened("failed", TRAINING, "x")
    status = example.look()
    status.failed *= 13
    shown = as_page(status, PLAIN)
    assert shown.count(NAME) == 10 and "and 3 more jobs (--json names all)" in shown


def test_the_json_has_what_the_page_has(example):
    example.control()
    example.hold(TRAINING)
    status = example.look()
    said = json.loads(as_json(status))
    assert "\n" not in as_json(status)
    assert said["lives"] and not said["finished"] and said["output"] == "results"
    assert said["controller"]["pid"] == said["running"][0]["holder"]["pid"] == os.getpid()


def test_the_start_is_read_from_any_folder(example, monkeypatch):
    out = Path(example.plan.out).resolve()
    folder = Path.cwd()
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    found = started.read_start(str(out))
    assert found.folder == folder and found.config.output == example.plan.out
    monkeypatch.chdir(found.folder)
    status = look(found)
    monkeypatch.chdir("elsewhere")
    assert f"to go on: in {folder}: snakemake --cores 4" in as_page(status, PLAIN)


def test_results_that_were_moved_are_read_where_they_are(example):
    shutil.move("results", "moved")
    found = started.read_start("moved")
    assert found.config.output == str(Path("moved").resolve())
    assert not whole(look(found))


def test_the_folder_on_which_a_run_began_last_is_taken(example):
    for name, age in (("old", 100), ("demo/results", -100)):
        shutil.copytree("results", name)
        stamp = Path("results/logs/command.json").stat().st_mtime - age
        os.utime(Path(name, "logs/command.json"), (stamp, stamp))
    assert started.last_output() == "demo/results"


def test_a_run_of_an_earlier_version_that_noted_less_is_read(example):
    path = Path("results/logs/command.json")
    note = json.loads(path.read_text())
    old = {key: note[key] for key in ("folder", "output", "downloads", "options")}
    path.write_text(json.dumps(old))
    status = example.look()
    assert status.command == "" and status.remaining.seconds > 0


@pytest.mark.parametrize(
    "name, text",
    [("command", "[]"), ("command", "{}"), ("config", "{"), ("config", '{"seeds": 3}')],
)
def test_a_damaged_note_is_an_error_that_names_a_file_of_the_run(example, name, text):
    Path(f"results/logs/{name}.json").write_text(text)
    with pytest.raises(InputError, match="results/logs/"):
        started.read_start("results")


def test_a_folder_without_a_run_is_an_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="no results here yet"):
        started.last_output()
    with pytest.raises(InputError, match="no run has noted its start"):
        started.read_start("nowhere")


def test_a_look_counts_the_jobs_of_the_full_reproduction(example):
    manifest = {"manifest": str(ROOT / "workflow/manifest.yaml")}
    write_json("results/logs/config.json", load(merged("config.yaml") | manifest).written())
    status = example.look()
    as_page(status, PLAIN)
    assert sum(count.jobs for count in status.stages) > 4000
