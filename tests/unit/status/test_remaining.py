"""The time left: chains, cores, what is done of a running training, and what it goes on from."""

import pytest

from semblance.locks import Lease
from tests.unit.status.example_run import LINE, NOBODY, OTHER, TRAINING
from workflow.planning.stages import Job, inputs
from workflow.status import progress as module
from workflow.status.started import Started

TABLE = Job("report")


def started(**facts) -> Started:
    return Started("", {}, 0.0, **facts)


def test_the_chain_is_the_longest_of_jobs_that_wait_for_each_other(example):
    progress = example.progress()

    def until(job: Job) -> float:  # nothing is done yet
        before = [until(source) for source in inputs(example.plan, job)]
        return max(before, default=0.0) + example.cost.seconds(job)

    assert progress.chain() == pytest.approx(until(TABLE))
    assert progress.chain() < sum(map(example.cost.seconds, example.jobs))


def test_what_is_done_takes_no_time(example):
    example.finish_all_but(TRAINING)
    progress = example.progress()
    assert list(progress.todo) == [TRAINING]
    assert progress.chain() == pytest.approx(example.cost.seconds(TRAINING))
    everything = sum(map(example.cost.seconds, example.jobs))
    assert progress.share_done() == pytest.approx(1 - example.cost.seconds(TRAINING) / everything)


def test_on_one_machine_the_core_hours_are_spread_over_the_cores_of_the_run(example):
    example.finish_all_but(TRAINING, OTHER)
    progress = example.progress()
    seconds = example.cost.seconds(TRAINING)
    threads = example.cost.places["train"].cores
    found = progress.remaining(started(cores=threads))
    assert found.seconds == pytest.approx(2 * seconds)  # one after the other
    assert found.bound == "about" and f"on {threads} core" in found.meaning
    found = progress.remaining(started(cores=10 * threads))
    assert found.seconds == pytest.approx(seconds) and "chain" in found.meaning


def test_on_gpus_one_training_at_a_time_runs_on_each(example, monkeypatch, tmp_path):
    example.finish_all_but(TRAINING, OTHER)
    progress = example.progress()
    progress.cost.places["train"] = progress.cost.places["train"]._replace(machine="gpu")
    seconds = example.cost.seconds(TRAINING)
    monkeypatch.setattr(module, "GPUS", tmp_path / "gpus")
    (tmp_path / "gpus/0").mkdir(parents=True)
    found = progress.remaining(started(cores=1000))
    assert found.seconds == pytest.approx(2 * seconds) and found.meaning.endswith("on 1 GPU")
    (tmp_path / "gpus/1").mkdir()
    assert progress.remaining(started(cores=1000)).seconds == pytest.approx(seconds)


def test_on_a_cluster_the_longest_chain_is_a_lower_bound(example):
    example.finish_all_but(TRAINING, OTHER)
    progress = example.progress()
    seconds = example.cost.seconds(TRAINING)
    found = progress.remaining(started(at_a_time=100))
    assert found.seconds == pytest.approx(seconds) and found.bound == "at least"
    assert "without the time in the queue" in found.meaning and "chain" in found.meaning
    found = progress.remaining(started(at_a_time=1))
    assert found.seconds == pytest.approx(2 * seconds) and "1 at a time" in found.meaning


def test_a_running_training_takes_what_its_log_tells(example):
    example.tell(TRAINING, LINE.format("x", 100, 1000, 3))
    example.hold(TRAINING)
    seen = example.progress().todo[TRAINING]
    assert seen.left == pytest.approx(900 / 3) and (seen.step, seen.steps) == (100, 1000)


def test_a_running_job_that_tells_nothing_takes_what_is_left_of_its_prediction(example):
    expected = example.cost.seconds(TRAINING)
    example.hold(TRAINING, host="n7", beat=4)  # three times ten seconds after the first one
    assert example.progress().todo[TRAINING].left == pytest.approx(expected - 3 * Lease.BEAT, abs=5)
    example.hold(TRAINING, host="n7", beat=2 + int(expected / Lease.BEAT))
    assert example.progress().todo[TRAINING].left == 0


def test_a_killed_training_takes_the_steps_behind_its_checkpoint(example):
    example.tell(TRAINING, LINE.format("x", 600, 1000, 3))
    example.save(TRAINING, 499)
    example.save(TRAINING, 500)
    example.hold(TRAINING, pid=NOBODY)
    seen = example.progress().todo[TRAINING]
    assert seen.saved == 500
    assert seen.left == pytest.approx(example.cost.seconds(TRAINING) / 2)
