"""Embedding many sentences: ours, and sentence-transformers' `encode`, on the same texts."""

import argparse
import itertools
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch

from benchmarks.side import beside, side_by_side
from benchmarks.training import their_model
from benchmarks.workload import Task, Workload, task_of
from semblance.data.tokens import tokenise
from semblance.models import folder as model_folder
from semblance.models.compute import set_up

COUNT, LENGTH = 5_000, 256  # sentences of a turn
TEXTS = {"nli": f"{COUNT:,} of NLI's", "sts": "all of the seven STS sets"}


def rows(args: argparse.Namespace) -> Iterator[list[str]]:
    """Yield the row of each base and precision, from text to vectors, beside the peers."""
    for base, texts, precision in itertools.product(args.bases, TEXTS, args.precisions):
        ours = task_of(args, "embedding", base=base, corpus=texts, precision=precision)
        yield [TEXTS[texts], base, precision, *beside(side_by_side(args.rounds, ours))]


def make(task: Task) -> Callable[[], float]:
    """Return a function that embeds the texts of one turn and returns its seconds."""
    work = Workload(task.folder)
    turns = parts(work.sentences(task.corpus), COUNT if task.corpus == "nli" else None)
    encode = _ours(task, work) if task.side == "ours" else _theirs(task)

    def timed() -> float:
        texts = next(turns)
        start = time.perf_counter()
        encode(texts)
        return time.perf_counter() - start

    return timed


def parts(sentences: Sequence[str], count: int | None) -> Iterator[list[str]]:
    """Yield the texts of each turn, the same to all sides: so many others, or all (None) each time."""
    order = np.random.default_rng(0).permutation(len(sentences))
    size = count or len(order)
    for first in itertools.cycle(range(0, len(order) - size + 1, size)):
        yield [sentences[i] for i in order[first : first + size]]


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
