"""The jobs of an answerer: its final trainings, the evaluations that it rests on, its settings."""

from typing import Any

from semblance import layout
from semblance.names import START
from semblance.provenance import canonical
from workflow.planning.answerers import models_of, protocol_of, seeds_of
from workflow.planning.methods import ranking
from workflow.planning.plan import Evaluation, Plan, Run


def final_runs(plan: Plan, name: str) -> list[Run]:
    """Return the trainings on a whole bank that an answerer chooses from; all have its first seed."""
    answerer = plan.config["answerers"][name]
    corpus = layout.whole_corpus(answerer["bank"])
    seed = plan.config["seeds"][answerer["seeds"]][0]
    trained = [method for method in models_of(plan.config, name) if method != START]
    return [Run(corpus, answerer["base"], method, seed) for method in trained]


def evaluations_of(plan: Plan, name: str) -> list[Evaluation]:
    """Return the evaluations on the folds of a bank by which an answerer is chosen and judged."""
    answerer = plan.config["answerers"][name]
    return [
        Evaluation("faq", Run(corpus, answerer["base"], method, seed))
        for method in answerer["methods"]
        for corpus in plan.fold_corpora(answerer["bank"])
        for seed in seeds_of(plan.config, answerer, method)
    ]


def model_records(plan: Plan, name: str) -> list[str]:
    """Return the records of the models that an answerer may use, in the order of ``models_of``."""
    base = plan.config["answerers"][name]["base"]
    finals = {run.method: run for run in final_runs(plan, name)}
    found = []
    for method in models_of(plan.config, name):
        if method == START:
            found.append(plan.base_record(base))
        else:
            found.append(plan.model_record(*finals[method]))
    return found


def settings(plan: Plan, name: str) -> str:
    """Return the ``--settings`` of ``build_answerer``."""
    config = plan.config
    answerer = config["answerers"][name]
    return canonical(
        {
            "name": name,
            "bank": answerer["bank"],
            "base": answerer["base"],
            "folds": plan.folds,
            "seeds": config["seeds"][answerer["seeds"]],
            "protocol": protocol_of(config, answerer["bank"]),
            "precision": answerer["precision"],
            "max_length": config["evaluate_faq"]["max_length"],
            "threads": config["build_answerer"]["threads"],
            "models": models_of(config, name),
            "ways": [_way(config, answerer, method) for method in answerer["methods"]],
        }
    )


def _way(config: dict, answerer: dict, method: str) -> dict[str, Any]:
    return {
        "method": method,
        "seeds": seeds_of(config, answerer, method),
        "ranking": ranking(config, method),
    }
