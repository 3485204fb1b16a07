"""Methods with mined hard negatives: what their trainings read, and where they cannot be trained."""

import json

from semblance.settings import decode_json
from semblance.training.recipe import TrainSettings
from tests.shipped import merged
from workflow.planning.config import load
from workflow.planning.plan import Plan
from workflow.planning.stages import Job, inputs, jobs, record

BASE = "nli-roberta-base-v2"
PLAIN = "attention-dropout-0.1"
HARD = {"recipe": "rcl", "mined_negatives": True}


def config(**methods):
    """The config of an own FAQ, with a method that mines beside the control."""
    found = merged("config.yaml", "configs/own-faq.yaml")
    del found["methods"]["hard-negatives"]  # the example's own
    found["methods"]["hard"] = HARD
    found["methods"] |= methods
    row = {"corpora": ["mine"], "bases": [BASE], "methods": ["start", PLAIN, "hard"]}
    found["tables"]["mine"] = found["tables"]["mine"] | {"rows": [row], "control": PLAIN}
    found["figures"] = {}
    found["answerers"]["mine"]["methods"] = ["start", PLAIN, "hard"]
    return found


def test_a_training_with_mined_negatives_reads_them_in_place_of_the_corpus():
    plan = Plan(load(config()))
    hard = inputs(plan, Job("train", "mine-0", BASE, "hard", 1))
    plain = inputs(plan, Job("train", "mine-0", BASE, PLAIN, 1))
    mining = Job("mine_negatives", "mine-0", BASE)
    corpus = Job("prepare_faq", name="mine")
    assert mining in hard and mining not in plain and corpus in plain
    assert set(hard) - {mining} == set(plain)  # the dev questions are of prepare_faq, too
    place = ("mine-0", BASE)
    assert plan.rows_record(*place, "hard") == record(plan, mining)
    assert plan.rows_record(*place, PLAIN) == f"{plan.out}/corpora/mine-0/record.json"
    assert plan.rows_file(*place, PLAIN) == f"{plan.out}/corpora/mine-0/rows.arrow"


def test_negatives_are_mined_once_a_fold_and_once_on_the_whole_bank_with_the_start_model():
    plan = Plan(load(config()))
    found = [job for job in jobs(plan) if job.stage == "mine_negatives"]
    corpora = [*plan.fold_corpora("mine"), "mine-all"]
    assert sorted(found) == sorted(Job("mine_negatives", corpus, BASE) for corpus in corpora)
    for job in found:
        embedding = Job("embed", job.corpus, BASE, "start", 0)
        assert inputs(plan, job) == [Job("prepare_faq", name="mine"), embedding]


def test_the_settings_of_the_training_are_those_of_its_recipe():
    plan = Plan(load(config()))
    settings = plan.train_settings("mine-0", BASE, "hard", 1)
    assert "mined_negatives" not in json.loads(settings)
    assert decode_json(TrainSettings, settings).hard_negatives
