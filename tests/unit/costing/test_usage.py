"""What finished jobs teach: the factor of this machine, and the file that keeps it."""

import json
from pathlib import Path

import pytest

from semblance.provenance import ROOT
from tests.unit.costing.examples import small
from workflow.costing import rates, usage
from workflow.costing.rates import Factor
from workflow.scripts import plan


def measured() -> Factor:
    """Return the factor that the finished jobs in the current folder show."""
    model = small()
    return usage.measured(model, usage.finished(model))


def change(record: Path, **facts) -> None:
    """Change some facts of a record."""
    record.write_text(json.dumps(json.loads(record.read_text()) | facts))


def test_the_factor_is_the_ratio_of_the_seconds_used_and_predicted(run):
    finished = usage.finished(small())
    used = sum(job.seconds for job in finished)  # by the benchmark, imports included
    assert measured() == Factor(pytest.approx(used / (3 * small().seconds(finished[0].job))), 3)


def test_with_its_factor_the_finished_jobs_are_predicted_exactly(run):
    finished = usage.finished(small())
    again = usage.measured(small(measured()), finished)
    assert again.value == pytest.approx(measured().value)
    predicted = sum(small(measured()).seconds(used.job) for used in finished)
    assert predicted == pytest.approx(sum(used.seconds for used in finished))


def test_a_training_that_stopped_early_has_done_that_share_of_its_work(run):
    before = measured().value
    for record in run.glob("models/*/*/*/*/record.json"):
        change(record, training={"step": 50})
    model = small()
    [job, *_] = [used.job for used in usage.finished(model)]
    share = model.seconds(job, 0.5) / model.seconds(job)
    assert measured().value == pytest.approx(before / share)


LINE = "out/x: step {} of 1000, loss 2.5, {} steps/s, 2 min 46 s left\n"


def running(run: Path, text: str) -> list[usage.Used]:
    """Return the running trainings, of which one has a log, and its record is not there yet."""
    (run / "logs/train/wiki/minilm-3/simcse/seed-1.log").write_text(text)
    assert usage.running(small()) == []  # a finished training is none
    (run / "models/wiki/minilm-3/simcse/seed-1/record.json").unlink()
    return usage.running(small())


def test_a_running_training_teaches_by_the_last_line_of_its_log(run):
    [used] = running(run, "no GPU found\n" + LINE.format(100, 3) + LINE.format(400, "5.0e+00"))
    start = small().start("train")
    assert used.job.seed == 1 and used.share == 0.4
    assert used.seconds == pytest.approx(start + 400 / 5)
    factor = used.seconds / small().seconds(used.job, 0.4)
    assert usage.measured(small(), [used]) == Factor(pytest.approx(factor), 1)


@pytest.mark.parametrize(
    "text", ["", "step 1 of 2", LINE.format(3, 0), LINE.format(3, "..").replace("1000", "0")]
)
def test_a_log_without_progress_teaches_nothing(run, text):
    assert running(run, text) == []


def test_make_plan_keeps_the_factor_for_the_rules_and_prints_it(run, tmp_path, capsys):
    for name in ("config.yaml", "papers", "configs", "workflow", "demo"):
        (tmp_path / name).symlink_to(ROOT / name)
    configs = ["configs/minilm.yaml", "configs/minilm-cpu.yaml"]
    plan.main([*configs, "--output", run.name])
    assert f"times {measured().value:.2f}, by 3 jobs" in capsys.readouterr().out
    assert rates.kept_factor(run) == measured()
    plan.main([*configs, "--output", "fresh"])
    assert "no job has been measured yet" in capsys.readouterr().out
    assert not (tmp_path / "fresh").exists()


def test_a_job_on_another_device_than_the_config_asks_for_teaches_nothing(run):
    for record in run.glob("models/*/*/*/*/record.json"):
        change(record, device="NVIDIA H100")
    assert measured() == Factor()


@pytest.mark.parametrize(
    "text", ["{", '{"seconds": "soon"}', '{"seconds": 50, "training": {"step": 1}, "steps": 0}']
)
def test_a_damaged_record_teaches_nothing_and_stops_nothing(run, text):
    (run / "models/wiki/minilm-3/simcse/seed-3/record.json").write_text(text)
    assert measured().n == 2
