"""What all tests share: the folder of real data, and the check that each collected test gave its report."""

import os
import signal
from pathlib import Path

import pytest

# Before torch is imported: threads of several processes that wait for the same cores take three times
# the processor time.
os.environ.setdefault("OMP_NUM_THREADS", "1")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts work in the background so; the programs that are interrupted here inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)

UNREPORTED: set[str] = set()
"""The tests that the workers of a parallel run collected and have not reported yet."""


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data; without it the test is skipped, and says so."""
    named = os.environ.get("SEMBLANCE_DATA")
    if not named:
        pytest.skip("SEMBLANCE_DATA is not set: REAL DATA WAS NOT CHECKED")
    folder = Path(named)
    assert folder.is_dir(), f"SEMBLANCE_DATA names no folder: {folder}"
    return folder


@pytest.fixture(scope="session")
def untouched(tmp_path_factory) -> Path:
    """A small results folder, its resources beside it: tests leave it as it is, or tamper with a copy."""
    from tests.unit.reporting import example_results

    return example_results.build(tmp_path_factory.mktemp("untouched"))


@pytest.hookimpl(optionalhook=True)  # of xdist, which need not be there
def pytest_xdist_node_collection_finished(ids):
    UNREPORTED.update(ids)


def pytest_runtest_logfinish(nodeid):
    UNREPORTED.discard(nodeid)


def pytest_sessionfinish(session):
    if UNREPORTED and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    for name in sorted(UNREPORTED):
        terminalreporter.write_line(f"NOT REPORTED {name}", red=True)
