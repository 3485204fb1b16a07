"""Methods that are trained on a part of a bank: their corpora, their jobs, what cannot be."""

import json

import pytest

from semblance.errors import InputError
from tests.shipped import merged
from tests.unit.costing.examples import MANIFEST, SHIPPED
from workflow.costing.model import Cost
from workflow.planning import answerers
from workflow.planning.config import load
from workflow.planning.plan import Plan
from workflow.planning.stages import Job, inputs, jobs

BASE = "nli-roberta-base-v2"
HALF = "mine-0-50-percent-of-entries"


def config(of="entries", curve=("half", "continued")):
    """The own FAQ's config with a method that is trained on a half, and a learning curve."""
    found = merged("config.yaml", "configs/own-faq.yaml")
    part = {"label": "On half", "train_part": {"percent": 50, "of": of}}
    found["methods"]["half"] = {**found["methods"]["continued"], **part}
    found["tables"]["mine"]["rows"][0]["methods"].append("half")
    found["answerers"]["mine"]["learning_curves"] = {"entries": list(curve)}
    return found


def plan(**changes):
    return Plan(load(config(**changes)))


def test_a_training_on_a_part_reads_the_part_and_is_judged_like_the_others():
    made = plan()
    assert made.corpus_read("mine-0", "half") == HALF
    assert made.corpus_read("mine-0", "continued") == "mine-0"
    waits = inputs(made, Job("train", "mine-0", BASE, "half", 1))
    others = inputs(made, Job("train", "mine-0", BASE, "continued", 1))
    assert set(waits) - set(others) == {
        Job("thin_corpus", HALF),
        Job("tokenise", HALF, BASE),
    }
    assert Job("prepare_faq", name="mine") in waits  # its dev questions
    assert inputs(made, Job("thin_corpus", HALF)) == [Job("prepare_faq", name="mine")]
    assert json.loads(answerers.part_settings(made, HALF))["percent"] == 50


def test_the_settings_of_a_training_on_a_part_are_those_of_the_whole():
    made = plan()
    place = ("mine-0", BASE)
    assert made.train_settings(*place, "half", 1) == made.train_settings(*place, "continued", 1)


def test_a_curve_makes_an_answerer_wait_for_its_drawing_and_adds_no_final_training():
    made = plan()
    drawing = Job("draw_learning_curve", name="mine")
    assert drawing in inputs(made, Job("build_answerer", name="mine"))
    assert Job("prepare_faq", name="mine") in inputs(
        made, drawing
    )  # says which questions are alike
    assert {job.name for job in inputs(made, drawing)} == {"half", "continued", "mine"}
    assert not [job for job in jobs(made) if job.stage == "train_final" and job.name == "half"]
    settings = json.loads(answerers.curve_settings(made, "mine"))
    assert [(part["method"], part["percent"]) for part in settings["parts"]] == [
        ("half", 50),
        ("continued", 100),
    ]


def test_without_a_curve_nothing_is_added():
    made = Plan(load(merged("config.yaml", "configs/own-faq.yaml")))
    assert made.parts == {} and answerers.curve_record(made, "mine") == []
    stages = {job.stage for job in jobs(made)}
    assert stages.isdisjoint({"thin_corpus", "draw_learning_curve"})


def test_a_training_on_a_part_is_predicted_to_take_its_share():
    cost = Cost(load(config()), MANIFEST, SHIPPED)
    sizes = cost.needs.sizes.corpora
    assert sizes[HALF].rows == sizes["mine-0"].rows // 2
    half, whole = (cost.need(Job("train", "mine-0", BASE, m, 1)) for m in ("half", "continued"))
    assert half.work < whole.work
    assert cost.need(Job("thin_corpus", HALF)).work == sizes[HALF].rows


@pytest.mark.parametrize(
    "changes,where",
    [
        ({"curve": ("continued", "half")}, "learning_curves.entries"),
        ({"curve": ("half",)}, "learning_curves.entries"),
        ({"curve": ("half", "unknown")}, "learning_curves.entries"),
        ({"of": "wordings"}, "learning_curves.entries"),
        ({"curve": ("half", "attention-dropout-0.2")}, "learning_curves.entries"),  # in no table
    ],
)
def test_a_curve_that_cannot_be_is_refused(changes, where):
    with pytest.raises(InputError) as error:
        load(config(**changes))
    assert where in error.value.where
