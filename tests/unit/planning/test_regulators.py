"""Which models may regulate a training, and which jobs make their embeddings."""

from tests.shipped import merged
from workflow.checks.load import load
from workflow.planning.plan import Plan, Run
from workflow.planning.stages import Job, inputs

NLI = ("nli", "nli-roberta-base-v2")


def regulated_by(*names: str | dict) -> dict:
    """Return the shipped config, in which ``rcl-2`` has these regulators."""
    config = merged("config.yaml")
    config["methods"]["rcl-2"]["regulators"] = list(names)
    return config


def test_a_base_a_trained_method_and_an_entropy_model_may_regulate_one_training():
    pair = {"kind": "entropy", "phis": [0.01, 0.02]}
    names = ("start", "attention-dropout-0.1", pair, "bert-base/simcse-sup")
    plan = Plan(load(regulated_by(*names)))
    assert plan.regulators(Run(*NLI, "rcl-2", 3)) == [
        Run(*NLI, "start", 0),  # without a seed: it is not trained
        Run(*NLI, "attention-dropout-0.1", 3),
        Run(*NLI, "entropy-0.01", 3),
        Run(*NLI, "entropy-0.02", 3),
        Run("nli", "bert-base", "simcse-sup", 3),
    ]


def test_the_embeddings_of_a_regulator_wait_for_its_model_and_its_own_tokens():
    names = ("start", "attention-dropout-0.1", "bert-base/simcse-sup")
    plan = Plan(load(regulated_by(*names)))
    found = {
        job.name: inputs(plan, job)
        for job in inputs(plan, Job("train", *NLI, "rcl-2", 3))
        if job.stage == "embed"
    }
    tokens = Job("tokenise", *NLI)
    assert found == {
        "start": [Job("download_model", base=NLI[1]), tokens],
        "attention-dropout-0.1": [Job("train", *NLI, "attention-dropout-0.1", 3), tokens],
        "simcse-sup": [
            Job("train", "nli", "bert-base", "simcse-sup", 3),
            Job("tokenise", "nli", "bert-base"),
        ],
    }


def test_a_whitening_of_the_corpus_may_regulate_and_has_one_seed():
    plan = Plan(load(regulated_by("whitening")))
    regulator = Run(*NLI, "whitening", 0)
    assert plan.regulators(Run(*NLI, "rcl-2", 3)) == [regulator]
    embed = Job("embed", *regulator)
    assert embed in inputs(plan, Job("train", *NLI, "rcl-2", 3))
    assert Job("fit_whitening", *regulator) in inputs(plan, embed)
    length = plan.config.bases[NLI[1]].max_length
    assert plan.embedded_length(*regulator[:3]) == length


def test_a_model_embeds_at_the_length_of_its_training_and_a_base_at_its_own(plan):
    recipe = plan.config.recipes["rcl"]
    length = recipe.max_length
    assert plan.embedded_length(*NLI, "entropy-0.01") == length
    assert plan.embedded_length(*NLI, "attention-dropout-0.1") == length
    on_fold = recipe.on_faq.max_length
    assert plan.embedded_length("faqir-0", NLI[1], "entropy-0.01") == on_fold
    for name, base in plan.config.bases.items():
        assert plan.embedded_length("nli", name, "start") == base.max_length


def test_regulators_of_other_seeds_are_those_of_the_runs_seed_and_each_number(plan):
    teachers = [Run(*NLI, "entropy-0.0", seed) for seed in (8, 13, 18, 23)]
    assert plan.regulators(Run(*NLI, "rcl-8-seeds", 3)) == teachers
    all_teachers = [
        r for seed in range(1, 6) for r in plan.regulators(Run(*NLI, "rcl-8-seeds", seed))
    ]
    assert len(set(all_teachers)) == 20  # no two trainings share one


def test_a_training_with_the_steps_of_a_method_waits_for_it_and_for_what_regulates_it(plan):
    models = ["rcl-8", *(f"entropy-{phi}" for phi in ("0.01", "0.02", "0.03", "0.04"))]
    run = Run(*NLI, "continued-matched", 3)
    assert plan.pacemakers(run) == [Run(*NLI, name, 3) for name in models]
    found = inputs(plan, Job("train", *run))
    assert Job("train", *NLI, "rcl-8", 3) in found
    assert Job("train_entropy", *NLI, "entropy-0.04", 3) in found
    on_fold = Run("faqir-0", NLI[1], "continued-matched", 3)
    assert plan.pacemakers(on_fold)[-1] == on_fold._replace(method="initial")
    assert plan.pacemakers(Run(*NLI, "rcl-8", 3)) == []
