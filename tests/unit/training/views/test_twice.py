"""Each distinct sentence with itself."""

import numpy as np

from semblance.data.corpus import NONE, Rows
from semblance.training.views.twice import view


def test_twice_pairs_each_distinct_sentence_with_itself():
    corpus = Rows(*np.array([[0, 0, 3], [1, 2, 4], [NONE, 5, NONE]], np.int32))
    rows = view(corpus, 6)
    assert rows.query.tolist() == rows.positive.tolist() == list(range(6))
    assert rows.negative.tolist() == [NONE] * 6
    assert {column.dtype for column in rows} == {np.dtype(np.int32)}
