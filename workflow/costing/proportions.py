"""Counts of a config that are out of proportion: more parts than pairs, batches larger than a corpus."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from semblance.errors import InputError
from workflow.costing.lines import WORKBOOKS, count_lines
from workflow.costing.model import Cost
from workflow.planning.stages import STAGES, Job

FEW = 5  # pairs: with fewer in a part of a bank, its scores say little


def proportion_checks(cost: Cost, jobs: Iterable[Job]) -> Iterator[Callable[[], None]]:
    """Yield checks that raise InputError, at ``config.KEY``, for counts that no run can have."""
    for bank in _banks(jobs):
        yield partial(_check_folds, cost, bank)


def odd_proportions(cost: Cost, jobs: Iterable[Job]) -> Iterator[str]:
    """Yield a line for each pair of counts that a run can have, but hardly anybody means."""
    jobs = list(jobs)
    folds = cost.plan.folds
    for bank in _banks(jobs):
        pairs = _most_pairs(cost, bank)
        if pairs is not None and folds <= pairs < FEW * folds:
            yield f"faq.folds: {folds} parts of at most {pairs} pairs (bank {bank})"
    yield from dict.fromkeys(_large_batches(cost, jobs))


def _banks(jobs: Iterable[Job]) -> list[str]:
    return [job.name for job in jobs if job.stage == "prepare_faq"]


def _check_folds(cost: Cost, bank: str) -> None:
    pairs = _most_pairs(cost, bank)
    if pairs is not None and pairs < cost.plan.folds:
        problem = f"{cost.plan.folds} parts of at most {pairs} pairs (bank {bank})"
        raise InputError("config.faq.folds", problem, "ask for fewer parts, or leave the bank out")


def _most_pairs(cost: Cost, bank: str) -> int | None:
    """Return how many pairs a bank has at most; None if nobody says it."""
    entry = cost.plan.banks[bank]
    if "path" in entry:
        path = Path(entry["path"])
        if path.suffix.lower() in (".gz", *WORKBOOKS) or not path.is_file():
            return None
        return count_lines(path)  # each pair takes a line at least
    counts = cost.needs.sizes.manifest[entry["dataset"]].expected
    return counts.get("pairs", counts.get("answers"))


def _large_batches(cost: Cost, jobs: Iterable[Job]) -> Iterator[str]:
    for job in jobs:
        if STAGES[job.stage].work != "train":
            continue
        size = cost.needs.settings(job)["batch_size"]
        rows = cost.needs.sizes.corpora[job.corpus].rows
        if size > rows:
            of = job.name or job.base  # a base that is trained here has no method
            yield f"batch_size {size} of {of}: {job.corpus} has about {rows:,} rows in all"
