"""Embedding many sentences: ours, and sentence-transformers' `encode`, on the same texts."""

import argparse
import itertools
import time
from collections.abc import Callable, Iterator

import numpy as np
import torch

from benchmarks.side import BESIDE, beside, side_by_side, table
from benchmarks.training import their_model
from benchmarks.workload import Task, Workload, task_of
from semblance.data.tokens import tokenise
from semblance.models import folder as model_folder
from semblance.models.compute import set_up

COUNT, LENGTH = 5_000, 256  # sentences of a turn
TURNS = 4


def page(args: argparse.Namespace) -> str:
    """Return the rows of each base, from text to vectors."""
    rows = []
    for base, precision in itertools.product(args.bases, args.precisions):
        ours = task_of(args, "embedding", base=base, precision=precision)
        rows.append([base, precision, *beside(side_by_side(TURNS, ours))])
    title = f"## Embedding {COUNT:,} sentences, from text to vectors ({TURNS} turns)\n\n"
    return title + table(["base", "precision", *BESIDE], rows)


def make(task: Task) -> Callable[[], float]:
    """Return a function that embeds the texts of one turn and returns its seconds."""
    work = Workload(task.folder)
    turns = parts(work)
    encode = _theirs(task) if task.who == "theirs" else _ours(task, work)

    def timed() -> float:
        texts = next(turns)
        start = time.perf_counter()
        encode(texts)
        return time.perf_counter() - start

    return timed


def parts(work: Workload) -> Iterator[list[str]]:
    """Yield the sentences of each turn, the same to all sides, and again the first after the last."""
    sentences = work.sentences("nli")
    order = np.random.default_rng(0).permutation(len(sentences))
    for first in itertools.cycle(range(0, len(order) - COUNT + 1, COUNT)):
        yield [sentences[i] for i in order[first : first + COUNT]]


def _ours(task: Task, work: Workload) -> Callable[[list[str]], np.ndarray]:
    device = set_up(task.threads, task.gpus, task.matmul)
    encoder = model_folder.load(work.base(task.base)).eval().to(device)
    encoder.precision = task.precision
    tokenizer = work.base(task.base) / "tokenizer.json"
    return lambda texts: encoder.encode(tokenise(tokenizer, texts), LENGTH)


def _theirs(task: Task) -> Callable[[list[str]], np.ndarray]:
    options = {"dtype": torch.bfloat16} if task.precision == "bf16" else {}
    model = their_model(task, LENGTH, **options)
    return lambda texts: model.encode(texts, show_progress_bar=False)
