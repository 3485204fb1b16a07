"""The whole workflow killed again and again, controller and jobs together, started again as a user would."""

import contextlib
import os
import random
import signal
import socket
import subprocess
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from semblance.provenance import read_sealed, record_digest
from tests.dag.tiny import Project
from tests.reliability.runs import logged, start
from workflow.run import lock

HURTS = 200  # kills and suspensions in all
HURTS_A_ROUND = 20  # of one run, which would end between two of them otherwise


def contents(results: Path) -> dict[str, object]:
    """Return all that must not depend on kills: the tables' bytes and what each record says.

    The report says when it was made and how long the jobs took.
    """
    tables = {p.name: p.read_bytes() for p in results.glob("tables/*") if p.is_file()}
    paths = [*results.rglob("record.json"), *results.glob("tables/records/*.json")]
    paths = [path for path in paths if path.name != "report.json"]
    return tables | {str(p.relative_to(results)): record_digest(read_sealed(p)) for p in paths}


def test_a_killed_run_goes_on_without_being_unlocked(tmp_path):
    project = Project(tmp_path / "project")
    target = "results/corpora/nli/record.json"
    first = start(project, "--", target)
    while "workflow.scripts.prepare_nli" not in logged(project):  # the job's command: it runs now
        assert first.poll() is None
        time.sleep(0.05)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    # Or there would be nothing to go on from: a run that ends by itself leaves the file empty.
    assert (project.folder / "results" / lock.NAME).read_text()
    again = start(project, "--", target)
    said, _ = again.communicate(timeout=300)
    assert again.returncode == 0, said[-3000:]
    assert f"pid {first.pid}) was killed; this one goes on" in said and "unlock" not in said
    assert (project.folder / target).is_file()


class Storm:
    """Runs of one project, hurt at random until enough hurts are done."""

    def __init__(self, project: Project, rng: random.Random):
        self.project = project
        self.rng = rng
        self.done: Counter[str] = Counter()
        self.starts = 0
        self.hurts = (
            self.kill_all,
            self.kill_the_controller,
            self.kill_a_job,
            self.suspend_the_controller_beside_a_second_start,
        )

    def hurt_once(self) -> bool:
        """Start the project and hurt it after some seconds; return False if it ended before."""
        process = self._start()
        with contextlib.suppress(subprocess.TimeoutExpired):
            assert process.wait(self.rng.uniform(5, 30)) == 0, self._said()
            return False
        hurt = self.rng.choice(self.hurts)
        hurt(process)
        process.wait(600)
        self.done[hurt.__name__] += 1
        return True

    def finish(self) -> None:
        """Start the project once more: it must end well at the first try."""
        assert self._start().wait(3600) == 0, self._said()

    def kill_all(self, process: subprocess.Popen) -> None:
        with contextlib.suppress(ProcessLookupError):  # it may have ended meanwhile
            os.killpg(process.pid, signal.SIGKILL)

    def kill_the_controller(self, process: subprocess.Popen) -> None:
        process.kill()  # its jobs go on

    def kill_a_job(self, process: subprocess.Popen) -> None:
        jobs = jobs_of(process)
        if jobs:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.rng.choice(jobs), signal.SIGKILL)
        process.terminate()  # the controller lets the other jobs end

    def suspend_the_controller_beside_a_second_start(self, process: subprocess.Popen) -> None:
        process.send_signal(signal.SIGSTOP)
        try:
            second = self._start().wait(600)
        finally:
            process.send_signal(signal.SIGCONT)
        if second == 0:  # it was stopped at its very end, when it had given its lock back
            assert process.wait(600) == 0
            return
        refusal = f"another run (node {socket.gethostname()}, pid {process.pid})"
        assert refusal in self._said(), self._said()
        self.kill_all(process)

    def _start(self) -> subprocess.Popen:
        self.starts += 1
        return start(self.project, log=self._log())

    def _log(self) -> Path:
        return self.project.folder / f"start-{self.starts}.log"

    def _said(self) -> str:
        """Return the end of what the last run has printed."""
        return self._log().read_text(errors="replace")[-3000:]


def jobs_of(controller: subprocess.Popen) -> list[int]:
    """Return the programs that a controller has started, their server and its children."""
    found = []
    with contextlib.suppress(psutil.NoSuchProcess):
        for process in psutil.Process(controller.pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                if any(word.startswith("workflow.") for word in process.cmdline()):
                    found.append(process.pid)
    return found


@pytest.mark.storm
def test_whole_runs_hurt_two_hundred_times_end_with_the_same_tables_models_and_scores(tmp_path):
    rng = random.Random(0)
    whole = Project(tmp_path / "whole")
    whole.snakemake("--cores", "2")
    expected = contents(whole.folder / "results")
    done: Counter[str] = Counter()
    rounds = 0
    while done.total() < HURTS:
        rounds += 1
        storm = Storm(Project(tmp_path / f"hurt-{rounds}"), rng)
        while storm.done.total() < HURTS_A_ROUND and storm.hurt_once():
            pass
        storm.finish()
        assert contents(storm.project.folder / "results") == expected
        done += storm.done
    print({"rounds": rounds, **done})
