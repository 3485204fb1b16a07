"""A training's recipe: its settings, the rows it draws from, and the number of its steps."""

import math
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from semblance.data.corpus import NONE, Rows
from semblance.errors import InputError
from semblance.models.dropout_plan import DropoutSettings
from semblance.named_modules import LOSSES, VIEWS, load_module, module_path
from semblance.settings import (
    Apart,
    AtLeast,
    AtMost,
    Count,
    Head,
    Length,
    Matmul,
    NotNegative,
    Positive,
    PositiveShare,
    Precision,
    Seed,
    Share,
    Threads,
    WindowUnit,
    unknown_word,
)
from semblance.training.batching import batches, disjoint_rows, keys_of
from semblance.training.loop import Schedule


@dataclass(frozen=True)
class MaskedWords:
    """The loss of masked words: its ``weight`` λ, and the ``share`` of the tokens that it masks."""

    weight: Positive
    share: PositiveShare = 0.15


@dataclass(frozen=True)
class TrainSettings:
    """Everything that decides a training's outcome, besides its data, base and code.

    What a config always states has no default here: config.yaml is its one home.
    """

    loss: str | None  # a module of training/losses; None for masked words alone
    views: str  # a module of training/views
    batch_size: Annotated[int, AtLeast(2)]
    epochs: Count
    learning_rate: Positive
    max_length: Length
    warmup: Share
    weight_decay: NotNegative
    clip: Positive
    no_duplicates: bool  # in a batch no two rows have a common sentence, or one entry (``apart``)
    precision: Precision
    matmul: Matmul
    threads: Threads
    gpus: Annotated[int, AtLeast(0), AtMost(1)]  # used where there is one
    seed: Seed
    apart: Apart = "sentences"
    options: dict[str, Any] = field(default_factory=dict)  # keyword arguments of the loss
    view_options: dict[str, Any] = field(default_factory=dict)  # of the view's ``change``
    hard_negatives: bool = True
    micro_batch: Count | None = None  # rows that are embedded at a time, to save memory
    max_steps: Count | None = None
    evaluate_every: Count | None = None
    evaluate_share: PositiveShare | None = None
    head: Head = "none"  # in training only, or kept
    # Of two, the first embeds the queries and is the result, the other embeds all other views.
    encoders: Annotated[int, AtLeast(1), AtMost(2)] = 1
    same_masks: bool = False  # of dropout, for the views of a row
    masked_words: MaskedWords | None = None  # a loss beside the other one, or the only one
    dropout: DropoutSettings = DropoutSettings()
    patience: Count | None = None  # of early stopping, in windows
    window: PositiveShare = 0.1  # of the steps
    least_window: Count = 10  # steps
    unit: WindowUnit = "window"  # ``batch`` makes a window one batch

    def __post_init__(self) -> None:
        """Raise InputError for a loss or a view without a module, and for no loss at all."""
        if self.loss is not None:
            module_path(LOSSES, self.loss, "settings.loss")
        elif self.masked_words is None:
            raise InputError("settings.loss", "there is neither a loss nor masked_words")
        module_path(VIEWS, self.views, "settings.views")


def training_rows(rows: Rows, sentences: int, settings: TrainSettings) -> Rows:
    """Return the rows that batches are drawn from, of a corpus of so many distinct sentences."""
    rows = load_module(VIEWS, settings.views, "views").view(rows, sentences)
    if settings.hard_negatives:
        return rows
    return rows._replace(negative=np.full_like(rows.negative, NONE))


def batch_size(rows: Rows, settings: TrainSettings) -> int:
    """Return the recipe's batch size, or the largest that a smaller corpus can fill."""
    room = len(rows.query)
    if settings.no_duplicates:
        room = disjoint_rows(keys_of(rows, settings.apart), max(2, settings.batch_size))
    if room < 2:
        problem = f"fewer than two rows without common {settings.apart}"
        raise InputError("corpus", problem, "use a larger corpus")
    return min(settings.batch_size, room)


class Drawing:
    """Draws the rows of one batch of a recipe after another."""

    def __init__(self, rows: Rows, settings: TrainSettings):
        size = batch_size(rows, settings)
        self._stream = batches(rows, size, settings.seed, settings.no_duplicates, settings.apart)
        self._drawn = 0

    def __call__(self, step: int) -> np.ndarray:
        """Return the numbers of the rows of batch ``step``, (B,); steps must go up."""
        while self._drawn <= step:
            chosen = next(self._stream)
            self._drawn += 1
        return chosen


def schedule(rows: Rows, settings: TrainSettings) -> Schedule:
    """Return the number of steps and the learning rate's course over them."""
    epoch = max(1, len(rows.query) // batch_size(rows, settings))
    steps = int(min(epoch * settings.epochs, settings.max_steps or math.inf))
    evaluate_every = settings.evaluate_every or 0
    if not evaluate_every and settings.evaluate_share:
        evaluate_every = max(1, round(settings.evaluate_share * steps))
    return Schedule(
        steps=steps,
        learning_rate=settings.learning_rate,
        warmup=settings.warmup,
        weight_decay=settings.weight_decay,
        clip=settings.clip,
        evaluate_every=evaluate_every,
        window=_window(steps, settings),
        patience=settings.patience,
    )


def _window(steps: int, settings: TrainSettings) -> int:
    match settings.unit:
        case "batch":
            return 1
        case "window":
            # ASSUME: "the loss doesn't decrease within 3 steps" (RCL App. A) means the steps at
            # which App. A evaluates: each 10 % of the training. Single batches are noise, and so
            # are windows of 1 %, whose means end a training after 6 to 8 of them whatever the loss
            # does. No window of a small FAQ fold has fewer than 10 steps.
            return max(settings.least_window, round(settings.window * steps))
        case _:
            raise unknown_word("unit", settings.unit, WindowUnit)
