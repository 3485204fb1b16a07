"""`snakemake --cores all` on config.yaml, with a server on this machine in place of every address."""

import time

import pytest
import yaml

from tests.dag.literal import DEAD, LiteralProject
from tests.local_http import Fault, running
from tests.shipped import merged

pytestmark = pytest.mark.dag
server = pytest.fixture(running)
TABLE = "rcl_table1a"
ALTERED = "sick/SICK_trial.txt"
MIRRORED = "stsb/sts-dev.csv"  # its first address is dead


@pytest.fixture
def project(server, tmp_path) -> LiteralProject:
    """The copy of the project, with a dead address before the right one of one file."""
    project = LiteralProject(tmp_path / "project", server)
    project.file(MIRRORED)["urls"].insert(0, server.url + DEAD)
    project.write_manifest()
    return project


def with_seeds(project: LiteralProject, *seeds: int) -> tuple[str, str]:
    """Return the arguments that lay these seeds over those of each table.

    The demo's transfer tasks have too few items of a class for ten folds.
    """
    named = merged("config.yaml")["seeds"]
    config = {"seeds": {name: list(seeds) for name in named}, "evaluate_transfer": {"folds": 3}}
    (project.folder / "seeds.yaml").write_text(yaml.safe_dump(config))
    return ("--configfile", "seeds.yaml")


def one_table(project: LiteralProject) -> tuple[str, ...]:
    """Return the arguments that ask for one table, of one seed."""
    return (f"results/tables/{TABLE}.csv", *with_seeds(project, 1))


def test_a_file_that_is_nowhere_stops_the_run_before_its_first_job(project):
    path = project.path_of(project.file(ALTERED)["urls"][0])
    project.server.always[path] = Fault(status=404)
    started = time.monotonic()
    done = project.run(*one_table(project))
    assert done.returncode == 1 and time.monotonic() - started < 60
    assert f"missing: sick: {ALTERED}" in done.stderr and "what to do: " in done.stderr
    for folder in ("data", "models"):
        assert not (project.folder / "resources" / folder).exists()
    assert project.server.count(path) == 0


def test_one_table_of_the_config_stands_after_an_altered_file_was_refused(project):
    path = project.path_of(project.file(ALTERED)["urls"][0])
    good = project.server.files[path].content
    project.server.files[path].content = good[::-1]
    refused = project.run(*one_table(project))
    line = refused.stderr.splitlines()[-1]  # the failed job's own last line
    expected = project.file(ALTERED)["sha256"]
    assert refused.returncode == 1 and "Traceback" not in refused.stderr
    assert ALTERED in line and f"sha256 expected {expected}, actual" in line
    assert not (project.folder / "resources/data" / ALTERED).exists()

    project.server.files[path].content = good
    done = project.run(*one_table(project))
    assert done.returncode == 0, done.stderr[-6000:]
    table = (project.folder / f"results/tables/{TABLE}.md").read_text()
    assert "Attention dropout (p=0.3)" in table and "n/a" not in table

    asked = len(project.server.seen)
    again = project.run(*one_table(project))
    assert "Nothing to be done" in again.stderr + again.stdout
    assert len(project.server.seen) == asked


@pytest.mark.long
def test_every_table_of_the_config_stands(project):
    """With two of each table's seeds, 2,154 jobs of a second: about twenty minutes on two processors."""
    # By the papers' models they would be 254 GPU-hours, which a machine without a GPU refuses.
    command = (*with_seeds(project, 1, 2), "--config", "anyway=true")
    done = project.run(*command)
    assert done.returncode == 0, done.stderr[-6000:]
    assert project.server.count(DEAD) + project.server.count(DEAD, "HEAD") > 0
    tables = merged("config.yaml")["tables"]
    for name in tables:
        for form in ("csv", "md", "tex"):
            assert (project.folder / f"results/tables/{name}.{form}").stat().st_size > 0
    assert (project.folder / "results/tables/published.md").is_file()
    asked = len(project.server.seen)
    assert "Nothing to be done" in (again := project.run(*command)).stderr + again.stdout
    assert len(project.server.seen) == asked
