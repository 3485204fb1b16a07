"""SimCSE++: plain dropout in all views but the last, and none in that one (views/thrice.py)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from semblance.errors import InputError
from semblance.models.dropout_plan import Site
from semblance.settings import Rate


@dataclass(frozen=True)
class Options:
    """The rates of the other views, by layers; those of BERT are the default."""

    hidden: Rate = 0.1
    attention: Rate = 0.1


def rate(options: Options, site: Site) -> Tensor:
    """Return the rate of each sentence, (n,): 0 in the last view."""
    last = site.view_count - 1
    if not last:
        problem = "the views are embedded one at a time, so that none is the last"
        raise InputError("dropout.off_last", problem, "set encoders: 1, same_masks: false")
    rates = torch.full(site.views.shape, getattr(options, site.layers), device=site.views.device)
    return rates.masked_fill(site.views == last, 0.0)
