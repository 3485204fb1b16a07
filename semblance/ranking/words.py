"""BM25: texts ranked by the parts of words that they share with a question, without any training.

The terms are the runs of ``LETTERS`` letters and digits of each word, its start and end marked by a
blank (McNamee and Mayfield 2004). So "renewing" and "renewal" share most of their terms, and so do a
German compound and its parts, without a stemmer for each language. docs/own-faq-background.md
has what they gain over whole words and over stems. Most words of Chinese, Japanese and Korean have
two signs, with no blank or a particle after them: there the terms are pairs of signs.
"""

import logging
from collections.abc import Sequence

import bm25s
import numpy as np
import regex

from semblance.data.text import folded
from semblance.errors import InputError

# Of a term, and of one of East Asia: ``candidates.TERMS`` says it to stored models.
LETTERS = 4
SIGNS = 2
EASTERN = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}ー]"
# A run of Chinese, Japanese or Korean signs; a name such as C# or C++; or a word: letters and digits with
# their marks (the vowel signs of Hindi are marks).
WORD = regex.compile(
    rf"({EASTERN}+) | \b\p{{L}}[#+]+ | [\w--\p{{M}}--{EASTERN}] [\w--{EASTERN}]*",
    regex.VERBOSE | regex.V1,
)
logging.getLogger("bm25s").setLevel(logging.WARNING)  # it warns of each question without a word


class Words:
    """The words of some texts, counted once; questions are scored any number of times."""

    def __init__(self, texts: Sequence[str]):
        """``texts`` hold one word at least; raises InputError where they hold none."""
        self.size = len(texts)
        words = [terms_of(text) for text in texts]
        if not any(words):
            raise InputError("BM25", "no text holds a word", "rank by vectors")
        self.index = bm25s.BM25(method="lucene")  # k1 = 1.5, b = .75; a score is never negative
        self.index.index(words, show_progress=False)

    def scores(self, questions: Sequence[str]) -> np.ndarray:
        """Return the BM25 score of each text for each question, (Q, T) float32; 0: no word shared."""
        matrix = np.zeros((len(questions), self.size), np.float32)
        for row, question in zip(matrix, questions, strict=True):
            known = self.index.get_tokens_ids(terms_of(question))
            if known:
                row[:] = self.index.get_scores_from_ids(known)
        return matrix


def terms_of(text: str) -> list[str]:
    """Return the terms of a text in order, folded; a short word is one term."""
    terms = []
    for word in WORD.finditer(folded(text)):
        marked, length = f" {word[0]} ", LETTERS
        if word[1]:
            marked, length = word[1], SIGNS
        terms += [marked[i : i + length] for i in range(max(1, len(marked) - length + 1))]
    return terms
