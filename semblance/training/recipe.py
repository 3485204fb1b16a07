"""A training's recipe, and how it becomes a loss over batches."""

import importlib
import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import torch
from torch import Tensor

from semblance.data.corpus import NONE, Rows, Tokens
from semblance.errors import InputError
from semblance.models.dropout import DropoutSettings
from semblance.models.encoder import Encoder, autocast
from semblance.models.packing import pack
from semblance.settings import (
    AtLeast,
    AtMost,
    Count,
    Length,
    Matmul,
    NotNegative,
    Positive,
    PositiveShare,
    Precision,
    Seed,
    Share,
    Threads,
    check_keywords,
    unknown_word,
)
from semblance.training.batch import Batch, Regulators
from semblance.training.batching import batches, disjoint_rows
from semblance.training.loop import Schedule

Views = Literal["rows", "twice"]
Head = Literal["none", "train", "keep"]
WindowUnit = Literal["window", "batch"]


@dataclass(frozen=True)
class TrainSettings:
    """Everything that decides a training's outcome, besides its data, base and code.

    ``loss`` names a module of ``training/losses``, ``options`` its keyword arguments. ``views`` is
    ``rows`` (query, positive, negative) or ``twice`` (each distinct sentence with itself).
    ``window`` is early stopping's, as a share of an epoch but no fewer than ``least_window`` steps;
    ``unit: batch`` makes it one batch. With ``gpus`` a GPU is used where there is one.
    """

    loss: str
    batch_size: Annotated[int, AtLeast(2)]
    epochs: Count
    learning_rate: Positive
    max_length: Length
    seed: Seed = 0
    options: dict[str, Any] = field(default_factory=dict)
    views: Views = "rows"
    hard_negatives: bool = True
    no_duplicates: bool = True
    max_steps: Count | None = None
    warmup: Share = 0.1
    weight_decay: NotNegative = 0.01
    clip: Positive = 1.0
    evaluate_every: Count | None = None
    evaluate_share: PositiveShare | None = None
    head: Head = "none"
    dropout: DropoutSettings = DropoutSettings()
    patience: Count | None = None
    window: PositiveShare = 0.01
    least_window: Count = 10
    unit: WindowUnit = "window"
    precision: Precision = "fp32"
    matmul: Matmul = "highest"
    threads: Threads = 1
    gpus: Annotated[int, AtLeast(0), AtMost(1)] = 0


def head_use(head: Head) -> tuple[bool, bool]:
    """Return whether the MLP head is trained, and whether the saved model keeps it."""
    match head:
        case "none":
            return False, False
        case "train":
            return True, False
        case "keep":
            return True, True
        case _:
            raise unknown_word("head", head, Head)


LossFunction = Callable[..., Tensor]


def find_loss(name: str, options: dict[str, Any]) -> LossFunction:
    """Import ``training/losses/NAME.py`` and check ``options`` against its ``loss`` function."""
    folder = Path(__file__).parent / "losses"
    known = sorted(p.stem for p in folder.glob("*.py") if p.stem != "__init__")
    if name not in known:
        raise InputError(
            "loss",
            f"there is no semblance/training/losses/{name}.py",
            f"known are {', '.join(known)}",
        )
    function = importlib.import_module(f"semblance.training.losses.{name}").loss
    check_keywords(inspect.signature(function, eval_str=True), options, "options")
    return function


def _check_regulators(function: LossFunction, name: str, count: int) -> None:
    """Raise InputError unless regulators are given exactly where the loss reads them."""
    reads = "regulators" in inspect.signature(function).parameters
    if reads and not count:
        raise InputError("regulators", f"loss {name!r} reads regulators, and none are given")
    if count and not reads:
        raise InputError("regulators", f"loss {name!r} reads no regulators, {count} are given")


def training_rows(rows: Rows, sentences: int, settings: TrainSettings) -> Rows:
    """Return the rows that batches are drawn from, as the recipe's views ask."""
    match settings.views:
        case "twice":  # ASSUME: a sentence that the corpus repeats counts once
            every = np.arange(sentences, dtype=np.int32)
            return Rows(every, every, np.full_like(every, NONE))
        case "rows" if settings.hard_negatives:
            return rows
        case "rows":
            return rows._replace(negative=np.full_like(rows.negative, NONE))
        case _:
            raise unknown_word("views", settings.views, Views)


def batch_size(rows: Rows, settings: TrainSettings) -> int:
    """Return the recipe's batch size, or the largest that a smaller corpus can fill."""
    room = (
        disjoint_rows(rows, max(2, settings.batch_size))
        if settings.no_duplicates
        else len(rows.query)
    )
    if room < 2:
        raise InputError(
            "corpus", "fewer than two rows without a common sentence", "use a larger corpus"
        )
    return min(settings.batch_size, room)


def schedule(rows: Rows, settings: TrainSettings) -> Schedule:
    """Return the number of steps and the learning rate's course over them."""
    epoch = max(1, len(rows.query) // batch_size(rows, settings))
    steps = min(epoch * settings.epochs, settings.max_steps or math.inf)
    every = settings.evaluate_every or (
        max(1, round(settings.evaluate_share * steps)) if settings.evaluate_share else 0
    )
    return Schedule(
        int(steps),
        settings.learning_rate,
        settings.warmup,
        settings.weight_decay,
        settings.clip,
        every,
        _window(settings, epoch),
        settings.patience,
    )


def _window(settings: TrainSettings, epoch: int) -> int:
    """Return the steps of one window of early stopping."""
    match settings.unit:
        case "batch":
            return 1
        case "window":  # ASSUME: 1 % of a small fold is less than a batch, whose loss is noise
            return max(settings.least_window, round(settings.window * epoch))
        case _:
            raise unknown_word("unit", settings.unit, WindowUnit)


class BatchLoss:
    """Draws batch after batch and returns its loss: the ``step_loss`` of the loop."""

    def __init__(
        self,
        encoder: Encoder,
        tokens: Tokens,
        rows: Rows,
        settings: TrainSettings,
        regulators: Sequence[np.ndarray] = (),
    ):
        """``regulators`` are the frozen embeddings (S, d) of each entropy model, memory-mapped."""
        self.encoder, self.tokens, self.rows, self.settings = encoder, tokens, rows, settings
        self.regulators = regulators
        self.loss = find_loss(settings.loss, settings.options)
        _check_regulators(self.loss, settings.loss, len(regulators))
        self.size = batch_size(rows, settings)
        self.columns = rows.views()
        self.drawn = 0
        self.stream = batches(rows, self.size, settings.seed, settings.no_duplicates)

    def __call__(self, step: int) -> Tensor:
        """Return the loss of batch number ``step``; steps must not go back."""
        while self.drawn <= step:
            chosen = next(self.stream)
            self.drawn += 1
        numbers = np.stack([column[chosen] for column in self.columns])  # (V, B)
        device = self.encoder.words.weight.device
        limit = self.encoder.max_length(self.settings.max_length)
        packed = pack(self.tokens, numbers.ravel(), limit, device)
        views = torch.arange(len(numbers)).repeat_interleave(numbers.shape[1])
        regulators = self._regulators(numbers, device)  # sent before the forward, not to wait
        with autocast(self.settings.precision, device.type):
            embeddings = self.encoder(packed, self.encoder.noise(self.settings.dropout, views))
        parts = embeddings.float().chunk(len(numbers))  # V tensors of (B, d)
        return self.loss(Batch(*parts), *regulators, **self.settings.options)

    def _regulators(self, numbers: np.ndarray, device: torch.device) -> list[Regulators]:
        """Return the regulators' embeddings of the batch's rows; an empty list without regulators."""
        if not len(self.regulators):
            return []
        columns = [np.stack([e[column] for e in self.regulators]) for column in numbers[:2]]
        return [Regulators(*(torch.from_numpy(c).to(device).float() for c in columns))]
