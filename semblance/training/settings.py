"""The settings of a training: what each means, what it may be, and what holds without it.

The config has the same keys and takes their types and their meaning from here.
"""

from dataclasses import dataclass, field
from typing import Annotated, Any

from semblance.errors import InputError
from semblance.named_modules import LOSSES, VIEWS
from semblance.settings import (
    Apart,
    AtLeast,
    AtMost,
    Count,
    DropoutSettings,
    Head,
    Length,
    Matmul,
    Positive,
    PositiveShare,
    Precision,
    Seed,
    Share,
    Threads,
    WindowUnit,
    module_of,
)


@dataclass(frozen=True)
class MaskedWords:
    """Masked words as a second loss."""

    weight: Positive
    """Weight λ of this loss; that of the other loss is 1."""
    share: PositiveShare = 0.15
    """Share of the tokens that are chosen. Without it: 0.15."""


@dataclass(frozen=True, kw_only=True)
class Common:
    """What the section `training` of config.yaml always states."""

    clip: Positive
    """Largest norm of the gradient; a longer one is scaled down to it."""
    no_duplicates: bool
    """Whether a sentence, or an entry, may stand only once in a batch."""
    precision: Precision
    """Precision of the encoder. It is a part of the result."""
    matmul: Matmul
    """Precision of the products of fp32 matrices. `auto`: all 24 bits, by the library that is faster
    on this kind of processor. `high` and `medium` are less exact on some processors. The record of a
    job says which it was."""


@dataclass(frozen=True, kw_only=True)
class Steps(Common):
    """The steps of every training, an entropy model's included."""

    views: module_of(VIEWS)
    """What a row of a batch is: the name of a module of semblance/training/views. `rows`: a query,
    its positive and, in a corpus of triples, its hard negative. `twice`: a sentence and the same
    sentence again, under other dropout. `thrice`: three times; with `dropout: {off_last: {}}` the
    third time without dropout. `crop`, `delete`, `repeat`, `replace`: a sentence and the same
    sentence with changed tokens."""
    batch_size: Annotated[int, AtLeast(2), AtMost(10**9)]
    """Rows of a batch."""
    learning_rate: PositiveShare
    """Largest learning rate of AdamW; it falls linearly to 0."""
    max_length: Length
    """Longest input in training, in tokens; the rest of a sentence is cut off."""
    weight_decay: Annotated[float, AtLeast(0), AtMost(10)]
    """Weight decay of AdamW. Biases and layer norms have none."""
    apart: Apart = "sentences"
    """What may stand only once in a batch. `entries`: a question of a FAQ, its answer and the
    users' wordings of it count as one. Without it: sentences."""
    view_options: dict[str, Any] = field(default_factory=dict)
    """How a view changes texts: the keyword arguments of its function `change`, such as `share`."""
    hard_negatives: bool = True
    """Whether the negatives of triples are candidates, too. Without it: true."""
    micro_batch: Count | None = None
    """Rows of a batch that are embedded at a time, to save memory: the loss is still that of the
    whole batch, but for other draws of dropout. A step takes about a third longer. Masked words are
    read all at once. Without it: all rows at once."""
    frozen_share: Share = 0.0
    """Share of the encoder's layers, from the lowest, rounded down, that keep the base's weights, as
    do the embeddings below them: a step is faster and takes less memory. The highest layer is always
    trained. Without it: 0, and the embeddings are trained, too."""
    max_steps: Count | None = None
    """Largest number of steps, whatever the epochs say. Without it: no limit."""
    head: Head = "none"
    """The MLP on top of the pooled vector: `none`, in training only (`train`), or at test time, too
    (`keep`). Without it: none."""
    encoders: Annotated[int, AtLeast(1), AtMost(2)] = 1
    """With 2, the queries have an encoder of their own, and all other texts another; the first one
    is the trained model. Without it: 1."""
    same_masks: bool = False
    """Whether the views of a row share their dropout masks, which needs `views: twice`. Without it:
    false."""
    masked_words: MaskedWords | None = None
    """Masked words as a second loss: some tokens of each text are hidden or replaced, and a head of
    its own names them. Without it: none."""


@dataclass(frozen=True, kw_only=True)
class Rhythm:
    """How long a training takes and when it is evaluated, unless early stopping ends it."""

    epochs: Count
    """Passes through the corpus."""
    warmup: Share
    """Share of the steps in which the learning rate rises to its largest value."""
    evaluate_every: Count | None = None
    """Steps between two evaluations on the dev set; the best model is kept. It takes the place of
    an `evaluate_share` that was set before it."""
    evaluate_share: PositiveShare | None = None
    """The same as a share of all steps: 0.1 evaluates ten times. It takes the place of an
    `evaluate_every` that was set before it; where both are set together, `evaluate_every`
    counts."""


@dataclass(frozen=True, kw_only=True)
class EarlyStopping:
    """When the training of an entropy model ends.

    It ends when the mean loss of a window of steps has not fallen for some windows, and keeps the
    weights at the end of the window with the lowest one.
    """

    patience: Count | None = None
    """Windows without a fall after which early stopping ends a training."""
    window: PositiveShare = 0.1
    """Length of a window as a share of all steps."""
    least_window: Count = 10
    """Least length of a window, in steps."""
    unit: WindowUnit = "window"
    """`batch`: each window is a single batch, whatever the two keys above say."""


@dataclass(frozen=True, kw_only=True)
class TrainSettings(Steps, Rhythm, EarlyStopping):
    """Everything that decides a training's outcome, besides its data, base and code.

    What a config always states has no default here: config.yaml is its one home.
    """

    loss: module_of(LOSSES) | None
    """Module of semblance/training/losses; None for masked words alone."""
    options: dict[str, Any] = field(default_factory=dict)
    """Keyword arguments of the loss."""
    dropout: DropoutSettings = DropoutSettings()
    """Dropout rates in training. Without them: the base model's own."""
    seed: Seed
    """Seed of the batches, masks and dropout."""
    gpus: Annotated[int, AtLeast(0), AtMost(1)]
    """GPUs that it uses where there are some."""
    threads: Threads
    """Threads of each training: here alone, since each job asks a scheduler for so many. Another
    number changes the last digits of a result."""

    def __post_init__(self) -> None:
        """Raise InputError for no loss at all."""
        if self.loss is None and self.masked_words is None:
            raise InputError("settings.loss", "there is neither a loss nor masked_words")
