"""``semblance status`` and ``semblance table`` of a whole finished run."""

import json
import subprocess
import sys

import pytest

from tests.dag.tiny import Project

pytestmark = pytest.mark.dag


def say(project: Project, *arguments: str) -> str:
    """Return what a command of the project's own prints in its folder."""
    command = [sys.executable, "-m", "semblance", *arguments]
    done = subprocess.run(command, cwd=project.folder, capture_output=True, text=True, check=True)
    return done.stdout


def test_a_finished_run_is_finished_and_each_of_its_jobs_is_done(finished: Project):
    said = json.loads(say(finished, "status", "results", "--json"))
    assert said["finished"] and said["controller"] is None and said["share"] == 1
    assert all(stage["done"] == stage["jobs"] for stage in said["stages"])
    assert not (said["running"] or said["failed"] or said["left_behind"])
    assert said["command"].startswith("snakemake ") and "--cores 2" in said["command"]
    assert say(finished, "status").startswith("results: finished; ")


def test_each_table_is_printed_as_it_lies_in_the_folder(finished: Project):
    tables = json.loads((finished.folder / "results/logs/config.json").read_text())["tables"]
    for name in tables:
        text = (finished.folder / f"results/tables/{name}.csv").read_text()
        assert say(finished, "table", name, "--csv").rstrip() == text.rstrip()
    assert say(finished, "table", name).startswith(tables[name]["title"])
