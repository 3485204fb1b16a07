"""One run at a time for an output folder and those nested with it, and for the downloads."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from semblance import layout, locks
from semblance.locks import Busy, Lease
from semblance.provenance import ROOT
from workflow.run import lock

RUN = (
    "import sys; from workflow.run import lock\n"
    "getattr(lock, sys.argv[1])(sys.argv[2])\n"
    "print('claimed', flush=True)\n"
    "sys.stdin.read()"
)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Short times, and no claim that outlives its test."""
    monkeypatch.setattr(Lease, "BEAT", 0.02)
    monkeypatch.setattr(Lease, "WATCH", 0.5)
    monkeypatch.setattr(Lease, "POLL", 0.01)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    yield
    lock._outputs.close()
    lock._downloads.close()


@pytest.fixture
def run():
    """Start other processes that claim a folder; they are killed at the end of the test."""
    started = []

    def start(claim: str, folder: Path) -> subprocess.Popen:
        command = [sys.executable, "-c", RUN, claim, str(folder)]
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        started.append(subprocess.Popen(command, cwd=ROOT, text=True, **pipes))
        assert started[-1].stdout.readline() == "claimed\n"
        return started[-1]

    yield start
    for other in started:
        end(other, killed=True)


def end(other: subprocess.Popen, killed: bool = False) -> None:
    """Kill another process, or close its input, at which it ends well."""
    if killed:
        other.kill()
    other.communicate()


def test_a_folder_of_a_living_run_is_refused_with_one_line_that_names_it(tmp_path, run):
    other = run("claim_output", tmp_path / "out")
    with pytest.raises(Busy) as refused:
        lock.claim_output(tmp_path / "out", seconds=0.3)
    line = str(refused.value)
    assert f"pid {other.pid}) works on {tmp_path / 'out'}: wait for it" in line
    assert "\n" not in line
    lock.claim_output(tmp_path / "other")


@pytest.mark.parametrize("first, second", [("out", "out/a/b"), ("out/a/b", "out")])
def test_a_folder_above_or_below_that_of_a_living_run_is_refused_and_left_free(
    tmp_path, run, first, second
):
    other = run("claim_output", tmp_path / first)
    with pytest.raises(Busy) as refused:
        lock.claim_output(tmp_path / second, seconds=0.0)
    line = str(refused.value)
    assert f"pid {other.pid}) works on {tmp_path / first}" in line
    assert str(tmp_path / second) in line
    with locks.exclusive(tmp_path / second, lock.NAME):
        pass  # it is no longer claimed


@pytest.mark.parametrize("killed", [True, False])
@pytest.mark.parametrize("first, second", [("out", "out"), ("out", "out/a"), ("out/a", "out")])
def test_a_run_that_has_ended_shuts_out_no_other(tmp_path, run, first, second, killed):
    end(run("claim_output", tmp_path / first), killed)
    lock.claim_output(tmp_path / second, seconds=0.0)


@pytest.mark.parametrize("killed", [True, False])
def test_a_run_says_once_that_the_last_one_on_its_folder_was_killed(tmp_path, run, capsys, killed):
    other = run("claim_output", tmp_path / "out")
    end(other, killed)
    lock.claim_output(tmp_path / "out")
    lock.claim_output(tmp_path / "out")
    said = capsys.readouterr().err
    assert said.count("was killed; this one goes on from what it left") == killed
    assert said.count(f"pid {other.pid}") == said.count("\n") == killed


def test_the_folders_that_a_run_makes_itself_are_not_searched_for_other_runs(tmp_path, monkeypatch):
    looked_into = []
    real = os.scandir
    monkeypatch.setattr(
        lock.os, "scandir", lambda path: looked_into.append(Path(path).name) or real(path)
    )
    made = {Path(place).parts[0] for place in (layout.MODEL, layout.STS_TEST, layout.TABLES)}
    for name in {*made, "minilm"}:
        (tmp_path / "out" / name).mkdir(parents=True)
    (tmp_path / "out/minilm" / lock.NAME).touch()
    assert list(lock.nested_with(tmp_path / "out")) == [tmp_path / "out/minilm"]
    assert not made & set(looked_into)


def test_a_run_waits_until_another_one_has_downloaded(tmp_path, run, capsys):
    other = run("claim_downloads", tmp_path / "resources")
    waiting = threading.Thread(target=lock.claim_downloads, args=[tmp_path / "resources"])
    waiting.start()
    waiting.join(0.3)
    assert waiting.is_alive()
    end(other)
    waiting.join(30)
    assert not waiting.is_alive()
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"pid {other.pid}, which writes {tmp_path / 'resources'}" in said


def test_downloads_are_free_for_others_after_their_release(tmp_path, run):
    lock.claim_downloads(tmp_path / "resources")
    lock.release_downloads()
    run("claim_downloads", tmp_path / "resources")


def test_a_run_needs_no_right_to_write_downloads_that_are_there(tmp_path, monkeypatch):
    def refuse(*arguments):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(locks.os, "open", refuse)
    lock.claim_downloads(tmp_path / "resources")
