"""One small results folder for all tests of this folder; each works on a copy, or leaves it as it is."""

import pytest

from tests.unit.reporting import example_results


@pytest.fixture(scope="session")
def untouched(tmp_path_factory):
    """The results folder of a project, its resources beside it."""
    return example_results.build(tmp_path_factory.mktemp("untouched"))
