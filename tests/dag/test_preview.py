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
    before = sorted((fresh.folder / "results").rglob("*"))  # what a refused start may have left
    printed = shown(fresh.snakemake("-n"))
    assert len(printed) <= LINES
    assert printed[0].split() == ["stage", "jobs", "done", "new", "again"]
    counts = {line.split()[0]: line.split()[1:] for line in printed[1:]}
    models = str(ENTROPY_MODELS)
    assert counts["train_entropy"] == [models, "0", models, "0"]
    assert sorted((fresh.folder / "results").rglob("*")) == before


def test_a_dry_run_names_the_changed_key_with_its_values_and_the_changed_file(finished: Project):
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
    """Its limits are those that a scheduler is asked for; that they rerun nothing, the table of reruns shows."""
    sized = "bases.tiny.million_parameters = 999999; resources.max_runtime = 77"
    with finished.configured(changed(CONFIG, sized) | {"anyway": True}):
        printed = finished.snakemake("-np", "--forcerun", "train", "--until", "train")
    records = map(read_sealed, finished.folder.glob("results/models/*/*/*/seed-*/record.json"))
    trained = sum(record["stage"] == "train" for record in records)
    assert printed.count("rule train:") == trained > 5
    assert "Shell command: " in printed and "runtime=77" in printed
    asked_for = f"again: train ({trained} jobs): it was asked for"
    assert asked_for in printed.split("rule train:")[-1]


def test_a_start_says_which_finished_jobs_it_makes_again(project: Project):
    target = "results/tables/claims.md"
    printed = project.snakemake("--cores", "1", "--forcerun", "judge_claims", "--", target)
    assert "\nagain: judge_claims (1 job): it was asked for\n" in printed


def test_a_plan_that_cannot_be_made_is_no_plan_without_jobs(finished: Project):
    printed = finished.snakemake("-n", "--", "no-such-file", check=False)
    assert "Nothing to be done" not in printed and "no-such-file" in printed


def test_results_of_other_settings_are_named_after_touch(finished: Project, project: Project):
    by_date = ("-n", "--rerun-triggers", "mtime")
    [line] = shown(finished.snakemake(*by_date))
    assert line.startswith("Nothing to be done: ")
    project.write_config(changed(CONFIG, "recipes.rcl.learning_rate = 0.0001"))
    said = project.snakemake("--touch", "--cores", "1", check=False)
    assert "--touch would call" in said and "of other settings current" in said
    said = project.snakemake(*by_date, check=False)
    assert "of other settings than the plan's, such as results/" in said
    assert "make them again: --forcerun" in said
