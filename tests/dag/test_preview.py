"""The short form of a dry run, and what a start says of finished jobs that it makes again, or does not."""

import pytest

from semblance.provenance import read_sealed
from tests.dag.tiny import CONFIG, Project
from tests.shipped import changed
from workflow.planning.stages import STAGES

pytestmark = pytest.mark.dag
LINES = len(STAGES) + 5  # one for each stage, and a few around them
ENTROPY = "semblance/training/losses/entropy.py"
ENTROPY_MODELS = 5  # of the tiny project: two kinds on nli, one on each fold, one on the whole bank


def shown(printed: str) -> list[str]:
    """Return what is printed beside the lines with which Snakemake names its config and profile."""
    lines = printed.splitlines()
    return [line for line in lines if not line.startswith(("Config file", "Using workflow"))]


def test_a_dry_run_of_a_whole_config_has_a_line_for_each_stage(fresh: Project):
    printed = shown(fresh.snakemake("-n"))
    assert len(printed) <= LINES
    assert printed[0].split() == ["stage", "jobs", "done", "new", "again"]
    counts = {line.split()[0]: line.split()[1:] for line in printed[1:]}
    models = str(ENTROPY_MODELS)
    assert counts["train_entropy"] == [models, "0", models, "0"]
    assert not (fresh.folder / "results").exists()


def test_a_dry_run_of_a_finished_run_says_that_there_is_nothing_to_do(finished: Project):
    [line] = shown(finished.snakemake("-n"))
    assert line.startswith("Nothing to be done: ")


def test_a_dry_run_names_the_key_that_changed_and_its_values_and_the_file_whose_code_changed(
    finished: Project,
):
    path = finished.folder / ENTROPY
    edits = {path: path.read_text().replace("return -", "return 0.0 -", 1)}
    config = changed(CONFIG, "recipes.supervised.learning_rate = 0.003")
    with finished.configured(config), finished.edited(edits):
        printed = shown(finished.snakemake("-n"))
    assert len(printed) <= LINES
    again = [line for line in printed if "learning_rate" in line]
    assert len(again) == 1 and ": learning_rate 5e-05 -> 0.003; " in again[0]
    assert f"train_entropy ({ENTROPY_MODELS} jobs): code changed: {ENTROPY}" in "\n".join(printed)


def test_with_its_shell_commands_a_dry_run_lists_each_job_above_the_short_form(finished: Project):
    printed = finished.snakemake("-np", "--forcerun", "train", "--until", "train")
    records = map(read_sealed, finished.folder.glob("results/models/*/*/*/seed-*/record.json"))
    trained = sum(record["stage"] == "train" for record in records)
    assert printed.count("rule train:") == trained > 5
    assert "Shell command: " in printed
    asked_for = f"again: train ({trained} jobs): it was asked for"
    assert asked_for in printed.split("rule train:")[-1]


def test_a_start_says_which_finished_jobs_it_makes_again(project: Project):
    target = "results/tables/claims.md"
    printed = project.snakemake("--cores", "1", "--forcerun", "judge_claims", "--", target)
    assert "\nagain: judge_claims (1 job): it was asked for\n" in printed


def test_a_plan_that_cannot_be_made_is_no_plan_without_jobs(finished: Project):
    printed = finished.snakemake("-n", "--", "no-such-file", check=False)
    assert "Nothing to be done" not in printed and "no-such-file" in printed


@pytest.fixture(scope="module")
def other(finished: Project, tmp_path_factory) -> Project:
    """A copy of the finished tiny run, with another learning rate of RCL's recipe."""
    project = finished.copy(tmp_path_factory.mktemp("touch") / "project")
    project.write_config(changed(CONFIG, "recipes.rcl.learning_rate = 0.0001"))
    return project


def test_touch_does_not_make_results_of_other_settings_current(other):
    said = other.snakemake("--touch", "--cores", "1", check=False)
    assert "--touch would call" in said and "of other settings current" in said
    assert other.planned()["train"] > 0


def test_a_start_without_the_trigger_of_parameters_names_the_results_of_other_settings(
    finished, other
):
    said = other.snakemake("-n", "--rerun-triggers", "mtime", check=False)
    assert "of other settings than the plan's, such as results/" in said
    assert "make them again: --forcerun" in said
    assert "Nothing to be" in finished.snakemake("-n", "--rerun-triggers", "mtime")
