"""A training step: ours and that of sentence-transformers' trainer, on the same batches."""

import argparse
import itertools
import tempfile
import time
from collections.abc import Callable
from typing import Any

import torch

from benchmarks.side import BESIDE, beside, side_by_side, table
from benchmarks.workload import Task, Workload, task_of, text_batches
from semblance.models import folder as model_folder
from semblance.models.compute import set_up
from semblance.settings import decode
from semblance.training.batch_loss import BatchLoss
from semblance.training.loop import Schedule, fit
from semblance.training.recipe import TrainSettings, training_rows

LENGTH, RATE, SEED = 32, 3e-5, 1
WARM = 2  # steps of each slice that do not count: the optimiser's state is made in the first
OBJECTIVES = [("unsupervised", "nli"), ("unsupervised", "wiki"), ("nli", "nli")]  # of whose texts


def page(args: argparse.Namespace) -> str:
    """Return the rows of a step of each objective, beside the peer's trainer."""
    rows = []
    for base, kind, precision in itertools.product(args.bases, OBJECTIVES, args.precisions):
        options = {"objective": kind[0], "corpus": kind[1], "precision": precision}
        seen = side_by_side(args.rounds, task_of(args, "training", base=base, **options))
        rows.append([f"{kind[0]}, {kind[1]}'s sentences", base, precision, *beside(seen)])
    title = f"## A training step of {args.batch} rows\n\n"
    return title + table(["objective", "base", "precision", *BESIDE], rows)


def make(task: Task) -> Callable[[], float]:
    """Return a function that trains some steps and returns the seconds of one."""
    return _ours(task) if task.who == "ours" else _theirs(task)


def settings(task: Task) -> TrainSettings:
    """Return the settings of one objective's training."""
    stated = {
        "loss": "contrastive",
        "views": "twice" if task.objective == "unsupervised" else "rows",
        "warmup": 0.1,
        "weight_decay": 0.01,
        "clip": 1.0,
        "no_duplicates": True,
        "batch_size": task.batch,
        "epochs": 1,
        "learning_rate": RATE,
        "max_length": LENGTH,
        "seed": SEED,
        "precision": task.precision,
        "matmul": task.matmul,
        "threads": task.threads,
        "gpus": task.gpus,
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
    loss = BatchLoss([encoder], tokens, rows, recipe)
    first = itertools.count(0, task.steps)

    def run() -> float:
        start = next(first)
        clock = Clock(task.steps, task.gpus)
        schedule = Schedule(task.steps, RATE)
        fit(encoder, lambda step: loss(start + step), schedule, log=lambda event: clock.tick())
        return clock.step()

    return run


class Clock:
    """Times ``steps`` steps from the end of the last warm-up step to the end of the last one.

    Only there is a GPU waited for: elsewhere a side may run ahead of it.
    """

    def __init__(self, steps: int, gpus: int = 0):
        self.steps, self.gpus, self.done, self.start, self.end = steps, gpus, 0, 0.0, 0.0

    def tick(self) -> None:
        """Note that a step has ended."""
        self.done += 1
        if self.done in (WARM, self.steps) and self.gpus:
            torch.cuda.synchronize()
        if self.done == WARM:
            self.start = time.perf_counter()
        self.end = time.perf_counter()

    def step(self) -> float:
        """Return the mean seconds of a step after the warm-up; RuntimeError if not all steps were taken."""
        if self.done != self.steps:
            raise RuntimeError(f"{self.done} steps instead of {self.steps}")
        return (self.end - self.start) / (self.steps - WARM)


def _theirs(task: Task) -> Callable[[], float]:
    from datasets import Dataset, disable_progress_bars
    from sentence_transformers import SentenceTransformerTrainer
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
    from transformers import TrainerCallback

    disable_progress_bars()
    work = Workload(task.folder)
    sentences = work.sentences(task.corpus)
    rows = training_rows(work.rows(task.corpus), len(sentences), settings(task))
    stream = text_batches(rows, sentences, task.batch, SEED)
    model = their_model(task, LENGTH)
    arguments = _their_arguments(task)

    class Ends(TrainerCallback):
        """Tells a clock when a step has ended."""

        def __init__(self, clock: Clock):
            self.clock = clock

        def on_step_end(self, *_: Any, **__: Any) -> None:
            self.clock.tick()

    def run() -> float:
        clock = Clock(task.steps, task.gpus)
        texts = list(itertools.chain.from_iterable(itertools.islice(stream, task.steps)))
        names = ("anchor", "positive", "negative")[: len(texts[0])]
        data = Dataset.from_dict(dict(zip(names, zip(*texts, strict=True), strict=True)))
        SentenceTransformerTrainer(
            model=model,
            args=arguments,
            train_dataset=data,
            callbacks=[Ends(clock)],
            loss=MultipleNegativesRankingLoss(model),
        ).train()
        return clock.step()

    return run


def their_model(task: Task, length: int, **options: Any) -> Any:
    """Return the peer's model of a base, with ``options`` of its own for transformers."""
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(task.threads)
    if task.tuned:
        torch.set_float32_matmul_precision(task.matmul)
        options["attn_implementation"] = "sdpa"
    place = str(Workload(task.folder).base(task.base))
    device = "cuda" if task.gpus else "cpu"
    model = SentenceTransformer(place, device=device, model_kwargs=options)
    model.max_seq_length = length
    return model


def _their_arguments(task: Task) -> Any:
    from sentence_transformers import SentenceTransformerTrainingArguments
    from sentence_transformers.base.sampler import DefaultBatchSampler
    from torch.utils.data import SequentialSampler

    def in_order(dataset: Any, batch_size: int, **_: Any) -> DefaultBatchSampler:
        """Take the rows as they come: they were drawn before."""
        rows = SequentialSampler(dataset)
        return DefaultBatchSampler(rows, batch_size=batch_size, drop_last=True)

    more = {"optim": "adamw_torch_fused"} if task.tuned else {}
    return SentenceTransformerTrainingArguments(
        output_dir=tempfile.mkdtemp(),
        per_device_train_batch_size=task.batch,
        max_steps=task.steps,
        learning_rate=RATE,
        bf16=task.precision == "bf16",
        use_cpu=not task.gpus,
        save_strategy="no",
        logging_strategy="no",
        report_to="none",
        disable_tqdm=True,
        seed=SEED,
        batch_sampler=in_order,
        **more,
    )
