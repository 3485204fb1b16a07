"""The stages that make answerers: what each is chosen from, its evaluations."""

from collections.abc import Iterator
from typing import Any

from semblance import layout
from semblance.names import START
from semblance.provenance import canonical
from semblance_faq.answer.places import ANSWERER
from workflow.config.methods import PAIRS, WORDING, holds_out_wordings, model_of, ranking
from workflow.config.model import Config
from workflow.planning import reads
from workflow.planning.plan import Evaluation, Plan, Run
from workflow.planning.reads import Job
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


def answerer_protocol(config: Config, bank: str) -> str:
    """Return what an answerer is judged by: users' wordings, or the questions of unknown entries."""
    return WORDING if holds_out_wordings(config, bank) else PAIRS


# --- what the jobs read ----------------------------------------------------------------------


def bank(plan: Plan, job: Job) -> Iterator[Job]:
    yield Job("prepare_faq", name=plan.config.answerers[job.name].bank)


def models_of_answerer(plan: Plan, job: Job) -> Iterator[Job]:
    if START in models_of(plan, job.name):
        yield from reads.base(plan, job._replace(base=plan.config.answerers[job.name].base))
    yield from (Job("train_final", *run) for run in final_runs(plan, job.name))


def evaluations_of_answerer(plan: Plan, job: Job) -> Iterator[Job]:
    yield from map(reads.evaluation_job, evaluations_of(plan, job.name))


def all_answerers(plan: Plan, job: Job) -> Iterator[Job]:
    yield from (Job("build_answerer", name=name) for name in plan.config.answerers)


def base_of_answerer(plan: Plan, job: Job) -> str:
    """Return the base of an answerer, whose model is as large."""
    return plan.config.answerers[job.name].base


STAGES: dict[str, dict[str, Any]] = {
    "train_final": {
        "record": f"{layout.MODEL}/{layout.RECORD}",
        "work": "train",
        "roles": (reads.base, reads.corpus, reads.tokens, reads.regulators, reads.models_of_folds),
        "job_name": "{method}",
    },
    "build_answerer": {
        "record": f"{ANSWERER}/{layout.RECORD}",
        "work": "read",
        "roles": (bank, models_of_answerer, evaluations_of_answerer),
        "job_name": "{name}",
        "copies": base_of_answerer,
    },
}
REPORTED = (all_answerers,)  # what the report reads
