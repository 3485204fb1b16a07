"""Whether the holder of a lease lives, by what the locked file says."""

import os
import subprocess
import sys
import time

import psutil
import pytest

from semblance.locks import Lease, exclusive
from tests.unit.run.example_run import NOBODY, write_lease
from workflow.run.status import holder_of


def test_the_holder_of_a_lease_that_is_held_is_this_process(tmp_path):
    with exclusive(tmp_path, ".x") as lease:
        found = holder_of(lease.lock.path)
    expected = (lease.holder["host"], os.getpid(), lease.holder["job"])
    assert (found.host, found.pid, found.job) == expected
    assert found.state == "alive"


def test_a_lease_that_ended_well_or_is_being_written_has_no_holder(tmp_path):
    with exclusive(tmp_path, ".x"):
        pass
    assert holder_of(tmp_path / ".x") is None
    assert holder_of(tmp_path / ".never") is None
    os.truncate(write_lease(tmp_path / ".x"), 9)
    assert holder_of(tmp_path / ".x") is None


@pytest.mark.parametrize("lease", [{"pid": NOBODY}, {"age": 10**7}])
def test_a_process_of_this_machine_that_is_gone_is_dead_however_fresh_its_beat(tmp_path, lease):
    """A later process may have the number of the holder."""
    assert holder_of(write_lease(tmp_path / ".x", **lease)).state == "dead"


def test_a_process_that_is_suspended_for_long_lives(tmp_path):
    began = psutil.Process().create_time()
    age = max(0.0, time.time() - began - 1)  # its last beat was soon after its start
    assert holder_of(write_lease(tmp_path / ".x", age=age)).state == "alive"


def test_a_process_of_which_only_the_exit_status_is_left_is_dead(tmp_path):
    child = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    child.stdout.read()  # its end
    while psutil.Process(child.pid).status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)
    assert holder_of(write_lease(tmp_path / ".x", pid=child.pid)).state == "dead"
    child.wait()


@pytest.mark.parametrize("age, state", [(Lease.WATCH / 2, "alive"), (2 * Lease.WATCH, "silent")])
def test_a_process_of_another_machine_is_known_by_its_beats_alone(tmp_path, age, state):
    found = holder_of(write_lease(tmp_path / ".x", age=age, host="n7", pid=NOBODY, job="815"))
    assert found.state == state and found.silent == pytest.approx(age, abs=5)
    assert found.describe() == f"n7, Slurm job 815, pid {NOBODY}"
