"""A training step: ours and that of sentence-transformers' trainer, on the same batches."""

import itertools
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.workload import Task, Workload, text_batches
from semblance.files import whole_file
from semblance.models import folder as model_folder
from semblance.models.compute import set_up
from semblance.settings import decode
from semblance.training.batch_loss import BatchLoss
from semblance.training.loop import Schedule, fit
from semblance.training.recipe import TrainSettings, training_rows

LENGTH, RATE, SEED = 32, 3e-5, 1
WARM = 2  # steps of each slice that do not count: the optimiser's state is made in the first
ENTROPY_MODELS = 10  # two regulators each: twice the papers' largest set, which has five
OBJECTIVES: dict[str, dict[str, Any]] = {
    "unsupervised": {"views": "twice"},
    "nli": {},
    "sampled": {"views": "twice", "dropout": {"sampled": {}}},
    "sentence-wise": {
        "views": "twice",
        "dropout": {"sampled": {"granularity": "row"}},
    },
    "no attention dropout": {"dropout": {"attention": 0.0}},
    "drophead": {"dropout": {"attention": 0.0, "drophead": 0.1}},
    "entropy": {"loss": "entropy", "options": {"phi": 0.01}},
    "rcl": {"loss": "regulators"},
}


def make(task: Task) -> Callable[[], float]:
    """Return a function that trains some steps and returns the seconds of one."""
    return _ours(task) if task.who == "ours" else _theirs(task)


def settings(task: Task) -> TrainSettings:
    """Return the settings of one objective's training."""
    return decode(TrainSettings, stated(task))


def stated(task: Task) -> dict[str, Any]:
    """Return these settings as a config states them."""
    return {
        "loss": "contrastive",
        "views": "rows",
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
        **OBJECTIVES[task.objective],
    }


def _ours(task: Task) -> Callable[[], float]:
    recipe = settings(task)
    device = set_up(task.threads, task.gpus, task.matmul)
    if not task.deterministic:  # nothing has run on the GPU yet that could have read the variable
        torch.use_deterministic_algorithms(False)
        del os.environ["CUBLAS_WORKSPACE_CONFIG"]
    torch.manual_seed(SEED)
    work = Workload(task.folder)
    encoder = model_folder.load(work.base(task.base)).to(device)
    tokens = work.tokens(task.corpus)
    sentences = len(tokens.offsets) - 1
    rows = training_rows(work.rows(task.corpus), sentences, recipe)
    frozen = ()
    if recipe.loss == "regulators":
        frozen = _regulators(work.folder, sentences, encoder.shape.hidden_size)
    loss = BatchLoss([encoder], tokens, rows, recipe, frozen)
    first = itertools.count(0, task.steps)

    def run() -> float:
        start = next(first)
        clock = Clock(task.steps, task.gpus)
        schedule = Schedule(task.steps, RATE)
        fit(encoder, lambda step: loss(start + step), schedule, log=lambda event: clock.tick())
        return clock.step()

    return run


def _regulators(folder: Path, sentences: int, width: int) -> list[np.ndarray]:
    """Return memory-mapped float16 embeddings of random numbers, one array for each entropy model."""
    path = folder / f"regulators-{ENTROPY_MODELS}x{sentences}x{width}.npy"
    if not path.is_file():
        with whole_file(path) as temporary:
            out = np.lib.format.open_memmap(
                temporary, mode="w+", dtype=np.float16, shape=(ENTROPY_MODELS * sentences, width)
            )
            generator = np.random.default_rng(0)
            for start in range(0, len(out), 100_000):
                part = out[start : start + 100_000]
                part[:] = generator.standard_normal(part.shape, np.float32)
            out.flush()
    whole = np.load(path, mmap_mode="r")
    return [whole[i * sentences : (i + 1) * sentences] for i in range(ENTROPY_MODELS)]


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
