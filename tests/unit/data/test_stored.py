"""Arrow, Parquet, corpora and tokens: written whole, read back, refused if missing or damaged."""

import re

import numpy as np
import pyarrow as pa
import pytest

from semblance.data.arrow import read_arrow, read_parquet, write_arrow, write_parquet
from semblance.data.corpus import NONE, number_sentences, read_rows, read_sentences, write_corpus
from semblance.data.tokens import Tokens, read_tokens, write_tokens
from semblance.errors import InputError

ROWS = [("b", "a", None), ("a", "b", "null"), ("b", "b", "c")]
OF_TWO = [("a", "b", "c", "d"), ("e", "a", "d", "f")]
NAMES = ["query", "positive", "negative", "second_negative"]


@pytest.fixture
def written(tmp_path):
    """The same two rows as an Arrow file and as a Parquet file."""
    arrow = tmp_path / "t.arrow"
    parquet = tmp_path / "t.parquet"
    write_arrow(arrow, {"a": "int32", "b": "string"}, [{"a": 1, "b": "x"}, {"a": 2, "b": "NA"}])
    write_parquet(pa.table({"a": pa.array([1, 2], pa.int32()), "b": ["x", "NA"]}), parquet)
    return arrow, parquet


def test_rows_come_back_in_the_columns_that_are_named(written):
    arrow, parquet = written
    assert read_arrow(arrow).to_pydict() == {"a": [1, 2], "b": ["x", "NA"]}
    assert read_parquet(parquet, ["b", "a"]).column_names == ["b", "a"]
    assert read_parquet(parquet, ["a"]).column_names == ["a"]
    with pytest.raises(InputError, match=re.escape(f"{parquet}: not a whole Parquet file")):
        read_parquet(parquet, ["c", "a"])


@pytest.mark.parametrize("read", [read_arrow, lambda path: read_parquet(path, ["a"])])
def test_a_missing_or_damaged_file_is_named(tmp_path, written, read):
    with pytest.raises(InputError, match=re.escape(f"{tmp_path / 'none'}: no such file")):
        read(tmp_path / "none")
    for path in written:
        path.write_bytes(path.read_bytes()[:40])
        with pytest.raises(InputError, match=re.escape(f"{path}: not a whole ")):
            read(path)


def test_a_write_that_fails_keeps_the_file_of_before(tmp_path, written):
    before = written[0].read_bytes()
    with pytest.raises(ZeroDivisionError):
        write_arrow(written[0], {"a": "int32"}, ({"a": 1 // 0} for _ in range(1)))
    assert written[0].read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"t.arrow", "t.parquet"}


def texts_of(sentences, rows):
    """Return rows of numbers as texts, None for an absent negative."""
    texts = {NONE: None, **dict(enumerate(sentences))}
    return [tuple(texts[i] for i in row) for row in zip(*rows.columns(), strict=True)]


def test_sentences_are_numbered_by_their_first_appearance():
    sentences, rows = number_sentences(ROWS)
    assert sentences == ["b", "a", "null", "c"]
    assert texts_of(sentences, rows) == ROWS


@pytest.mark.parametrize("rows, negatives", [(ROWS, 1), (OF_TWO, 2), ([], 1)])
def test_a_corpus_comes_back_as_it_was_written(tmp_path, rows, negatives):
    sentences, numbered = number_sentences(rows, negatives)
    write_corpus(tmp_path, sentences, numbered)
    found = read_rows(tmp_path)
    assert read_sentences(tmp_path) == sentences
    assert texts_of(sentences, found) == rows
    for column, expected in zip(found, numbered, strict=True):
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


@pytest.mark.parametrize("count", [0, 1, 100_001])  # datasets writes a chunk for each 100,000 rows
def test_tokens_come_back_from_one_chunk_at_any_size_and_are_not_copied(tmp_path, count):
    lengths = np.random.default_rng(0).integers(0, 4, count)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    tokens = Tokens(np.arange(offsets[-1], dtype=np.int32), offsets)
    write_tokens(tmp_path / "tokens.arrow", tokens)
    before = pa.total_allocated_bytes()
    found = read_tokens(tmp_path / "tokens.arrow")
    assert pa.total_allocated_bytes() == before  # nothing of it was copied by Arrow
    for column, expected in zip(found, tokens, strict=True):
        assert column.dtype == expected.dtype and np.array_equal(column, expected)


def test_a_file_of_several_chunks_is_read_too(tmp_path):
    lists = pa.chunked_array([[[1, 2], [3]], [[], [4]]], type=pa.list_(pa.int32()))
    table = pa.table({"ids": lists})
    with pa.ipc.new_stream(str(tmp_path / "tokens.arrow"), table.schema) as out:
        out.write_table(table)
    found = read_tokens(tmp_path / "tokens.arrow")
    assert found.ids.tolist() == [1, 2, 3, 4] and found.offsets.tolist() == [0, 2, 3, 3, 4]
