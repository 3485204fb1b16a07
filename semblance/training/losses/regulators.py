"""RCL Eq. 3: the final model, held near the frozen embeddings of N entropy models."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from semblance.errors import InputError
from semblance.settings import Candidates, NotNegative, Positive, Reduction
from semblance.training.batch import Batch, Regulators, reduced
from semblance.training.losses.contrastive import loss as contrastive


def reads_all_rows(options: dict[str, Any]) -> bool:
    """Tell whether the regulators are those of all rows of the corpus, with ``own``."""
    return options.get("regulator_candidates") == "all"


def regulator_terms(
    embeddings: Tensor, regulators: Tensor, scale: float, own: Tensor | None = None
) -> Tensor:
    """-log softmax_k(scale * cos(x_i, Au_k^n))[i] of each n and i: (N, B).

    ``regulators`` (N, K, d): of the batch itself, or of more rows, ``own`` (B,) those of the batch.
    """
    width, wanted = regulators.shape[-1], embeddings.shape[-1]
    if width != wanted:
        problem = f"have vectors of {width} numbers, the model of {wanted}"
        raise InputError("regulators", problem, "name models of one width")
    x = F.normalize(embeddings, dim=-1)  # (B, d)
    # The candidates are regulators of rows alone: hard negatives have none (R10).
    log_p = (scale * x @ F.normalize(regulators, dim=-1).mT).log_softmax(dim=-1)  # (N, B, K)
    if own is None:
        return -log_p.diagonal(dim1=-2, dim2=-1)
    return -log_p.gather(-1, own.expand(len(log_p), -1)[..., None])[..., 0]


def loss(
    batch: Batch,
    regulators: Regulators,
    *,
    scale: Positive = 20.0,
    regulator_weight: NotNegative = 1.0,
    reduction: Reduction = "sum",
    regulator_scale: Positive | None = None,
    regulator_reduction: Reduction = "mean",
    regulator_candidates: Candidates = "batch",
) -> Tensor:
    """Eq. 1 plus the 2N regulators, summed unweighted as printed.

    The paper's numerator prints ind_j; ind_i is meant. What it leaves open: the scale of the
    regulators, without it that of Eq. 1; their reduction over the batch (``reduction`` is that over
    the regulators); their candidates, the rows of the batch or "all M tuples" of the corpus.
    """
    own = regulators.own if regulator_candidates == "all" else None
    held = zip(batch[:2], regulators[:2], strict=True)
    # Both sides are held, each near its own: the 2N terms of Eq. 3.
    terms = torch.cat([regulator_terms(x, r, regulator_scale or scale, own) for x, r in held])
    terms = terms.mean(dim=1) if regulator_reduction == "mean" else terms.sum(dim=1)  # (2N,)
    return contrastive(batch, scale=scale) + regulator_weight * reduced(terms, reduction)
