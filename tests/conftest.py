"""What all tests share: the folder of real data, named by SEMBLANCE_DATA, and a loud skip without it."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data; without it the test is skipped, and says so."""
    named = os.environ.get("SEMBLANCE_DATA")
    if not named:
        pytest.skip("SEMBLANCE_DATA is not set: REAL DATA WAS NOT CHECKED")
    folder = Path(named)
    assert folder.is_dir(), f"SEMBLANCE_DATA names no folder: {folder}"
    return folder
