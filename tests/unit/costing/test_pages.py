"""What ``make plan`` prints."""

import re
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.provenance import canonical, settings_digest, write_json
from tests.unit.costing.examples import MANIFEST, OWN_FAQ, cost, small
from workflow.costing import usage
from workflow.costing.pages import device_note, plan_page
from workflow.planning.stages import Job, inputs, jobs, makers, record
from workflow.scripts.cli import configs_and_tables


def cells(page: str, stage: str) -> list[str]:
    """Return the cells of a stage's row."""
    [row] = [line for line in page.splitlines() if line.split()[:1] == [stage]]
    return re.split("  +", row)


def finish(model, job: Job) -> None:
    """Write an empty record of a job, and of all that it waits for."""
    path = Path(record(model.plan, job))
    if not path.exists():
        write_json(path, {})
    for other in inputs(model.plan, job):
        finish(model, other)


def test_the_plan_counts_the_jobs_of_each_stage_and_those_still_to_do(run):
    model = small()
    for seed in (1, 2, 3):
        finish(model, Job("train", "wiki", "minilm-3", "simcse", seed))
    trainings = sum(job.stage == "train" for job in jobs(model.plan))
    counts = [str(trainings), str(trainings - 3)]  # three have finished
    assert cells(plan_page(model), "train")[1:3] == counts
    model.factor = usage.measured(model, usage.finished(model))
    assert plan_page(model).splitlines()[-1].endswith("by 3 jobs of this run")


def test_the_plan_names_the_training_that_needs_the_most_memory_of_a_gpu():
    [line] = [line for line in plan_page(cost()).splitlines() if line.startswith("GPU memory")]
    assert "(wiki1m roberta-large simcse-mlm)" in line  # the largest base, and two passes a step
    assert "GPU memory" not in plan_page(small())


def test_a_training_of_other_settings_and_what_reads_it_are_to_do(run):
    model = small()
    training = Job("train", "wiki", "minilm-3", "simcse", 1)
    evaluation = training._replace(stage="evaluate_sts")
    finish(model, evaluation)
    assert not {training, evaluation} & set(usage.to_do(model))
    settings = ["--settings", canonical(model.needs.settings(training))]
    for given, expected in ((settings, set()), (["--settings", "{}"], {training, evaluation})):
        write_json(record(model.plan, training), {"given": settings_digest(given)})
        assert {training, evaluation} & set(usage.to_do(model)) == expected


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
    with pytest.raises(InputError, match="rcl_tabel3: no file, and no table; tables are rcl_table"):
        makers(model.plan, ["rcl_tabel3"])


def test_words_that_are_files_are_configs_and_the_others_tables(tmp_path):
    (tmp_path / "mine").write_text("{}")
    words = ["rcl_table3", f"{tmp_path}/mine", "missing.yaml", "rcl_table4"]
    assert configs_and_tables(words) == (words[1:3], ["rcl_table3", "rcl_table4"])


def test_the_hours_of_a_stage_are_those_of_its_jobs():
    model = small()
    seconds = [model.seconds(job) for job in jobs(model.plan) if job.stage == "train"]
    hours = float(cells(plan_page(model), "train")[4])
    assert hours == pytest.approx(sum(seconds) / 3600, abs=0.05)


def test_the_pages_fit_a_terminal_of_a_hundred_columns(run):
    for page in (plan_page(cost()), plan_page(small())):
        assert max(map(len, page.splitlines())) <= 100


def test_the_plan_counts_raw_files_of_unknown_size_as_unknown():
    model = cost()
    used = {job.name for job in jobs(model.plan) if job.stage == "download"}
    data = [MANIFEST[name] for name in used]
    sizes = [file.size for one in data for file in (*one.files, *one.archives)]
    known = sum(size for size in sizes if size is not None)
    [line] = [line for line in plan_page(model).splitlines() if line.startswith("raw data: ")]
    assert sizes.count(None) > 0  # COUGH's two large files, at least
    assert f", {sizes.count(None)} files of unknown size" in line
    assert f"raw data: > {known / 1e6:.0f} MB" in line
    row = cells(plan_page(model), "download")
    assert row[-1] == f"> {known / 1e6:.0f} MB" and row[6].startswith("> ")


def test_a_plan_without_raw_files_has_none_to_download_and_names_bases_of_unknown_size():
    page = plan_page(cost("bases.nli-roberta-base-v2.million_parameters =", OWN_FAQ))
    assert "raw data: none to download" in page
    assert "models: nli-roberta-base-v2: no size is stated" in page


def test_jobs_that_ran_on_another_device_are_reported_to_whoever_plans(run):
    model = small()
    finished = usage.finished(model)
    assert device_note(model, finished) == ""
    model.device = "gpu"
    assert device_note(model, finished).startswith("note: 3 finished jobs ran on the CPU, and this")
    assert device_note(model, []) == ""
