"""The whole workflow killed again and again, controller and jobs together, started again as a user would."""

import os
import random
import signal
import subprocess
from pathlib import Path

import pytest

from semblance.provenance import read_sealed
from tests.dag.tiny import Project
from tests.reliability.runs import start

KILLS = 20


def killed_after(process: subprocess.Popen, seconds: float) -> bool:
    """Kill the whole session after so many seconds; say whether it still lived."""
    try:
        process.communicate(timeout=seconds)
        return False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return True


def contents(results: Path) -> dict[str, object]:
    """Return all that must not depend on kills: the tables' bytes and what each record vouches for."""
    tables = {p.name: p.read_bytes() for p in results.glob("tables/*") if p.is_file()}
    records = {
        str(p.relative_to(results)): read_sealed(p)["outputs"] for p in results.rglob("record.json")
    }
    return tables | records


def test_a_killed_run_goes_on_without_being_unlocked(tmp_path):
    project = Project(tmp_path / "project")
    target = "results/corpora/nli/record.json"
    first = start(project, "--", target)
    for line in first.stdout:
        if "prepare_nli" in line and "python" in line:  # the job's command: it runs now
            break
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    assert list(  # or there would be nothing to go on from
        (project.folder / ".snakemake/incomplete").iterdir()
    )
    again = start(project, "--", target)
    said, _ = again.communicate(timeout=300)
    assert again.returncode == 0, said[-3000:]
    assert f"pid {first.pid}) was killed; this one goes on" in said and "unlock" not in said
    assert (project.folder / target).is_file()


@pytest.mark.storm
def test_the_whole_dag_killed_twenty_times_ends_with_the_same_tables_models_and_scores(tmp_path):
    whole, hurt, rng = Project(tmp_path / "whole"), Project(tmp_path / "hurt"), random.Random(0)
    whole.snakemake("--cores", "2")
    kills = starts = 0
    while True:
        process = start(hurt)
        starts += 1
        if not killed_after(process, rng.uniform(5, 30) if kills < KILLS else 3600):
            assert process.returncode == 0
            if kills >= KILLS:
                break
            raise AssertionError(f"the run ended after {kills} kills: shorten the lives")
        kills += 1
    print({"kills": kills, "starts": starts})
    assert contents(hurt.folder / "results") == contents(whole.folder / "results")
