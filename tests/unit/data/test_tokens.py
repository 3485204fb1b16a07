"""Token files: one chunk at any size, so that a training maps them and copies nothing."""

import numpy as np
import pyarrow as pa
import pytest

from semblance.data.tokens import Tokens, read_tokens, write_tokens


@pytest.mark.parametrize("count", [0, 1, 100_001])  # datasets writes a chunk for each 100,000 rows
def test_tokens_come_back_from_one_chunk(tmp_path, count):
    lengths = np.random.default_rng(0).integers(0, 4, count)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    tokens = Tokens(np.arange(offsets[-1], dtype=np.int32), offsets)
    write_tokens(tmp_path / "tokens.arrow", tokens)
    before = pa.total_allocated_bytes()
    found = read_tokens(tmp_path / "tokens.arrow")
    assert pa.total_allocated_bytes() == before  # nothing of it was copied by Arrow
    assert found.ids.dtype == np.int32 and found.offsets.dtype == np.int64
    assert np.array_equal(found.ids, tokens.ids) and np.array_equal(found.offsets, offsets)


def test_a_file_of_several_chunks_is_read_too(tmp_path):
    lists = pa.chunked_array([[[1, 2], [3]], [[], [4]]], type=pa.list_(pa.int32()))
    with (
        pa.OSFile(str(tmp_path / "tokens.arrow"), "wb") as file,
        pa.ipc.new_stream(file, pa.schema({"ids": lists.type})) as out,
    ):
        out.write_table(pa.table({"ids": lists}))
    found = read_tokens(tmp_path / "tokens.arrow")
    assert found.ids.tolist() == [1, 2, 3, 4] and found.offsets.tolist() == [0, 2, 3, 3, 4]


def test_more_tokens_than_a_chunk_holds_are_refused(tmp_path):
    with pytest.raises(pa.ArrowInvalid):
        write_tokens(tmp_path / "tokens.arrow", Tokens(np.zeros(1, np.int32), np.array([0, 2**31])))
    assert not list(tmp_path.iterdir())
