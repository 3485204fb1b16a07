"""Alignment and uniformity during a training, on a fixed sample of STS-B (SimCSE, Figure 2)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from semblance.errors import InputError
from semblance.evaluation.metrics import NEAR, alignment, uniformity
from semblance.evaluation.prepared import Texts, read_pairs
from semblance.models.encoder import Encoder
from semblance.models.saved import LENGTH, TOKENIZER, SavedModel
from semblance.provenance import checked

# ASSUME 20 near pairs and as many others of the dev pairs. Every 10 steps they take 5 % of a training
# with 3 layers in bf16 on one CPU core (.17 of 3.5 s), and less of a larger one; 64 took 15 %.
PAIRS = 20

Measure = Callable[[Encoder], dict[str, float]]


def geometry_measure(path: str, base: str) -> tuple[Measure, dict[str, Any]]:
    """Return alignment and uniformity as a function of the encoder, and the record of the pairs.

    ``path`` is that of the record of STS-B's dev pairs; a training must not read test pairs.
    ``base`` is the record of the model whose tokenizer reads them. Raises InputError where the
    sample would have no near pair.
    """
    record = checked(path)
    model = SavedModel.read(base, TOKENIZER, LENGTH)
    pairs = read_pairs(Path(path).parent)
    near, others = sample(pairs["score"].astype(np.float64), path)
    chosen = np.concatenate([near, others])
    left = pairs["sentence1"][chosen].tolist()
    right = pairs["sentence2"][chosen].tolist()
    texts = Texts(left + right, model.tokenizer, model.prompts.default)

    def measure(encoder: Encoder) -> dict[str, float]:
        """Return alignment over the near pairs, and uniformity over all distinct sentences."""
        vectors = texts.encode(encoder, model.max_length)
        first = vectors.of(left[: len(near)])
        second = vectors.of(right[: len(near)])
        return {
            "alignment": alignment(first, second),
            "uniformity": uniformity(vectors.matrix),
        }

    return measure, record


def sample(gold: np.ndarray, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of at most PAIRS pairs with a gold score above 4, and of as many others.

    They are evenly spaced in the order of the data. InputError where no pair is above 4.
    """
    near = np.flatnonzero(gold > NEAR)
    others = np.flatnonzero(gold <= NEAR)
    if not len(near):
        raise InputError(where, "no pair has a gold score above 4", "set sts.dev: stsb")
    return _spaced(near), _spaced(others)


def _spaced(numbers: np.ndarray) -> np.ndarray:
    count = min(PAIRS, len(numbers))
    return numbers[np.arange(count) * len(numbers) // max(1, count)]
