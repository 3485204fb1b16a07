"""One job of a plan, and the jobs whose outputs a job reads: a function for each kind of stage."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from semblance.names import INITIAL, START
from workflow.planning import answerers
from workflow.planning.data import is_pretrained, is_word_vectors, of_manifest, scored_sets
from workflow.planning.figures import (
    collection,
    drawn_figures,
    figure_runs,
    figure_tables,
    is_measured,
    source,
)
from workflow.planning.methods import entropy_parts, mines, model_of, reads_no_corpus, whitening
from workflow.planning.plan import Evaluation, Plan, Run


class Job(NamedTuple):
    """One job; ``name`` is a method, ``initial``, KIND-PHI, or the name of a data set, bank or table."""

    stage: str
    corpus: str = ""
    base: str = ""
    name: str = ""
    seed: int = 0


Inputs = Callable[[Plan, Job], Iterator[Job]]
# Who writes the files of models that a collected figure is made from, where it is not evaluate_sts.
WRITES = {"questions": "evaluate_faq", "training": "train", "curve": "train_curve"}


def nothing(plan: Plan, job: Job) -> Iterator[Job]:
    yield from ()


def _raw(datasets: Callable[[Plan, Job], Iterable[str]]) -> Inputs:
    """Return the inputs of a stage that reads raw data: the downloads of its data sets."""

    def inputs_of(plan: Plan, job: Job) -> Iterator[Job]:
        yield from (Job("download", name=name) for name in datasets(plan, job))

    return inputs_of


def _dataset_of_bank(plan: Plan, job: Job) -> list[str]:
    bank = plan.banks[job.name]
    if "path" in bank:
        return []
    return [bank["dataset"]]


def of_tokens(plan: Plan, job: Job) -> Iterator[Job]:
    yield _corpus(plan, job.corpus)
    yield Job("download_model", base=job.base)


def of_pretrained(plan: Plan, job: Job) -> Iterator[Job]:
    yield Job("download_model", base=plan.config["bases"][job.base]["base"])
    yield _corpus(plan, job.corpus)
    yield _tokens(plan, job)


def of_initial(plan: Plan, job: Job) -> Iterator[Job]:
    yield _base(plan, job.base)
    yield _corpus(plan, job.corpus)
    yield _tokens(plan, job)
    yield _dev(plan, job.corpus)


def of_training(plan: Plan, job: Job) -> Iterator[Job]:
    yield from _of_regulated(plan, job)
    if job.stage == "train":  # a curve has steps of its own
        for run in plan.pacemakers(Run(*job[1:])):
            yield _model(plan, Job("", *run))
    yield _dev(plan, job.corpus)


def _of_regulated(plan: Plan, job: Job) -> Iterator[Job]:
    """Yield what a training reads, but for what says when to stop."""
    on_part = job._replace(corpus=plan.corpus_read(job.corpus, job.name))
    yield _base(plan, job.base)
    yield _trained_on(plan, on_part)
    yield _tokens(plan, on_part)
    for regulator in plan.regulators(Run(*job[1:])):
        yield Job("embed", *regulator)


def of_negatives(plan: Plan, job: Job) -> Iterator[Job]:
    yield _corpus(plan, job.corpus)
    yield Job("embed", job.corpus, job.base, START)


def of_entropy_model(plan: Plan, job: Job) -> Iterator[Job]:
    yield _model(plan, job._replace(name=plan.start_of_entropy(job.corpus)))
    yield _corpus(plan, job.corpus)
    yield _tokens(plan, job)


def of_final(plan: Plan, job: Job) -> Iterator[Job]:
    yield from _of_regulated(plan, job)
    for corpus in plan.fold_corpora(plan.bank_of(job.corpus)):
        yield _model(plan, job._replace(corpus=corpus))


def of_answerer(plan: Plan, job: Job) -> Iterator[Job]:
    answerer = plan.config["answerers"][job.name]
    yield Job("prepare_faq", name=answerer["bank"])
    if START in answerers.models_of(plan, job.name):
        yield _base(plan, answerer["base"])
    for run in answerers.final_runs(plan, job.name):
        yield Job("train_final", *run)
    yield from map(evaluation_job, answerers.evaluations_of(plan, job.name))
    if answerers.curves_of(plan, job.name):
        yield Job("draw_learning_curve", name=job.name)


def of_part(plan: Plan, job: Job) -> Iterator[Job]:
    yield Job("prepare_faq", name=plan.bank_of(plan.parts[job.corpus].corpus))


def of_learning_curve(plan: Plan, job: Job) -> Iterator[Job]:
    yield Job("prepare_faq", name=plan.config["answerers"][job.name]["bank"])
    yield from map(evaluation_job, answerers.curve_evaluations(plan, job.name))


def of_embeddings(plan: Plan, job: Job) -> Iterator[Job]:
    yield _model(plan, job)
    yield _tokens(plan, job)


def of_whitening(plan: Plan, job: Job) -> Iterator[Job]:
    yield _base(plan, job.base)
    yield _tokens(plan, job)


def _reads_model_and(*data: Job) -> Inputs:
    """Return the inputs of a stage that scores a model on data that are the same for all."""

    def inputs_of(plan: Plan, job: Job) -> Iterator[Job]:
        yield _model(plan, job)
        yield from data

    return inputs_of


def of_faq_scores(plan: Plan, job: Job) -> Iterator[Job]:
    yield _model(plan, job)
    yield Job("prepare_faq", name=plan.folds_of[job.corpus][0])


def of_all_scores(plan: Plan, job: Job) -> Iterator[Job]:
    yield from map(evaluation_job, plan.evaluations)


def of_table(plan: Plan, job: Job) -> Iterator[Job]:
    yield from map(evaluation_job, plan.evaluations_of(job.name))


def of_all_tables(plan: Plan, job: Job) -> Iterator[Job]:
    yield from (Job("render_table", name=table) for table in plan.config["tables"])


def of_cards(plan: Plan, job: Job) -> Iterator[Job]:
    """Yield the jobs that come after every training: the cards are those of all trained models."""
    yield Job("collect_scores")
    yield from (Job("build_answerer", name=name) for name in plan.config["answerers"])


def of_report(plan: Plan, job: Job) -> Iterator[Job]:
    """Yield the jobs behind everything that a run makes: the report is the last of it."""
    yield from of_all_tables(plan, job)
    for stage in ("collect_scores", "compare_published", "judge_claims", "simulate_statistics"):
        yield Job(stage)
    yield Job("write_cards")
    yield from (Job("build_answerer", name=name) for name in plan.config["answerers"])
    if plan.pair_corpora:
        yield Job("compare_overlap")
    drawn = drawn_figures(plan)
    for name in plan.config["figures"]:
        yield Job("draw_figure", name=name) if name in drawn else figure_job(plan, name)


def of_pair_corpora(plan: Plan, job: Job) -> Iterator[Job]:
    yield from (Job("prepare_pairs", corpus) for corpus in plan.pair_corpora)


def of_collected_figure(plan: Plan, job: Job) -> Iterator[Job]:
    stage = WRITES.get(source(plan, job.name), "evaluate_sts")
    yield from (Job(stage, *run) for run in figure_runs(plan, job.name))
    yield from (Job("render_table", name=table) for table in figure_tables(plan, job.name))


def of_measured_figure(plan: Plan, job: Job) -> Iterator[Job]:
    for run in figure_runs(plan, job.name):
        yield _model(plan, Job("", *run))
    corpus = collection(plan, job.name)
    if corpus:
        yield _corpus(plan, corpus)
    else:
        yield Job("prepare_sts")


def of_drawing(plan: Plan, job: Job) -> Iterator[Job]:
    yield figure_job(plan, job.name)


def figure_job(plan: Plan, name: str) -> Job:
    """Return the job that makes the data of a figure."""
    return Job("measure_figure" if is_measured(plan, name) else "collect_figure", name=name)


def evaluation_job(evaluation: Evaluation) -> Job:
    """Return the job that scores a run on one kind of tests."""
    return Job(f"evaluate_{evaluation.tests}", *evaluation.run)


def _base(plan: Plan, base: str) -> Job:
    """Return the job that makes a base model."""
    entry = plan.config["bases"][base]
    if is_pretrained(entry):
        return Job("pretrain", entry["corpus"], base)
    if is_word_vectors(entry):
        return Job("prepare_word_vectors", base=base)
    return Job("download_model", base=base)


def _model(plan: Plan, job: Job) -> Job:
    """Return the job that makes the model of a job's method."""
    if reads_no_corpus(plan.config, job.name):
        return _base(plan, job.base)
    job = job._replace(name=model_of(plan.config, job.name))
    if whitening(plan.config, job.name):
        return job._replace(stage="fit_whitening")
    if entropy_parts(plan.config, job.name):
        return job._replace(stage="train_entropy")
    if job.corpus in plan.wholes:
        return job._replace(stage="train_final")
    if job.name == INITIAL:
        return job._replace(stage="train_initial")
    return job._replace(stage="train")


def _trained_on(plan: Plan, job: Job) -> Job:
    """Return the job that makes the rows of a training."""
    if mines(plan.config, job.name):
        return Job("mine_negatives", job.corpus, job.base)
    return _corpus(plan, job.corpus)


def _corpus(plan: Plan, corpus: str) -> Job:
    if plan.is_faq(corpus):
        return Job("prepare_faq", name=plan.bank_of(corpus))
    if corpus not in plan.config["corpora"]:
        return Job("thin_corpus", corpus)
    kind = plan.config["corpora"][corpus]["kind"]
    return Job(f"prepare_{kind}", corpus)


def _tokens(plan: Plan, job: Job) -> Job:
    return Job("tokenise", job.corpus, plan.config["bases"][job.base]["tokenizer"])


def _dev(plan: Plan, corpus: str) -> Job:
    if plan.is_faq(corpus):
        return Job("prepare_faq", name=plan.folds_of[corpus][0])
    return Job("prepare_dev")


of_corpus = _raw(lambda plan, job: plan.config["corpora"][job.corpus]["datasets"])
of_scored_pairs = _raw(
    lambda plan, job: of_manifest(plan.config, scored_sets(plan.config, job.stage))
)
of_sts_scores = _reads_model_and(Job("prepare_sts"), Job("prepare_dev"))
of_transfer_scores = _reads_model_and(Job("prepare_transfer"))
of_transfer_tasks = _raw(lambda plan, _: plan.config["transfer"]["datasets"])
of_relatedness_scores = _reads_model_and(Job("prepare_relatedness"))
of_relatedness_tasks = _raw(lambda plan, _: plan.relatedness_datasets)
of_bank = _raw(_dataset_of_bank)
