"""Dropout of four kinds: plain, sampled rates (S-SimCSE), sentence-wise masks, DropHead.

Random numbers come from torch's global generator of the device, so that one seed fixes them all.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

_LEVELS = 1 << 16  # rates are resolved to 1/65536: sixteen random bits decide an element


@dataclass(frozen=True)
class Sampled:
    """The distribution of a dropout rate (S-SimCSE, section 3.1).

    ``granularity`` says who shares a rate: ``view`` (one for each operation and view, "w/o sd"),
    ``row`` (one for each operation and sentence, "w/ sd") or ``forward`` (one for each operation).
    """

    # ASSUME: the paper names uniform as an example and gives no range
    distribution: Literal["uniform", "beta"] = "uniform"
    low: float = 0.0
    high: float = 0.2
    alpha: float = 2.0
    beta: float = 18.0
    granularity: Literal["view", "row", "forward"] = "view"
    layers: Literal["hidden", "hidden+attention"] = "hidden"


@dataclass(frozen=True)
class DropoutSettings:
    """Which dropouts act in training; None keeps the base model's own rate."""

    hidden: float | None = None
    attention: float | None = None
    drophead: float = 0.0
    sampled: Sampled | None = None


def keep_mask(
    shape: tuple[int, ...], rate: float | Tensor, device: torch.device
) -> tuple[Tensor, float | Tensor]:
    """Draw a Boolean mask that keeps each element with probability 1 - rate.

    Returns the mask and the probability kept, exactly as drawn (a multiple of 1/65536), to divide
    by. ``rate`` is a float or a tensor that broadcasts against ``shape``.
    """
    count = torch.Size(shape).numel()
    words = torch.empty((count + 3) // 4, dtype=torch.int64, device=device).random_(-(2**63), None)
    bits = words.view(torch.int16)[:count].view(
        shape
    )  # four 16-bit draws a word: 18 % of a step saved
    if isinstance(rate, Tensor):
        levels = ((1.0 - rate.double()) * _LEVELS).round()
        return bits <= (levels - _LEVELS // 2 - 1).to(torch.int16), (levels / _LEVELS).to(
            rate.dtype
        )
    levels = round((1.0 - rate) * _LEVELS)
    return bits <= levels - _LEVELS // 2 - 1, levels / _LEVELS


def dropout(x: Tensor, rate: float | Tensor) -> Tensor:
    """Zero elements with probability ``rate`` and scale the others by 1/(1 - rate)."""
    if isinstance(rate, float) and rate == 0.0:
        return x
    mask, kept = keep_mask(tuple(x.shape), rate, x.device)
    return x * mask.to(x.dtype).div_(kept)


def head_scale(rows: int, heads: int, rate: float, device: torch.device) -> Tensor:
    """Draw DropHead's factors, shape (rows, heads): 0 for a dropped head, heads/kept for the others.

    Zhou et al. 2020, section 3. A row whose heads would all go keeps them all.
    """
    keep, _ = keep_mask((rows, heads), rate, device)
    keep = keep | ~keep.any(dim=1, keepdim=True)
    return keep / keep.float().mean(dim=1, keepdim=True)


def sample_rates(sampled: Sampled, count: int, device: torch.device) -> Tensor:
    """Draw ``count`` dropout rates, float32, clamped to [0, .9]."""
    if sampled.distribution == "beta":
        shapes = [
            torch.full((count, 1), shape, device=device) for shape in (sampled.alpha, sampled.beta)
        ]
        gammas = torch._standard_gamma(torch.cat(shapes, dim=1))
        rates = gammas[:, 0] / gammas.sum(dim=1)
    else:
        rates = torch.rand(count, device=device) * (sampled.high - sampled.low) + sampled.low
    return rates.clamp(0.0, 0.9)


class Noise:
    """The dropout of one forward pass over a flattened batch of sentences, on ``device``.

    ``views`` (n,), on the CPU, numbers the view that each sentence belongs to, in ascending order. Each operation that
    asks for its rate draws it anew where rates are sampled.
    """

    def __init__(
        self,
        settings: DropoutSettings,
        hidden: float,
        attention: float,
        views: Tensor,
        device: torch.device | str = "cpu",
    ):
        self.settings, self.views = settings, views.to(device)
        self.view_count = int(views[-1]) + 1  # read before it is sent: reading waits for a GPU
        self.plain_hidden = hidden if settings.hidden is None else settings.hidden
        self.plain_attention = attention if settings.attention is None else settings.attention

    def hidden_rate(self) -> float | Tensor:
        """Return the rate of one hidden dropout operation: a float, or one for each sentence (n,)."""
        return self._sample() if self.settings.sampled else self.plain_hidden

    def attention_rate(self) -> float | Tensor:
        """Return the rate of one attention dropout operation: a float, or one for each sentence (n,)."""
        sampled = self.settings.sampled
        return (
            self._sample()
            if sampled and sampled.layers == "hidden+attention"
            else self.plain_attention
        )

    def _sample(self) -> Tensor:
        sampled, n, device = self.settings.sampled, len(self.views), self.views.device
        if sampled.granularity == "row":
            return sample_rates(sampled, n, device)
        if sampled.granularity == "view":
            return sample_rates(sampled, self.view_count, device)[self.views]
        return sample_rates(sampled, 1, device).expand(n)
