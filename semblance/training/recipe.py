"""What a training's settings make: the rows it draws from, and the number of its steps."""

import math
from typing import assert_never

import numpy as np

from semblance.data.corpus import NONE, Rows
from semblance.errors import InputError
from semblance.named_modules import VIEWS, load_module
from semblance.training.batching import batches, disjoint_rows, keys_of
from semblance.training.loop import Schedule
from semblance.training.settings import TrainSettings


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
    # A smaller last batch is not drawn: each step has as many negatives (E27).
    epoch = max(1, len(rows.query) // batch_size(rows, settings))
    steps = int(min(epoch * settings.epochs, settings.max_steps or math.inf))
    evaluate_every = settings.evaluate_every or 0
    if not evaluate_every and settings.evaluate_share:
        # A share of few steps rounds to 0, which would mean no dev score before the end.
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
            assert_never(settings.unit)
