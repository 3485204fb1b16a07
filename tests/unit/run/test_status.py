"""One look at a run: running, failed, killed and finished jobs, the time left, the queue of a cluster."""

import os
import shutil
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from semblance.counts import duration
from semblance.errors import InputError
from semblance.provenance import circumstances_file, write_json
from tests.files import contents
from tests.unit.run.example_run import LINE, NOBODY, OTHER, TRAINING, ExampleRun, note_start
from workflow.planning.stages import Job, jobs
from workflow.run import events, slurm, started
from workflow.run import status as module
from workflow.run.status import JobSeen, Status, look
from workflow.run.status_page import UNKNOWN, as_page, in_one_line


@pytest.fixture
def example(tmp_path, monkeypatch) -> ExampleRun:
    """The example run, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    return ExampleRun()


PLAIN = lambda text, colour: text
EVALUATION = TRAINING._replace(stage="evaluate_sts")
NAME = "train nli/nli-roberta-base-v2/rcl-2/seed-1"


def line_of(text: str, word: str) -> str:
    """Return the one line that holds a word."""
    [line] = [line for line in text.splitlines() if word in line]
    return line


def jobs_in(status: Status, state: str) -> list[JobSeen]:
    return [job for job in status.jobs if job.state == state]


def test_a_fresh_run_has_all_its_jobs_to_do_and_says_how_many_snakemake_has_done(example):
    example.control()
    events.append(example.plan.out, "progress", done=2, total=1234)
    status = example.look()
    assert sum(count["jobs"] for count in status.stages) == len(jobs(example.plan))
    assert not any(count["done"] or count["running"] for count in status.stages)
    assert status.lives and not (status.finished or status.measured or status.jobs)
    shown = as_page(status, PLAIN)
    assert f"results: a run works ({status.controller.describe()})" in shown
    assert "snakemake --cores 4" in shown and f"done: 0 of {len(example.jobs)} jobs, 0%" in shown
    assert "; 2 of 1,234 jobs of this start" in shown
    example.control(pid=NOBODY)
    assert "of this start" not in as_page(example.look(), PLAIN)


def test_a_running_training_is_named_with_its_process_its_step_and_its_time_left(example):
    example.control()
    example.happened("started", TRAINING)
    example.tell(TRAINING, LINE.format("x", 1234, 5000, 3))
    example.hold(TRAINING, host="n7", job="815", pid=7)
    status = example.look()
    [job] = jobs_in(status, "running")
    assert (job.job, job.step, job.steps) == (NAME, 1234, 5000)
    assert job.left == pytest.approx((5000 - 1234) / 3) and job.age == pytest.approx(0, abs=5)
    [count] = [count for count in status.stages if count["stage"] == "train"]
    assert (count["jobs"], count["done"], count["running"], count["left"]) == (2, 0, 1, None)
    told = line_of(as_page(status, PLAIN), f"{NAME}: ")
    assert "n7, Slurm job 815, pid 7, for " in told
    assert told.endswith("step 1,234 of 5,000, about 21 min left")


def test_a_job_without_a_process_runs_here_and_waits_in_the_queue_of_a_cluster(example):
    example.happened("started", TRAINING)
    example.control()
    [job] = example.look().jobs
    assert (job.job, job.state, job.holder) == (NAME, "running", None)
    assert "queued" not in as_page(example.look(), PLAIN)
    note_start(example.plan, at_a_time=4)
    status = example.look()
    shown = as_page(status, PLAIN)
    assert [job.state for job in status.jobs] == ["queued"]
    assert "running queued failed" in " ".join(line_of(shown, "running").split())
    assert f"{NAME}: submitted " in shown  # so many seconds ago
    assert in_one_line(status).endswith("1 in the queue")
    lease = example.hold(TRAINING)
    assert [job.state for job in example.look().jobs] == ["running"]
    lease.unlink()
    example.control(pid=NOBODY)
    assert [job.state for job in example.look().jobs] == ["stopped"]


def test_a_failed_job_is_named_with_its_error_until_it_runs_again_or_another_run_begins(example):
    path = example.happened("failed", TRAINING, "nli.csv:7: an empty sentence")
    status = example.look()
    [job] = jobs_in(status, "failed")
    assert job.error == "nli.csv:7: an empty sentence"
    assert f"{NAME}: {job.error} ({path})" in as_page(status, PLAIN)
    lease = example.hold(TRAINING)
    assert [job.state for job in example.look().jobs] == ["running"]
    lease.unlink()
    events.append(example.plan.out, "run", cluster=None)
    assert not example.look().jobs


def test_after_a_crash_it_is_said_what_was_killed_and_where_each_training_goes_on(example):
    example.control(pid=NOBODY)
    example.hold(TRAINING, pid=NOBODY)
    example.hold(OTHER, pid=NOBODY)
    example.save(TRAINING, 400)
    status = example.look()
    assert {job.saved for job in jobs_in(status, "stopped")} == {400, None}
    shown = as_page(status, PLAIN)
    assert "the run was killed (" in shown and f"pid {NOBODY}" in shown
    assert "goes on at step 400" in line_of(shown, f"{NAME}: ")
    assert "begins anew" in line_of(shown, "seed-2: ")
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
    assert status.finished and status.share == 1 and status.left == (0, 0)
    line = as_page(status, PLAIN)
    assert line.startswith("results: finished") and "\n" not in line
    shown = as_page(status, PLAIN, everything=True)
    assert shown.startswith("results: finished") and "100% of the work" in shown
    assert "time left:" not in shown and "to go on" not in shown


def finish_training(job: Job, seconds: float) -> None:
    path = f"results/models/nli/nli-roberta-base-v2/rcl-2/seed-{job.seed}/record.json"
    write_json(path, {"steps": 9, "training": {"step": 9}, "device": "cpu, 1 threads"})
    write_json(circumstances_file(path), {"seconds": seconds})


def test_the_factor_of_finished_trainings_predicts_the_time(example):
    seconds = example.cost.seconds(TRAINING) / 2
    example.finish_all_but(TRAINING, OTHER, EVALUATION)
    finish_training(TRAINING, seconds)
    assert example.look().left is None  # by one training
    assert f"time left: {UNKNOWN}" in as_page(example.look(), PLAIN)
    finish_training(OTHER, seconds)
    status = example.look()
    assert status.measured == 2
    predicted = example.cost.seconds(EVALUATION) / 2
    low, high = status.left
    assert low == pytest.approx(0.6 * predicted) and high >= 1.4 * predicted
    assert f"time left: about {duration(low)} to " in as_page(status, PLAIN)


def test_before_enough_is_done_no_time_is_said(example, monkeypatch):
    example.finish_all_but(TRAINING, OTHER, EVALUATION)
    for job in (TRAINING, OTHER):
        finish_training(job, 100.0)
    share = example.look().share
    for earliest, is_known in ((share - 0.01, True), (share + 0.01, False)):
        monkeypatch.setattr(module, "EARLIEST", earliest)
        assert (example.look().left is not None) == is_known


def test_the_range_holds_every_order_of_jobs(example, monkeypatch):
    """Three jobs of a second in a chain beside six alone, on three places: 3 s at best, 5 at worst."""
    chain, alone = example.jobs[:3], example.jobs[3:9]
    waits_for = dict(zip(chain[1:], chain, strict=False))
    monkeypatch.setattr(
        module, "inputs", lambda _, job: [waits_for[job]] if job in waits_for else []
    )
    seen = {job: SimpleNamespace(left=1.0) for job in (*chain, *alone)}
    for job in seen:
        monkeypatch.setitem(example.cost.places, job.stage, SimpleNamespace(cores=1, machine="cpu"))
    begun = started.Started(Path(), example.plan.config, 0.0, cores=3)
    low, high = module.range_left(example.cost, seen, begun)
    assert (low, high) == pytest.approx((0.6 * 3, 1.4 * 5))


def test_trainings_that_have_run_for_a_minute_predict_the_time(example, monkeypatch):
    example.control()
    for job in (TRAINING, OTHER):
        example.happened("started", job)
        example.tell(job, LINE.format("x", 50, 100, 0.5))
    assert example.look().left is None
    now = time.time()
    monkeypatch.setattr(module.time, "time", lambda: now + 61)
    [count] = [count for count in example.look().stages if count["stage"] == "train"]
    assert count["left"] is not None and example.look().measured == 2


def test_a_job_takes_the_time_from_its_start_to_its_end_on_one_machine(example, monkeypatch):
    example.finish_all_but(EVALUATION)
    for job in (TRAINING, OTHER):
        example.happened("started", job)
        finish_training(job, 100.0)
    now = time.time()
    with monkeypatch.context() as later:
        later.setattr(events.time, "time", lambda: now + 150)
        for job in (TRAINING, OTHER):
            example.happened("finished", job)
    here, _ = example.look().left
    note_start(example.plan, at_a_time=1)  # there the time in the queue would count
    assert here == pytest.approx(1.5 * example.look().left[0], rel=0.05)


def test_only_a_runs_own_jobs_teach_while_it_lives(example):
    example.finish_all_but(EVALUATION)
    for job in (TRAINING, OTHER):
        finish_training(job, 100.0)
    for path in Path("results").rglob("record.json"):
        os.utime(path, (1, 1))  # of an earlier run
    assert example.look().measured == 2
    example.control()
    assert example.look().measured == 0


def test_of_the_jobs_of_a_start_those_are_done_that_have_finished_in_it(example):
    example.finish(*example.jobs)
    start = started.read_start(example.plan.out)
    assert look(start).finished and not look(start, [TRAINING]).finished
    example.happened("finished", TRAINING)
    assert look(start, [TRAINING]).finished


def test_what_is_left_takes_the_places_that_there_are(example, monkeypatch, tmp_path):
    example.finish_all_but(TRAINING, OTHER)
    cost, config = example.cost, example.plan.config
    seconds, place = cost.seconds(TRAINING), cost.places["train"]
    everything = sum(map(cost.seconds, example.jobs))
    assert example.look().share == pytest.approx(1 - 2 * seconds / everything)
    seen = {job: SimpleNamespace(left=seconds) for job in (TRAINING, OTHER)}

    def trainings(**places: int) -> float:
        begun = started.Started(Path(), config, 0.0, **places)
        return module.time_left(cost, seen, begun) / seconds

    for machine, cluster, expected in ((place.cores, 1, 2), (10 * place.cores, 2, 1)):
        assert trainings(cores=machine) == pytest.approx(expected)
        assert trainings(at_a_time=cluster) == pytest.approx(expected)
    monkeypatch.setitem(cost.places, "train", place._replace(machine="gpu"))
    monkeypatch.setattr(module, "GPUS", tmp_path / "gpus")
    for gpu, expected in ((0, 2), (1, 1)):
        (tmp_path / f"gpus/{gpu}").mkdir(parents=True)
        assert trainings(cores=1000) == pytest.approx(expected)


def test_a_killed_training_takes_the_steps_behind_its_checkpoint(example):
    example.tell(TRAINING, LINE.format("x", 600, 1000, 3))
    example.save(TRAINING, 499)
    example.save(TRAINING, 500)
    example.hold(TRAINING, pid=NOBODY)
    [job] = jobs_in(example.look(), "stopped")
    assert job.saved == 500
    assert job.left == pytest.approx(example.cost.seconds(TRAINING) / 2)


def test_a_look_changes_nothing(example):
    example.control(pid=NOBODY)
    example.hold(TRAINING, pid=NOBODY)
    example.save(TRAINING, 4)
    before = contents(Path())
    example.look()
    assert contents(Path()) == before


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
    assert not look(found).finished


def test_the_folder_on_which_a_run_began_last_is_taken(example):
    for name, age in (("old", 100), ("demo/results", -100)):
        shutil.copytree("results", name)
        stamp = Path("results/logs/command.json").stat().st_mtime - age
        os.utime(Path(name, "logs/command.json"), (stamp, stamp))
    assert started.last_output() == "demo/results"


def test_the_config_of_a_run_of_another_version_is_an_error_that_names_its_file(example):
    Path("results/logs/config.json").write_text('{"seeds": 3}')
    with pytest.raises(InputError, match="results/logs/config.json: not the config of a run"):
        started.read_start("results")


def test_a_folder_without_a_run_is_an_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="no results here yet"):
        started.last_output()
    with pytest.raises(InputError, match="no run has noted its start"):
        started.read_start("nowhere")


def test_a_job_that_finished_and_whose_record_went_was_not_stopped(example):
    example.happened("finished", TRAINING)
    assert not jobs_in(example.look(), "stopped")
