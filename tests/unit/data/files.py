"""What the tests of readers share: small files, and the error that a malformed one must raise."""

import gzip
import re
from pathlib import Path

import pytest

from semblance.errors import InputError

WORDS = ["null", "NA", "n/a", "None"]  # what careless readers take for missing values


def put(path: Path, content: str) -> Path:
    """Write a text file, compressed if its name ends in .gz; return its path."""
    data = content.encode()
    if path.suffix == ".gz":
        data = gzip.compress(data)
    path.write_bytes(data)
    return path


def fails_at(path: object, line: int, words: str = ""):
    """Expect an InputError of one line that starts with file:line."""
    start = re.escape(f"{path}:{line}: ")
    return pytest.raises(InputError, match=rf"\A{start}[^\n]*{words}[^\n]*\Z")
