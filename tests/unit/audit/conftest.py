"""Copies of the small results folder ``untouched`` for the tests of this folder.

A file whose tests need more than that folder has a fixture ``finished`` of its own.
"""

import shutil

import pytest

from tests.unit.reporting import example_results


@pytest.fixture(scope="module")
def finished(untouched):
    """The folder that the tests of a file start from."""
    return untouched


@pytest.fixture
def results(finished, tmp_path):
    """A copy of it and of its resources, to tamper with."""
    return shutil.copytree(finished.parent, tmp_path / "copy") / "results"


@pytest.fixture(scope="module")
def extended(untouched, tmp_path_factory):
    """A copy for all tests of a file, and a function that adds tables {name: (layout, methods)} to it."""
    copy = shutil.copytree(untouched.parent, tmp_path_factory.mktemp("extended") / "copy")
    with pytest.MonkeyPatch.context() as patched:

        def add_tables(tables: dict[str, tuple[str, list[str]]]) -> None:
            for name, rows in tables.items():
                patched.setitem(example_results.TABLES, name, rows)
                example_results.render(copy / "results", name)
            example_results.compare(copy / "results")

        yield copy / "results", add_tables
