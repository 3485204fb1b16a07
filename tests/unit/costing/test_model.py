"""How long jobs are predicted to take, and what their rules ask of a scheduler."""

import pytest

from tests.unit.costing.examples import EMBED, LARGE, SHIPPED, TRAIN, cost
from workflow.costing.rates import Factor
from workflow.planning.stages import Job, jobs

TWELVE_THREADS = "training.threads = 12"
NO_GPU = "resources.gpus = 0"


def test_the_factor_of_a_machine_multiplies_every_prediction():
    slow = cost(factor=Factor(3.0, 10))
    for job in (LARGE, TRAIN, EMBED, Job("prepare_sts")):
        assert slow.seconds(job) == 3 * cost().seconds(job)


def test_an_estimate_on_a_cpu_is_that_of_one_thread_times_the_threads():
    model = cost(f"{TWELVE_THREADS}; {NO_GPU}")
    working = model.need(TRAIN).work / (12 * SHIPPED["rates"]["cpu/train"])
    assert model.seconds(TRAIN) == pytest.approx(SHIPPED["start"]["cpu"] + working)


def test_a_larger_base_asks_for_more_memory_and_time_and_so_does_each_attempt():
    model = cost()
    less = LARGE._replace(base="bert-base")
    for key in ("mem_mb", "runtime"):
        assert model.asks(LARGE)[key] > model.asks(less)[key]
        assert model.asks(LARGE, 2)[key] == 2 * model.asks(LARGE)[key]


def test_the_runtime_is_twice_the_prediction_and_ten_minutes_in_tens():
    model = cost()
    minutes = 2 * model.seconds(LARGE) / 60 + 10
    assert minutes <= model.asks(LARGE)["runtime"] < minutes + 10
    assert model.asks(LARGE)["runtime"] % 10 == 0


def test_no_attempt_asks_for_more_than_the_longest_runtime():
    assert cost("resources.max_runtime = 120").asks(LARGE, 5)["runtime"] == 120


def test_the_smallest_job_asks_for_what_two_nested_snakemakes_need():
    assert cost().asks(Job("prepare_sts")) == {"runtime": 30, "mem_mb": 2000, "cpus_per_task": 1}


def test_every_job_of_the_full_config_asks_for_whole_positive_numbers():
    model = cost()
    for job in jobs(model.plan):
        assert all(isinstance(v, int) and v > 0 for v in model.asks(job).values()), job


def test_a_job_asks_for_the_threads_of_the_config_whatever_this_machine_has():
    assert cost(f"{TWELVE_THREADS}; {NO_GPU}").asks(TRAIN)["cpus_per_task"] == 12
    assert cost(TWELVE_THREADS).asks(TRAIN)["cpus_per_task"] == 13  # and one for the GPU
