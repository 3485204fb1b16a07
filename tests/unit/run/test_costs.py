"""How long jobs take, what rules ask of a scheduler, what is to do, and what finished jobs teach."""

import dataclasses
import json
import os
import re
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.provenance import canonical, circumstances_file, settings_digest, write_json
from tests.unit.run.examples import LARGE, OWN_FAQ, TRAIN, cost, small
from workflow.planning.stages import STAGES, Job, inputs, jobs, makers, record
from workflow.run.costs import GFLOPS, START, Cost, measure, to_do, wall_time
from workflow.scripts.cli import configs_and_tables
from workflow.scripts.plan import plan_facts, plan_page

TWELVE_THREADS = "training.threads = 12"
NO_GPU = "resources.gpus = 0"


def test_an_estimate_on_a_cpu_is_that_of_one_thread_times_the_threads():
    model = cost(f"{TWELVE_THREADS}; {NO_GPU}")
    working = model.need(TRAIN).work / (12 * GFLOPS["cpu"]["train"])
    assert model.seconds(TRAIN) == pytest.approx(START["cpu"] + working)


def test_a_larger_base_asks_for_more_memory_and_time_and_a_second_attempt_for_more_time():
    model = cost()
    less = LARGE._replace(base="bert-base")
    first, second = model.asks(LARGE), model.asks(LARGE, 2)
    for key in ("mem_mb", "runtime"):
        assert first[key] > model.asks(less)[key]
    assert (second["runtime"], second["mem_mb"]) == (2 * first["runtime"], first["mem_mb"])


def test_the_runtime_is_twice_the_prediction_and_ten_minutes_in_tens_up_to_the_longest():
    model = cost()
    minutes = 2 * model.seconds(LARGE) / 60 + 10
    assert minutes <= model.asks(LARGE)["runtime"] < minutes + 10
    assert model.asks(LARGE)["runtime"] % 10 == 0
    assert cost("resources.max_runtime = 120").asks(LARGE, 5)["runtime"] == 120


def test_a_new_stage_without_a_formula_is_priced_by_the_default(monkeypatch):
    monkeypatch.setitem(STAGES, "sing", dataclasses.replace(STAGES["prepare_sts"]))
    model = cost()
    asked = {"runtime": 30, "mem_mb": 8000, "cpus_per_task": 1}
    assert model.asks(Job("sing")) == asked
    assert model.seconds(Job("sing")) > 0 and model.total_hours([Job("sing")], "cpu") > 0


def test_a_job_asks_for_the_threads_of_the_config_whatever_this_machine_has():
    assert cost(f"{TWELVE_THREADS}; {NO_GPU}").asks(TRAIN)["cpus_per_task"] == 12
    assert cost(TWELVE_THREADS).asks(TRAIN)["cpus_per_task"] == 13  # and one for the GPU


# --- what is to do --------------------------------------------------------------------------------


def finish(model: Cost, job: Job) -> None:
    """Write an empty record of a job, and of all that it waits for."""
    path = Path(record(model.plan, job))
    if not path.exists():
        write_json(path, {})
    for other in inputs(model.plan, job):
        finish(model, other)


def test_a_training_of_other_settings_and_what_reads_it_are_to_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = small()
    training = Job("train", "wiki", "minilm-3", "simcse", 1)
    evaluation = training._replace(stage="evaluate_sts")
    finish(model, evaluation)
    assert not {training, evaluation} & set(to_do(model))
    settings = ["--settings", canonical(model.needs.settings(training))]
    for given, expected in ((settings, set()), (["--settings", "{}"], {training, evaluation})):
        write_json(record(model.plan, training), {"given": settings_digest(given)})
        assert {training, evaluation} & set(to_do(model)) == expected


def test_the_plan_of_a_table_has_the_jobs_that_it_needs_and_no_others():
    model = small()
    [table] = makers(model.plan, ["RCL_Table3"])  # in any case
    model.targets = [table]
    needed = {table}
    for job in model.jobs():  # each before what it waits for
        assert job in needed
        needed |= set(inputs(model.plan, job))
    assert set(model.jobs()) == needed < set(jobs(model.plan))
    assert f"for {len(needed)} jobs" in plan_page(model)
    with pytest.raises(InputError, match="no such file or table; did you mean rcl_table3"):
        makers(model.plan, ["rcl_tabel3"])


def test_words_that_are_files_are_configs_and_the_others_tables(tmp_path):
    (tmp_path / "mine").write_text("{}")
    words = ["rcl_table3", f"{tmp_path}/mine", "missing.yaml", "rcl_table4"]
    assert configs_and_tables(words) == (words[1:3], ["rcl_table3", "rcl_table4"])


# --- the page -------------------------------------------------------------------------------------


def test_a_row_of_the_page_counts_jobs_and_those_to_do_and_sums_their_hours(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = small()
    finish(model, Job("train", "wiki", "minilm-3", "simcse", 1))
    seconds = [model.seconds(job) for job in jobs(model.plan) if job.stage == "train"]
    [row] = [line for line in plan_page(model).splitlines() if line.split()[:1] == ["train"]]
    cells = re.split("  +", row)
    assert cells[1:3] == [str(len(seconds)), str(len(seconds) - 1)]
    assert float(cells[4]) == pytest.approx(sum(seconds) / 3600, abs=0.05)
    facts = plan_facts(model)
    assert facts["stages"]["train"]["jobs"] == len(seconds)
    assert facts["stages"]["train"]["cpu_hours"] == pytest.approx(sum(seconds) / 3600)
    assert facts["to_do"]["jobs"] < facts["all"]["jobs"] == len(jobs(model.plan))


def test_the_page_names_bases_of_unknown_size_in_a_hundred_columns():
    assert max(map(len, plan_page(cost()).splitlines())) <= 100
    guessed = plan_page(cost("bases.nli-roberta-base-v2.million_parameters =", OWN_FAQ))
    assert "models: nli-roberta-base-v2: no size is stated" in guessed


# --- what finished jobs teach ---------------------------------------------------------------------


@pytest.fixture
def run(tmp_path, monkeypatch) -> list[Path]:
    """The records of three finished trainings of the small run, which took 10, 20 and 60 minutes."""
    monkeypatch.chdir(tmp_path)
    paths = []
    for seed, seconds in ((1, 600), (2, 1200), (3, 3600)):
        path = Path(record(small().plan, Job("train", "wiki", "minilm-3", "simcse", seed)))
        facts = {"device": "cpu, 1 threads", "steps": 100, "training": {"step": 100}}
        write_json(path, facts)
        write_json(circumstances_file(path), {"seconds": seconds})
        paths.append(path)
    return paths


def measured() -> Cost:
    """Return the costs with the factors that the finished jobs in the current folder show."""
    model = small()
    measure(model)
    return model


def change(path: Path, **facts) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | facts))


def test_the_factor_is_the_ratio_of_the_seconds_used_and_predicted(run):
    job = Job("train", "wiki", "minilm-3", "simcse", 1)
    model = measured()
    assert len(model.measured) == 3
    factor = (600 + 1200 + 3600) / (3 * small().seconds(job))
    assert model.factor("train") == pytest.approx(factor)
    assert model.seconds(job) == pytest.approx(1800)  # and it multiplies every prediction
    assert plan_page(model).endswith(
        f"trainings took {factor:.2f} times as long, others {factor:.2f} (3 jobs)"
    )


def test_short_jobs_that_only_load_a_model_tell_nothing_of_trainings(run):
    model = measured()
    trained = model.factor("train")
    evaluation = Job("evaluate_sts", "wiki", "minilm-3", "simcse", 1)
    model.learn(evaluation, 30 * small().seconds(evaluation))
    assert model.factor("train") == trained and model.factor("read") == pytest.approx(30)


def test_jobs_without_a_model_are_predicted_by_their_like_and_not_by_trainings(run):
    model = measured()
    table, prepared = Job("render_table", name="t"), Job("prepare_sts")
    before = small().seconds(table), small().seconds(prepared)
    assert (model.seconds(table), model.seconds(prepared)) == before  # trainings took longer
    model.learn(table, 0.25)
    assert model.seconds(table) == pytest.approx(0.25) and model.seconds(prepared) == before[1]
    assert len(model.measured) == 3


def test_times_can_be_predicted_after_two_trainings_or_as_many_as_there_are():
    trainings = [Job("train", "wiki", "minilm-3", "simcse", seed) for seed in (1, 2, 3)]
    evaluations = [job._replace(stage="evaluate_sts") for job in trainings]
    for left, learned, expected in (
        ([], [], True),
        (trainings, [], False),
        (trainings, evaluations, False),  # however many evaluations were measured
        (trainings, trainings[:1], False),
        (trainings, trainings[:2], True),
        (trainings[:1], trainings[:1], True),  # the only one, which goes on
        (evaluations, [], False),
        (evaluations, evaluations[:1], False),
        (evaluations, trainings[:2], True),
    ):
        model = small()
        for job in learned:
            model.learn(job, 100.0)
        assert model.can_predict(left) is expected, (left, learned)


@pytest.mark.parametrize(
    "load, said",
    [
        (0.05, "4 min on 2 idle cores"),
        (0.65, "4 min on 2 idle cores; 1.3 of 2 cores are busy: some 7 min"),  # 4 * 1.65
        (5, "4 min on 2 idle cores; 2.0 of 2 cores are busy: some 24 min"),  # a sixth of the time
    ],
)
def test_a_price_names_its_condition_and_that_of_this_moment(monkeypatch, load, said):
    monkeypatch.setattr(os, "getloadavg", lambda: (load * os.cpu_count(), 0, 0))
    assert wall_time(240, 2) == said
    assert wall_time(240, 1, "GPU") == "4 min on 1 idle GPU"


def test_a_training_that_stopped_early_has_done_that_share_of_its_work(run):
    before = measured().factor("train")
    for path in run:
        change(path, training={"step": 50})
    job = Job("train", "wiki", "minilm-3", "simcse", 1)
    whole, start = small().seconds(job), START["cpu"]
    share = (start + (whole - start) / 2) / whole
    assert measured().factor("train") == pytest.approx(before / share)


def test_jobs_on_another_device_and_damaged_records_teach_nothing(run):
    run[0].write_text("{")
    change(circumstances_file(run[1]), seconds="soon")
    assert len(measured().measured) == 1
    change(run[2], device="NVIDIA H100")
    assert (measured().factor("train"), measured().measured) == (1, set())
