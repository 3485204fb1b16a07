"""DropHead: whole attention heads are dropped, for each sentence by itself (Zhou et al. 2020)."""

import torch
from torch import Tensor

from semblance.models.masks import keep_mask
from semblance.settings import Rate

Options = Rate  # at which heads are dropped


def head_scale(rate: float, rows: int, heads: int, device: torch.device) -> Tensor | None:
    """Draw each head's factor, (rows, heads): 0 for a dropped head, heads/kept for the others.

    Section 3. A row whose heads would all be dropped keeps them all. None where the rate is 0.
    """
    if rate == 0.0:
        return None
    keep, _ = keep_mask((rows, heads), rate, device)
    # Where none is left there would be nothing to scale by, so that all of them stay (R43).
    keep = keep | ~keep.any(dim=1, keepdim=True)
    return keep / keep.float().mean(dim=1, keepdim=True)
