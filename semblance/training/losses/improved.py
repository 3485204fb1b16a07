"""GTE's improved contrastive loss (Li et al. 2023, Section 3.3): negatives among queries and documents."""

import torch
from torch import Tensor

from semblance.settings import Positive
from semblance.training.batch import Batch, candidates, scaled_cosines


def loss(batch: Batch, *, scale: Positive = 20.0) -> Tensor:
    """Mean over i of -log of exp(scale * cos(q_i, d_i)) over the sum of four groups of such terms.

    They are (q_i, d_j) of all j, (q_i, q_j) and (d_j, d_i) of j ≠ i, and (q_j, d_i) of all j. Hard
    negatives are documents d_j of their row, so that the own row's are left out beside d_i.
    """
    documents = candidates(batch)  # (C, d)
    to_documents = scaled_cosines(batch.queries, documents, scale)
    to_queries = scaled_cosines(batch.queries, batch.queries, scale)
    among_documents = scaled_cosines(batch.positives, documents, scale)
    itself = torch.eye(len(to_queries), dtype=torch.bool, device=to_queries.device)
    of_own_row = itself.repeat(1, len(documents) // len(itself))
    terms = [
        to_documents,
        to_queries.masked_fill(itself, -torch.inf),
        to_documents[:, : len(itself)].T,
        among_documents.masked_fill(of_own_row, -torch.inf),
    ]
    return (torch.cat(terms, dim=1).logsumexp(dim=1) - to_documents.diagonal()).mean()
