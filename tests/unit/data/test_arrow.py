"""Arrow and Parquet files: written whole, read back, and refused if they are missing or damaged."""

import re

import pyarrow as pa
import pytest

from semblance.data.arrow import read_arrow, read_parquet, write_arrow, write_parquet
from semblance.errors import InputError


def write_both(folder):
    """Write the same two rows as an Arrow file and as a Parquet file; return the paths."""
    arrow = folder / "t.arrow"
    parquet = folder / "t.parquet"
    write_arrow(arrow, {"a": "int32", "b": "string"}, [{"a": 1, "b": "x"}, {"a": 2, "b": "NA"}])
    write_parquet(pa.table({"a": pa.array([1, 2], pa.int32()), "b": ["x", "NA"]}), parquet)
    return arrow, parquet


def test_rows_come_back_in_the_columns_that_are_asked_for(tmp_path):
    arrow, parquet = write_both(tmp_path)
    assert read_arrow(arrow).to_pydict() == {"a": [1, 2], "b": ["x", "NA"]}
    assert read_parquet(parquet, ["b", "a"]).column_names == ["b", "a"]
    assert read_parquet(parquet, ["a"]).column_names == ["a"]


@pytest.mark.parametrize("read", [read_arrow, lambda path: read_parquet(path, ["a"])])
def test_a_missing_or_damaged_file_is_named(tmp_path, read):
    with pytest.raises(InputError, match=re.escape(f"{tmp_path / 'none'}: no such file")):
        read(tmp_path / "none")
    for path in write_both(tmp_path):
        path.write_bytes(path.read_bytes()[:40])
        with pytest.raises(InputError, match=re.escape(f"{path}: not a whole ")):
            read(path)


def test_a_write_that_fails_keeps_the_file_of_before(tmp_path):
    arrow, _ = write_both(tmp_path)
    before = arrow.read_bytes()
    with pytest.raises(ZeroDivisionError):
        write_arrow(arrow, {"a": "int32"}, ({"a": 1 // 0} for _ in range(1)))
    assert arrow.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"t.arrow", "t.parquet"}


def test_a_parquet_file_that_lacks_a_column_is_refused(tmp_path):
    _, parquet = write_both(tmp_path)
    with pytest.raises(InputError, match=re.escape(f"{parquet}: not a whole Parquet file")):
        read_parquet(parquet, ["c", "a"])
