"""Reading sentences: embedding many, and all seven STS sets for one model; ours and sentence-transformers'."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from benchmarks.workload import Workload
from semblance.data.tokens import tokenise
from semblance.evaluation import sts
from semblance.evaluation.prepared import read_pairs
from semblance.models import folder as model_folder
from semblance.models.compute import set_up
from semblance.models.encoder import Encoder
from semblance.names import STS_TASKS

COUNT, LENGTH = 5_000, 256  # sentences of a turn


def make(who: str, work: str, **options: Any) -> Callable[[], float]:
    """Return a function that does the whole work once and returns its seconds."""
    done = {
        ("encode", "ours"): _embed,
        ("encode", "theirs"): _their_embed,
        ("sts", "ours"): _sts,
        ("sts", "theirs"): _their_sts,
    }
    run = done[work, who](**options)

    def timed() -> float:
        start = time.perf_counter()
        run()
        return time.perf_counter() - start

    return timed


def _parts(work: Workload) -> Iterator[list[str]]:
    """Yield the sentences of each turn, the same to both sides."""
    sentences = work.sentences("nli")
    order = np.random.default_rng(0).permutation(len(sentences))
    for first in range(0, len(order), COUNT):
        yield [sentences[i] for i in order[first : first + COUNT]]


def _our_model(
    work: Workload, base: str, threads: int, gpus: int, matmul: str, precision: str
) -> Encoder:
    encoder = model_folder.load(work.base(base)).eval().to(set_up(threads, gpus, matmul))
    encoder.precision = precision
    return encoder


def _embed(
    folder: str, base: str, threads: int, gpus: int, matmul: str, precision: str, **_: Any
) -> Callable:
    work = Workload(folder)
    encoder, parts = _our_model(work, base, threads, gpus, matmul, precision), _parts(work)
    return lambda: encoder.encode(tokenise(work.base(base) / "tokenizer.json", next(parts)), LENGTH)


def _their_model(
    work: Workload, base: str, threads: int, gpus: int, matmul: str, precision: str, tuned: bool
):
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(threads)
    if tuned:
        torch.set_float32_matmul_precision(matmul)
    wanted: dict[str, Any] = {"attn_implementation": "sdpa"} if tuned else {}
    if precision == "bf16":
        wanted["dtype"] = torch.bfloat16
    model = SentenceTransformer(
        str(work.base(base)), device="cuda" if gpus else "cpu", model_kwargs=wanted
    )
    model.max_seq_length = LENGTH
    return model


def _their_embed(
    folder: str,
    base: str,
    threads: int,
    gpus: int,
    matmul: str,
    precision: str,
    tuned: bool = False,
    **_: Any,
) -> Callable:
    work = Workload(folder)
    model, parts = _their_model(work, base, threads, gpus, matmul, precision, tuned), _parts(work)
    return lambda: model.encode(next(parts), show_progress_bar=False)


def _sts(
    folder: str, base: str, threads: int, gpus: int, matmul: str, precision: str, **_: Any
) -> Callable:
    work = Workload(folder)
    encoder = _our_model(work, base, threads, gpus, matmul, precision)

    def run() -> None:
        tests = sts.Sts(read_pairs(work.sts_pairs()), work.base(base) / "tokenizer.json")
        list(sts.score_rows(tests.predict(encoder, LENGTH)[0]))

    return run


def _their_sts(
    folder: str,
    base: str,
    threads: int,
    gpus: int,
    matmul: str,
    precision: str,
    tuned: bool = False,
    **_: Any,
) -> Callable:
    from sentence_transformers.sentence_transformer.evaluation import EmbeddingSimilarityEvaluator

    work = Workload(folder)
    model = _their_model(work, base, threads, gpus, matmul, precision, tuned)
    pairs = read_pairs(work.sts_pairs())

    def run() -> None:
        for task in STS_TASKS:
            left, right, gold = (
                pairs[k][pairs["task"] == task].tolist()
                for k in ("sentence1", "sentence2", "score")
            )
            EmbeddingSimilarityEvaluator(left, right, gold, write_csv=False)(model)

    return run
