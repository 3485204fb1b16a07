"""Corpora: distinct sentences in order of first appearance, and rows of their numbers."""

import numpy as np

from semblance.data.arrow import read_arrow
from semblance.data.corpus import (
    NONE,
    number_sentences,
    read_rows,
    read_sentences,
    write_corpus,
)

ROWS = [("b", "a", None), ("a", "b", "null"), ("b", "b", "c")]


def test_sentences_are_numbered_by_their_first_appearance():
    sentences, rows = number_sentences(ROWS)
    assert sentences == ["b", "a", "null", "c"]
    texts = [
        tuple(None if i == NONE else sentences[i] for i in row) for row in zip(*rows, strict=True)
    ]
    assert texts == ROWS
    assert all(column.dtype == np.int32 for column in rows)


def test_a_corpus_comes_back_as_it_was_written(tmp_path):
    sentences, rows = number_sentences(ROWS)
    write_corpus(tmp_path, sentences, rows)
    assert read_sentences(tmp_path) == sentences
    for found, written in zip(read_rows(tmp_path), rows, strict=True):
        assert found.dtype == np.int32 and np.array_equal(found, written)


def test_rows_of_two_hard_negatives_come_back(tmp_path):
    written = [("a", "b", "c", "d"), ("e", "a", "d", "f")]
    sentences, rows = number_sentences(written, negatives=2)
    assert rows.negative.shape == (2, 2) and len(rows.columns()) == 4
    write_corpus(tmp_path, sentences, rows)
    found = read_rows(tmp_path)
    texts = [tuple(sentences[i] for i in row) for row in zip(*found.columns(), strict=True)]
    assert texts == written
    assert found.negative.dtype == np.int32 and np.array_equal(found.negative, rows.negative)
    assert len(found.views()) == 4


def test_a_file_of_one_hard_negative_has_no_further_column(tmp_path):
    sentences, rows = number_sentences(ROWS)
    write_corpus(tmp_path, sentences, rows)
    assert read_arrow(tmp_path / "rows.arrow").column_names == ["query", "positive", "negative"]


def test_an_empty_corpus_comes_back(tmp_path):
    sentences, rows = number_sentences([])
    write_corpus(tmp_path, sentences, rows)
    assert read_sentences(tmp_path) == [] and len(read_rows(tmp_path).query) == 0


def test_the_negatives_are_a_view_only_where_a_row_has_one():
    _, pairs = number_sentences([("a", "b", None), ("c", "d", None)])
    assert pairs.views() == (pairs.query, pairs.positive)
    _, triples = number_sentences(ROWS)
    assert triples.views() == tuple(triples)
