"""The rows of the corpus as they stand."""

import numpy as np

from semblance.data.corpus import NONE, Rows
from semblance.training.views.rows import view


def test_rows_are_those_of_the_corpus():
    corpus = Rows(*np.array([[0, 0, 3], [1, 2, 4], [NONE, 5, NONE]], np.int32))
    for found, expected in zip(view(corpus, 6), corpus, strict=True):
        assert np.array_equal(found, expected)
