"""Which dropouts act in a forward pass: plain rates, and the modules of ``models/dropouts``.

A module has ``Options``, the type of what the settings say of it, and one function:
``rate(options, site)``, the rate of one dropout operation, or
``head_scale(options, rows, heads, device)``, the factors of the attention heads. A module in
which one draw serves several sentences has ``spans_sentences(options)``, too, which says so.
"""

import math
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Literal, NamedTuple

from torch import Tensor

from semblance.errors import InputError
from semblance.named_modules import DROPOUTS, load_module
from semblance.settings import DropoutSettings

Layers = Literal["hidden", "attention"]


class Site(NamedTuple):
    """Where one dropout operation acts.

    ``drawn`` is empty at the start of a forward pass; what a module puts there, its later
    operations of the same pass find again.
    """

    layers: Layers  # hidden states or attention weights
    views: Tensor  # (n,) int64, on the device: the view of each sentence, ascending
    view_count: int
    drawn: dict[str, Tensor]


class DropoutPlan:
    """The dropout of one forward pass over n sentences; each call of ``rate`` draws anew."""

    def __init__(
        self,
        settings: DropoutSettings,
        hidden: float,
        attention: float,
        views: Tensor,  # (n,), on the device: the view of each sentence, ascending
        view_count: int,
    ):
        """Take the base model's rates where the settings state none."""
        self.plain = {
            "hidden": hidden if settings.hidden is None else settings.hidden,
            "attention": attention if settings.attention is None else settings.attention,
        }
        self.named = [
            (load_module(DROPOUTS, name, f"dropout.{name}"), options)
            for name, options in settings.named.items()
        ]
        self.views = views
        self.view_count = view_count
        self.drawn: dict[str, Tensor] = {}

    def rate(self, layers: Layers) -> float | Tensor:
        """Return the rate of one dropout in these layers: a float, or one a sentence (n,)."""
        site = Site(layers, self.views, self.view_count, self.drawn)
        rates = [module.rate(options, site) for module, options in self._with("rate")]
        drawn = [rate for rate in rates if rate is not None]
        if len(drawn) > 1:
            problem = f"{len(drawn)} dropouts give a rate for {layers} layers"
            raise InputError("dropout", problem, "name only one")
        return drawn[0] if drawn else self.plain[layers]

    def head_scale(self, heads: int) -> Tensor | None:
        """Return the factors of one layer's attention heads, (n, heads); None where none acts."""
        drawn = [
            module.head_scale(options, len(self.views), heads, self.views.device)
            for module, options in self._with("head_scale")
        ]
        factors = [scale for scale in drawn if scale is not None]
        return math.prod(factors[1:], start=factors[0]) if factors else None

    def _with(self, function: str) -> Iterator[tuple[ModuleType, Any]]:
        for module, options in self.named:
            if hasattr(module, function):
                yield module, options
