"""Each distinct sentence with itself, some words left out (SimCSE, Table 1: word deletion)."""

import numpy as np

from semblance.data.vocabulary import Vocabulary
from semblance.errors import InputError
from semblance.settings import Count, Share
from semblance.training.changes import Text
from semblance.training.views import twice

view = twice.view


def change(
    text: Text,
    vocabulary: Vocabulary,
    draw: np.random.Generator,
    *,
    share: Share | None = None,
    words: Count | None = None,
) -> np.ndarray:
    """Return the tokens without a ``share`` of the words, rounded, or without so many ``words``.

    Which words go is drawn, each with the same probability. One word at least is left.
    """
    if (share is None) == (words is None):
        raise InputError("view_options", "needs exactly one of share, words")
    count = int(text.words[-1]) + 1
    wished = words
    if words is None:
        wished = round(share * count)
    # One word stays: a sentence of none would be its special tokens alone.
    deleted = draw.choice(count, size=min(wished, count - 1), replace=False)
    return text.ids[~np.isin(text.words, deleted)]
