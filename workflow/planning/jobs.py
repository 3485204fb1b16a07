"""Which jobs a plan makes, and what each one waits for: the inputs of the rules, without Snakemake.

A test holds the counts equal to those of ``snakemake -n``.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from workflow.planning.config import entropy_parts
from workflow.planning.plan import Plan, Run

LOCAL = (
    "download",
    "download_model",
    "collect_scores",
    "render_table",
    "compare_published",
)  # never submitted
TRAININGS = ("train", "train_entropy", "train_initial")
MERGED = {
    "evaluate_sts": ("train",),
    "evaluate_faq": ("train",),
    "embed": ("train_entropy",),  # as slurm/profile.yaml
    "tokenise": ("prepare_nli", "prepare_wiki", "prepare_faq"),
}  # groups them


class Job(NamedTuple):
    """One job; ``name`` is a method, ``initial``, KIND-PHI, or the name of a data set, bank or table."""

    stage: str
    corpus: str = ""
    base: str = ""
    name: str = ""
    seed: int = 0


def job_of(stage: str, wildcards: Mapping[str, str]) -> Job:
    """Return the job of a rule and its wildcards."""
    found = {"corpus": "", "base": "", "seed": 0, **wildcards}
    names = {
        "train_initial": "initial",
        "train_entropy": "{kind}-{phi}",
        "embed": "{kind}-{phi}",
        "prepare_faq": "{bank}",
        "render_table": "{table}",
    }
    name = names.get(stage, "{method}" if "method" in found else "").format(**found)
    return Job(stage, found["corpus"], found["base"], name, int(found["seed"]))


def jobs(plan: Plan) -> list[Job]:
    """Return every job of a plan, once, each behind those that wait for it."""
    found: dict[Job, None] = {}
    waiting = [Job("compare_published")]
    while waiting:
        job = waiting.pop()
        if job not in found:
            found[job] = None
            waiting += inputs(plan, job)
    return list(found)


def inputs(plan: Plan, job: Job) -> list[Job]:
    """Return the jobs whose outputs a job reads."""
    config, (stage, corpus, base, name, seed) = plan.config, job
    data = (
        [_corpus(plan, corpus), _tokens(plan, corpus, base)]
        if corpus in {*plan.folds_of, *config["corpora"]}
        else []
    )
    if stage == "compare_published":
        return [Job("render_table", name=table) for table in config["tables"]]
    if stage == "render_table":
        return [Job("collect_scores")]
    if stage == "collect_scores":
        return [_evaluation(plan, run) for run in plan.runs]
    if stage.startswith("evaluate_"):
        return [_model(plan, corpus, base, name, seed), _test(plan, corpus)]
    if stage in ("train", "train_initial"):
        regulators = config["methods"][name].get("regulators", []) if stage == "train" else []
        return [
            Job("download_model", base=base),
            *data,
            _test(plan, corpus),
            *(Job("embed", corpus, base, regulator, seed) for regulator in regulators),
        ]
    if stage == "train_entropy":
        return [
            _model(plan, corpus, base, "initial" if plan.is_faq(corpus) else "start", seed),
            *data,
        ]
    if stage == "embed":
        return [Job("train_entropy", corpus, base, name, seed), data[1]]
    if stage == "tokenise":
        return [_corpus(plan, corpus), Job("download_model", base=base)]
    return [Job("download", name=dataset) for dataset in datasets(plan, job)]


def datasets(plan: Plan, job: Job) -> list[str]:
    """Return the data sets of the manifest that a preparing job parses."""
    if job.stage == "prepare_sts":
        return plan.config["sts"]["datasets"]
    if job.stage == "prepare_faq":
        return [bank["dataset"] for bank in [plan.banks[job.name]] if "path" not in bank]
    return (
        plan.config["corpora"][job.corpus]["datasets"]
        if job.stage in ("prepare_nli", "prepare_wiki")
        else []
    )


def record(plan: Plan, job: Job) -> str:
    """Return the record that says that a job is done."""
    stage, out, place = (
        job.stage,
        plan.out,
        f"{job.corpus}/{job.base}/{job.name}/seed-{job.seed}/record.json",
    )
    if stage in TRAININGS:
        return f"{out}/models/{place}"
    return {
        "download": f"{plan.resources}/data/records/{job.name}.json",
        "download_model": plan.base_record(job.base),
        "prepare_nli": plan.corpus_record(job.corpus),
        "prepare_wiki": plan.corpus_record(job.corpus),
        "prepare_sts": f"{out}/sts/record.json",
        "prepare_faq": plan.bank_record(job.name),
        "tokenise": f"{out}/tokens/{job.base}/{job.corpus}/record.json",
        "embed": f"{out}/embeddings/{place}",
        "evaluate_sts": f"{out}/scores/sts/{place}",
        "evaluate_faq": f"{out}/scores/faq/{place}",
        "collect_scores": f"{out}/tables/records/scores.json",
        "render_table": f"{out}/tables/records/{job.name}.json",
        "compare_published": f"{out}/tables/records/published.json",
    }[stage]


def submissions(plan: Plan, found: Iterable[Job]) -> int:
    """Return how many jobs a scheduler is given for ``found``: local rules are none, groups are one."""
    present = set(found)
    return sum(job.stage not in LOCAL and not _merges(plan, job, present) for job in present)


def _merges(plan: Plan, job: Job, present: set[Job]) -> bool:
    return any(i.stage in MERGED.get(job.stage, ()) and i in present for i in inputs(plan, job))


def _evaluation(plan: Plan, run: Run) -> Job:
    return Job("evaluate_faq" if plan.is_faq(run.corpus) else "evaluate_sts", *run)


def _model(plan: Plan, corpus: str, base: str, method: str, seed: int) -> Job:
    if method == "start":
        return Job("download_model", base=base)
    if method == "initial":
        return Job("train_initial", corpus, base, method, seed)
    return Job(
        "train_entropy" if entropy_parts(plan.config, method) else "train",
        corpus,
        base,
        method,
        seed,
    )


def _corpus(plan: Plan, corpus: str) -> Job:
    if plan.is_faq(corpus):
        return Job("prepare_faq", name=plan.folds_of[corpus][0])
    return Job(f"prepare_{plan.config['corpora'][corpus]['kind']}", corpus)


def _tokens(plan: Plan, corpus: str, base: str) -> Job:
    return Job("tokenise", corpus, plan.config["bases"][base]["tokenizer"] if base else "")


def _test(plan: Plan, corpus: str) -> Job:
    return (
        Job("prepare_faq", name=plan.folds_of[corpus][0])
        if plan.is_faq(corpus)
        else Job("prepare_sts")
    )
