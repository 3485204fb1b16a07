"""Each distinct sentence with itself: dropout makes the difference (SimCSE, Eq. 4)."""

import numpy as np

from semblance.data.corpus import NONE, Rows


def view(rows: Rows, sentences: int) -> Rows:
    """Return one row for each of the corpus's ``sentences``: its own positive, no negative."""
    every = np.arange(sentences, dtype=np.int32)  # ASSUME: a repeated sentence counts once
    return Rows(every, every, np.full_like(every, NONE))
