"""A model without a transformer: a text's vector is the mean of the vectors of its words.

Its folder is that of sentence-transformers' StaticEmbedding: a tokenizer whose tokens are the
words, and a matrix with a row for each. A text without a known word has the vector 0.
"""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from semblance.data.tokens import Tokens
from semblance.errors import InputError
from semblance.models.modules import Modules
from semblance.models.saved import WEIGHTS_FILE
from semblance.models.weights import load_tensors
from semblance.settings import Precision

KIND = "StaticEmbedding"  # the only module of such a folder
MATRIX = "embedding.weight"  # its name in the weights


class WordAverage(nn.Module):
    """Takes the place of an encoder where texts are embedded; it cannot be trained.

    ``precision`` changes nothing: the mean is taken in float32.
    """

    precision: Precision = "fp32"

    def __init__(self, matrix: Tensor):
        """``matrix`` holds a vector for each token, (n, d)."""
        super().__init__()
        self.words = nn.EmbeddingBag.from_pretrained(matrix, mode="mean")

    @torch.no_grad()
    def encode(self, tokens: Tokens, max_length: int) -> np.ndarray:
        """Return the mean of each sentence's vectors, (N, d) float32, whatever its length."""
        device = self.words.weight.device
        ids = torch.from_numpy(tokens.ids.astype(np.int64))
        starts = torch.from_numpy(tokens.offsets[:-1].astype(np.int64))
        return self.words(ids.to(device), starts.to(device)).cpu().numpy()


def is_word_average(folder: Path) -> bool:
    """Tell whether a model folder holds word vectors and no transformer."""
    return Modules.read(folder).listed[0].kind == KIND


def load_word_average(folder: Path) -> WordAverage:
    """Load a folder of word vectors on the CPU; InputError for weights that are none."""
    path = folder / WEIGHTS_FILE
    matrix = load_tensors(path).get(MATRIX)
    if matrix is None or matrix.ndim != 2 or not matrix.isfinite().all():
        raise InputError(path, "no finite matrix of word vectors", "delete it and run again")
    return WordAverage(matrix.float())
