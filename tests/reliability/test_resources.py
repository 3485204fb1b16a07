"""No room, no right to write, no memory, no steady clock: one clear line, and the next start goes on."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.dag.tiny import ROOT
from tests.reliability.world import result

NAME = "nli/continued"


@pytest.fixture
def disk(tmp_path):
    """A small disk of its own: a function that mounts it with options."""
    place = tmp_path / "disk"
    place.mkdir()

    def mount(options: str) -> Path:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], capture_output=True
        )
        if done.returncode:
            pytest.skip(
                "may not mount a file system: a really full disk NOT tested (but see test_storm.py)"
            )
        return place

    yield mount
    subprocess.run(["umount", str(place)], capture_output=True)


@pytest.fixture(scope="module")
def reference(world, tmp_path_factory):
    out = tmp_path_factory.mktemp("reference")
    world.train(NAME, out)
    return result(out)


def told(done: subprocess.CompletedProcess) -> str:
    """Return the one line of an error; there may be notes before it, but no traceback."""
    assert "Traceback" not in done.stderr, done.stderr
    lines = [line for line in done.stderr.strip().splitlines() if not line.startswith("node ")]
    last = lines[-1]
    assert last.startswith("error: "), done.stderr
    return last


def test_a_full_disk_is_reported_and_the_training_goes_on_when_there_is_room(
    world, reference, disk, tmp_path
):
    place = disk("size=300k")  # room for the first checkpoints, not for the model beside them
    done = world.train(NAME, place / "out", check=False)
    assert done.returncode == 75 and "No space left" in told(done) and "start again" in told(done)
    subprocess.run(["mount", "-o", "remount,size=50m", str(place)], check=True)
    done = world.train(NAME, place / "out")
    assert "resumed from step" in done.stderr and result(place / "out") == reference


def test_a_read_only_folder_is_reported_and_the_training_goes_on_when_it_may_write(
    world, reference, disk
):
    place = disk("size=50m")
    script, arguments = world.trainings[NAME]
    subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
    done = world.train(NAME, place / "out", check=False)
    assert done.returncode == 2 and "Read-only file system" in told(done)
    subprocess.run(["mount", "-o", "remount,rw", str(place)], check=True)
    world.train(NAME, place / "out")
    assert result(place / "out") == reference


LIMITED = """
import resource, sys
from workflow.scripts import train, endings
now = int(next(line for line in open("/proc/self/status") if line.startswith("VmSize")).split()[1]) * 1024
resource.setrlimit(resource.RLIMIT_AS, (now + {extra} * 2 ** 20,) * 2)
endings.run(lambda: train.main(sys.argv[1:]))
"""

# A C or C++ library that gets no memory may end the process before Python can say so: by a signal,
# or as the loader of the C library does where there is none for a new thread, with status 127.
ENDED_BY_A_LIBRARY = (-signal.SIGSEGV, -signal.SIGABRT, 127)


@pytest.mark.parametrize("extra", [2, 16, 48])
def test_too_little_memory_is_reported_and_the_training_goes_on_with_more(
    world, reference, tmp_path, extra
):
    script, arguments = world.trainings[NAME]
    command = [sys.executable, "-c", LIMITED.format(extra=extra), *arguments]
    command += ["--checkpoint-minutes", "1000", "--checkpoint-steps", "1"]
    command += ["--output", str(tmp_path / "record.json")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TQDM_DISABLE": "1"}
    done = subprocess.run(
        command, cwd=world.folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode or extra > 2  # 2 MB are too little for anything
    # Which code asks for the byte that is missing is luck; test_little_memory.py has each message.
    if done.returncode not in (0, *ENDED_BY_A_LIBRARY):
        assert done.returncode == 75 and "memory" in told(done).lower()
    world.train(NAME, tmp_path)
    assert result(tmp_path) == reference


def test_a_jump_of_the_clock_changes_no_duration(tmp_path, monkeypatch):
    import time

    from semblance.provenance import read_sealed, write_record

    started = time.monotonic()
    monkeypatch.setattr(time, "time", lambda: 0.0)  # 1970
    write_record(tmp_path / "record.json", "embed", outputs=[], started=started)
    assert 0.0 <= read_sealed(tmp_path / "record.json")["seconds"] < 60.0


def test_in_another_slurm_job_a_second_training_stops_with_one_line_and_changes_nothing(
    world, reference, tmp_path
):
    from semblance.locks import exclusive

    with exclusive(tmp_path):
        done = world.train(NAME, tmp_path, check=False, SLURM_JOB_ID="7")
        assert done.returncode == 75 and "another process writes here" in told(done)
        assert sorted(p.name for p in tmp_path.iterdir()) == [".writer"]
    world.train(NAME, tmp_path)
    assert result(tmp_path) == reference
