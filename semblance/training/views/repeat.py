"""Each distinct sentence with itself, some tokens repeated (ESimCSE, Wu et al. 2022, 3.1)."""

import numpy as np

from semblance.data.vocabulary import Vocabulary
from semblance.settings import Share
from semblance.training.changes import Text
from semblance.training.views import twice

view = twice.view


def change(
    text: Text, vocabulary: Vocabulary, draw: np.random.Generator, *, rate: Share = 0.32
) -> np.ndarray:
    """Return the tokens, some of them twice in a row.

    How many is drawn from 0 to max(2, ``rate`` * n), each number with the same probability, and so
    are the tokens. ASSUME: no more than n, and n counts no special token.
    """
    count = len(text.ids)
    # A short sentence has two repetitions at most, a long one a share (ESimCSE, 3.1).
    most = min(count, max(2, int(rate * count)))
    repeated = draw.choice(count, size=draw.integers(0, most + 1), replace=False)
    times = np.ones(count, dtype=np.int64)
    times[repeated] = 2
    return np.repeat(text.ids, times)
