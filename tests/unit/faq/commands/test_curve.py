"""The learning curve of an own FAQ: opt-in, valid, and for wordings where they are trained on."""

import pytest

from semblance_faq.commands import train as training
from semblance_faq.commands.config import (
    BANK,
    FEWEST_WORDINGS,
    PERCENTS,
    TUNED,
    OwnFaq,
    learning_curve,
)
from workflow.planning.config import load_files
from workflow.planning.plan import Plan
from workflow.planning.stages import jobs


@pytest.fixture
def quick(tmp_path, monkeypatch):
    """Return the plan of the config that is written for a file of the user's."""
    monkeypatch.chdir(tmp_path)

    def planned(asked: bool) -> Plan:
        own = OwnFaq("faq.csv", f"faq-{asked}", FEWEST_WORDINGS - 1, learning_curve=asked)
        return Plan(load_files([str(training.write_config(own, "f"))]))

    return planned


@pytest.mark.parametrize("asked", [False, True])
def test_trainings_on_parts_are_made_if_they_are_asked_for(quick, asked):
    stages = [job.stage for job in jobs(quick(asked))]
    assert stages.count("train") == 5 * (1 + asked * len(PERCENTS))
    assert stages.count("thin_corpus") == 5 * asked * len(PERCENTS)
    assert stages.count("draw_learning_curve") == asked
    assert stages.count("train_final") == 1


def test_no_part_is_a_candidate_of_the_answerer(quick):
    config = quick(True).config
    parts = {name for name, method in config["methods"].items() if "train_part" in method}
    assert len(parts) == len(PERCENTS)
    assert parts.isdisjoint(config["answerers"][BANK]["methods"])


def test_wordings_have_a_curve_where_there_are_enough():
    methods, curves = learning_curve("tuned", TUNED, True)
    assert list(curves) == ["entries", "wordings"]
    assert all(names[-1] == "tuned" for names in curves.values())
    assert list(learning_curve("tuned", TUNED, False)[1]) == ["entries"]
    assert methods["tuned-25-wordings"]["recipe"] == TUNED["recipe"]
