"""What the tests of readers share: small files, real data, and the error of a malformed one."""

import gzip
import os
import re
from pathlib import Path

import pytest

from semblance.errors import InputError

WORDS = ["null", "NA", "n/a", "None"]  # what careless readers take for missing values
DATA = os.environ.get("SEMBLANCE_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="SEMBLANCE_DATA is not set: real data NOT checked")


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
