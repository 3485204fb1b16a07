"""The masks of dropout: which elements are kept, and how the others are scaled.

Random numbers come from torch's global generator of the device, so that one seed fixes them all.
"""

import torch
from torch import Tensor

LEVELS = 1 << 16  # rates are rounded to 1/65536: sixteen random bits decide for an element


def keep_mask(
    shape: tuple[int, ...], rate: float | Tensor, device: torch.device
) -> tuple[Tensor, float | Tensor]:
    """Draw a Boolean mask that keeps each element with probability 1 - rate.

    Returns the mask and the probability kept, exactly as drawn (a multiple of 1/65536), to divide
    by. ``rate`` is a float or a tensor that broadcasts against ``shape``.
    """
    bits = _random_bits(shape, device)
    if isinstance(rate, Tensor):
        levels = ((1.0 - rate.double()) * LEVELS).round()
        highest = (levels - LEVELS // 2 - 1).to(torch.int16)
        return bits <= highest, (levels / LEVELS).to(rate.dtype)
    # Scaled by the rounded rate, so that the expected value is exact (E24).
    levels = round((1.0 - rate) * LEVELS)
    return bits <= levels - LEVELS // 2 - 1, levels / LEVELS


def _random_bits(shape: tuple[int, ...], device: torch.device) -> Tensor:
    """Draw int16 numbers, each of the 65536 as likely as the others."""
    count = torch.Size(shape).numel()
    # Four numbers from each 64-bit draw: drawing each by itself makes a step 18 % longer.
    words = torch.empty((count + 3) // 4, dtype=torch.int64, device=device)
    words.random_(-(2**63), None)
    return words.view(torch.int16)[:count].view(shape)


def dropout(x: Tensor, rate: float | Tensor) -> Tensor:
    """Zero elements with probability ``rate`` and scale the others by 1/(1 - rate)."""
    if isinstance(rate, float) and rate == 0.0:
        return x
    mask, kept = keep_mask(tuple(x.shape), rate, x.device)
    return x * mask.to(x.dtype).div_(kept)
