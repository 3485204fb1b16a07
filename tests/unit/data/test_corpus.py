"""Corpora: distinct sentences in order of first appearance, and rows of their numbers."""

import numpy as np
import pytest

from semblance.data.arrow import read_arrow
from semblance.data.corpus import NONE, number_sentences, read_rows, read_sentences, write_corpus

ROWS = [("b", "a", None), ("a", "b", "null"), ("b", "b", "c")]
OF_TWO = [("a", "b", "c", "d"), ("e", "a", "d", "f")]
NAMES = ["query", "positive", "negative", "second_negative"]


def texts_of(sentences, rows):
    """Return rows of numbers as texts, None for an absent negative."""
    texts = [*sentences, None]
    assert NONE == -1
    return [tuple(texts[i] for i in row) for row in zip(*rows.columns(), strict=True)]


def test_sentences_are_numbered_by_their_first_appearance():
    sentences, rows = number_sentences(ROWS)
    assert sentences == ["b", "a", "null", "c"]
    assert texts_of(sentences, rows) == ROWS


@pytest.mark.parametrize("written, negatives", [(ROWS, 1), (OF_TWO, 2), ([], 1)])
def test_a_corpus_comes_back_as_it_was_written(tmp_path, written, negatives):
    sentences, rows = number_sentences(written, negatives)
    write_corpus(tmp_path, sentences, rows)
    found = read_rows(tmp_path)
    assert read_sentences(tmp_path) == sentences
    assert texts_of(sentences, found) == written
    for column, expected in zip(found, rows, strict=True):
        assert column.dtype == np.int32 and np.array_equal(column, expected)
    # A file of one hard negative has no further column.
    assert read_arrow(tmp_path / "rows.arrow").column_names == NAMES[: 2 + negatives]


def test_the_negatives_are_views_only_where_a_row_has_one():
    _, pairs = number_sentences([("a", "b", None), ("c", "d", None)])
    assert pairs.views() == (pairs.query, pairs.positive)
    _, triples = number_sentences(ROWS)
    assert triples.views() == tuple(triples)
    _, rows = number_sentences(OF_TWO, negatives=2)
    assert rows.negative.shape == (2, 2) and len(rows.views()) == 4
