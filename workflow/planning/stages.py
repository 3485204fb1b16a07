"""The one table of all stages, and the jobs that a plan makes of them.

Tests hold the table equal to the rules, and the jobs equal to those of ``snakemake -n``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Literal

from semblance import layout
from semblance.download.wanted import OWN_HUB, BaseSource, Hub, Wanted
from semblance.layout import RECORD
from semblance.names import INITIAL
from workflow.planning import reads
from workflow.planning.plan import Plan
from workflow.planning.reads import Inputs, Job

Work = Literal["download", "prepare", "train", "read", "table"]  # "read": a model reads texts


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


_below = f"{{}}/{RECORD}".format

STAGES: dict[str, Stage] = {
    "download": Stage(f"{layout.RAW_DATA}/{layout.RAW_RECORD}", "download", reads.nothing),
    "download_model": Stage(_below(layout.BASE), "download", reads.nothing),
    "prepare_nli": Stage(_below(layout.CORPUS), "prepare", reads.of_corpus),
    "prepare_wiki": Stage(_below(layout.CORPUS), "prepare", reads.of_corpus),
    "prepare_pairs": Stage(_below(layout.CORPUS), "prepare", reads.of_corpus),
    "prepare_sts": Stage(_below(layout.STS_TEST), "prepare", reads.of_scored_pairs),
    "prepare_dev": Stage(_below(layout.STS_DEV_DATA), "prepare", reads.of_scored_pairs),
    "prepare_transfer": Stage(_below(layout.TRANSFER_DATA), "prepare", reads.of_transfer_tasks),
    "prepare_relatedness": Stage(
        _below(layout.RELATEDNESS_DATA), "prepare", reads.of_relatedness_tasks
    ),
    "prepare_word_vectors": Stage(_below(layout.WORD_VECTORS), "prepare", reads.nothing),
    "prepare_faq": Stage(_below(layout.BANK), "prepare", reads.of_bank, "{bank}"),
    "thin_corpus": Stage(_below(layout.CORPUS), "prepare", reads.of_part),
    "tokenise": Stage(
        _below(layout.TOKENS),
        "prepare",
        reads.of_tokens,
        joins=("prepare_nli", "prepare_wiki", "prepare_pairs", "prepare_faq"),
    ),
    "mine_negatives": Stage(_below(layout.NEGATIVES), "prepare", reads.of_negatives),
    "pretrain": Stage(_below(layout.PRETRAINED), "train", reads.of_pretrained),
    "train_initial": Stage(
        _below(layout.MODEL.replace("{method}", INITIAL)), "train", reads.of_initial, INITIAL
    ),
    "train_entropy": Stage(_below(layout.MODEL), "train", reads.of_entropy_model, "{kind}-{phi}"),
    "embed": Stage(
        _below(layout.EMBEDDINGS), "read", reads.of_embeddings, "{method}", joins=("train_entropy",)
    ),
    "train": Stage(_below(layout.MODEL), "train", reads.of_training, "{method}"),
    "train_final": Stage(_below(layout.MODEL), "train", reads.of_final, "{method}"),
    "fit_whitening": Stage(_below(layout.MODEL), "read", reads.of_whitening, "{method}"),
    "evaluate_sts": Stage(
        _below(layout.STS_SCORES), "read", reads.of_sts_scores, "{method}", joins=("train",)
    ),
    "evaluate_faq": Stage(
        _below(layout.FAQ_SCORES), "read", reads.of_faq_scores, "{method}", joins=("train",)
    ),
    # On its own: beside evaluate_sts, which joins the same training, it would use the same GPU.
    "evaluate_transfer": Stage(
        _below(layout.TRANSFER_SCORES), "read", reads.of_transfer_scores, "{method}"
    ),
    "evaluate_relatedness": Stage(
        _below(layout.RELATEDNESS_SCORES), "read", reads.of_relatedness_scores, "{method}"
    ),
    "draw_learning_curve": Stage(
        _below(layout.LEARNING_CURVE), "table", reads.of_learning_curve, "{answerer}"
    ),
    "build_answerer": Stage(_below(layout.ANSWERER), "read", reads.of_answerer, "{answerer}"),
    "collect_scores": Stage(
        layout.TABLE_RECORD.format(table="scores"), "table", reads.of_all_scores
    ),
    "render_table": Stage(layout.TABLE_RECORD, "table", reads.of_table, "{table}"),
    "compare_published": Stage(
        layout.TABLE_RECORD.format(table="published"), "table", reads.of_all_tables
    ),
    "judge_claims": Stage(layout.TABLE_RECORD.format(table="claims"), "table", reads.of_all_tables),
    "simulate_statistics": Stage(
        layout.TABLE_RECORD.format(table="statistics"), "table", reads.of_all_tables
    ),
    "compare_overlap": Stage(
        layout.TABLE_RECORD.format(table=layout.OVERLAPS), "table", reads.of_pair_corpora
    ),
    "train_curve": Stage(_below(layout.CURVE), "train", reads.of_training, "{method}"),
    "collect_figure": Stage(layout.FIGURE_RECORD, "table", reads.of_collected_figure, "{figure}"),
    "measure_figure": Stage(layout.FIGURE_RECORD, "read", reads.of_measured_figure, "{figure}"),
    "draw_figure": Stage(layout.DRAWING_RECORD, "table", reads.of_drawing, "{figure}"),
    "write_cards": Stage(_below(layout.MODEL_CARDS), "table", reads.of_cards),
    "report": Stage(layout.TABLE_RECORD.format(table="report"), "table", reads.of_report),
}
SOURCE_KEYS = [field.name for field in fields(BaseSource)]  # of a base in the config
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


def jobs(plan: Plan) -> list[Job]:
    """Return every job of a plan, once, each behind one that waits for it."""
    found: dict[Job, None] = {}
    waiting = [TARGET]
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
    named = dict.fromkeys(("method", "bank", "table", "figure", "answerer", "name"), job.name)
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
    bases = sorted({job.base for job in some if job.stage == "download_model"})
    config = plan.config
    return Wanted(
        manifest=config["manifest"],
        downloads=plan.downloads,
        hub=Hub(config["hub"], config.get("token_hub", OWN_HUB)),
        datasets=tuple(datasets),
        bases={name: _source(config["bases"][name]) for name in bases},
        mirror=config.get("mirror"),
    )


def _source(base: dict) -> BaseSource:
    return BaseSource(**{key: base[key] for key in SOURCE_KEYS if key in base})
