"""The one table of all stages, and the jobs that a plan makes of them.

Tests hold the table equal to the rules, and the jobs equal to those of ``snakemake -n``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from semblance import layout
from semblance.layout import RECORD
from semblance.names import INITIAL, START
from workflow.planning.corpora import pair_corpora
from workflow.planning.figures import collection, figure_runs, is_measured, source
from workflow.planning.methods import entropy_parts, reads_no_corpus, whitening
from workflow.planning.plan import Evaluation, Plan, Run
from workflow.planning.pretrained import is_pretrained

Work = Literal["download", "prepare", "train", "read", "table"]  # "read": a model reads texts


class Job(NamedTuple):
    """One job; ``name`` is a method, ``initial``, KIND-PHI, or the name of a data set, bank or table."""

    stage: str
    corpus: str = ""
    base: str = ""
    name: str = ""
    seed: int = 0


Inputs = Callable[[Plan, Job], Iterator[Job]]


@dataclass(frozen=True)
class Stage:
    """What a stage is.

    ``record`` is the template of the record that says that a job is done, below the output folder,
    or below the downloads of a ``download``. ``inputs`` yields the jobs whose outputs a job reads.
    ``job_name`` makes a job's name out of the wildcards of its rule. ``joins`` names the stages
    with which a job shares its submission to a scheduler (slurm/profile.yaml groups them).
    """

    record: str
    work: Work
    inputs: Inputs = field(repr=False)
    job_name: str = ""
    joins: tuple[str, ...] = ()

    @property
    def local(self) -> bool:
        """Tell whether its jobs run beside the controller and are never submitted."""
        return self.work in ("download", "table")

    @property
    def uses_model(self) -> bool:
        """Tell whether its jobs run a model, on a GPU where there is one."""
        return self.work in ("train", "read")


def _nothing(plan: Plan, job: Job) -> Iterator[Job]:
    yield from ()


def _raw(datasets: Callable[[Plan, Job], Iterable[str]]) -> Inputs:
    """Return the inputs of a stage that reads raw data: the downloads of its data sets."""

    def inputs_of(plan: Plan, job: Job) -> Iterator[Job]:
        yield from (Job("download", name=name) for name in datasets(plan, job))

    return inputs_of


def _of_bank(plan: Plan, job: Job) -> list[str]:
    bank = plan.banks[job.name]
    if "path" in bank:
        return []
    return [bank["dataset"]]


def _of_tokens(plan: Plan, job: Job) -> Iterator[Job]:
    yield _corpus(plan, job.corpus)
    yield Job("download_model", base=job.base)


def _of_pretrained(plan: Plan, job: Job) -> Iterator[Job]:
    yield Job("download_model", base=plan.config["bases"][job.base]["base"])
    yield _corpus(plan, job.corpus)
    yield _tokens(plan, job)


def _of_initial(plan: Plan, job: Job) -> Iterator[Job]:
    yield _base(plan, job.base)
    yield _corpus(plan, job.corpus)
    yield _tokens(plan, job)
    yield _dev(plan, job.corpus)


def _of_training(plan: Plan, job: Job) -> Iterator[Job]:
    yield from _of_initial(plan, job)
    for regulator in plan.regulators(Run(*job[1:])):
        yield Job("embed", *regulator)


def _of_entropy_model(plan: Plan, job: Job) -> Iterator[Job]:
    yield _model(plan, job._replace(name=INITIAL if plan.is_faq(job.corpus) else START))
    yield _corpus(plan, job.corpus)
    yield _tokens(plan, job)


def _of_embeddings(plan: Plan, job: Job) -> Iterator[Job]:
    yield _model(plan, job)
    yield _tokens(plan, job)


def _of_whitening(plan: Plan, job: Job) -> Iterator[Job]:
    yield _base(plan, job.base)
    yield _tokens(plan, job)


def _reads_model_and(*data: Job) -> Inputs:
    """Return the inputs of a stage that scores a model on data that are the same for all."""

    def inputs_of(plan: Plan, job: Job) -> Iterator[Job]:
        yield _model(plan, job)
        yield from data

    return inputs_of


def _of_faq_scores(plan: Plan, job: Job) -> Iterator[Job]:
    yield _model(plan, job)
    yield Job("prepare_faq", name=plan.folds_of[job.corpus][0])


def _of_all_scores(plan: Plan, job: Job) -> Iterator[Job]:
    for evaluation in plan.evaluations:
        yield evaluation_job(evaluation)


def _of_table(plan: Plan, job: Job) -> Iterator[Job]:
    for evaluation in plan.evaluations_of(job.name):
        yield evaluation_job(evaluation)


def _of_all_tables(plan: Plan, job: Job) -> Iterator[Job]:
    for table in plan.config["tables"]:
        yield Job("render_table", name=table)


def _of_pair_corpora(plan: Plan, job: Job) -> Iterator[Job]:
    for corpus in pair_corpora(plan):
        yield Job("prepare_pairs", corpus)


def _of_collected_figure(plan: Plan, job: Job) -> Iterator[Job]:
    stage = "evaluate_sts"
    if source(plan, job.name) == "curve":
        stage = "train_curve"
    for run in figure_runs(plan, job.name):
        yield Job(stage, *run)


def _of_measured_figure(plan: Plan, job: Job) -> Iterator[Job]:
    for run in figure_runs(plan, job.name):
        yield _model(plan, Job("", *run))
    corpus = collection(plan, job.name)
    if corpus:
        yield _corpus(plan, corpus)
    else:
        yield Job("prepare_sts")


def evaluation_job(evaluation: Evaluation) -> Job:
    """Return the job that scores a run on one kind of tests."""
    return Job(f"evaluate_{evaluation.tests}", *evaluation.run)


def _base(plan: Plan, base: str) -> Job:
    """Return the job that makes a base model."""
    entry = plan.config["bases"][base]
    if is_pretrained(entry):
        return Job("pretrain", entry["corpus"], base)
    return Job("download_model", base=base)


def _model(plan: Plan, job: Job) -> Job:
    """Return the job that makes the model of a job's method."""
    if reads_no_corpus(plan.config, job.name):
        return _base(plan, job.base)
    if whitening(plan.config, job.name):
        return job._replace(stage="fit_whitening")
    if job.name == INITIAL:
        return job._replace(stage="train_initial")
    if entropy_parts(plan.config, job.name):
        return job._replace(stage="train_entropy")
    return job._replace(stage="train")


def _corpus(plan: Plan, corpus: str) -> Job:
    if plan.is_faq(corpus):
        return Job("prepare_faq", name=plan.folds_of[corpus][0])
    kind = plan.config["corpora"][corpus]["kind"]
    return Job(f"prepare_{kind}", corpus)


def _tokens(plan: Plan, job: Job) -> Job:
    return Job("tokenise", job.corpus, plan.config["bases"][job.base]["tokenizer"])


def _dev(plan: Plan, corpus: str) -> Job:
    if plan.is_faq(corpus):
        return Job("prepare_faq", name=plan.folds_of[corpus][0])
    return Job("prepare_dev")


_below = f"{{}}/{RECORD}".format
_of_corpus = _raw(lambda plan, job: plan.config["corpora"][job.corpus]["datasets"])
_of_sts_tests = _raw(lambda plan, _: plan.config["sts"]["datasets"])
_of_sts_dev = _raw(lambda plan, _: [plan.config["sts"]["dev"]])
_of_sts_scores = _reads_model_and(Job("prepare_sts"), Job("prepare_dev"))
_of_transfer_scores = _reads_model_and(Job("prepare_transfer"))
_of_transfer_tasks = _raw(lambda plan, _: plan.config["transfer"]["datasets"])

STAGES: dict[str, Stage] = {
    "download": Stage(f"{layout.RAW_DATA}/{layout.RAW_RECORD}", "download", _nothing),
    "download_model": Stage(_below(layout.BASE), "download", _nothing),
    "prepare_nli": Stage(_below(layout.CORPUS), "prepare", _of_corpus),
    "prepare_wiki": Stage(_below(layout.CORPUS), "prepare", _of_corpus),
    "prepare_pairs": Stage(_below(layout.CORPUS), "prepare", _of_corpus),
    "prepare_sts": Stage(_below(layout.STS_TEST), "prepare", _of_sts_tests),
    "prepare_dev": Stage(_below(layout.STS_DEV_DATA), "prepare", _of_sts_dev),
    "prepare_transfer": Stage(_below(layout.TRANSFER_DATA), "prepare", _of_transfer_tasks),
    "prepare_faq": Stage(_below(layout.BANK), "prepare", _raw(_of_bank), "{bank}"),
    "tokenise": Stage(
        _below(layout.TOKENS),
        "prepare",
        _of_tokens,
        joins=("prepare_nli", "prepare_wiki", "prepare_pairs", "prepare_faq"),
    ),
    "pretrain": Stage(_below(layout.PRETRAINED), "train", _of_pretrained),
    "train_initial": Stage(
        _below(layout.MODEL.replace("{method}", INITIAL)), "train", _of_initial, INITIAL
    ),
    "train_entropy": Stage(_below(layout.MODEL), "train", _of_entropy_model, "{kind}-{phi}"),
    "embed": Stage(
        _below(layout.EMBEDDINGS), "read", _of_embeddings, "{method}", joins=("train_entropy",)
    ),
    "train": Stage(_below(layout.MODEL), "train", _of_training, "{method}"),
    "fit_whitening": Stage(_below(layout.MODEL), "read", _of_whitening, "{method}"),
    "evaluate_sts": Stage(
        _below(layout.STS_SCORES), "read", _of_sts_scores, "{method}", joins=("train",)
    ),
    "evaluate_faq": Stage(
        _below(layout.FAQ_SCORES), "read", _of_faq_scores, "{method}", joins=("train",)
    ),
    # On its own: beside evaluate_sts, which joins the same training, it would use the same GPU.
    "evaluate_transfer": Stage(
        _below(layout.TRANSFER_SCORES), "read", _of_transfer_scores, "{method}"
    ),
    "collect_scores": Stage(layout.TABLE_RECORD.format(table="scores"), "table", _of_all_scores),
    "render_table": Stage(layout.TABLE_RECORD, "table", _of_table, "{table}"),
    "compare_published": Stage(
        layout.TABLE_RECORD.format(table="published"), "table", _of_all_tables
    ),
    "judge_claims": Stage(layout.TABLE_RECORD.format(table="claims"), "table", _of_all_tables),
    "simulate_statistics": Stage(
        layout.TABLE_RECORD.format(table="statistics"), "table", _of_all_tables
    ),
    "compare_overlap": Stage(
        layout.TABLE_RECORD.format(table=layout.OVERLAPS), "table", _of_pair_corpora
    ),
    "train_curve": Stage(_below(layout.CURVE), "train", _of_training, "{method}"),
    "collect_figure": Stage(layout.FIGURE_RECORD, "table", _of_collected_figure, "{figure}"),
    "measure_figure": Stage(layout.FIGURE_RECORD, "read", _of_measured_figure, "{figure}"),
}
TARGETS = (  # what a whole run is for, besides the figures and the overlap of pairs
    "compare_published",
    "judge_claims",
    "simulate_statistics",
    "collect_scores",
)


def stages(work: Work) -> tuple[str, ...]:
    """Return the names of the stages of one kind of work."""
    return tuple(name for name, stage in STAGES.items() if stage.work == work)


def job_of(stage: str, wildcards: Mapping[str, str]) -> Job:
    """Return the job of a rule and its wildcards."""
    name = STAGES[stage].job_name.format(**wildcards)
    corpus = wildcards.get("corpus", "")
    base = wildcards.get("base", "")
    return Job(stage, corpus, base, name, int(wildcards.get("seed", 0)))


def targets(plan: Plan) -> list[Job]:
    """Return the jobs that a whole run is for: those that no other job waits for."""
    found = [Job(stage) for stage in TARGETS]
    if pair_corpora(plan):
        found.append(Job("compare_overlap"))
    for name in plan.config["figures"]:
        stage = "collect_figure"
        if is_measured(plan, name):
            stage = "measure_figure"
        found.append(Job(stage, name=name))
    return found


def jobs(plan: Plan) -> list[Job]:
    """Return every job of a plan, once, each behind one that waits for it."""
    found: dict[Job, None] = {}
    waiting = targets(plan)
    while waiting:
        job = waiting.pop()
        if job not in found:
            found[job] = None
            waiting += inputs(plan, job)
    return list(found)


def inputs(plan: Plan, job: Job) -> list[Job]:
    """Return the jobs whose outputs a job reads."""
    return list(STAGES[job.stage].inputs(plan, job))


def record(plan: Plan, job: Job) -> str:
    """Return the path of the record that says that a job is done."""
    stage = STAGES[job.stage]
    root = plan.downloads if stage.work == "download" else plan.out
    return layout.place(root, stage.record, **_fields(job))


def _fields(job: Job) -> dict[str, object]:
    """Return the fields that the templates of layout have, of one job."""
    named = dict.fromkeys(("method", "bank", "table", "figure", "name"), job.name)
    return {"corpus": job.corpus, "base": job.base, "seed": job.seed, **named}


def log(job: Job) -> str:
    """Return the path of a job's log without its ending, below the output folder.

    It is the stage's name and those parts of the record's folder that tell its jobs apart.
    """
    parts = Path(STAGES[job.stage].record).parts
    telling = [part.removesuffix(".json") for part in parts if "{" in part]
    return "/".join([layout.LOG.format(stage=job.stage), *telling]).format(**_fields(job))
