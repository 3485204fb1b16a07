"""S-SimCSE: each dropout operation samples its rate from a distribution (section 3.1)."""

from dataclasses import dataclass
from typing import Literal, assert_never

import torch
from torch import Tensor

from semblance.models.dropout_plan import Site
from semblance.settings import LARGEST_RATE, Positive, Rate

Distribution = Literal["uniform", "beta"]
Granularity = Literal["view", "row", "pass", "shared"]
PASS_RATES = "sampled"  # the rates of a pass, among those that its operations share


@dataclass(frozen=True)
class Options:
    """The distribution of a rate, and what shares one.

    ``granularity``: ``view`` draws a rate for each operation and view ("w/o sd"), ``row`` for each
    operation and sentence ("w/ sd"), ``pass`` for each view, the same in all its operations (r1 and
    r2 of section 3.1), ``shared`` for each operation, the same in both views.
    """

    # ASSUME: the paper names the uniform distribution as an example and gives no range
    distribution: Distribution = "uniform"
    low: Rate = 0.0
    high: Rate = 0.2
    alpha: Positive = 2.0
    beta: Positive = 18.0
    granularity: Granularity = "view"
    layers: Literal["hidden", "hidden+attention"] = "hidden"


def spans_sentences(options: Options) -> bool:
    """Return whether sentences share a rate, so that a batch must be embedded as a whole."""
    return options.granularity != "row"


def rate(options: Options, site: Site) -> Tensor | None:
    """Draw the rate of one dropout operation, one for each sentence (n,); None where none acts."""
    if site.layers not in options.layers.split("+"):
        return None
    sentences = len(site.views)
    device = site.views.device
    match options.granularity:
        case "row":
            return sample_rates(options, sentences, device)
        case "view":
            return sample_rates(options, site.view_count, device)[site.views]
        case "pass":  # the first operation of the forward pass draws
            if PASS_RATES not in site.drawn:
                site.drawn[PASS_RATES] = sample_rates(options, site.view_count, device)
            return site.drawn[PASS_RATES][site.views]
        case "shared":
            return sample_rates(options, 1, device).expand(sentences)
        case word:
            assert_never(word)


def sample_rates(options: Options, count: int, device: torch.device) -> Tensor:
    """Draw ``count`` dropout rates, float32, clamped to [0, .9]."""
    match options.distribution:
        case "uniform":
            spread = options.high - options.low
            rates = torch.rand(count, device=device) * spread + options.low
        case "beta":
            rates = _beta(options, count, device)
        case word:
            assert_never(word)
    return rates.clamp(0.0, LARGEST_RATE)


def _beta(options: Options, count: int, device: torch.device) -> Tensor:
    """Draw from Beta(α, β), as the share of one gamma variable in the sum of two."""
    alpha = torch.full((count, 1), options.alpha, device=device)
    beta = torch.full((count, 1), options.beta, device=device)
    shapes = torch.cat([alpha, beta], dim=1)  # (count, 2)
    gammas = torch._standard_gamma(shapes)
    return gammas[:, 0] / gammas.sum(dim=1)
