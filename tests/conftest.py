"""What all tests share: the folder of real data, named by SEMBLANCE_DATA, and a loud skip without it."""

import os
import signal
from pathlib import Path

import pytest

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts work in the background so; the programs that are interrupted here inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data; without it the test is skipped, and says so."""
    named = os.environ.get("SEMBLANCE_DATA")
    if not named:
        pytest.skip("SEMBLANCE_DATA is not set: REAL DATA WAS NOT CHECKED")
    folder = Path(named)
    assert folder.is_dir(), f"SEMBLANCE_DATA names no folder: {folder}"
    return folder
