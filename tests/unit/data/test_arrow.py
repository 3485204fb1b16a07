"""Arrow and Parquet files: written whole, read back, and refused if they are not what is asked for."""

import re
import struct

import pyarrow as pa
import pytest

from semblance.data.arrow import read_arrow, read_parquet, write_arrow, write_parquet
from semblance.errors import InputError

TYPES = {"a": pa.int32(), "b": pa.string()}


def write_both(folder):
    """Write the same two rows as an Arrow file and as a Parquet file; return the paths."""
    arrow = folder / "t.arrow"
    parquet = folder / "t.parquet"
    write_arrow(arrow, {"a": "int32", "b": "string"}, [{"a": 1, "b": "x"}, {"a": 2, "b": "NA"}])
    write_parquet(pa.table({"a": pa.array([1, 2], pa.int32()), "b": ["x", "NA"]}), parquet)
    return arrow, parquet


def test_rows_come_back_in_the_columns_that_are_asked_for(tmp_path):
    arrow, parquet = write_both(tmp_path)
    expected = {"b": ["x", "NA"], "a": [1, 2]}
    assert read_arrow(arrow, {"b": pa.string(), "a": pa.int32()}).to_pydict() == expected
    assert read_parquet(parquet, ["b", "a"]).to_pydict() == expected
    assert read_parquet(parquet, ["a"]).column_names == ["a"]


@pytest.mark.parametrize(
    "read", [lambda path: read_arrow(path, TYPES), lambda path: read_parquet(path, ["a"])]
)
def test_a_missing_or_damaged_file_is_named(tmp_path, read):
    with pytest.raises(InputError, match=re.escape(f"{tmp_path / 'none'}: no such file")):
        read(tmp_path / "none")
    for path in write_both(tmp_path):
        path.write_bytes(path.read_bytes()[:40])
        with pytest.raises(InputError, match=re.escape(f"{path}: not a whole ")):
            read(path)


def test_a_missing_column_is_named(tmp_path):
    arrow, parquet = write_both(tmp_path)
    with pytest.raises(InputError, match="no column c, d;"):
        read_arrow(arrow, {"c": pa.int32(), "a": pa.int32(), "d": pa.int32()})
    with pytest.raises(InputError, match="no column c, d;"):
        read_parquet(parquet, ["c", "a", "d"])


@pytest.mark.parametrize("kind, rows", [("int64", [{"a": 1}]), ("int32", [{"a": None}])])
def test_a_column_of_another_type_or_with_a_null_is_refused(tmp_path, kind, rows):
    write_arrow(tmp_path / "t.arrow", {"a": kind}, rows)
    with pytest.raises(InputError, match="column a is not of type int32"):
        read_arrow(tmp_path / "t.arrow", {"a": pa.int32()})


def test_a_write_that_fails_keeps_the_file_of_before(tmp_path):
    arrow, _ = write_both(tmp_path)
    before = arrow.read_bytes()
    with pytest.raises(ZeroDivisionError):
        write_arrow(arrow, {"a": "int32"}, ({"a": 1 // 0} for _ in range(1)))
    assert arrow.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"t.arrow", "t.parquet"}


def test_text_that_is_not_utf8_is_refused(tmp_path):
    bad = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(struct.pack("<2i", 0, 2)), pa.py_buffer(b"\xff\xfe")]
    )
    table = pa.table({"text": bad})
    with pa.ipc.new_stream(tmp_path / "x.arrow", table.schema) as writer:
        writer.write_table(table)
    write_parquet(table, tmp_path / "x.parquet")
    with pytest.raises(InputError, match="x.arrow: not a whole Arrow file"):
        read_arrow(tmp_path / "x.arrow", {"text": pa.string()})
    with pytest.raises(InputError, match="x.parquet: not a whole Parquet file"):
        read_parquet(tmp_path / "x.parquet", ("text",))
