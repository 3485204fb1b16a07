"""What the tests of readers share: small files, and the error of a malformed one."""

import gzip
import re
from pathlib import Path

import pytest

from semblance.errors import InputError

WORDS = ["null", "NA", "n/a", "None"]  # what careless readers take for missing values


def put(path: Path, content: str | bytes) -> Path:
    """Write a file, text compressed if its name ends in .gz; return its path."""
    if isinstance(content, str):
        content = content.encode()
        if path.suffix == ".gz":
            content = gzip.compress(content)
    path.write_bytes(content)
    return path


def fails_at(path: object, line: int, words: str = ""):
    """Expect an InputError of one line that starts with file:line."""
    start = re.escape(f"{path}:{line}: ")
    return pytest.raises(InputError, match=rf"\A{start}[^\n]*{words}[^\n]*\Z")
