"""Results of other settings are not taken for current, though Snakemake's own notes say that they are."""

import pytest

from tests.dag.tiny import CONFIG, Project
from tests.shipped import changed

pytestmark = pytest.mark.dag


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
