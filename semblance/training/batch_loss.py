"""From a batch number to its loss: rows are drawn, embedded and compared."""

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from semblance.data.corpus import Rows
from semblance.data.tokens import Tokens
from semblance.data.vocabulary import read_vocabulary
from semblance.errors import InputError
from semblance.models.compute import autocast, random_state, set_random_state
from semblance.models.encoder import Encoder
from semblance.models.packing import pack
from semblance.named_modules import DROPOUTS, LOSSES, load_module
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
        self.changes: Changes | None = None
        change = find_change(settings.views, settings.view_options)
        if change is not None:
            words = read_vocabulary(tokenizer)
            self.changes = Changes(change, settings.view_options, words, settings.seed)
        self._draw = Drawing(rows, settings)

    def __call__(self, step: int) -> Tensor:
        """Return the loss of batch number ``step``; steps must not go back."""
        chosen = self._draw(step)  # (B,)
        numbers = np.stack([column[chosen] for column in self.columns])  # (V, B)
        device = self.encoders[0].words.weight.device
        # Regulators are sent first: a GPU then has them when the forward pass is done.
        regulators = self._send_regulators(numbers, device)
        texts = (self.tokens, numbers)
        if self.changes is not None:
            texts = self.changes.apply(self.tokens, numbers, step, chosen)
        micro = self.settings.micro_batch
        if micro is not None and micro < len(chosen):
            return self._by_pieces(*texts, micro, regulators, device)
        return self._compare(self._embed(*texts, device), regulators)

    def _compare(self, views: Sequence[Tensor], regulators: list[Regulators]) -> Tensor:
        """Return the loss of V views of B sentences, (B, d) each."""
        return self.loss(batch_of(views), *regulators, **self.settings.options)

    def _by_pieces(
        self,
        tokens: Tokens,
        numbers: np.ndarray,
        micro: int,
        regulators: list[Regulators],
        device: torch.device,
    ) -> Tensor:
        """Return the loss of a batch, of which never more than ``micro`` rows have a graph.

        All rows are embedded piece by piece without a graph, then the loss gives the gradient of
        each embedding, and each piece is embedded again, with the same dropout, to pass its part on
        (GradCache, Gao et al. 2021). The weights have their gradients at return, and the backward
        of what is returned adds nothing.
        """
        pieces = np.split(numbers, range(micro, numbers.shape[1], micro), axis=1)
        states, embedded = [], []
        with torch.no_grad():
            for piece in pieces:
                states.append(random_state(device))
                embedded.append(self._embed(tokens, piece, device))
        views = [torch.cat(parts).requires_grad_() for parts in zip(*embedded, strict=True)]
        loss = self._compare(views, regulators)
        loss.backward()
        after = random_state(device)  # a loss may draw, too
        wanted = [torch.zeros_like(view) if view.grad is None else view.grad for view in views]
        gradients = zip(*(gradient.split(micro) for gradient in wanted), strict=True)
        for piece, state, gradient in zip(pieces, states, gradients, strict=True):
            set_random_state(device, state)
            torch.autograd.backward(self._embed(tokens, piece, device), gradient)
        set_random_state(device, after)
        return loss.detach().requires_grad_()

    def _embed(self, tokens: Tokens, numbers: np.ndarray, device: torch.device) -> list[Tensor]:
        """Embed V views of B sentences under dropout; returns V tensors (B, d), float32."""
        first, others = self.encoders[0], self.encoders[-1]
        if not self.settings.same_masks:
            if first is others:  # all views in one pass
                return self._embed_by(first, tokens, numbers, device)
            of_queries = self._embed_by(first, tokens, numbers[:1], device)
            return of_queries + self._embed_by(others, tokens, numbers[1:], device)
        if (numbers != numbers[0]).any():
            problem = "the views of a row have different texts"
            raise InputError("settings.same_masks", problem, "set views: twice")
        # Each view by itself, all from one state of the random generator.
        state = random_state(device)
        embeddings = self._embed_by(first, tokens, numbers[:1], device)
        for column in numbers[1:]:
            set_random_state(device, state)
            embeddings += self._embed_by(others, tokens, column[None], device)
        return embeddings

    def _embed_by(
        self, encoder: Encoder, tokens: Tokens, numbers: np.ndarray, device: torch.device
    ) -> list[Tensor]:
        """Embed V views of B sentences by one encoder, in one pass."""
        settings = self.settings
        limit = encoder.max_length(settings.max_length)
        packed = pack(tokens, numbers.ravel(), limit, device, encoder.mask_token)
        views = torch.arange(len(numbers)).repeat_interleave(numbers.shape[1])
        plan = encoder.dropout_plan(settings.dropout, views)
        with autocast(settings.precision, device.type):
            embeddings = encoder(packed, plan)
        return list(embeddings.float().chunk(len(numbers)))

    def _send_regulators(self, numbers: np.ndarray, device: torch.device) -> list[Regulators]:
        if not len(self.regulators):
            return []
        columns = [np.stack([r[column] for r in self.regulators]) for column in numbers[:2]]
        return [Regulators(*(torch.from_numpy(c).to(device).float() for c in columns))]
