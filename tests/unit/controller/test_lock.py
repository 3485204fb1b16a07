"""One controller at a time, and no lock that outlives a killed one."""

import subprocess
import sys
from pathlib import Path

import pytest

from semblance import locks
from semblance.locks import NoLocks
from workflow.controller import lock

ROOT = Path(__file__).resolve().parents[3]
HOLDER = "import sys; from workflow.controller import lock; print(lock.hold(sys.argv[1]), flush=True); sys.stdin.read()"


@pytest.fixture(autouse=True)
def nothing_held(monkeypatch):
    monkeypatch.setattr(lock, "_held", {})


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path / "out")],
        cwd=ROOT,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout.readline() == "True\n"
    yield process
    process.kill()
    process.wait()


def snakemakes_lock(tmp_path, *files):
    locks = tmp_path / "locks"
    locks.mkdir(exist_ok=True)
    number = len(list(locks.glob("*.output.lock")))
    (locks / f"{number}.output.lock").write_text("\n".join(files))
    (locks / f"{number}.input.lock").write_text(f"raw\n{files[0]}")  # an intermediate is input, too
    return locks


def test_a_process_may_hold_its_folder_again(tmp_path):
    assert lock.hold(tmp_path / "out") and lock.hold(tmp_path / "out")


def test_a_folder_that_another_process_holds_is_not_taken(tmp_path, holder):
    assert not lock.hold(tmp_path / "out", seconds=0.3)
    assert lock.hold(tmp_path / "other")


def test_a_killed_process_frees_its_folder(tmp_path, holder):
    holder.kill()
    holder.wait()
    assert lock.hold(tmp_path / "out")


def test_the_lock_of_a_dead_run_is_removed_and_that_of_another_folder_kept(tmp_path, capsys):
    out = str(tmp_path / "out")
    locks = snakemakes_lock(tmp_path, f"{out}/a", f"{out}/b")
    snakemakes_lock(tmp_path, f"{out}-not/a")
    lock.take_over(out, locks)
    assert sorted(p.name for p in locks.iterdir()) == ["1.input.lock", "1.output.lock"]
    assert "was killed" in capsys.readouterr().err


def test_locks_left_unevenly_by_a_kill_are_removed_each_by_itself(tmp_path):
    out, locks = str(tmp_path / "out"), tmp_path / "locks"
    locks.mkdir()
    (locks / "0.input.lock").write_text(
        "other/a"
    )  # of a living run elsewhere, whose outputs have number 1
    (locks / "1.output.lock").write_text("other/b")
    (locks / "0.output.lock").write_text("")  # killed before it was written
    (locks / "1.input.lock").write_text(f"{out}/a")
    lock.take_over(out, locks)
    assert sorted(p.name for p in locks.iterdir()) == [
        "0.input.lock",
        "0.output.lock",
        "1.output.lock",
    ]


def test_the_lock_of_a_living_run_stays(tmp_path, holder):
    out = str(tmp_path / "out")
    locks = snakemakes_lock(tmp_path, f"{out}/a")
    lock.take_over(out, locks)
    assert len(list(locks.iterdir())) == 2


def test_without_a_snakemake_lock_no_folder_is_made(tmp_path):
    lock.take_over(tmp_path / "out", tmp_path / "none")
    assert not (tmp_path / "out").exists()


def test_without_locks_no_snakemake_lock_is_removed(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError("no locks available")

    monkeypatch.setattr(locks.fcntl, "flock", refuse)
    left = snakemakes_lock(tmp_path, f"{tmp_path}/out/a")
    lock.take_over(tmp_path / "out", left)
    assert len(list(left.iterdir())) == 2
    with pytest.raises(NoLocks):
        lock.hold(tmp_path / "out")


def test_a_folder_is_deserted_unless_a_living_controller_has_it(tmp_path, holder):
    assert not lock.is_deserted(tmp_path / "out")
    holder.kill()
    holder.wait()
    assert lock.is_deserted(tmp_path / "out")


def test_without_locks_a_snakemake_lock_means_a_living_controller(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError("no locks here")

    monkeypatch.setattr(locks.fcntl, "flock", refuse)
    out = tmp_path / "out"
    assert lock.is_deserted(out, tmp_path / "locks")
    assert not lock.is_deserted(out, snakemakes_lock(tmp_path, f"{out}/a"))
