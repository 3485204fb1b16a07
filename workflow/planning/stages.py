"""The one table of all stages, and the jobs that a plan makes of them.

Tests hold the table equal to the rules, and the jobs equal to those of ``snakemake -n``.
"""

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from semblance import layout
from semblance.errors import one_of
from semblance.fetch.manifest import OWN_HUB, BaseSource, Hub, Wanted
from semblance.layout import RECORD
from semblance.names import INITIAL
from semblance.settings import decode
from workflow.extensions import extensions
from workflow.planning import reads
from workflow.planning.figures import curve_settings
from workflow.planning.plan import Plan, Run, deletes_models
from workflow.planning.reads import Job, Role

Work = Literal["download", "prepare", "train", "read", "table"]  # "read": a model reads texts


@dataclass(frozen=True)
class Stage:
    """What a stage is.

    ``record`` is the template of the record that says that a job is done, below the output folder,
    or below the downloads of a ``download``. ``roles`` yield the jobs whose outputs a job reads.
    ``job_name`` makes a job's name out of the wildcards of its rule. ``joins`` names the stages
    with which a job shares its submission to a scheduler (slurm/profile.yaml groups them). A job of a
    stage with ``copies`` writes a model as large as the base that it returns.
    """

    record: str
    work: Work
    roles: tuple[Role, ...] = field(default=(), repr=False)
    job_name: str = ""
    joins: tuple[str, ...] = ()
    copies: Callable[[Plan, Job], str] | None = field(default=None, repr=False)

    @property
    def local(self) -> bool:
        """Tell whether its jobs run beside the controller and are never submitted."""
        return self.work in ("download", "table")

    @property
    def uses_model(self) -> bool:
        """Tell whether its jobs run a model, on a GPU where there is one."""
        return self.work in ("train", "read")


_below = f"{{}}/{RECORD}".format

CORPUS = _below(layout.CORPUS)
MODEL = _below(layout.MODEL)
OF_CORPORA = ("prepare_nli", "prepare_wiki", "prepare_pairs", "prepare_triples")
REGULATED = (reads.base, reads.corpus, reads.tokens, reads.regulators)
TABLE = layout.TABLE_RECORD.format  # of one of the files beside the tables
# What the report reads of the stages of the distributions beside the project.
OTHERS = tuple(role for each in extensions("stages") for role in each.REPORTED)

STAGES: dict[str, Stage] = {
    "download": Stage(f"{layout.RAW_DATA}/{layout.RAW_RECORD}", "download"),
    "download_model": Stage(_below(layout.BASE), "download"),
    **dict.fromkeys(OF_CORPORA, Stage(CORPUS, "prepare", (reads.raw_corpus,))),
    "prepare_sts": Stage(_below(layout.STS_TEST), "prepare", (reads.raw_tests,)),
    "prepare_dev": Stage(_below(layout.STS_DEV_DATA), "prepare", (reads.raw_dev,)),
    "prepare_transfer": Stage(_below(layout.TRANSFER_DATA), "prepare", (reads.raw_transfer,)),
    "prepare_faq": Stage(_below(layout.BANK), "prepare", (reads.raw_bank,), "{bank}"),
    "tokenise": Stage(
        _below(layout.TOKENS),
        "prepare",
        (reads.corpus, reads.tokenizer),
        joins=(*OF_CORPORA, "prepare_faq"),
    ),
    "pretrain": Stage(
        _below(layout.PRETRAINED), "train", (reads.other_base, reads.corpus, reads.tokens)
    ),
    "train_initial": Stage(
        MODEL.replace("{method}", INITIAL),
        "train",
        (reads.base, reads.corpus, reads.tokens, reads.dev),
        INITIAL,
    ),
    "train_entropy": Stage(
        MODEL, "train", (reads.start_of_entropy, reads.corpus, reads.tokens), "{method}"
    ),
    "embed": Stage(
        _below(layout.EMBEDDINGS),
        "read",
        (reads.model, reads.tokens),
        "{method}",
        joins=("train_entropy",),
    ),
    "train": Stage(MODEL, "train", (*REGULATED, reads.pacemakers, reads.dev), "{method}"),
    "fit_whitening": Stage(MODEL, "read", (reads.base, reads.tokens), "{method}"),
    "evaluate_sts": Stage(
        _below(layout.STS_SCORES),
        "read",
        (reads.model, reads.made_by("prepare_sts"), reads.made_by("prepare_dev")),
        "{method}",
        joins=("train",),
    ),
    "evaluate_faq": Stage(
        _below(layout.FAQ_SCORES), "read", (reads.model, reads.dev), "{method}", joins=("train",)
    ),
    # On its own: beside evaluate_sts, which joins the same training, it would use the same GPU.
    "evaluate_transfer": Stage(
        _below(layout.TRANSFER_SCORES),
        "read",
        (reads.model, reads.made_by("prepare_transfer")),
        "{method}",
    ),
    "collect_scores": Stage(TABLE(table="scores"), "table", (reads.all_scores,)),
    "render_table": Stage(layout.TABLE_RECORD, "table", (reads.scores_of_table,), "{table}"),
    "compare_published": Stage(TABLE(table="published"), "table", (reads.all_tables,)),
    "judge_claims": Stage(TABLE(table="claims"), "table", (reads.all_tables,)),
    "train_curve": Stage(_below(layout.CURVE), "train", (*REGULATED, reads.dev), "{method}"),
    "collect_figure": Stage(layout.FIGURE_RECORD, "table", (reads.files_of_figure,), "{figure}"),
    "measure_figure": Stage(
        layout.FIGURE_RECORD, "read", (reads.models_of_figure, reads.texts_of_figure), "{figure}"
    ),
    "draw_figure": Stage(layout.DRAWING_RECORD, "table", (reads.data_of_figure,), "{figure}"),
    "report": Stage(
        TABLE(table="report"),
        "table",
        (
            reads.all_tables,
            *map(reads.made_by, ("collect_scores", "compare_published", "judge_claims")),
            *OTHERS,
            reads.all_figures,
        ),
    ),
}
for _each in extensions("stages"):
    STAGES |= {name: Stage(**stated) for name, stated in _each.STAGES.items()}
TARGET = Job("report")  # what a whole run is for: no other job waits for it


def stages(work: Work) -> tuple[str, ...]:
    """Return the names of the stages of one kind of work."""
    return tuple(name for name, stage in STAGES.items() if stage.work == work)


def job_of(stage: str, wildcards: Mapping[str, str]) -> Job:
    """Return the job of a rule and its wildcards."""
    name = STAGES[stage].job_name.format(**wildcards)
    corpus = wildcards.get("corpus", "")
    base = wildcards.get("base", "")
    return Job(stage, corpus, base, name, int(wildcards.get("seed", 0)))


@functools.lru_cache(maxsize=4)  # a plan never changes, and a page of it asks three times
def jobs(plan: Plan, targets: tuple[Job, ...] = (TARGET,)) -> list[Job]:
    """Return every job that some jobs need, themselves included, each behind one that waits for it.

    All callers share the list.
    """
    planned: dict[Job, None] = {}
    waiting = list(targets)
    while waiting:
        job = waiting.pop()
        if job not in planned:
            planned[job] = None
            waiting += inputs(plan, job)
    return list(planned)


@functools.lru_cache(maxsize=4)
def awaited(plan: Plan) -> frozenset[Job]:
    """Return the jobs that some training waits for, also by others between them."""
    trainings = [job for job in jobs(plan) if STAGES[job.stage].work == "train"]
    return frozenset(jobs(plan, tuple(read for job in trainings for read in inputs(plan, job))))


def priority(plan: Plan, stage: str, wildcards: Mapping[str, str]) -> int:
    """Return the priority of a rule's job: 1 if a training waits for it, else 0 as a score has.

    A training that no other waits for has that of its scores: where weights are deleted after their
    use, all models would be there at once.
    """
    return int(job_of(stage, wildcards) in awaited(plan))


def makers(plan: Plan, tables: Iterable[str]) -> list[Job]:
    """Return the jobs that make tables, named in any case; InputError for one that is not there."""
    names = [one_of(name, "file or table", plan.config.tables) for name in tables]
    return [Job("render_table", name=name) for name in names]


@functools.lru_cache(maxsize=2**14)  # a plan never changes, and a page of it asks five times
def inputs(plan: Plan, job: Job) -> list[Job]:
    """Return the jobs whose outputs a job reads; a list that all callers share."""
    return [read for role in STAGES[job.stage].roles for read in role(plan, job)]


@functools.lru_cache(maxsize=2**14)
def record(plan: Plan, job: Job) -> str:
    """Return the path of the record that says that a job is done."""
    stage = STAGES[job.stage]
    root = plan.downloads if stage.work == "download" else plan.out
    return layout.place(root, stage.record, **_fields(job))


def records_read(plan: Plan, job: Job, role: Role) -> list[str]:
    """Return the records of the jobs whose outputs a job reads in one role."""
    return [record(plan, read) for read in role(plan, job)]


def weights_read(plan: Plan, job: Job, role: Role) -> list[str]:
    """Return the weights of the models that a job reads in one role, if they are deleted later.

    Snakemake deletes a temporary file once all jobs that name it are done. Where every model
    stays, and of a base, whose job has no name, the record stands for the weights.
    """
    if not deletes_models(plan.config):
        return []
    return [weights(plan, read) for read in role(plan, job) if read.name]


def weights(plan: Plan, job: Job) -> str:
    """Return the path of the weights that a job writes."""
    return f"{record(plan, job).removesuffix(RECORD)}{layout.WEIGHTS}"


def training_settings(plan: Plan, job: Job) -> str:
    """Return the ``--settings`` of a training."""
    if job.stage == "pretrain":
        return plan.pretrain_settings(job.base)
    if job.stage == "train_curve":
        return curve_settings(plan, Run(*job[1:]))
    return plan.train_settings(*job[1:])


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


def submissions(plan: Plan, found: Iterable[Job]) -> int:
    """Return how many jobs a scheduler is given for some jobs: none for local ones, one for a group."""
    present = set(found)
    number = 0
    for job in present:
        stage = STAGES[job.stage]
        joins = any(other.stage in stage.joins and other in present for other in inputs(plan, job))
        number += not stage.local and not joins
    return number


def wanted_by(plan: Plan, some: Iterable[Job] | None = None) -> Wanted:
    """Return what some jobs download; without ``some``, what all jobs of a plan do."""
    some = list(jobs(plan) if some is None else some)
    datasets = sorted({job.name for job in some if job.stage == "download"})
    config = plan.config
    bases = sorted({job.base for job in some if job.stage == "download_model"})
    stated = {name: config.bases[name].written() for name in bases}
    return Wanted(
        manifest=config.manifest,
        downloads=plan.downloads,
        hub=Hub(config.hub, config.token_hub or OWN_HUB),
        datasets=tuple(datasets),
        bases={name: decode(BaseSource, base, name, "ignore") for name, base in stated.items()},
        mirror=config.mirror,
    )
