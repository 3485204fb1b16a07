"""The answerers of a config: what each is chosen from, its evaluations, its learning curves."""

from itertools import chain
from typing import Any

from semblance import layout
from semblance.config.outputs import Answerer
from semblance.names import START
from semblance.provenance import canonical
from workflow.planning.data import answerer_protocol
from workflow.planning.methods import model_of, percent_of, ranking
from workflow.planning.plan import Evaluation, Plan, Run
from workflow.planning.tables import seeds_of


def models_of(plan: Plan, name: str) -> list[str]:
    """Return the methods whose models an answerer may use: the start model, then the trained ones."""
    methods = plan.config.answerers[name].methods
    used = dict.fromkeys(model_of(plan.config, method) for method in methods)
    return sorted(used, key=lambda method: method != START)


def final_runs(plan: Plan, name: str) -> list[Run]:
    """Return the trainings on a whole bank that an answerer chooses from; all have its first seed."""
    answerer = plan.config.answerers[name]
    corpus = layout.whole_corpus(answerer.bank)
    seed = plan.config.seeds[answerer.seeds][0]
    trained = [method for method in models_of(plan, name) if method != START]
    return [Run(corpus, answerer.base, method, seed) for method in trained]


def evaluations_of(plan: Plan, name: str) -> list[Evaluation]:
    """Return the evaluations on the folds of a bank by which an answerer is chosen and judged."""
    answerer = plan.config.answerers[name]
    return _evaluations(plan, answerer, answerer.methods)


def _evaluations(plan: Plan, answerer: Answerer, methods: list[str]) -> list[Evaluation]:
    return [
        Evaluation("faq", Run(corpus, answerer.base, method, seed))
        for method in dict.fromkeys(methods)
        for corpus in plan.fold_corpora(answerer.bank)
        for seed in seeds_of(plan.config, answerer.seeds, method)
    ]


def model_records(plan: Plan, name: str) -> list[str]:
    """Return the records of the models that an answerer may use, in the order of ``models_of``."""
    finals = [plan.model_record(*run) for run in final_runs(plan, name)]
    if START in models_of(plan, name):
        return [plan.base_record(plan.config.answerers[name].base), *finals]
    return finals


def settings(plan: Plan, name: str) -> str:
    """Return the ``--settings`` of ``build_answerer``."""
    config = plan.config
    answerer = config.answerers[name]
    rankings = {method: ranking(config, method) for method in answerer.methods}
    ways = [
        {
            "method": method,
            "seeds": seeds_of(config, answerer.seeds, method),
            "ranking": stated.written() if stated else {},
        }
        for method, stated in rankings.items()
    ]
    return canonical(
        {
            **_judged(plan, name),
            "name": name,
            "precision": answerer.precision,
            "max_length": config.evaluate_faq.max_length,
            "threads": config.build_answerer.threads,
            "models": models_of(plan, name),
            "ways": ways,
        }
    )


def _judged(plan: Plan, name: str) -> dict[str, Any]:
    """Return by what an answerer and its learning curves are judged."""
    answerer = plan.config.answerers[name]
    return {
        "bank": answerer.bank,
        "base": answerer.base,
        "folds": plan.folds,
        "seeds": plan.config.seeds[answerer.seeds],
        "protocol": answerer_protocol(plan.config, answerer.bank),
    }


# --- learning curves: methods that are trained on growing parts of a bank ------------------------


def curves_of(plan: Plan, name: str) -> dict[str, list[str]]:
    """Return the methods of an answerer's learning curves by what they have parts of; or none."""
    curves = plan.config.answerers[name].learning_curves
    return curves.written() if curves else {}


def part_settings(plan: Plan, corpus: str) -> str:
    """Return the ``--settings`` of ``thin_corpus``."""
    part = plan.parts[corpus]
    seed = plan.config.faq.seed
    return canonical({"percent": part.percent, "of": part.of, "seed": seed})


def curve_evaluations(plan: Plan, name: str) -> list[Evaluation]:
    """Return the evaluations that the learning curves of an answerer are made from, each once."""
    methods = list(chain.from_iterable(curves_of(plan, name).values()))
    return _evaluations(plan, plan.config.answerers[name], methods)


def curve_files(plan: Plan, name: str, file: str) -> list[str]:
    """Return a file of each of ``curve_evaluations``."""
    return [plan.scores(evaluation, file) for evaluation in curve_evaluations(plan, name)]


def curve_record(plan: Plan, name: str) -> list[str]:
    """Return the record of an answerer's learning curves, if it has some."""
    if not curves_of(plan, name):
        return []
    return [layout.record(plan.out, layout.LEARNING_CURVE, answerer=name)]


def curve_settings(plan: Plan, name: str) -> str:
    """Return the ``--settings`` of ``draw_learning_curve``."""
    parts = [
        {"method": method, "of": of, "percent": percent_of(plan.config, method)}
        for of, curve in curves_of(plan, name).items()
        for method in curve
    ]
    return canonical({**_judged(plan, name), "parts": parts})
