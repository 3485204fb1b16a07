"""A training killed anywhere, on a disk that fails anywhere, ends as one that never was; see storm.py."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.dag.tiny import ROOT, run_module
from tests.reliability.world import build_shim

METHODS = 20  # trainings of the tiny world: every loss, dropout and recipe, on each kind of corpus


@pytest.fixture(scope="module")
def shim(tmp_path_factory) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("no gcc: disk faults and kills NOT tested")
    return build_shim(tmp_path_factory.mktemp("shim"))


@pytest.fixture
def memory(tmp_path) -> Iterator[Path]:
    """A folder in memory if there is one: syncs are free there, and the faults are made, not met."""
    place = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=place if place.is_dir() else tmp_path) as folder:
        yield Path(folder)


def storms(shim: Path, folder: Path, *each: str) -> dict:
    """Run storms over one world; return the figures of each, and print them for ``pytest -s``."""
    words = ("tests.reliability.storm", *each, "--folder", str(folder / "world"))
    done = run_module(ROOT, *words, timeout=None, LD_PRELOAD=str(shim))
    assert done.stdout, done.stderr[-3000:]
    figures = json.loads(done.stdout)
    print(json.dumps(figures))
    assert [figures[word.partition("=")[0]]["failures"] for word in each] == [[]] * len(each)
    assert done.returncode == 0
    return figures


def test_a_sample_of_kills_disk_faults_and_flipped_bits_changes_no_result(shim, memory):
    """Killed trainings of several methods end bit-identical, and a fault leaves what the next start goes on from."""
    figures = storms(shim, memory, "kills=3", "faults=150", "rot=1")
    assert figures["kills"]["trainings"] == 3 and figures["kills"]["kills"] > 2
    hurt = figures["faults"]["stages"]
    assert all(stage["cases"] for stage in hurt.values()) and hurt["train"]["resumed"]
    assert figures["rot"]["found"] == figures["rot"]["flips"] >= 30


@pytest.mark.storm
def test_two_hundred_killed_trainings_over_all_methods_end_bit_identical(shim, tmp_path):
    figures = storms(shim, tmp_path, "kills=240")["kills"]
    assert figures["methods"] == METHODS and figures["kills"] > 200
    assert figures["kills inside a writer"] > 20


@pytest.mark.storm
def test_every_disk_fault_leaves_a_state_that_the_next_start_goes_on_from(shim, memory):
    figures = storms(shim, memory, "faults=1")["faults"]
    assert figures["cases"] > 800


@pytest.mark.storm
def test_every_one_of_many_flipped_bits_is_found(shim, tmp_path):
    figures = storms(shim, tmp_path, "rot=10")["rot"]
    assert figures["found"] == figures["flips"] >= 300
