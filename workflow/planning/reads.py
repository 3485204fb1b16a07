"""One job of a plan, and what jobs read: a function for each role that an input may have.

Each yields the jobs whose outputs a job reads in this role; a stage lists its roles (stages.py).
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from semblance.figures import is_measured
from semblance.names import INITIAL, START
from workflow.config.inputs import DatasetBank, Pretrained, Tuned
from workflow.config.methods import maker, model_of
from workflow.planning.figures import drawn_figures, figure_runs, figure_tables
from workflow.planning.plan import Evaluation, Plan, Run


class Job(NamedTuple):
    """One job; ``name`` is a method, ``initial``, or the name of a data set, bank or table."""

    stage: str
    corpus: str = ""
    base: str = ""
    name: str = ""
    seed: int = 0


Role = Callable[[Plan, Job], Iterable[Job]]


def made_by(stage: str) -> Role:
    """Return the role of an input that is the same for all jobs: what the one job of a stage makes."""
    return lambda plan, job: [Job(stage)]


# --- raw data ----------------------------------------------------------------------------------


def _raw(datasets: Callable[[Plan, Job], Iterable[str]]) -> Role:
    return lambda plan, job: [Job("download", name=name) for name in datasets(plan, job)]


raw_corpus = _raw(lambda plan, job: plan.config.corpora[job.corpus].datasets)
raw_transfer = _raw(lambda plan, _: plan.config.transfer.datasets)
raw_tests = _raw(lambda plan, _: plan.config.sts.datasets)
raw_dev = _raw(lambda plan, _: [plan.config.sts.dev])


def raw_bank(plan: Plan, job: Job) -> Iterator[Job]:
    """Yield the download of a bank of the manifest; a user's own file has none."""
    bank = plan.banks[job.name]
    if isinstance(bank, DatasetBank):
        yield Job("download", name=bank.dataset)


def own_files(plan: Plan, job: Job) -> dict[str, str]:
    """Return the user's own files that a job reads, by the keys of the config that name them."""
    if job.stage == "prepare_faq":
        files = plan.banks[job.name].files
        return {f"faq.banks.{job.name}.{key}": path for key, path in files.items()}
    return {}


# --- bases, corpora, models --------------------------------------------------------------------


def base(plan: Plan, job: Job) -> Iterator[Job]:
    """Yield the job that makes the base model of a job."""
    entry = plan.config.bases[job.base]
    if isinstance(entry, Pretrained):
        yield Job("pretrain", entry.corpus, job.base)
    elif isinstance(entry, Tuned):
        yield Job("train", entry.corpus, entry.base, entry.method, entry.seed)
    else:
        yield Job("download_model", base=job.base)


def tokenizer(plan: Plan, job: Job) -> Iterator[Job]:
    yield Job("download_model", base=job.base)


def other_base(plan: Plan, job: Job) -> Iterator[Job]:
    yield Job("download_model", base=plan.config.bases[job.base].base)


def corpus(plan: Plan, job: Job) -> Iterator[Job]:
    if plan.is_faq(job.corpus):
        yield Job("prepare_faq", name=plan.bank_of(job.corpus))
    else:
        yield Job(f"prepare_{plan.config.corpora[job.corpus].kind}", job.corpus)


def tokens(plan: Plan, job: Job) -> Iterator[Job]:
    yield Job("tokenise", job.corpus, plan.config.origin(job.base).tokenizer)


def dev(plan: Plan, job: Job) -> Iterator[Job]:
    if plan.is_faq(job.corpus):
        yield Job("prepare_faq", name=plan.bank_of(job.corpus))
    else:
        yield Job("prepare_dev")


def regulators(plan: Plan, job: Job) -> Iterator[Job]:
    yield from (Job("embed", *run) for run in plan.regulators(Run(*job[1:])))


def pacemakers(plan: Plan, job: Job) -> Iterator[Job]:
    for run in plan.pacemakers(Run(*job[1:])):
        yield from model(plan, Job("", *run))


def model(plan: Plan, job: Job) -> Iterator[Job]:
    stage = maker(plan.config, job.name)
    if not stage:
        yield from base(plan, job)
        return
    if stage in ("train", "train_initial") and job.corpus in plan.wholes:
        stage = "train_final"
    yield job._replace(stage=stage, name=model_of(plan.config, job.name))


def start_of_entropy(plan: Plan, job: Job) -> Iterator[Job]:
    start = INITIAL if plan.is_faq(job.corpus) else START
    yield from model(plan, job._replace(name=start))


def models_of_folds(plan: Plan, job: Job) -> Iterator[Job]:
    for fold in plan.fold_corpora(plan.bank_of(job.corpus)):
        yield from model(plan, job._replace(corpus=fold))


# --- scores, tables, figures -------------------------------------------------------------------


def all_scores(plan: Plan, job: Job) -> Iterator[Job]:
    yield from map(evaluation_job, plan.evaluations)


def scores_of_table(plan: Plan, job: Job) -> Iterator[Job]:
    yield from map(evaluation_job, plan.evaluations_of(job.name))


def all_tables(plan: Plan, job: Job) -> Iterator[Job]:
    yield from (Job("render_table", name=table) for table in plan.config.tables)


def all_figures(plan: Plan, job: Job) -> Iterator[Job]:
    """Yield the drawings of the figures; of one without a drawing, its data."""
    drawn = drawn_figures(plan)
    for name in plan.config.figures:
        yield Job("draw_figure", name=name) if name in drawn else figure_job(plan, name)


def files_of_figure(plan: Plan, job: Job) -> Iterator[Job]:
    stage = "evaluate_sts"
    if plan.config.figures[job.name].source == "curve":
        stage = "train_curve"
    yield from (Job(stage, *run) for run in figure_runs(plan, job.name))
    yield from (Job("render_table", name=table) for table in figure_tables(plan, job.name))


def models_of_figure(plan: Plan, job: Job) -> Iterator[Job]:
    for run in figure_runs(plan, job.name):
        yield from model(plan, Job("", *run))


def texts_of_figure(plan: Plan, job: Job) -> Iterator[Job]:
    if searched := getattr(plan.config.figures[job.name], "collection", None):
        yield from corpus(plan, Job("", searched))
    else:
        yield Job("prepare_sts")


def data_of_figure(plan: Plan, job: Job) -> Iterator[Job]:
    yield figure_job(plan, job.name)


def figure_job(plan: Plan, name: str) -> Job:
    """Return the job that makes the data of a figure, on its models or from files."""
    measured = is_measured(plan.config.figures[name].kind)
    return Job("measure_figure" if measured else "collect_figure", name=name)


def evaluation_job(evaluation: Evaluation) -> Job:
    """Return the job that scores a run on one kind of tests."""
    return Job(f"evaluate_{evaluation.tests}", *evaluation.run)
