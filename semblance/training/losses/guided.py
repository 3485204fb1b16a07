"""GISTEmbed (Solatorio 2024, Section 3.2): a guide keeps texts that are no negatives from being some."""

import torch
from torch import Tensor

from semblance.settings import Positive
from semblance.training.batch import Batch, Regulators, mean_cosines, scaled_cosines


def loss(batch: Batch, regulators: Regulators, *, scale: Positive = 100.0) -> Tensor:
    """Mean over i of -log softmax(scale * cos(q_i, .))[p_i] over three groups of candidates.

    The groups are the pairs (q_i, p_j), (q_i, q_j) and (p_i, p_j). The guide drops a candidate whose
    cosine is above that of the row's own pair (q_i, p_i): it may mean the same, and is no negative.
    ``regulators`` are the guides' vectors, of any width; several guides count by the mean of their
    cosines. Hard negatives have no guide's vectors, and all stay.
    """
    pairs = ("queries", "positives"), ("queries", "queries"), ("positives", "positives")
    guided = [mean_cosines(*(getattr(regulators, name) for name in pair)) for pair in pairs]
    own = guided[0].diagonal().unsqueeze(1)  # (B, 1)
    itself = torch.eye(len(own), dtype=torch.bool, device=own.device)
    # The own pair is the numerator, so that it stays whatever the guide says; so do equal cosines.
    kept = [(guided[0] <= own) | itself, *((each <= own) & ~itself for each in guided[1:])]
    logits = [
        scaled_cosines(getattr(batch, one), getattr(batch, other), scale).masked_fill(
            ~kept_here, -torch.inf
        )
        for (one, other), kept_here in zip(pairs, kept, strict=True)
    ]
    if batch.negatives is not None:
        logits.append(scaled_cosines(batch.queries, batch.negatives, scale))
    return -torch.cat(logits, dim=1).log_softmax(dim=1).diagonal().mean()
