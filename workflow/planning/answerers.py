"""The answerers of a config: what each is chosen from, its evaluations."""

from semblance import layout
from semblance.names import START
from semblance.provenance import canonical
from workflow.planning.methods import answerer_protocol, model_of, ranking
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
    return [
        Evaluation("faq", Run(corpus, answerer.base, method, seed))
        for method in answerer.methods
        for corpus in plan.fold_corpora(answerer.bank)
        for seed in seeds_of(plan.config, answerer.seeds, method)
    ]


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
            "name": name,
            "bank": answerer.bank,
            "base": answerer.base,
            "folds": plan.folds,
            "seeds": config.seeds[answerer.seeds],
            "protocol": answerer_protocol(config, answerer.bank),
            "precision": answerer.precision,
            "max_length": config.evaluate_faq.max_length,
            "threads": config.build_answerer.threads,
            "models": models_of(plan, name),
            "ways": ways,
        }
    )
