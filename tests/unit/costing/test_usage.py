"""What finished jobs teach: the rates, and the file that keeps them."""

import json
from pathlib import Path

import pytest

from tests.unit.costing.examples import small
from workflow.costing import rates, usage
from workflow.costing.rates import Rate

KEY = "cpu/train/minilm-3"


def learn() -> dict[str, Rate]:
    """Return the rates that the finished jobs in the current folder show."""
    model = small()
    return usage.learn(model, usage.finished(model))


def change(record: Path, **facts) -> None:
    """Change some facts of a record."""
    record.write_text(json.dumps(json.loads(record.read_text()) | facts))


def test_the_learned_rate_is_the_median_speed_of_the_finished_jobs(run):
    assert learn()[KEY].n == 3
    assert learn()[KEY].rate == pytest.approx(100.0)  # by the benchmark's seconds, imports included


def test_the_jobs_of_all_bases_and_stages_of_the_same_work_teach_the_rate_of_any_base(run):
    assert learn()["cpu/train"] == learn()[KEY]


def test_learned_rates_predict_the_median_job_that_they_were_learned_from(run):
    [used] = [used for used in usage.finished(small()) if used.job.seed == 2]
    assert small(learn()).seconds(used.job) == pytest.approx(used.seconds)


def test_a_training_that_stopped_early_has_done_that_share_of_its_work(run):
    for record in run.glob("models/*/*/*/*/record.json"):
        change(record, training={"step": 50})
    assert learn()[KEY].rate == pytest.approx(50.0)


def test_a_job_whose_start_outweighs_its_work_teaches_no_rate(run):
    for record in run.glob("models/*/*/*/*/record.json"):
        change(record, training={"step": 1})
    assert learn() == {}


def test_a_job_on_another_device_than_the_config_asks_for_teaches_no_rate(run):
    for record in run.glob("models/*/*/*/*/record.json"):
        change(record, device="NVIDIA H100")
    assert learn() == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"stage": "train", "seconds": "soon"}',
        '{"stage": 3, "seconds": 1}',
        '{"stage": "train", "seconds": 50, "settings": 3}',
        '{"stage": "train", "seconds": 50}',
        '{"seconds": 50, "outputs": {}, "training": {"step": 1}, "steps": 0}',
        '{"seconds": 50, "outputs": {}, "training": {"step": 1}, "steps": 2, "device": 3}',
    ],
)
def test_a_damaged_record_teaches_nothing_and_stops_nothing(run, text):
    (run / "models/wiki/minilm-3/simcse/seed-3/record.json").write_text(text)
    assert learn()[KEY].n == 2


def test_what_was_learned_comes_back_as_it_was_written(run):
    assert rates.learned(run) == {}
    assert rates.update(run, learn()) == rates.learned(run) == learn()


def test_rates_of_another_run_are_used_until_the_own_jobs_have_shown_theirs(run):
    rates.update(run, {"cpu/train": Rate(1.0, 1), "cpu/read": Rate(2.0, 1)})
    known = rates.update(run, learn())
    assert known["cpu/train"] == learn()["cpu/train"]
    assert known["cpu/read"] == Rate(2.0, 1)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"cpu/train": 3}', '{"cpu/train": {"rate": 0.0, "n": 1}}']
)
def test_a_damaged_file_of_rates_gives_way_to_the_estimates(tmp_path, capsys, text):
    (tmp_path / "logs").mkdir()
    (tmp_path / rates.LEARNED).write_text(text)
    assert rates.learned(tmp_path) == {}
    assert str(tmp_path / rates.LEARNED) in capsys.readouterr().err
