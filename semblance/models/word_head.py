"""The head that names masked words: from the states of tokens to a score of each word.

A checkpoint of BERT or RoBERTa carries one. It is a file of its own in the folder of a base model,
which sentence-transformers does not read; the folder of a trained model has none.
"""

from pathlib import Path

import torch.nn.functional as F
from torch import Tensor, nn, zeros

from semblance.models.architecture import Architecture
from semblance.models.weights import save_tensors

FILE = "word_head.safetensors"
SPREAD = 0.02  # standard deviation of fresh weights, as of BERT's own
NAMES = {  # ours, and those of the checkpoints of BERT and of RoBERTa
    "dense.weight": ("cls.predictions.transform.dense.weight", "lm_head.dense.weight"),
    "dense.bias": ("cls.predictions.transform.dense.bias", "lm_head.dense.bias"),
    "norm.weight": ("cls.predictions.transform.LayerNorm.weight", "lm_head.layer_norm.weight"),
    "norm.bias": ("cls.predictions.transform.LayerNorm.bias", "lm_head.layer_norm.bias"),
    "bias": (
        "cls.predictions.bias",
        "lm_head.bias",
        "cls.predictions.decoder.bias",
        "lm_head.decoder.bias",
    ),
}


class WordHead(nn.Module):
    """Dense layer, GELU, LayerNorm, and a decoder that shares the word embeddings (BERT's head)."""

    def __init__(self, shape: Architecture):
        """Draw a fresh head from torch's generator."""
        super().__init__()
        width = shape.hidden_size
        self.dense = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width, eps=shape.layer_norm_eps)
        self.bias = nn.Parameter(zeros(shape.vocab_size))
        nn.init.normal_(self.dense.weight, std=SPREAD)
        nn.init.zeros_(self.dense.bias)

    def forward(self, states: Tensor, words: Tensor) -> Tensor:
        """Return a score of each word: (M, d) and the word embeddings (V, d) to (M, V)."""
        return F.linear(self.norm(F.gelu(self.dense(states))), words, self.bias)


def stored_head(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the head of a checkpoint by our names; nothing if one weight is missing."""
    tensors = {}
    for ours, theirs in NAMES.items():
        carried = [name for name in theirs if name in weights]
        if not carried:
            return {}
        tensors[ours] = weights[carried[0]]
    return tensors


def save_head(weights: dict[str, Tensor], folder: Path) -> list[str]:
    """Write a head's weights into the folder of a base; return the names of the files, if any."""
    if not weights:
        return []
    tensors = {name: value.detach().cpu().contiguous() for name, value in weights.items()}
    save_tensors(tensors, folder / FILE)
    return [FILE]
