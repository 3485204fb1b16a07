"""Each distinct sentence with a part of itself (SimCSE, Table 1: crop)."""

import numpy as np

from semblance.data.vocabulary import Vocabulary
from semblance.settings import Share
from semblance.training.changes import Text
from semblance.training.views import twice

view = twice.view


def change(
    text: Text, vocabulary: Vocabulary, draw: np.random.Generator, *, share: Share
) -> np.ndarray:
    """Return the tokens of consecutive words; a ``share`` of the words, rounded, is cut off.

    One word at least is left. ASSUME: the paper does not say how the part is chosen; it begins at
    any word with the same probability.
    """
    count = int(text.words[-1]) + 1
    kept = max(1, count - round(share * count))
    first = draw.integers(0, count - kept + 1)
    return text.ids[(text.words >= first) & (text.words < first + kept)]
