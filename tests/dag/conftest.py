"""One finished tiny run, shared by the tests of this folder; each test leaves it as it found it."""

import pytest

from tests.dag.tiny import Project, trapped


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Project:
    """A project whose whole tiny DAG has run, without the network: attempts are noted in its folder trap/.

    ``trap/printed`` holds what Snakemake said, debugging included.
    """
    project = Project(tmp_path_factory.mktemp("dag") / "project")
    printed = project.snakemake("--cores", "2", "--verbose", **trapped(project.folder / "trap"))
    (project.folder / "trap/printed").write_text(printed)
    return project
