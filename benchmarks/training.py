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

from benchmarks.workload import Workload, text_batches
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


def make(who: str, **options: Any) -> Callable[[], float]:
    """Return a function that trains some steps and returns the seconds of one."""
    return _ours(**options) if who == "ours" else _theirs(**options)


def settings(
    objective: str, batch: int, precision: str, matmul: str, threads: int, gpus: int
) -> TrainSettings:
    """Return the settings of one objective's training."""
    return decode(
        TrainSettings,
        {
            "loss": "contrastive",
            "views": "rows",
            "warmup": 0.1,
            "weight_decay": 0.01,
            "clip": 1.0,
            "no_duplicates": True,
            "batch_size": batch,
            "epochs": 1,
            "learning_rate": RATE,
            "max_length": LENGTH,
            "seed": SEED,
            "precision": precision,
            "matmul": matmul,
            "threads": threads,
            "gpus": gpus,
            **OBJECTIVES[objective],
        },
    )


def _ours(
    folder: str,
    base: str,
    objective: str,
    corpus: str,
    batch: int,
    precision: str,
    matmul: str,
    threads: int,
    gpus: int,
    steps: int,
    deterministic: bool = True,
    **_: Any,
) -> Callable[[], float]:
    wanted = settings(objective, batch, precision, matmul, threads, gpus)
    device = set_up(threads, gpus, matmul)
    if not deterministic:  # nothing has run on the GPU yet that could have read the variable
        torch.use_deterministic_algorithms(False)
        del os.environ["CUBLAS_WORKSPACE_CONFIG"]
    torch.manual_seed(SEED)
    work = Workload(folder)
    encoder, tokens = model_folder.load(work.base(base)).to(device), work.tokens(corpus)
    rows = training_rows(work.rows(corpus), len(tokens.offsets) - 1, wanted)
    frozen = (
        _regulators(work.folder, len(tokens.offsets) - 1, encoder.shape.hidden_size)
        if wanted.loss == "regulators"
        else ()
    )
    loss, first = BatchLoss([encoder], tokens, rows, wanted, frozen), itertools.count(0, steps)

    def run() -> float:
        start, clock = next(first), Clock(steps, gpus)
        fit(
            encoder,
            lambda step: loss(start + step),
            Schedule(steps, RATE),
            log=lambda event: clock.tick(),
        )
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
                out[start : start + 100_000] = generator.standard_normal(
                    (len(out[start : start + 100_000]), width), np.float32
                )
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


def _theirs(
    folder: str,
    base: str,
    objective: str,
    corpus: str,
    batch: int,
    precision: str,
    matmul: str,
    threads: int,
    gpus: int,
    steps: int,
    tuned: bool = False,
    **_: Any,
) -> Callable[[], float]:
    from datasets import Dataset, disable_progress_bars
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.base.sampler import DefaultBatchSampler
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
    from torch.utils.data import SequentialSampler
    from transformers import TrainerCallback

    disable_progress_bars()
    torch.set_num_threads(threads)
    if tuned:
        torch.set_float32_matmul_precision(matmul)
    work, wanted = Workload(folder), settings(objective, batch, precision, matmul, threads, gpus)
    sentences = work.sentences(corpus)
    rows = training_rows(work.rows(corpus), len(sentences), wanted)
    stream = text_batches(rows, sentences, batch, SEED)
    model = SentenceTransformer(
        str(work.base(base)),
        device="cuda" if gpus else "cpu",
        model_kwargs={"attn_implementation": "sdpa"} if tuned else {},
    )
    model.max_seq_length = LENGTH
    scratch = tempfile.mkdtemp()
    arguments = SentenceTransformerTrainingArguments(
        output_dir=scratch,
        per_device_train_batch_size=batch,
        max_steps=steps,
        learning_rate=RATE,
        bf16=precision == "bf16",
        use_cpu=not gpus,
        save_strategy="no",
        logging_strategy="no",
        report_to="none",
        disable_tqdm=True,
        seed=SEED,
        batch_sampler=in_order(DefaultBatchSampler, SequentialSampler),
        **({"optim": "adamw_torch_fused"} if tuned else {}),
    )

    class Ends(TrainerCallback):
        def __init__(self, clock: Clock):
            self.clock = clock

        def on_step_end(self, *_: Any, **__: Any) -> None:
            self.clock.tick()

    def run() -> float:
        clock, texts = (
            Clock(steps, gpus),
            list(itertools.chain.from_iterable(itertools.islice(stream, steps))),
        )
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


def in_order(sampler: type, sequential: type) -> Callable:
    """Return a batch sampler that takes the rows as they come: they were drawn before."""
    return lambda dataset, batch_size, **_: sampler(
        sequential(dataset), batch_size=batch_size, drop_last=True
    )
