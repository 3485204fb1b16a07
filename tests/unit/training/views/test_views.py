"""Views that change no text: which rows batches are drawn from."""

import numpy as np

from semblance.data.corpus import NONE, Rows
from semblance.training.views import rows, twice

CORPUS = Rows(*np.array([[0, 0, 3], [1, 2, 4], [NONE, 5, NONE]], np.int32))


def test_rows_are_those_of_the_corpus():
    for found, expected in zip(rows.view(CORPUS, 6), CORPUS, strict=True):
        assert np.array_equal(found, expected)


def test_twice_pairs_each_distinct_sentence_with_itself():
    found = twice.view(CORPUS, 6)
    assert found.query.tolist() == found.positive.tolist() == list(range(6))
    assert found.negative.tolist() == [NONE] * 6
    assert {column.dtype for column in found} == {np.dtype(np.int32)}
