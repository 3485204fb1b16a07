"""A training killed anywhere, on a disk that fails anywhere, ends as one that never was; see storm.py."""

import json
import shutil
import tempfile
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


def storm(shim: Path, folder: Path, *arguments: str) -> dict:
    """Run a storm; return its figures, and print them for ``pytest -s``."""
    words = ("tests.reliability.storm", *arguments, "--folder", str(folder / "world"))
    done = run_module(ROOT, *words, timeout=None, LD_PRELOAD=str(shim))
    assert done.stdout, done.stderr[-3000:]
    figures = json.loads(done.stdout)
    print(json.dumps(figures))
    assert figures["failures"] == [] and done.returncode == 0
    return figures


def test_killed_trainings_of_several_methods_end_bit_identical(shim, tmp_path):
    figures = storm(shim, tmp_path, "kills", "--count", "3")
    assert figures["trainings"] == 3 and figures["kills"] > 2


def test_a_sample_of_disk_faults_leaves_a_state_that_the_next_start_goes_on_from(shim, tmp_path):
    figures = storm(shim, tmp_path, "faults", "--every", "150")
    assert all(stage["cases"] for stage in figures["stages"].values())
    assert figures["stages"]["train"]["resumed"]


def test_one_bit_in_any_artefact_is_found_before_use(shim, tmp_path):
    figures = storm(shim, tmp_path, "rot", "--count", "1")
    assert figures["found"] == figures["flips"] >= 30


@pytest.mark.storm
def test_two_hundred_killed_trainings_over_all_methods_end_bit_identical(shim, tmp_path):
    figures = storm(shim, tmp_path, "kills", "--count", "240")
    assert figures["methods"] == METHODS and figures["kills"] > 200
    assert figures["kills inside a writer"] > 20


@pytest.mark.storm
def test_every_disk_fault_leaves_a_state_that_the_next_start_goes_on_from(shim, tmp_path):
    memory = Path("/dev/shm")  # syncs there are free, and the faults are made, not met
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as folder:
        figures = storm(shim, Path(folder), "faults", "--every", "1")
    assert figures["cases"] > 800


@pytest.mark.storm
def test_every_one_of_many_flipped_bits_is_found(shim, tmp_path):
    figures = storm(shim, tmp_path, "rot", "--count", "10")
    assert figures["found"] == figures["flips"] >= 300
