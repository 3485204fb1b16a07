"""The settings of each training, by hand from the papers, and how a config lays them over each other."""

import json

import pytest

from semblance.names import INITIAL
from tests.shipped import changed, merged
from workflow.checks.load import load
from workflow.planning.plan import Plan

# What the papers leave open is the same in all trainings (docs/decisions.md).
COMMON = {
    "clip": 1.0,
    "gpus": 1,
    "matmul": "auto",
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
    ("cough-4", "nli-roberta-base-v2", "rcl-8"): ON_FAQ | {"loss": "regulators"},
    # All steps of rcl-8: its own and those of four entropy models; on a bank of the initial model, too.
    ("nli", "nli-roberta-base-v2", "continued-5x"): ON_STS
    | {"loss": "contrastive", "epochs": 1 + 4 * 1},
    ("cough-4", "nli-roberta-base-v2", "continued-5x"): ON_FAQ
    | {"loss": "contrastive", "epochs": 10 + 4 * 10 + 10},
    # Two regulators that count as eight.
    ("nli", "nli-roberta-base-v2", "rcl-8-phi0"): ON_STS
    | {"loss": "regulators", "options": {"scale": 20.0, "regulator_weight": 8 / 2}},
    ("nli", "nli-roberta-base-v2", "rcl-8-no-hard-negatives"): ON_STS
    | {"loss": "regulators", "hard_negatives": False},
}


@pytest.fixture(scope="module")
def grid():
    return Plan(load(merged("config.yaml", "configs/rcl-grid.yaml")))


@pytest.mark.parametrize("run", FINAL, ids="/".join)
def test_a_training_has_the_settings_of_the_paper(plan, run):
    assert json.loads(plan.train_settings(*run, seed=3)) == FINAL[run] | {"seed": 3}


def test_an_initial_model_is_trained_with_equation_1(plan):
    settings = json.loads(plan.train_settings("faqir-0", "nli-roberta-base-v2", INITIAL, 2))
    assert settings == ON_FAQ | {"loss": "contrastive", "seed": 2}


WINDOWS = {"least_window": 10, "patience": 3, "unit": "window", "window": 0.1}


@pytest.mark.parametrize(
    "kind, phi, stops", [("entropy-sum", -0.01, WINDOWS), ("entropy-sum-whole", 0.04, {})]
)
def test_an_entropy_model_is_trained_with_equation_2_and_some_kinds_until_their_loss_stops_falling(
    plan, kind, phi, stops
):
    settings = plan.train_settings("nli", "nli-roberta-base-v2", f"{kind}-{phi}", 1)
    options = {"phi": phi, "reduction": "sum", "scale": 20.0}
    no_dev = {"evaluate_every": None, "evaluate_share": None}
    of_entropy = {"loss": "entropy", "options": options, "seed": 1}
    assert json.loads(settings) == ON_STS | no_dev | of_entropy | stops


def test_an_entropy_model_on_a_faq_fold_has_the_epochs_of_its_recipe_there(plan):
    settings = json.loads(plan.train_settings("faqir-0", "nli-roberta-base-v2", "entropy-0.01", 1))
    assert settings["epochs"] == ON_FAQ["epochs"]


@pytest.mark.parametrize("count", [2, 4, 6, 8, 10])
def test_a_method_of_batch_32_reads_entropy_models_of_batch_32(grid, count):
    plan, place = grid, ("nli", "nli-roberta-base-v2")
    method = f"rcl-{count}-batch32"
    settings = json.loads(plan.train_settings(*place, method, 3))
    assert settings == ON_STS | {"loss": "regulators", "batch_size": 32, "seed": 3}
    names = plan.config.methods[method].regulator_names
    phis = [name.removeprefix("entropy-batch32-") for name in names]
    assert phis == ["0.01", "0.02", "0.03", "0.04", "0.05"][: count // 2]
    for phi in phis:
        teacher = json.loads(plan.train_settings(*place, f"entropy-batch32-{phi}", 1))
        assert teacher["batch_size"] == 32
        other = json.loads(plan.train_settings(*place, f"entropy-{phi}", 1))
        assert teacher | {"batch_size": 64} == other


def test_the_signs_of_phi_of_the_controls(plan):
    methods = plan.config.methods
    assert methods["rcl-2-phi0"].regulator_names == methods["rcl-8-phi0"].regulator_names
    teacher = json.loads(plan.train_settings("nli", "nli-roberta-base-v2", "entropy-0.0", 1))
    assert teacher["options"]["phi"] == 0.0
    mirrored = [name.replace("entropy-", "entropy--") for name in methods["rcl-8"].regulator_names]
    assert methods["rcl-8-negative"].regulator_names == mirrored


# --- how the parts of a training are laid over each other ---------------------------------------


def settings(changes: str, base="roberta-base", corpus="nli") -> dict:
    """Return the settings of ``continued`` where some keys of config.yaml are changed."""
    config = changed(merged("config.yaml"), changes)
    config["tables"] = {name: config["tables"][name] for name in ("rcl_table2a", "rcl_table3")}
    config["figures"] = {}
    return json.loads(Plan(load(config)).train_settings(corpus, base, "continued", 1))


@pytest.mark.parametrize(
    "changes, key, expected",
    [
        (  # options of a method are laid over those of its recipe key by key
            "recipes.rcl.options = {scale: 7.0}; methods.continued.options = {similarity: dot}",
            "options",
            {"scale": 7.0, "similarity": "dot"},
        ),
        (  # so is dropout, but a method's sampled rates replace those of the recipe
            "recipes.rcl.dropout = {attention: 0.1, sampled: {low: 0.1, high: 0.2}}; "
            "methods.continued.dropout = {hidden: 0.2, sampled: {high: 0.5}}",
            "dropout",
            {"attention": 0.1, "hidden": 0.2, "sampled": {"high": 0.5}},
        ),
        (  # a method with another loss keeps the options that its loss takes too
            "recipes.rcl.loss = contrastive; recipes.rcl.options = {scale: 7.0, similarity: dot}; "
            "methods.continued.loss = regulators; methods.continued.regulators = [start]",
            "options",
            {"scale": 7.0},
        ),
        # steps between evaluations take the place of a share of the steps
        ("methods.continued.evaluate_every = 9", "evaluate_every", 9),
        ("methods.continued.evaluate_every = 9", "evaluate_share", None),
        # a whole number stays one where a number may have decimals
        ("methods.continued.clip = 1", "clip", 1),
    ],
)
def test_the_parts_of_a_training_are_laid_over_each_other(changes, key, expected):
    found = settings(changes).get(key)
    assert found == expected and type(found) is type(expected)


def test_a_recipe_changes_on_a_faq_bank_then_by_base_then_by_method():
    changes = (
        "recipes.rcl.on_faq = {epochs: 2, batch_size: 2, max_length: 3}; "
        "recipes.rcl.by_base = {bert-base: {batch_size: 3, max_length: 4}}; "
        "methods.continued.max_length = 5"
    )
    keys = ("epochs", "batch_size", "max_length")
    on_faq = settings(changes, "bert-base", "faqir-0")
    assert [on_faq[key] for key in keys] == [2, 3, 5]
    elsewhere = settings(changes)
    assert [elsewhere[key] for key in keys] == [1, 64, 5]


def test_a_method_may_differ_on_a_faq_bank_from_what_it_says_itself():
    changes = "methods.continued.epochs = 5; methods.continued.on_faq.epochs = 24"
    assert settings(changes)["epochs"] == 5
    assert settings(changes, corpus="faqir-0")["epochs"] == 24
