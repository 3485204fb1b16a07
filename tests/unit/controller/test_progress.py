"""The terminal of a run: a line for each stage; all that Snakemake and its jobs print is in the log."""

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from snakemake.logging import logger

from semblance.provenance import ROOT
from workflow.controller import events, progress
from workflow.controller.command import Command
from workflow.controller.progress import ALL, Row, Screen, as_line, as_table, rows_of
from workflow.planning.stages import Job, log

TRAININGS = [Job("train", "nli", "tiny", "rcl-2", seed) for seed in (1, 2, 3, 4)]
JOBS = [Job("prepare_nli", "nli"), *TRAININGS]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    events.append("out", "run", cluster=None)


def happened(what: str, job: Job, error: str = "") -> None:
    facts = {"rule": job.stage, "outputs": [f"out/{job.stage}/record.json"], "cause": ""}
    events.append("out", what, job=log(job), error=error, last=[], advice="", **facts)


@pytest.fixture
def rows() -> list[Row]:
    """The rows of a run that has prepared its corpus; three of four trainings have begun."""
    happened("finished", JOBS[0])
    happened("started", TRAININGS[0])
    happened("failed", TRAININGS[1], "loss.py:3: no loss")
    happened("failed", TRAININGS[2], events.INTERRUPTED)
    return rows_of(JOBS, events.History("out"), {"train": 120.0, ALL: 190.0})


def test_a_row_counts_the_jobs_of_a_stage_and_the_last_row_all(rows):
    assert rows == [
        Row("prepare_nli", jobs=1, done=1, running=0, failed=0, left=None),
        Row("train", jobs=4, done=0, running=1, failed=1, left=120.0),  # Ctrl-C is no failure
        Row(ALL, jobs=5, done=1, running=1, failed=1, left=190.0),
    ]


def test_a_line_of_a_file_says_what_runs_what_failed_and_what_is_left(rows):
    line = "1 of 5 jobs done, running: train 1, 1 failed, 60 s passed, at least 3 min left"
    assert as_line(rows, "running", 60) == line
    unknown = [row._replace(left=None) for row in rows]
    assert as_line(unknown, "running", 60) == line.removesuffix(", at least 3 min left")


def drawn(rows: list[Row], lines: int, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(as_table(rows, "running", 60, lines))
    return console.file.getvalue().splitlines()


def test_a_terminal_of_80_columns_has_a_line_for_each_stage(rows):
    rows.insert(0, Row("evaluate_transfer", 1103, 1000, 100, 3, 360_000.0))
    head, longest, _, train, everything = drawn(rows, lines=24)
    assert head.split() == ["stage", "60", "s", "passed", *"done running failed time left".split()]
    assert "evaluate_transfer" in longest and longest.endswith("100.0 h") and "…" not in longest
    assert train.split()[-4:] == ["1", "1", "2", "min"] and "0 of 4" in train
    assert everything.endswith("3 min")


def test_a_low_terminal_leaves_out_the_stages_that_are_done(rows):
    shown = drawn(rows, lines=4)
    assert [line.split()[0] for line in shown] == ["stage", "train", "in"]


def test_time_left_that_is_not_known_is_said_once(rows):
    shown = drawn([row._replace(left=None) for row in rows], lines=24)
    assert [line.endswith("not known") for line in shown] == [False, False, False, True]


SNAKEFILE = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from workflow.controller import events, progress
from workflow.controller.command import Command
from workflow.planning.stages import Job
SCREEN = progress.Screen("out", Command(starts_jobs=True, lists_jobs="--quiet" in sys.argv))
onstart:
    events.append("out", "run", cluster=None)
    SCREEN.begin([Job("prepare_sts")])
onsuccess:
    SCREEN.end()
onerror:
    SCREEN.end()
    print("why: see above", file=sys.stderr)
rule all:
    output: "made"
    shell: "echo a line of a job; echo another >&2; test ! -e broken; touch made"
"""


def run_snakemake(*arguments: str, **streams) -> subprocess.CompletedProcess:
    Path("Snakefile").write_text(SNAKEFILE)
    command = [sys.executable, "-m", "snakemake", "--cores", "1", *arguments]
    return subprocess.run(command, **streams)


def test_what_snakemake_and_its_jobs_print_is_in_the_log_and_the_terminal_says_how_far(tmp_path):
    done = run_snakemake(capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == ""
    first, last = done.stderr.splitlines()
    assert first == "log: out/logs/run.log has what Snakemake and its jobs print"
    assert last.startswith("0 of 1 jobs done, ")  # the events of this Snakefile are not written
    logged = Path("out", progress.LOG).read_text()
    assert "a line of a job\nanother\n" in logged and "rule all:" in logged
    again = run_snakemake(capture_output=True, text=True)
    assert again.stderr.startswith("Nothing to be done")
    assert Path("out", progress.LOG).read_text().startswith(logged)


def test_a_failed_job_leaves_the_last_word_to_the_end_of_the_run():
    Path("broken").touch()
    done = run_snakemake(capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.splitlines()[-1] == "why: see above"
    assert "Error in rule all" in Path("out", progress.LOG).read_text()
    assert "Exiting" not in done.stderr and "Error" not in done.stderr


def test_a_terminal_has_its_cursor_and_no_escape_goes_to_the_log():
    ours, theirs = pty.openpty()
    run_snakemake(stderr=theirs, stdout=theirs)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    assert "prepare_sts" in shown and "in all" in shown and "a line of a job" not in shown
    assert shown.rindex("\033[?25h") > shown.rindex("\033[?25l")
    assert "\033" not in Path("out", progress.LOG).read_text()


def test_who_asks_for_snakemakes_own_lines_gets_them():
    done = run_snakemake("--quiet", capture_output=True, text=True)
    assert "a line of a job" in done.stdout and not Path("out", progress.LOG).exists()


def test_a_disk_that_is_full_leaves_the_terminal_to_snakemake(monkeypatch):
    def full(path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(progress, "_give_streams_to", full)
    assert Screen("out", Command(starts_jobs=True)) not in logger.handlers


def test_the_times_left_are_those_of_the_status(monkeypatch):
    from workflow.status import look, started

    class Seen:
        left = 190.0
        stages = [{"stage": "train", "left": 120.0}]

    monkeypatch.setattr(started, "read_start", lambda out: out)
    monkeypatch.setattr(look, "look", lambda start, these: Seen if these == JOBS else None)
    assert progress.left_of_stages("out", JOBS) == {"train": 120.0, ALL: 190.0}


def test_no_time_left_is_known_before_a_run_has_noted_its_start():
    assert progress.left_of_stages("nowhere", JOBS) == {}
