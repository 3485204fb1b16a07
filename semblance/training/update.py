"""One update of the weights: loss, gradients, clipping, AdamW. A GPU records it and repeats it.

A step of a small encoder is a thousand short operations, and a GPU waits for its host to start each.
A CUDA graph starts them all at once. It repeats addresses and shapes, so batches come in few shapes
(``packing``), and what a step reads is copied to where the recorded one has read it. Random numbers
go on as they would without it, so a recorded step gives the bits of one that is not.
"""

import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn

from semblance.models.optimiser import AdamW

# What torch's detector of waits says: of a step that waits, and once of itself.
SEEN = "called a synchronizing CUDA operation"
OF_ITSELF = "Synchronization debug mode is a prototype"
WAITS = "the loss reads numbers from the GPU in each step, which is slower than a recorded step"


class Repeatable(Protocol):
    """A loss in two halves, of which a GPU can record the second: ``batch_loss.BatchLoss``."""

    device: torch.device
    repeats: bool  # whether it can be recorded

    def draw(self, step: int) -> tuple:
        """Return all that a step reads, as tensors in nested tuples; steps must not go back."""

    def compute(self, inputs: tuple) -> Tensor:
        """Return the loss of a step."""


class Update:
    """Updates a model by the loss of one step after another."""

    def __init__(
        self,
        model: nn.Module,
        optimiser: AdamW,
        step_loss: Callable[[int], Tensor],
        clip: float,
    ):
        self.model = model
        self.optimiser = optimiser
        self.step_loss = step_loss
        self.clip = clip

    def __call__(self, step: int, rate: float) -> float:
        """Make step number ``step`` at a learning rate; return its loss."""
        return float(self._apply(self.step_loss(step), rate))

    def _apply(self, loss: Tensor, rate: float | Tensor) -> Tensor:
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.optimiser.step(rate)
        self.optimiser.zero_grad()
        return loss.detach()


class Recorded(NamedTuple):
    """An update in a graph: what it reads, and where it leaves its loss."""

    graph: torch.cuda.CUDAGraph
    inputs: tuple
    loss: Tensor

    def repeat(self, inputs: tuple) -> Tensor:
        """Make the update with other inputs of the same shapes; return its loss."""
        torch._foreach_copy_(tensors_of(self.inputs), tensors_of(inputs))
        self.graph.replay()
        return self.loss


class RecordedUpdate(Update):
    """Updates a model on a GPU: the first time that a shape comes as it is, then by a graph.

    The next batch is drawn while the GPU works.
    """

    step_loss: Repeatable

    def __init__(self, model: nn.Module, optimiser: AdamW, step_loss: Repeatable, clip: float):
        super().__init__(model, optimiser, step_loss, clip)
        self.rate = torch.zeros((), device=step_loss.device)
        self.stream = torch.cuda.Stream(step_loss.device)
        self.pool = torch.cuda.graph_pool_handle()
        self.recorded: dict[tuple[torch.Size, ...], Recorded | None] = {}
        self.drawn: tuple[int, tuple] | None = None
        self.waits = False  # whether a step reads a number from the GPU

    def __call__(self, step: int, rate: float) -> float:
        """Make step number ``step`` at a learning rate; return its loss."""
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            if self.drawn is None or self.drawn[0] != step:
                self.drawn = (step, self.step_loss.draw(step))
            self.rate.fill_(rate)
            loss = self._update(self.drawn[1])
            self.drawn = (step + 1, self.step_loss.draw(step + 1))
            return float(loss)  # waits for the GPU

    def _update(self, inputs: tuple) -> Tensor:
        shapes = tuple(tensor.shape for tensor in tensors_of(inputs))
        if self.waits or shapes not in self.recorded:
            self.recorded[shapes] = None
            return self._unrecorded(inputs)
        recorded = self.recorded[shapes]
        if recorded is None:
            recorded = self.recorded[shapes] = self._record(inputs)
        return recorded.repeat(inputs)

    def _unrecorded(self, inputs: tuple) -> Tensor:
        """Make the update as it is, and note whether it waits for the GPU: no graph can do that."""
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            torch.cuda.set_sync_debug_mode("warn")
            try:
                return self._apply(self.step_loss.compute(inputs), self.rate)
            finally:
                torch.cuda.set_sync_debug_mode("default")
                self._note(found)

    def _note(self, found: Iterable[warnings.WarningMessage]) -> None:
        """Note whether torch has seen a wait, and pass on all other warnings."""
        for each in found:
            message = str(each.message)
            if SEEN in message and not self.waits:
                self.waits = True
                print(f"note: {WAITS}", file=sys.stderr)
            elif SEEN not in message and OF_ITSELF not in message:
                warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)

    def _record(self, inputs: tuple) -> Recorded:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self.pool, stream=self.stream):
            loss = self._apply(self.step_loss.compute(inputs), self.rate)
        return Recorded(graph, inputs, loss)


def tensors_of(value: Any) -> list[Tensor]:
    """Return all tensors in nested tuples, in order."""
    if isinstance(value, Tensor):
        return [value]
    return [each for part in value for each in tensors_of(part)] if isinstance(value, tuple) else []


def updating(
    model: nn.Module, optimiser: AdamW, step_loss: Callable[[int], Tensor], clip: float
) -> Update:
    """Return what updates a model by a loss: a recorded one, where the loss can be recorded."""
    if getattr(step_loss, "repeats", False):
        return RecordedUpdate(model, optimiser, step_loss, clip)
    return Update(model, optimiser, step_loss, clip)
