"""From a batch number to its loss: rows are drawn, embedded and compared."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from semblance.data.corpus import Rows
from semblance.data.tokens import Tokens
from semblance.data.vocabulary import read_vocabulary
from semblance.errors import InputError
from semblance.models.compute import autocast, random_state, set_random_state
from semblance.models.encoder import Encoder
from semblance.models.packing import FILLED_LENGTH, Packed, pack, send
from semblance.named_modules import DROPOUTS, LOSSES, OWN_LOSS, load_module
from semblance.settings import check_keywords
from semblance.training.batch import Regulators, batch_of
from semblance.training.changes import Changes, find_change
from semblance.training.recipe import Drawing, TrainSettings

LossFunction = Callable[..., Tensor]


def find_loss(name: str, options: dict[str, Any]) -> LossFunction:
    """Import ``training/losses/NAME.py`` and check ``options`` against its ``loss`` function."""
    function = load_module(LOSSES, name, "loss").loss
    check_keywords(inspect.signature(function, eval_str=True), options, "options")
    return function


def reads_all_rows(name: str, options: dict[str, Any]) -> bool:
    """Tell whether a loss compares with the regulators of all rows of the corpus."""
    module = load_module(LOSSES, name, "loss")
    return hasattr(module, "reads_all_rows") and module.reads_all_rows(options)


def _check_regulators(function: LossFunction, name: str, regulators: Sequence[np.ndarray]) -> None:
    """Raise InputError unless regulators of one width are given where the loss reads them."""
    reads = "regulators" in inspect.signature(function).parameters
    count = len(regulators)
    if reads and not count:
        raise InputError("regulators", f"loss {name!r} reads regulators, and none are given")
    if count and not reads:
        raise InputError("regulators", f"loss {name!r} reads no regulators, {count} are given")
    widths = sorted({embeddings.shape[1] for embeddings in regulators})
    if len(widths) > 1:
        problem = f"have vectors of {' and '.join(map(str, widths))} numbers"
        raise InputError("regulators", problem, "name models of one width")


def _check_micro_batch(settings: TrainSettings) -> None:
    """Raise InputError for a micro-batch under dropout rates that sentences of a batch share."""
    if settings.micro_batch is None:
        return
    for name, options in settings.dropout.named.items():
        module = load_module(DROPOUTS, name, f"dropout.{name}")
        if hasattr(module, "spans_sentences") and module.spans_sentences(options):
            problem = f"the sentences of a batch share the rates of dropout {name!r}"
            raise InputError(
                "settings.micro_batch", problem, "set granularity: row, or leave it out"
            )


class Pass(NamedTuple):
    """What one encoder embeds at a time: V views of B rows."""

    packed: Packed
    views: Tensor  # (n,) int64: the view of each sentence, ascending
    view_count: int  # V
    rows: int  # B: what is packed beyond V B sentences fills the batch up


class Inputs(NamedTuple):
    """All that a step reads besides the weights, on their device."""

    pieces: tuple[tuple[Pass, ...], ...]  # the batch by its rows; one where it is embedded whole
    regulators: tuple[Regulators, ...]  # one or none


class BatchLoss:
    """Draws batch after batch and returns its loss: the ``step_loss`` of the loop."""

    def __init__(
        self,
        encoders: Sequence[Encoder],
        tokens: Tokens,
        rows: Rows,
        settings: TrainSettings,
        regulators: Sequence[np.ndarray] = (),
        tokenizer: str | Path | None = None,
    ):
        """Take one encoder, or two: the first one for the queries, the other for all other views.

        ``regulators``: the frozen embeddings (S, d) of each, memory-mapped. Only a view that
        changes texts reads the file of the tokenizer.
        """
        self.encoders = encoders
        self.tokens = tokens
        self.settings = settings
        self.regulators = regulators
        self.loss = find_loss(settings.loss, settings.options)
        _check_regulators(self.loss, settings.loss, regulators)
        _check_micro_batch(settings)
        self.columns = rows.views()
        self._of_all_rows: tuple[Tensor, ...] | None = None
        if reads_all_rows(settings.loss, settings.options):
            self._of_all_rows = self._frozen(self.columns)
        self.changes: Changes | None = None
        change = find_change(settings.views, settings.view_options)
        if change is not None:
            words = read_vocabulary(tokenizer)
            self.changes = Changes(change, settings.view_options, words, settings.seed)
        self._draw = Drawing(rows, settings)

    @property
    def device(self) -> torch.device:
        """Where the encoders are."""
        return self.encoders[0].words.weight.device

    @property
    def fills(self) -> bool:
        """Whether batches are filled up to a few shapes: short ones on a GPU, which repeats them."""
        limit = self.encoders[0].max_length(self.settings.max_length)
        return self.device.type == "cuda" and limit <= FILLED_LENGTH

    @property
    def repeats(self) -> bool:
        """Whether a GPU can record a step: it may not bring the generator back to an earlier state.

        A loss of a user's own file is called at each step: it may count them, or draw by itself.
        """
        settings = self.settings
        whole = settings.micro_batch is None and not settings.same_masks
        return self.fills and whole and settings.loss != OWN_LOSS

    def __call__(self, step: int) -> Tensor:
        """Return the loss of batch number ``step``; steps must not go back."""
        return self.compute(self.draw(step))

    def draw(self, step: int) -> Inputs:
        """Return batch number ``step``; steps must not go back."""
        chosen = self._draw(step)  # (B,)
        numbers = np.stack([column[chosen] for column in self.columns])  # (V, B)
        # Regulators are sent first: a GPU then has them when the forward pass is done.
        regulators = self._send_regulators(numbers, chosen)
        tokens = self.tokens
        if self.changes is not None:
            tokens, numbers = self.changes.apply(tokens, numbers, step, chosen)
        micro = self.settings.micro_batch or len(chosen)
        pieces = np.split(numbers, range(micro, len(chosen), micro), axis=1)
        return Inputs(tuple(tuple(self._passes(tokens, piece)) for piece in pieces), regulators)

    def compute(self, inputs: Inputs) -> Tensor:
        """Return the loss of a batch."""
        if len(inputs.pieces) > 1:
            return self._by_pieces(inputs)
        (passes,) = inputs.pieces
        return self._compare(self._embed(passes), inputs.regulators)

    def _compare(self, views: Sequence[Tensor], regulators: Sequence[Regulators]) -> Tensor:
        """Return the loss of V views of B sentences, (B, d) each."""
        return self.loss(batch_of(views), *regulators, **self.settings.options)

    def _by_pieces(self, inputs: Inputs) -> Tensor:
        """Return the loss of a batch, of which only one piece at a time has a graph.

        All rows are embedded piece by piece without a graph, then the loss gives the gradient of
        each embedding, and each piece is embedded again, with the same dropout, to pass its part on
        (GradCache, Gao et al. 2021). The weights have their gradients at return, and the backward
        of what is returned adds nothing.
        """
        states, embedded = [], []
        with torch.no_grad():
            for piece in inputs.pieces:
                states.append(random_state(self.device))
                embedded.append(self._embed(piece))
        views = [torch.cat(parts).requires_grad_() for parts in zip(*embedded, strict=True)]
        loss = self._compare(views, inputs.regulators)
        loss.backward()
        after = random_state(self.device)  # a loss may draw, too
        micro = self.settings.micro_batch
        wanted = [torch.zeros_like(view) if view.grad is None else view.grad for view in views]
        gradients = zip(*(gradient.split(micro) for gradient in wanted), strict=True)
        for piece, state, gradient in zip(inputs.pieces, states, gradients, strict=True):
            set_random_state(self.device, state)
            torch.autograd.backward(self._embed(piece), gradient)
        set_random_state(self.device, after)
        return loss.detach().requires_grad_()

    def _passes(self, tokens: Tokens, numbers: np.ndarray) -> Iterator[Pass]:
        """Yield what the encoders embed one after the other, of views (V, B)."""
        if self.settings.same_masks:
            if (numbers != numbers[0]).any():
                problem = "the views of a row have different texts"
                raise InputError("settings.same_masks", problem, "set views: twice")
            parts = np.split(numbers, len(numbers))
        elif len(self.encoders) > 1:
            parts = [numbers[:1], numbers[1:]]
        else:  # all views in one pass
            parts = [numbers]
        encoder = self.encoders[0]
        limit = encoder.max_length(self.settings.max_length)
        for part in parts:
            count, rows = part.shape
            packed = pack(tokens, part.ravel(), limit, self.device, encoder.mask_token, self.fills)
            views = np.minimum(np.arange(len(packed.order)) // rows, count - 1)
            yield Pass(packed, send(views, self.device), count, rows)

    def _embed(self, passes: Sequence[Pass]) -> list[Tensor]:
        """Embed V views of B sentences under dropout; returns V tensors (B, d), float32."""
        same_masks = self.settings.same_masks
        state = random_state(self.device) if same_masks else None
        embeddings = []
        for number, each in enumerate(passes):
            if state is not None:  # each view by itself, all from one state of the generator
                set_random_state(self.device, state)
            encoder = self.encoders[-1 if number else 0]
            plan = encoder.dropout_plan(self.settings.dropout, each.views, each.view_count)
            with autocast(self.settings.precision, self.device.type):
                vectors = encoder(each.packed, plan)
            embeddings += vectors.float().split(each.rows)[: each.view_count]
        return embeddings

    def _send_regulators(self, numbers: np.ndarray, chosen: np.ndarray) -> tuple[Regulators, ...]:
        if not len(self.regulators):
            return ()
        if self._of_all_rows is not None:
            return (Regulators(*self._of_all_rows, send(chosen, self.device)),)
        return (Regulators(*self._frozen(numbers)),)

    def _frozen(self, columns: Sequence[np.ndarray]) -> tuple[Tensor, ...]:
        """Return the regulators' embeddings of queries and of positives, (N, rows, d) each."""
        of_each = (np.stack([r[column] for r in self.regulators]) for column in columns[:2])
        return tuple(send(embeddings, self.device).float() for embeddings in of_each)
