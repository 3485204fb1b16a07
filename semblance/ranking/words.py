"""BM25: texts ranked by the words that they share with a question, without any training.

Words are runs of letters and digits, case folded. No word is left out and none is cut to its stem,
so that every language that puts blanks between words is treated alike.
"""

import logging
import re
from collections.abc import Sequence

import bm25s
import numpy as np

from semblance.errors import InputError

WORD = re.compile(r"\w+")
logging.getLogger("bm25s").setLevel(logging.WARNING)  # it warns of each question without a word


class Words:
    """The words of some texts, counted once; questions are scored any number of times."""

    def __init__(self, texts: Sequence[str]):
        """``texts`` hold one word at least; raises InputError where they hold none."""
        self.size = len(texts)
        words = [words_of(text) for text in texts]
        if not any(words):
            raise InputError("BM25", "no text holds a word", "rank by vectors")
        self.index = bm25s.BM25(method="lucene")  # k1 = 1.5, b = .75; a score is never negative
        self.index.index(words, show_progress=False)

    def scores(self, questions: Sequence[str]) -> np.ndarray:
        """Return the BM25 score of each text for each question, (Q, T) float32; 0: no word shared."""
        found = np.zeros((len(questions), self.size), np.float32)
        for row, question in zip(found, questions, strict=True):
            known = self.index.get_tokens_ids(words_of(question))
            if known:
                row[:] = self.index.get_scores_from_ids(known)
        return found


def words_of(text: str) -> list[str]:
    """Return the words of a text in order, case folded."""
    return WORD.findall(text.casefold())
