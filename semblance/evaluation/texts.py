"""Each distinct sentence is embedded once for a model."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from semblance.data.tokens import Tokens, tokenise
from semblance.errors import InputError
from semblance.models.encoder import Encoder


class Texts:
    """The distinct texts of an evaluation, tokenised once; models embed them any number of times."""

    def __init__(self, texts: Sequence[str], tokenizer_file: str | Path, prompt: str = ""):
        """``prompt`` stands before each text when the model reads it."""
        self.numbers = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        self.tokens: Tokens = tokenise(tokenizer_file, [prompt + text for text in self.numbers])

    def numbers_of(self, texts: Sequence[str]) -> list[int]:
        """Return the number of each text; equal texts have one number."""
        return [self.numbers[text] for text in texts]

    def encode(self, encoder: Encoder, max_length: int) -> "Vectors":
        """Embed every distinct text; raises InputError where a vector is not finite."""
        vectors = encoder.encode(self.tokens, max_length)
        if not np.isfinite(vectors).all():
            raise InputError(
                "model", "gives embeddings that are not finite", "train it again, or in fp32"
            )
        return Vectors(vectors, self.numbers)


class Vectors(NamedTuple):
    """Vectors (n, d), and the number of each text among them."""

    matrix: np.ndarray
    numbers: dict[str, int]

    def of(self, texts: Sequence[str]) -> np.ndarray:
        """Return the vectors of ``texts``, (len(texts), d) float32."""
        return self.matrix[[self.numbers[t] for t in texts]]
