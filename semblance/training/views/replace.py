"""Each distinct sentence with itself, some tokens replaced by others that are drawn at random.

SimCSE's Table 1 lets a language model choose the new words, and replaces a word by a synonym; this
is the same change without knowledge of the language.
"""

import numpy as np

from semblance.data.vocabulary import Vocabulary
from semblance.settings import Share
from semblance.training.changes import Text
from semblance.training.views import twice

view = twice.view


def change(
    text: Text, vocabulary: Vocabulary, draw: np.random.Generator, *, share: Share
) -> np.ndarray:
    """Return the tokens, a ``share`` of them, rounded, replaced by any that are not special."""
    count = len(text.ids)
    replaced = draw.choice(count, size=round(share * count), replace=False)
    ids = text.ids.copy()
    ids[replaced] = draw.choice(vocabulary.ordinary, size=len(replaced))
    return ids
