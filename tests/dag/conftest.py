"""One finished tiny run, shared by the tests of this folder; each test leaves it as it found it."""

import os
import shutil

import pytest
from filelock import FileLock

from tests.dag.far import Far, run_far
from tests.dag.tiny import Project, trapped


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Project:
    """A project whose whole tiny DAG has run, without the network: attempts are noted in its folder trap/.

    ``trap/printed`` holds what Snakemake said, debugging included. The run is made once for all
    processes of the tests, and each has a copy.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    made = shared / "finished"
    with FileLock(shared / "finished.lock"):
        if not (made / "trap/printed").is_file():
            shutil.rmtree(made, ignore_errors=True)
            project = Project(made)
            printed = project.snakemake("--cores", "2", "--verbose", **trapped(made / "trap"))
            (made / "trap/printed").write_text(printed)
    return Project.at(made).copy(tmp_path_factory.mktemp("dag") / "project")


@pytest.fixture(scope="session")
def fresh(tmp_path_factory) -> Project:
    """A project in which nothing has run, for dry runs."""
    return Project(tmp_path_factory.mktemp("fresh") / "project")


@pytest.fixture
def project(finished: Project, tmp_path) -> Project:
    """A copy of the finished tiny run, to change."""
    return finished.copy(tmp_path / "project")


@pytest.fixture(scope="session")
def far(tmp_path_factory) -> Far:
    """A finished run on a FAQ of one's own, on another disk; each test leaves it as it found it."""
    return run_far(tmp_path_factory.mktemp("far"))
