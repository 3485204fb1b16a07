"""Answerers of a config: their jobs, their settings, and those that cannot be built."""

import pytest

from semblance.errors import InputError
from semblance.names import INITIAL
from semblance.settings import decode_json
from semblance.training.recipe import TrainSettings
from semblance_faq.extends import stages as answerers
from semblance_faq.extends.stages import models_of_answerer
from semblance_faq.judge.building import AnswererSettings
from tests.shipped import merged
from workflow.checks.load import load
from workflow.planning.plan import Plan
from workflow.planning.stages import Job, awaited, inputs, jobs

BASE = "nli-roberta-base-v2"
TRAINED = "attention-dropout-0.1"
METHODS = ["start", "bm25", TRAINED, "better"]


def config(methods=METHODS, hold_out="wordings", **changes):
    """A config of an own FAQ with one answerer, and one table that evaluates its methods."""
    found = merged("config.yaml", "configs/own-faq.yaml")
    found["methods"]["better"] = {"ranking": {"of": TRAINED, "by": "hybrid", "match": "better"}}
    found["faq"]["banks"]["mine"]["hold_out"] = hold_out
    row = {"corpora": ["mine"], "bases": [BASE], "methods": [*METHODS, "rcl-8"]}
    found["tables"]["mine"] = found["tables"]["mine"] | {"rows": [row], "control": TRAINED}
    found["figures"] = {}
    answerer = {"bank": "mine", "base": BASE, "methods": list(methods), "seeds": "rcl"}
    found["answerers"] = {"helper": answerer | changes}
    return found


def test_the_answerer_knows_how_each_way_ranks_and_whose_model_it_uses():
    plan = Plan(load(config()))
    wanted = decode_json(AnswererSettings, answerers.settings(plan, "helper"))
    ways = {way.method: way for way in wanted.ways}
    assert list(ways) == METHODS
    assert ways["better"].model == TRAINED and ways["bm25"].model == "start"
    assert (ways["better"].ranking.by, ways["better"].ranking.match) == ("hybrid", "better")
    assert ways["bm25"].seeds == (0,) and ways["better"].seeds == wanted.seeds
    assert wanted.protocol == "wording" and wanted.precision == 0.9
    assert wanted.models == ("start", TRAINED)


def test_a_bank_that_holds_out_entries_is_judged_by_its_pairs():
    entries = config(METHODS[:-1], "entries")
    entries["tables"]["mine"]["rows"][0]["methods"].remove("better")  # it matches questions
    plan = Plan(load(entries))
    assert decode_json(AnswererSettings, answerers.settings(plan, "helper")).protocol == "pairs"


def test_each_trained_model_is_trained_once_on_the_whole_bank_with_the_first_seed():
    plan = Plan(load(config()))
    found = jobs(plan)
    seed = plan.config.seeds["rcl"][0]
    finals = [job for job in found if job.stage == "train_final"]
    assert finals == [Job("train_final", "mine-all", BASE, TRAINED, seed)]
    of_final = inputs(plan, finals[0])
    trainings = [Job("train", f"mine-{fold}", BASE, TRAINED, seed) for fold in range(plan.folds)]
    assert set(trainings) < set(of_final)
    assert Job("prepare_faq", name="mine") in of_final
    assert Job("tokenise", "mine-all", BASE) in of_final
    assert not any(job.stage == "train" and job.corpus == "mine-all" for job in found)
    settings = decode_json(TrainSettings, plan.train_settings(*finals[0][1:]))
    of_fold = decode_json(TrainSettings, plan.train_settings(*trainings[0][1:]))
    assert settings == of_fold


def test_an_answerer_reads_every_evaluation_of_its_methods_and_the_report_waits_for_it():
    plan = Plan(load(config()))
    read = inputs(plan, Job("build_answerer", name="helper"))
    evaluated = [job for job in read if job.stage == "evaluate_faq"]
    seeds = len(plan.config.seeds["rcl"])
    assert len(evaluated) == len(set(evaluated)) == plan.folds * (1 + 1 + seeds + seeds)
    assert set(evaluated) <= set(jobs(plan))
    assert [job.stage for job in read[1:3]] == ["download_model", "train_final"]
    helper = Job("build_answerer", name="helper")
    assert helper in inputs(plan, Job("report"))


def test_the_final_training_of_rcl_has_regulators_of_the_whole_bank():
    plan = Plan(load(config(["start", "rcl-8"])))
    [seed, *_] = plan.config.seeds["rcl"]
    whole = ("mine-all", BASE)
    final = Job("train_final", *whole, "rcl-8", seed)
    names = [f"entropy-0.0{n}" for n in (1, 2, 3, 4)]
    embeddings = [Job("embed", *whole, name, seed) for name in names]
    assert [job for job in inputs(plan, final) if job.stage == "embed"] == embeddings
    for name, embedding in zip(names, embeddings, strict=True):
        entropy = Job("train_entropy", *whole, name, seed)
        assert entropy in inputs(plan, embedding)
        assert Job("train_final", *whole, INITIAL, seed) in inputs(plan, entropy)
    found = jobs(plan)
    of_whole = [job for job in found if job.corpus == "mine-all" and job.stage == "train_entropy"]
    assert len(of_whole) == len(names)  # of the first seed alone


def test_the_initial_model_of_a_whole_bank_is_trained_as_long_as_those_of_its_folds():
    plan = Plan(load(config(["start", "rcl-8"])))
    [seed, *_] = plan.config.seeds["rcl"]
    initial = Job("train_final", "mine-all", BASE, INITIAL, seed)
    of_folds = [Job("train_initial", f"mine-{n}", BASE, INITIAL, seed) for n in range(plan.folds)]
    read = inputs(plan, initial)
    assert [job for job in read if job.stage == "train_initial"] == of_folds
    assert {job.stage for job in read} == {
        "download_model",
        "prepare_faq",
        "tokenise",
        "train_initial",
    }
    of_fold = plan.train_settings("mine-0", BASE, INITIAL, seed)
    assert plan.train_settings(*initial[1:]) == of_fold


def test_a_regulator_that_is_a_method_is_trained_on_the_whole_bank_too():
    made = config(["start", "near"])
    made["methods"]["near"] = {"recipe": "rcl", "loss": "regulators", "regulators": [TRAINED]}
    made["tables"]["mine"]["rows"][0]["methods"].append("near")
    plan = Plan(load(made))
    seed = plan.config.seeds["rcl"][0]
    assert Job("train_final", "mine-all", BASE, TRAINED, seed) in jobs(plan)


def test_an_answerer_of_the_start_model_alone_trains_nothing():
    plan = Plan(load(config(["start", "bm25"])))
    assert answerers.final_runs(plan, "helper") == []
    helper = Job("build_answerer", name="helper")
    assert list(models_of_answerer(plan, helper)) == [Job("download_model", base=BASE)]


def test_a_method_with_the_steps_of_others_is_refused_for_an_answerer():
    changed = config(["start", "matched"])
    changed["methods"]["matched"] = changed["methods"][TRAINED] | {"steps_of": TRAINED}
    changed["tables"]["mine"]["rows"][0]["methods"].append("matched")
    with pytest.raises(InputError, match="'matched' takes its steps from other trainings"):
        load(changed)


def test_the_trainings_of_the_folds_are_awaited_and_those_that_nothing_but_a_score_reads_are_not():
    plan = Plan(load(config()))
    found = awaited(plan)
    fold = ("mine-0", BASE)
    assert {Job("train", *fold, TRAINED, 1), Job("tokenise", *fold)} <= found
    embedded = [job for job in jobs(plan) if job.stage in ("train_entropy", "embed")]
    assert embedded and found.issuperset(embedded)  # of rcl-8's regulators
    assert Job("train", *fold, "rcl-8", 1) in jobs(plan)
    assert Job("train", *fold, "rcl-8", 1) not in found
    assert not any(job.stage.startswith("evaluate") or job.stage == "train_final" for job in found)
