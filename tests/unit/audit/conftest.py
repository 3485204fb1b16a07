"""One small results folder for all tests of this folder; each works on a copy, or leaves it as it is."""

import shutil

import pytest

from tests.unit.reporting import example_results


@pytest.fixture(scope="session")
def untouched(tmp_path_factory):
    """The results folder of a project, its resources beside it."""
    return example_results.build(tmp_path_factory.mktemp("untouched"))


@pytest.fixture
def results(untouched, tmp_path):
    """A copy of it and of its resources, to tamper with."""
    return shutil.copytree(untouched.parent, tmp_path / "copy") / "results"


@pytest.fixture
def rendered(results, monkeypatch):
    """A function that adds tables {name: (layout, methods)} to the copy, and writes all pages."""

    def render(tables: dict[str, tuple[str, list[str]]]) -> None:
        for name, rows in tables.items():
            monkeypatch.setitem(example_results.TABLES, name, rows)
            example_results.render(results, name)
        example_results.compare(results)

    return render
