"""How many words the two sentences of a pair share (SimCSE, section 4.1)."""

import re
from collections import Counter
from collections.abc import Sequence

from semblance.data.pair import Pair

WORD = re.compile(r"\w+")


def overlap(first: str, second: str) -> float:
    """Return F1 of two bags of words, from 0 to 1; 0 if one of them has no word.

    A bag holds a word as often as the sentence does.
    """
    # ASSUME the paper does not say what a word is: a run of letters and digits, in lower case
    words = Counter(WORD.findall(first.lower()))
    others = Counter(WORD.findall(second.lower()))
    both = (words & others).total()
    if not both:
        return 0.0
    return 2 * both / (words.total() + others.total())


def mean_overlap(pairs: Sequence[Pair]) -> float:
    """Return the mean lexical overlap of some pairs, in points."""
    total = 0.0
    for pair in pairs:
        total += overlap(pair.first, pair.second)
    return 100 * total / len(pairs)
