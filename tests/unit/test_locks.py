"""A folder has one writer, on one machine by the lock, across machines by the heartbeat."""

import errno
import itertools
import json
import os
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from semblance import locks
from semblance.locks import Busy, FileLock, Lease, NoLocks, exclusive, name_for
from semblance.provenance import ROOT

WRITER = (
    "import sys; from semblance.locks import exclusive\n"
    "with exclusive(sys.argv[1]): print('in', flush=True); sys.stdin.read()"
)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Short times; no test below depends on how long anything takes."""
    monkeypatch.setattr(Lease, "BEAT", 0.02)
    monkeypatch.setattr(Lease, "WATCH", 0.5)
    monkeypatch.setattr(Lease, "POLL", 0.01)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)


THEIRS = {"host": "n2", "job": "123", "pid": 7, "token": "theirs", "beat": 1}


def holder(folder, beat=1):
    """Leave the beat of another process as the last one in the folder's file; returns what it says."""
    marker = THEIRS | {"beat": beat}
    with open(folder / ".writer", "ab") as stream:
        stream.truncate(0)
        stream.write(json.dumps(marker).encode().ljust(locks.WIDTH - 1) + b"\n")
    return marker


def content(folder, name=".writer"):
    return json.loads((folder / name).read_text())


def replace_sleep(monkeypatch, sleep):
    """Replace the module's own sleep alone: other threads of this process sleep, too."""
    clock = SimpleNamespace(sleep=sleep, monotonic=time.monotonic)
    monkeypatch.setattr(locks, "time", clock)


@pytest.fixture
def beating(tmp_path, monkeypatch):
    """A holder on another machine, whose lock is not known here, and whose beat goes on until the test ends."""
    monkeypatch.setattr(Lease, "WATCH", 25.0)  # it is over at the first beat that is seen
    ended = threading.Event()
    holder(tmp_path)

    def beat():
        for count in itertools.takewhile(lambda _: not ended.wait(0.01), itertools.count(2)):
            marker = json.dumps(THEIRS | {"beat": count}).encode()
            with open(tmp_path / ".writer", "r+b") as stream:
                os.pwrite(stream.fileno(), marker.ljust(locks.WIDTH - 1) + b"\n", 0)

    thread = threading.Thread(target=beat)
    thread.start()
    yield tmp_path
    ended.set()
    thread.join()


@pytest.fixture
def writer(tmp_path):
    """Another process on this machine, in a Slurm job, that holds the folder until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "SLURM_JOB_ID": "77"},
    )
    assert process.stdout.readline() == "in\n"
    yield process
    process.kill()
    process.communicate()


def refused(error):
    """Return what stands in for a function of the operating system that fails so."""

    def fail(*args):
        raise OSError(error, os.strerror(error))

    return fail


def is_refused(folder, words="another process writes here"):
    """Assert that the folder has another writer, of which the error says this."""
    with pytest.raises(Busy, match=words), exclusive(folder):
        raise AssertionError("two writers")


def wait_for(fact):
    deadline = time.monotonic() + 30
    while not fact():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.005)


def test_a_file_is_locked_by_one_at_a_time_and_free_after_its_release(tmp_path):
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    assert first.take() and not second.take()
    first.release()
    assert second.take()
    second.release()


def test_waiting_for_a_lock_ends_when_it_is_free(tmp_path):
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    assert first.take()
    taken = []
    waiting = threading.Thread(target=lambda: taken.append(second.take(wait=True)))
    waiting.start()
    waiting.join(0.1)
    assert taken == []
    first.release()
    waiting.join(30)
    assert taken == [True]
    second.release()


def test_a_started_program_does_not_inherit_a_lock(tmp_path):
    lock = FileLock(tmp_path / "lock")
    assert lock.take()
    program = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    lock.release()
    again = FileLock(tmp_path / "lock")
    assert program.poll() is None and again.take()
    again.release()
    program.communicate(b"\n")


def test_an_error_names_the_file_whose_file_system_has_no_locks(tmp_path, monkeypatch):
    monkeypatch.setattr(locks.fcntl, "flock", refused(errno.ENOLCK))
    lock = FileLock(tmp_path / "lock")
    with pytest.raises(NoLocks, match="No locks available.*lock") as caught:
        lock.take()
    assert caught.value.errno == errno.ENOLCK
    lock.release()


def test_a_folder_has_one_writer_and_none_once_it_is_killed(tmp_path, writer):
    is_refused(tmp_path, f"another process writes here .*Slurm job 77, pid {writer.pid}")
    writer.kill()
    writer.wait()
    assert content(tmp_path)["pid"] == writer.pid  # it could not tidy
    with exclusive(tmp_path):  # nor need anybody wait: this machine's lock is decisive
        pass


def test_the_file_names_its_holder_and_is_empty_after_the_end(tmp_path, monkeypatch):
    monkeypatch.setenv("SLURM_JOB_ID", "42")
    with exclusive(tmp_path):
        marker = content(tmp_path)
        assert (marker["pid"], marker["job"]) == (os.getpid(), "42")
        assert (tmp_path / ".writer").stat().st_size == locks.WIDTH
    assert (tmp_path / ".writer").read_bytes() == b""


def test_beats_are_written_into_the_locked_file_itself(tmp_path):
    with exclusive(tmp_path):
        inode, first = (tmp_path / ".writer").stat().st_ino, content(tmp_path)["beat"]
        wait_for(lambda: content(tmp_path)["beat"] > first + 1)
        assert (tmp_path / ".writer").stat().st_ino == inode


def test_a_living_writer_on_another_machine_is_named(beating):
    is_refused(beating, "node n2, Slurm job 123, pid 7")


def test_the_folder_of_a_silent_writer_on_another_machine_is_taken_over(tmp_path, capsys):
    holder(tmp_path)
    with exclusive(tmp_path):
        assert content(tmp_path)["pid"] == os.getpid()
    said = "its writer (node n2, Slurm job 123, pid 7) gives no sign of life; taken over"
    assert said in capsys.readouterr().err


def test_a_writer_that_ends_while_it_is_watched_leaves_the_folder_free(tmp_path, monkeypatch):
    holder(tmp_path)
    monkeypatch.setattr(Lease, "WATCH", 60.0)
    end = (tmp_path / ".writer").write_bytes
    replace_sleep(monkeypatch, lambda seconds: end(b""))
    with exclusive(tmp_path):
        assert content(tmp_path)["pid"] == os.getpid()


def test_a_beat_that_is_old_by_the_file_systems_clock_is_not_watched(tmp_path, monkeypatch):
    holder(tmp_path)
    now = (tmp_path / ".writer").stat().st_mtime
    os.utime(tmp_path / ".writer", (now - 2 * Lease.STALE,) * 2)
    # a call of time.time, this machine's clock, would end in an AttributeError
    replace_sleep(monkeypatch, lambda seconds: pytest.fail("it was watched"))
    with exclusive(tmp_path):
        pass


def test_without_locks_the_beat_keeps_out_processes_of_the_same_machine(beating, monkeypatch):
    monkeypatch.setattr(locks.fcntl, "flock", refused(errno.ENOSYS))
    monkeypatch.setattr(locks.socket, "gethostname", lambda: "n2")
    is_refused(beating)


def test_the_check_of_a_holder_notices_a_takeover(tmp_path, monkeypatch):
    monkeypatch.setattr(Lease, "BEAT", 60.0)  # no beat of its own overwrites the new holder's
    with exclusive(tmp_path) as mine:
        mine.check()
        holder(tmp_path)
        with pytest.raises(Busy, match="node n2"):
            mine.check()


def test_a_beating_holder_notices_a_takeover_and_leaves_the_new_holders_beat(tmp_path):
    with exclusive(tmp_path) as mine:
        # The new holder beats on: a beat of both at the same moment may overwrite one of these.
        wait_for(lambda: holder(tmp_path) and mine.lost)
        wait_for(lambda: not mine._thread.is_alive())
        theirs = holder(tmp_path, beat=2)
    assert content(tmp_path) == theirs


def test_a_holder_survives_a_beat_that_the_disk_refuses(tmp_path, monkeypatch):
    monkeypatch.setattr(locks.os, "pwrite", refused(errno.ENOSPC))
    with exclusive(tmp_path) as mine:
        mine.check()
        assert mine._thread.is_alive()


@pytest.mark.parametrize("text", ["not JSON", "[1]", '{"host": ["\\u001b[2J"], "pid": {}}'])
def test_a_content_that_is_no_beat_is_watched_and_printed_safely(tmp_path, capsys, text):
    (tmp_path / ".writer").write_text(text)
    with exclusive(tmp_path):
        pass
    err = capsys.readouterr().err
    assert "taken over" in err and err.count("\n") == 1 and "\x1b" not in err


def test_a_waiting_process_gets_the_folder_when_its_writer_ends_and_says_once_for_whom_it_waits(
    tmp_path, writer, capsys
):
    entered = []

    def enter():
        with exclusive(tmp_path, wait=True) as lease:
            entered.append(lease.killed_writer)

    waiting = threading.Thread(target=enter)
    waiting.start()
    waiting.join(0.3)
    assert entered == []
    writer.communicate("")  # its input ends, and so does it
    waiting.join(30)
    assert entered == [""]
    said = capsys.readouterr().err
    assert said.count("waiting for node") == 1
    assert f"pid {writer.pid}, which writes {tmp_path}" in said


def test_a_waiting_process_gets_the_folder_of_a_killed_writer_and_knows_of_it(tmp_path, writer):
    writer.kill()
    writer.wait()
    with exclusive(tmp_path, wait=True) as lease:
        assert lease.killed_writer.endswith(f"pid {writer.pid}")


@pytest.mark.parametrize("own_job, waits", [("123", True), ("124", False)])
def test_a_slurm_job_waits_for_a_writer_in_the_same_job_only(beating, monkeypatch, own_job, waits):
    monkeypatch.setenv("SLURM_JOB_ID", own_job)
    tries = []

    def stop(seconds):
        if seconds == Lease.POLL:
            tries.append(seconds)
            raise KeyboardInterrupt

    replace_sleep(monkeypatch, stop)
    expected = KeyboardInterrupt if waits else Busy
    with pytest.raises(expected), exclusive(beating, wait=True):
        raise AssertionError("two writers")
    assert bool(tries) is waits


def test_a_process_that_has_the_lease_of_a_folder_gets_the_same_one_again(tmp_path):
    with exclusive(tmp_path) as outer:
        with exclusive(tmp_path) as inner:
            assert inner is outer
        assert outer._thread.is_alive()


def test_records_of_one_folder_have_a_lease_each(tmp_path):
    names = {name_for(tmp_path / name) for name in ("record.json", "sts12.json", "sick.json")}
    assert names == {".writer", ".sts12.writer", ".sick.writer"}
    with exclusive(tmp_path, ".sts12.writer"), exclusive(tmp_path, ".sick.writer"):
        assert content(tmp_path, ".sts12.writer")["pid"] == os.getpid()
