"""Reading sentences: embedding many, and all seven STS sets for one model, by us and by the peer."""

import time
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

import numpy as np
import torch

from benchmarks.training import their_model
from benchmarks.workload import Task, Workload
from semblance.data.tokens import tokenise
from semblance.evaluation import sts
from semblance.evaluation.prepared import read_pairs
from semblance.models import folder as model_folder
from semblance.models.compute import set_up
from semblance.names import STS_TASKS

COUNT, LENGTH = 5_000, 256  # sentences of a turn


def make(task: Task) -> Callable[[], float]:
    """Return a function that does the whole work once and returns its seconds."""
    makers = {"encode": _embedding, "sts": _sts}
    run = makers[task.work](task, Workload(task.folder))

    def timed() -> float:
        start = time.perf_counter()
        run()
        return time.perf_counter() - start

    return timed


def _model(task: Task, work: Workload) -> Any:
    """Return the model of a side: our encoder, or a SentenceTransformer."""
    if task.who == "theirs":
        options = {"dtype": torch.bfloat16} if task.precision == "bf16" else {}
        return their_model(task, LENGTH, **options)
    device = set_up(task.threads, task.gpus, task.matmul)
    encoder = model_folder.load(work.base(task.base)).eval().to(device)
    encoder.precision = task.precision
    return encoder


def parts(work: Workload) -> Iterator[list[str]]:
    """Yield the sentences of each turn, the same to all sides, and again the first after the last."""
    sentences = work.sentences("nli")
    order = np.random.default_rng(0).permutation(len(sentences))
    for first in cycle(range(0, len(order) - COUNT + 1, COUNT)):
        yield [sentences[i] for i in order[first : first + COUNT]]


def _embedding(task: Task, work: Workload) -> Callable[[], np.ndarray]:
    """Return the function of a side that embeds the next turn's sentences, (n, d)."""
    turns = parts(work)
    model = _model(task, work)
    if task.who == "theirs":
        return lambda: model.encode(next(turns), show_progress_bar=False)
    tokenizer = work.base(task.base) / "tokenizer.json"
    return lambda: model.encode(tokenise(tokenizer, next(turns)), LENGTH)


def _sts(task: Task, work: Workload) -> Callable[[], Any]:
    model = _model(task, work)
    if task.who == "theirs":
        return _their_sts(model, work)

    def run() -> None:
        tests = sts.Sts(read_pairs(work.sts_pairs()), work.base(task.base) / "tokenizer.json")
        list(sts.score_rows(tests.predict(model, LENGTH)[0]))

    return run


def _their_sts(model: Any, work: Workload) -> Callable[[], None]:
    from sentence_transformers.sentence_transformer.evaluation import EmbeddingSimilarityEvaluator

    pairs = read_pairs(work.sts_pairs())

    def run() -> None:
        for name in STS_TASKS:
            inside = pairs["task"] == name
            texts = (pairs[key][inside].tolist() for key in ("sentence1", "sentence2", "score"))
            EmbeddingSimilarityEvaluator(*texts, write_csv=False)(model)

    return run
