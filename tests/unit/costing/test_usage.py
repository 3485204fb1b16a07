"""What finished jobs teach: the rates, and the file that keeps them."""

import json
from pathlib import Path

import pytest

from tests.unit.costing.examples import small
from tests.unit.planning.test_config import ROOT
from workflow.costing import rates, usage
from workflow.costing.rates import Rate
from workflow.planning.stages import jobs
from workflow.scripts import plan

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


def test_the_share_of_steps_is_learned_of_stages_that_stop_early(run):
    assert usage.learn_shares(usage.finished(small())) == {}
    for seed, step in ((1, 2), (2, 4), (3, 100)):
        change(
            run / f"models/wiki/minilm-3/simcse/seed-{seed}/record.json", training={"step": step}
        )
    shares = usage.learn_shares(usage.finished(small()))
    assert shares == {"share/train": Rate(pytest.approx(0.04), 3)}


LINE = "out/x: step {} of 1000, loss 2.5, {} steps/s, 2 min 46 s left\n"


def running(run: Path, text: str) -> list[usage.Used]:
    """Return the running trainings, of which one has a log, and its record is not there yet."""
    (run / "models/wiki/minilm-3/simcse/seed-1/record.json").unlink()
    (run / "logs/train/wiki/minilm-3/simcse/seed-1.log").write_text(text)
    return usage.running(small())


def test_a_running_training_teaches_by_the_last_line_of_its_log(run):
    [used] = running(run, "no GPU found\n" + LINE.format(100, 3) + LINE.format(400, "5.0e+00"))
    start = small().start("train")
    assert used.job.seed == 1 and used.share == 0.4
    assert used.seconds == pytest.approx(start + 400 / 5)
    work = small().need(used.job).work
    assert usage.learn(small(), [used])[KEY].rate == pytest.approx(0.4 * work / (400 / 5))


@pytest.mark.parametrize(
    "text", ["", "step 1 of 2", LINE.format(3, 0), LINE.format(3, "..").replace("1000", "0")]
)
def test_a_log_without_progress_teaches_nothing(run, text):
    assert running(run, text) == []


def test_a_finished_training_is_no_running_one(run):
    (run / "logs/train/wiki/minilm-3/simcse/seed-1.log").write_text(LINE.format(400, 5))
    assert usage.running(small()) == []


def test_output_folders_beside_lend_the_rates_of_the_most_jobs(tmp_path):
    for name, rate in (("a", Rate(1.0, 1)), ("b", Rate(2.0, 9)), ("own", Rate(3.0, 99))):
        rates.update(tmp_path / name, {"cpu/train": rate})
    assert rates.beside(tmp_path / "own") == {"cpu/train": Rate(2.0, 9)}


def test_make_plan_uses_the_rates_of_a_run_beside_until_its_own_jobs_have_shown_theirs(
    run, tmp_path, capsys
):
    for name in ("config.yaml", "configs", "workflow", "demo"):
        (tmp_path / name).symlink_to(ROOT / name)
    configs = ["configs/minilm.yaml", "configs/minilm-cpu.yaml"]
    plan.main([*configs, "--output", run.name])
    assert "measured, n=3" in capsys.readouterr().out
    plan.main([*configs, "--output", "fresh"])
    [row] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("train ")]
    assert row.endswith("measured, n=3")
    assert not (tmp_path / "fresh").exists()


def test_a_job_whose_start_outweighs_its_work_teaches_no_rate(run):
    for record in run.glob("models/*/*/*/*/record.json"):
        change(record, training={"step": 1})
    assert learn() == {}


def test_a_start_takes_no_longer_than_the_shortest_finished_job(run):
    seconds = small().start("train") / 2
    change(run / "models/wiki/minilm-3/simcse/seed-3/record.json", seconds=seconds)
    (run / "logs/train/wiki/minilm-3/simcse/seed-3.tsv").unlink()
    shown = learn()
    assert shown["start/cpu"] == Rate(seconds, 3)
    known = small(shown)
    assert known.start("evaluate_sts") == seconds
    assert known.start("report") == small().start("report")  # it runs no model


def test_a_stage_without_a_model_shows_how_long_its_own_jobs_take_to_start():
    model = small()
    [job] = [job for job in jobs(model.plan) if job.stage == "report"]
    used = usage.Used(job, seconds=0.5, memory=None, share=1, on_cpu=False)
    assert usage.learn(model, [used]) == {"start/light": Rate(0.5, 1)}


def test_a_start_that_is_not_shown_to_be_shorter_stays_the_estimate(run):
    assert not [key for key in learn() if key.startswith("start")]


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
