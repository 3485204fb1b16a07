"""A training step: ours and that of sentence-transformers' trainer, on the same batches."""

import argparse
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from benchmarks.side import beside, side_by_side
from benchmarks.workload import Task, Workload, task_of, text_batches
from semblance.models import folder as model_folder
from semblance.models.compute import set_matmul, set_up
from semblance.settings import decode
from semblance.training.batch_loss import BatchLoss, Inputs
from semblance.training.loop import Schedule, fit
from semblance.training.recipe import TrainSettings, training_rows
from workflow.checks.load import load_files

LENGTH, RATE, SEED = 32, 3e-5, 1
RCL = {"loss": "regulators", "dropout": {"attention": 0.1}, "max_length": 75}
REGULATORS = 8
# Steps of each slice that do not count, by the number of GPUs: the optimiser's state is made in the
# first, and a GPU records each shape when it comes again.
WARM = (2, 20)
ATTENTION = {"tuned": "sdpa", "flash": "flash_attention_2"}  # by peer
OBJECTIVES = [("unsupervised", "nli"), ("unsupervised", "wiki"), ("nli", "nli")]  # of whose texts
OWN = [("rcl", "nli")]  # that no peer has


def rows(args: argparse.Namespace) -> Iterator[list[str]]:
    """Yield the row of each base, objective and precision, beside the peers."""
    for base, kind, precision in itertools.product(args.bases, args.objectives, args.precisions):
        options = {"objective": kind[0], "corpus": kind[1], "precision": precision}
        seen = side_by_side(args.rounds, task_of(args, "training", base=base, **options))
        yield [f"{kind[0]}, {kind[1]}'s sentences", base, precision, *beside(seen)]


def make(task: Task) -> Callable[[], float]:
    """Return a function that trains some steps and returns the seconds of one."""
    return _ours(task) if task.side == "ours" else _theirs(task)


def settings(task: Task) -> TrainSettings:
    """Return the settings of one objective's training."""
    stated = {
        **load_files([]).training.written(),
        "loss": "contrastive",
        "views": "twice" if task.objective == "unsupervised" else "rows",
        "warmup": 0.1,
        "weight_decay": 0.01,
        "batch_size": task.batch,
        "epochs": 1,
        "learning_rate": RATE,
        "max_length": LENGTH,
        "seed": SEED,
        "precision": task.precision,
        "matmul": task.matmul,
        "threads": task.threads,
        "gpus": task.gpus,
        **(RCL if task.objective == "rcl" else {}),
    }
    return decode(TrainSettings, stated)


def _ours(task: Task) -> Callable[[], float]:
    recipe = settings(task)
    device = set_up(task.threads, task.gpus, task.matmul)
    torch.manual_seed(SEED)
    work = Workload(task.folder)
    encoder = model_folder.load(work.base(task.base)).to(device)
    tokens = work.tokens(task.corpus)
    rows = training_rows(work.rows(task.corpus), len(tokens.offsets) - 1, recipe)
    sizes = (len(tokens.offsets) - 1, encoder.shape.hidden_size)
    frozen = regulators(*sizes) if task.objective == "rcl" else []
    loss = BatchLoss([encoder], tokens, rows, recipe, frozen)
    firsts = itertools.count(0, task.steps + 1)

    def run() -> float:
        batches = From(next(firsts), loss, task.records)
        clock = Clock(task.steps, task.gpus)
        fit(encoder, batches, Schedule(task.steps, RATE), log=lambda event: clock.tick())
        return clock.step()

    return run


def regulators(sentences: int, width: int) -> list[np.ndarray]:
    """Return vectors as entropy models leave them, (sentences, width) each, of random numbers."""
    draw = np.random.default_rng(SEED).standard_normal
    return [
        draw((sentences, width), dtype=np.float32).astype(np.float16) for _ in range(REGULATORS)
    ]


class From:
    """The batches of a loss from number ``first`` on, which a GPU may record or not."""

    def __init__(self, first: int, loss: BatchLoss, records: bool):
        self.first, self.loss = first, loss
        self.device, self.compute, self.repeats = (
            loss.device,
            loss.compute,
            loss.repeats and records,
        )

    def draw(self, step: int) -> Inputs:
        """Return what a step reads."""
        return self.loss.draw(self.first + step)

    def __call__(self, step: int) -> torch.Tensor:
        """Return the loss of a step."""
        return self.compute(self.draw(step))


class Clock:
    """Times ``steps`` steps from the end of the last warm-up step to the end of the last one.

    Only there is a GPU waited for: elsewhere a side may run ahead of it.
    """

    def __init__(self, steps: int, gpus: int = 0):
        self.steps, self.gpus, self.warm = steps, gpus, WARM[gpus]
        self.done, self.start, self.end = 0, 0.0, 0.0

    def tick(self) -> None:
        """Note that a step has ended."""
        self.done += 1
        if self.done in (self.warm, self.steps) and self.gpus:
            torch.cuda.synchronize()
        if self.done == self.warm:
            self.start = time.perf_counter()
        self.end = time.perf_counter()

    def step(self) -> float:
        """Return the mean seconds of a step after the warm-up; RuntimeError if not all steps were taken."""
        if self.done != self.steps:
            raise RuntimeError(f"{self.done} steps instead of {self.steps}")
        return (self.end - self.start) / (self.steps - self.warm)


def _theirs(task: Task) -> Callable[[], float]:
    """Take the peer's model and loss in a bare loop: what its trainer adds to a step does not count."""
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
    from sentence_transformers.util import batch_to_device

    work = Workload(task.folder)
    sentences = work.sentences(task.corpus)
    stream = text_batches(
        training_rows(work.rows(task.corpus), len(sentences), settings(task)),
        sentences,
        task.batch,
        SEED,
    )
    model = their_model(task, LENGTH).train()
    loss = MultipleNegativesRankingLoss(model)
    fused = None if task.side == "plain" else True
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01, fused=fused)

    def step() -> None:
        columns = zip(*next(stream), strict=True)
        inputs = [batch_to_device(model.preprocess(list(texts)), model.device) for texts in columns]
        with torch.autocast(model.device.type, torch.bfloat16, enabled=task.precision == "bf16"):
            value = loss(inputs, None)
        value.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad()

    def run() -> float:
        clock = Clock(task.steps, task.gpus)
        for _ in range(task.steps):
            step()
            clock.tick()
        return clock.step()

    return run


def their_model(task: Task, length: int, **options: Any) -> Any:
    """Return the peer's model of a base, with ``options`` of its own for transformers."""
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(task.threads)
    device = "cuda" if task.gpus else "cpu"
    if task.side != "plain":
        set_matmul(task.matmul, device)
        options["attn_implementation"] = ATTENTION[task.side]
    place = str(Workload(task.folder).base(task.base))
    model = SentenceTransformer(place, device=device, model_kwargs=options)
    model.max_seq_length = length
    return model
