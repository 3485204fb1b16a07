"""The distance to the machine's limit, several trainings at once, and growth with the corpus."""

import itertools
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from benchmarks.side import Side
from benchmarks.training import LENGTH, SEED
from benchmarks.workload import Task, Workload, process_megabytes
from semblance.data.corpus import NONE, Rows
from semblance.data.tokens import Tokens, read_tokens, write_tokens
from semblance.models.architecture import Architecture
from semblance.models.compute import set_up
from semblance.models.packing import pack
from semblance.training.batching import batches


def make(task: Task) -> Callable[[], float]:
    """Return a function that returns the seconds of a GFLOP in the fastest of some matrix products."""
    device = set_up(task.threads, task.gpus, task.matmul)
    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[task.precision]
    return lambda: 1 / matmul_peak(dtype, device)


def matmul_peak(dtype: torch.dtype, device: str, seconds: float = 2.0) -> float:
    """Return the GFLOP/s of the fastest of some matrix products, of an encoder's shapes among them."""
    best = 0.0
    shapes = [(2048, 384, 1536), (2048, 768, 3072), (4096, 4096, 4096)]
    if device == "cuda":
        shapes.append((16384, 8192, 8192))
    for n, k, m in shapes:
        a = torch.randn(n, k, dtype=dtype, device=device)
        b = torch.randn(k, m, dtype=dtype, device=device)
        end, fastest = time.perf_counter() + seconds, float("inf")
        while time.perf_counter() < end:
            start = time.perf_counter()
            a @ b
            if device == "cuda":
                torch.cuda.synchronize()
            fastest = min(fastest, time.perf_counter() - start)
        best = max(best, 2 * n * k * m / fastest / 1e9)
    return best


def forward_gflop(shape: Architecture, lengths: np.ndarray) -> float:
    """Return the GFLOP to embed sentences of these lengths, without padding."""
    d = shape.hidden_size
    weights = 4 * d * d + 2 * d * shape.intermediate_size
    products = 2 * weights * float(lengths.sum()) + 4 * d * float((lengths**2).sum())
    return shape.num_hidden_layers * products / 1e9


def step_gflop(shape: Architecture, lengths: np.ndarray) -> float:
    """Return the GFLOP of a training step: a forward, and twice as much backward."""
    return 3 * forward_gflop(shape, lengths)


def mean_step_gflop(
    shape: Architecture, tokens: Tokens, rows: Rows, batch: int, steps: int = 50
) -> tuple[float, float]:
    """Return the GFLOP of a mean step, and the share of the tokens that padding to the longest would make."""
    columns = rows.views()
    lengths, work, real, padded = np.minimum(tokens.lengths(), LENGTH), [], 0.0, 0.0
    for chosen in itertools.islice(batches(rows, batch, SEED), steps):
        inside = np.stack([lengths[c[chosen]] for c in columns])
        work.append(step_gflop(shape, inside.ravel().astype(float)))
        real, padded = real + inside.sum(), padded + (inside.max(axis=1) * inside.shape[1]).sum()
    return float(np.mean(work)), 1 - real / padded


def growth(work: Workload, counts: tuple[int, ...], batch: int) -> list[tuple[int, float, float]]:
    """Return what one epoch of drawing and packing takes, for corpora of some sizes.

    Each is (sentences, µs a row, most MB of the process's own).
    """
    real, found = work.tokens("wiki"), []
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            tokens = _repeated(real, count, Path(folder))
            numbers = np.arange(count, dtype=np.int32)
            rows = Rows(numbers, numbers, np.full(count, NONE, dtype=np.int32))
            start, most = time.perf_counter(), 0.0
            epoch = itertools.islice(batches(rows, batch, SEED), count // batch)
            for step, chosen in enumerate(epoch):
                pack(tokens, np.concatenate([rows.query[chosen], rows.positive[chosen]]), LENGTH)
                if step % 50 == 0:
                    most = max(most, process_megabytes("self", "RssAnon"))
            found.append((count, (time.perf_counter() - start) / count * 1e6, most))
    return found


def _repeated(tokens: Tokens, count: int, folder: Path) -> Tokens:
    """Return the sentences over and over, until there are ``count``, from a file as trainings read it."""
    offsets = np.concatenate([[0], np.cumsum(np.resize(tokens.lengths(), count))])
    ids = np.resize(tokens.ids[: tokens.offsets[-1]], offsets[-1])
    write_tokens(folder / "tokens.arrow", Tokens(ids, offsets))
    return read_tokens(folder / "tokens.arrow")


class Sweep:
    """One training with all threads; as many at once with one thread each, and with all threads."""

    def __init__(self, task: Task):
        n = task.threads
        of_one_thread = [Side(replace(task, threads=1)) for _ in range(n)]
        self.groups = [[Side(task)], of_one_thread, [Side(task) for _ in range(n)]]
        self.sides = [side for group in self.groups for side in group]
        for side in self.sides:
            side.slice()  # to warm up: they start at once, then

    def turn(self, number: int) -> list[float]:
        """Return the seconds a step and training of each group; the groups take turns as first."""
        found = [0.0] * len(self.groups)
        for i in sorted(range(len(found)), reverse=number % 2 == 0):
            group = self.groups[i]
            with ThreadPoolExecutor(len(group)) as pool:
                found[i] = max(pool.map(Side.slice, group)) / len(group)
        return found

    def close(self) -> None:
        """End the processes."""
        for side in self.sides:
            side.close()
