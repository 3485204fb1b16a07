"""Arrow and Parquet files: written whole, read back, and refused if they are missing or damaged."""

import re

import pyarrow as pa
import pytest

from semblance.data.arrow import read_arrow, read_parquet, write_arrow, write_parquet
from semblance.errors import InputError


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
