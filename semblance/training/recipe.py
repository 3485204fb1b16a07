"""A training's recipe, and how it becomes a loss over batches."""

import importlib
import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from semblance.data.corpus import NONE, Rows, Tokens
from semblance.errors import InputError
from semblance.models.dropout import DropoutSettings
from semblance.models.encoder import Encoder, autocast
from semblance.models.packing import pack
from semblance.settings import check_type
from semblance.training.batch import Views
from semblance.training.batching import batches, disjoint_rows
from semblance.training.loop import Schedule


@dataclass(frozen=True)
class TrainSettings:
    """Everything that decides a training's outcome, besides its data, base and code.

    ``loss`` names a module of ``training/losses``, ``options`` its keyword arguments. ``views`` is
    ``rows`` (query, positive, negative) or ``twice`` (each distinct sentence with itself).
    ``window`` is early stopping's, as a share of an epoch but no fewer than ``least_window`` steps;
    ``unit: batch`` makes it one batch. With ``gpus`` a GPU is used where there is one.
    """

    loss: str
    batch_size: int
    epochs: int
    learning_rate: float
    max_length: int
    seed: int = 0
    options: dict[str, Any] = field(default_factory=dict)
    views: str = "rows"
    hard_negatives: bool = True
    no_duplicates: bool = True
    max_steps: int | None = None
    warmup: float = 0.1
    weight_decay: float = 0.01
    clip: float = 1.0
    evaluate_every: int | None = None
    evaluate_share: float | None = None
    head: str = "none"
    dropout: DropoutSettings = DropoutSettings()
    patience: int | None = None
    window: float = 0.01
    least_window: int = 10
    unit: str = "window"
    precision: str = "fp32"
    matmul: str = "highest"
    threads: int = 1
    gpus: int = 0


LossFunction = Callable[..., Tensor]


def find_loss(name: str, options: dict[str, Any]) -> LossFunction:
    """Import ``training/losses/NAME.py`` and check ``options`` against its ``loss`` function."""
    folder = Path(__file__).parent / "losses"
    known = sorted(p.stem for p in folder.glob("*.py") if p.stem not in ("__init__", "views"))
    if name not in known:
        raise InputError(
            "loss",
            f"there is no semblance/training/losses/{name}.py",
            f"known are {', '.join(known)}",
        )
    function = importlib.import_module(f"semblance.training.losses.{name}").loss
    allowed = {
        p.name: p.annotation
        for p in inspect.signature(function).parameters.values()
        if p.kind == p.KEYWORD_ONLY
    }
    for key, value in options.items():
        if key not in allowed:
            raise InputError(
                f"options.{key}",
                f"loss {name!r} takes no such option",
                f"it takes {', '.join(sorted(allowed))}",
            )
        check_type(value, allowed[key], f"options.{key}")
    return function


def training_rows(rows: Rows, sentences: int, settings: TrainSettings) -> Rows:
    """Return the rows that batches are drawn from, as the recipe's views ask."""
    if settings.views == "twice":  # ASSUME: a sentence that the corpus repeats counts once
        every = np.arange(sentences, dtype=np.int32)
        return Rows(every, every, np.full_like(every, NONE))
    if not settings.hard_negatives:
        return rows._replace(negative=np.full_like(rows.negative, NONE))
    return rows


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
    # ASSUME: 1 % of a small FAQ fold's epoch is less than a batch, whose loss is noise: no window below 10 steps
    window = (
        1
        if settings.unit == "batch"
        else max(settings.least_window, round(settings.window * epoch))
    )
    return Schedule(
        int(steps),
        settings.learning_rate,
        settings.warmup,
        settings.weight_decay,
        settings.clip,
        every,
        window,
        settings.patience,
    )


class BatchLoss:
    """Draws batch after batch and returns its loss: the ``step_loss`` of the loop."""

    def __init__(
        self,
        encoder: Encoder,
        tokens: Tokens,
        rows: Rows,
        settings: TrainSettings,
        augmented: Sequence[np.ndarray] = (),
    ):
        """``augmented`` are the frozen embeddings (N, d) of each entropy model, memory-mapped."""
        self.encoder, self.tokens, self.rows, self.settings = encoder, tokens, rows, settings
        self.augmented = augmented
        self.loss = find_loss(settings.loss, settings.options)
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
        frozen = self._frozen(numbers, device)  # sent before the forward, not to wait for it
        with autocast(self.settings.precision, device.type):
            embeddings = self.encoder(packed, self.encoder.noise(self.settings.dropout, views))
        parts = embeddings.float().chunk(len(numbers))  # V tensors of (B, d)
        return self.loss(
            Views(parts[0], parts[1], parts[2] if len(parts) == 3 else None, *frozen),
            **self.settings.options,
        )

    def _frozen(self, numbers: np.ndarray, device: torch.device) -> list[Tensor]:
        """Return each entropy model's embeddings of the queries and positives, (N, B, d) each, if any."""
        if not len(self.augmented):
            return []
        return [
            torch.from_numpy(np.stack([e[column] for e in self.augmented])).to(device).float()
            for column in numbers[:2]
        ]
