"""A finished run does not say that there is nothing to be done where its sources were changed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.dag.tiny import Project

pytestmark = pytest.mark.dag


@contextmanager
def edited(file: Path) -> Iterator[None]:
    """Change one byte of a file, and change it back."""
    content = file.read_bytes()
    found = file.stat()
    file.write_bytes(content[:-1] + b"!")
    try:
        yield
    finally:
        file.write_bytes(content)
        os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))


@pytest.mark.parametrize(
    "name", ["demo/data/nli/nli_for_simcse.csv", "tiny-base/model.safetensors"]
)
def test_a_changed_source_stops_the_start_in_one_line(finished: Project, name):
    with edited(finished.folder / name):
        printed = finished.snakemake("-n", check=False)
    assert "Nothing to be done" not in printed
    lines = [line for line in printed.splitlines() if "changed after it was copied" in line]
    assert len(lines) == 1 and name in lines[0] and "put the old file back" in lines[0]
    assert "Traceback" not in printed
