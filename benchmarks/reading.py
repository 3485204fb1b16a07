"""Reading sentences: embedding many, and all seven STS sets for one model.

By us, by sentence-transformers and, embedding alone, by other engines.
"""

import time
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

import numpy as np
import torch

from benchmarks import engines
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


def embedding(task: Task, work: Workload) -> Callable[[list[str]], np.ndarray]:
    """Return the function of a side that embeds texts, (n, d)."""
    if task.who in engines.ENGINES:
        return engines.embedding(task, work.base(task.base), LENGTH)
    model = _model(task, work)
    if task.who == "theirs":
        return lambda texts: model.encode(texts, show_progress_bar=False)
    tokenizer = work.base(task.base) / "tokenizer.json"
    return lambda texts: model.encode(tokenise(tokenizer, texts), LENGTH)


def same_neighbours(task: Task, other: Task) -> float:
    """Return the share of a turn's sentences whose nearest other sentence is the same by both."""
    work = Workload(task.folder)
    texts = next(parts(work))
    first, second = (nearest(embedding(side, work)(texts)) for side in (task, other))
    return float(np.mean(first == second))


def nearest(vectors: np.ndarray) -> np.ndarray:
    """Return the number of each sentence's nearest other sentence, (n,)."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -1)
    return cosines.argmax(axis=1)


def _embedding(task: Task, work: Workload) -> Callable[[], np.ndarray]:
    turns = parts(work)
    encode = embedding(task, work)
    return lambda: encode(next(turns))


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
