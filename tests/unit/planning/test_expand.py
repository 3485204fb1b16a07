"""The readable config in its full form: what each training is told, by hand from the papers."""

import copy
import json

import pytest

from tests.shipped import merged
from workflow.planning.config import load
from workflow.planning.expand import expand, settings_of
from workflow.planning.methods import model_names, regulator_names
from workflow.planning.plan import Plan

# What the papers leave open is the same in all trainings (docs/decisions.md).
COMMON = {
    "clip": 1.0,
    "gpus": 1,
    "matmul": "highest",
    "no_duplicates": True,
    "precision": "fp32",
    "threads": 1,
}
# SimCSE, section 3 and appendix A: τ = 0.05; evaluated every 125 steps; no warm-up, no weight decay.
SIMCSE = COMMON | {
    "evaluate_every": 125,
    "loss": "contrastive",
    "max_length": 32,
    "options": {"scale": 1 / 0.05},
    "warmup": 0.0,
    "weight_decay": 0.0,
}
UNSUPERVISED = SIMCSE | {"epochs": 1, "head": "train", "views": "twice"}
SUPERVISED = SIMCSE | {"epochs": 3, "head": "keep", "views": "rows"}
# RCL, appendix A.1.1: batch size 64, evaluated every 10 % of the samples; the rest is SBERT's own.
RCL = COMMON | {
    "batch_size": 64,
    "dropout": {"attention": 0.1},
    "learning_rate": 2e-5,
    "options": {"scale": 20.0},
    "views": "rows",
    "warmup": 0.1,
    "weight_decay": 0.01,
}
ON_STS = RCL | {"epochs": 1, "evaluate_share": 0.1, "max_length": 75}
ON_FAQ = RCL | {"epochs": 10, "evaluate_share": 0.1, "max_length": 256}
# S-SimCSE, section 3.2: each sentence has a rate of its own.
SENTENCE_WISE = {
    "distribution": "uniform",
    "granularity": "row",
    "high": 0.2,
    "layers": "hidden",
    "low": 0.0,
}
FINAL = {
    ("wiki1m", "bert-base", "simcse"): UNSUPERVISED | {"batch_size": 64, "learning_rate": 3e-5},
    ("wiki1m", "bert-large", "simcse"): UNSUPERVISED | {"batch_size": 64, "learning_rate": 1e-5},
    ("wiki1m", "roberta-base", "ssimcse-sd"): UNSUPERVISED
    | {"batch_size": 512, "learning_rate": 1e-5, "dropout": {"sampled": SENTENCE_WISE}},
    ("nli", "bert-large", "simcse-sup"): SUPERVISED | {"batch_size": 512, "learning_rate": 1e-5},
    ("nli", "roberta-base", "simcse-sup"): SUPERVISED | {"batch_size": 512, "learning_rate": 5e-5},
    ("nli", "nli-roberta-base-v2", "drophead-0.2"): ON_STS
    | {"loss": "contrastive", "dropout": {"attention": 0.0, "drophead": 0.2}},
    ("nli", "nli-roberta-base-v2", "rcl-8"): ON_STS | {"loss": "regulators"},
    ("nli", "nli-roberta-base-v2", "rcl-8-batch32"): ON_STS
    | {"loss": "regulators", "batch_size": 32},
    ("cough-4", "nli-roberta-base-v2", "rcl-8"): ON_FAQ | {"loss": "regulators"},
    # All steps of rcl-8: its own and those of four entropy models; on a bank of the initial model, too.
    ("nli", "nli-roberta-base-v2", "continued-5x"): ON_STS
    | {"loss": "contrastive", "epochs": 1 + 4 * 1},
    ("cough-4", "nli-roberta-base-v2", "continued-5x"): ON_FAQ
    | {"loss": "contrastive", "epochs": 10 + 4 * 1 + 10},
    # Two regulators that count as eight.
    ("nli", "nli-roberta-base-v2", "rcl-8-phi0"): ON_STS
    | {"loss": "regulators", "options": {"scale": 20.0, "regulator_weight": 8 / 2}},
    ("nli", "nli-roberta-base-v2", "rcl-8-no-hard-negatives"): ON_STS
    | {"loss": "regulators", "hard_negatives": False},
}


@pytest.fixture(scope="module")
def plan() -> Plan:
    """The plan of config.yaml."""
    return Plan(load(merged("config.yaml")))


@pytest.mark.parametrize("run", FINAL, ids="/".join)
def test_a_training_has_the_settings_of_the_paper(plan, run):
    assert json.loads(plan.train_settings(*run, seed=3)) == FINAL[run] | {"seed": 3}


def test_an_initial_model_is_trained_with_equation_1(plan):
    settings = json.loads(plan.initial_settings("faqir-0", "nli-roberta-base-v2", 2))
    assert settings == ON_FAQ | {"loss": "contrastive", "seed": 2}


def test_an_entropy_model_is_trained_with_equation_2_until_its_loss_stops_falling(plan):
    settings = json.loads(
        plan.entropy_settings("nli", "nli-roberta-base-v2", "entropy-sum", "-0.01", 1)
    )
    assert settings == ON_STS | {
        "evaluate_every": None,
        "evaluate_share": None,
        "least_window": 10,
        "loss": "entropy",
        "options": {"phi": -0.01, "reduction": "sum", "scale": 20.0},
        "patience": 3,
        "seed": 1,
        "unit": "window",
        "warmup": 0.0,
        "window": 0.01,
    }


def test_eight_regulators_are_those_of_four_entropy_models(plan):
    names = ["entropy-0.01", "entropy-0.02", "entropy-0.03", "entropy-0.04"]
    assert plan.config["methods"]["rcl-8"]["regulators"] == names


@pytest.mark.parametrize("count", [2, 4, 6, 8, 10])
def test_a_method_of_batch_32_reads_entropy_models_of_batch_32(plan, count):
    place = ("nli", "nli-roberta-base-v2")
    names = plan.config["methods"][f"rcl-{count}-batch32"]["regulators"]
    phis = [name.removeprefix("entropy-batch32-") for name in names]
    assert phis == ["0.01", "0.02", "0.03", "0.04", "0.05"][: count // 2]
    for phi in phis:
        teacher = json.loads(plan.entropy_settings(*place, "entropy-batch32", phi, 1))
        assert teacher["batch_size"] == 32
        other = json.loads(plan.entropy_settings(*place, "entropy", phi, 1))
        assert teacher | {"batch_size": 64} == other


def test_the_signs_of_phi_of_the_controls(plan):
    methods = plan.config["methods"]
    assert methods["rcl-2-phi0"]["regulators"] == methods["rcl-8-phi0"]["regulators"]
    teacher = json.loads(plan.entropy_settings("nli", "nli-roberta-base-v2", "entropy", "0.0", 1))
    assert teacher["options"]["phi"] == 0.0
    mirrored = [name.replace("entropy-", "entropy--") for name in methods["rcl-8"]["regulators"]]
    assert methods["rcl-8-negative"]["regulators"] == mirrored


# --- how the parts of a training are laid over each other ---------------------------------------


def full(**changes) -> dict:
    """Return the full form of config.yaml with some keys ("methods/x/batch_size") changed."""
    config = merged("config.yaml")
    for path, value in changes.items():
        *parents, last = path.split("/")
        node = config
        for parent in parents:
            node = node[parent]
        node[last] = value
    return expand(config)


def test_options_of_a_method_are_laid_over_those_of_its_recipe_key_by_key():
    config = full(
        **{
            "recipes/rcl/loss": "entropy",
            "recipes/rcl/options": {"scale": 7.0, "reduction": "sum"},
            "methods/continued/options": {"reduction": "mean"},
        }
    )
    assert config["methods"]["continued"]["options"] == {"scale": 7.0, "reduction": "mean"}


def test_a_method_with_another_loss_keeps_the_options_that_its_loss_takes_too():
    config = full(
        **{
            "recipes/rcl/loss": "entropy",
            "recipes/rcl/options": {"scale": 7.0, "include_positive": True},
            "methods/continued/loss": "contrastive",
        }
    )
    assert config["methods"]["continued"]["options"] == {"scale": 7.0}


def test_dropout_is_laid_over_key_by_key_and_sampled_rates_replace_sampled_rates():
    config = full(
        **{
            "recipes/rcl/dropout": {"attention": 0.1, "sampled": {"low": 0.1, "high": 0.3}},
            "methods/continued/dropout": {"hidden": 0.2, "sampled": {"high": 0.5}},
        }
    )
    assert config["methods"]["continued"]["dropout"] == {
        "attention": 0.1,
        "hidden": 0.2,
        "sampled": {"high": 0.5},
    }


def test_a_recipe_changes_on_a_faq_bank_then_by_base_then_by_method():
    config = full(
        **{
            "recipes/rcl/on_faq": {"epochs": 2, "batch_size": 2, "max_length": 2},
            "recipes/rcl/by_base": {"bert-base": {"batch_size": 3, "max_length": 3}},
            "methods/continued/max_length": 4,
        }
    )
    found = settings_of(config, config["methods"]["continued"], "bert-base", on_faq=True)
    assert (found["epochs"], found["batch_size"], found["max_length"]) == (2, 3, 4)
    found = settings_of(config, config["methods"]["continued"], "roberta-base", on_faq=False)
    assert (found["epochs"], found["batch_size"], found["max_length"]) == (1, 64, 4)


def test_a_method_may_differ_on_a_faq_bank_from_what_it_says_itself():
    config = full(**{"methods/continued/epochs": 5, "methods/continued/on_faq": {"epochs": 24}})
    method = config["methods"]["continued"]
    assert settings_of(config, method, "bert-base", on_faq=False)["epochs"] == 5
    assert settings_of(config, method, "bert-base", on_faq=True)["epochs"] == 24


def test_steps_between_evaluations_take_the_place_of_a_share_of_the_steps():
    config = full(**{"methods/continued/evaluate_every": 9})
    found = settings_of(config, config["methods"]["continued"], "bert-base", on_faq=False)
    assert found["evaluate_every"] == 9 and "evaluate_share" not in found


def test_no_key_of_the_layers_reaches_a_training():
    config = full()
    trained = [method for method in config["methods"].values() if "recipe" in method]
    assert len(trained) > 30
    for method in trained:
        found = settings_of(config, method, "bert-base", on_faq=True)
        assert not {"recipe", "label", "regulators", "on_faq", "by_base"} & found.keys()


# --- names --------------------------------------------------------------------------------------


def test_a_number_is_named_by_its_shortest_form_and_a_text_as_it_stands():
    entry = {"kind": "entropy", "phis": [0.01, -0.01, 1, 1e-05, "0.010", "1e-5"]}
    assert model_names(entry) == [
        "entropy-0.01",
        "entropy--0.01",
        "entropy-1",
        "entropy-1e-05",
        "entropy-0.010",
        "entropy-1e-5",
    ]
    assert model_names("rcl-8") == ["rcl-8"]


def test_regulators_may_be_a_kind_and_its_phis_or_a_list_of_such_and_of_names():
    pair = {"kind": "entropy", "phis": [0.01, 0.02]}
    assert regulator_names({"regulators": pair}) == ["entropy-0.01", "entropy-0.02"]
    mixed = {"regulators": ["entropy-sum-0.5", pair]}
    assert regulator_names(mixed) == ["entropy-sum-0.5", "entropy-0.01", "entropy-0.02"]
    assert regulator_names({}) == []


def test_a_table_lists_names_where_the_config_has_a_kind_and_its_phis():
    rows = [{"corpora": ["nli"], "bases": ["bert-base"]}]
    rows[0]["methods"] = [{"kind": "entropy", "phis": [0.01, 0.02]}, "simcse"]
    config = full(**{"tables/rcl_table5/rows": rows})
    assert config["tables"]["rcl_table5"]["rows"][0]["methods"] == [
        "entropy-0.01",
        "entropy-0.02",
        "simcse",
    ]


def test_a_config_is_left_as_it_is_by_its_full_form():
    config = merged("config.yaml")
    before = copy.deepcopy(config)
    expand(config)
    assert config == before
