"""The terminal of a run: a line for each stage; all that Snakemake and its jobs print is in the log."""

import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest
from snakemake.logging import logger

from semblance.provenance import ROOT
from tests.unit.run.example_run import OTHER, TRAINING, ExampleRun
from workflow.run import events, progress
from workflow.run.command import Command
from workflow.run.progress import Screen
from workflow.run.started import read_start
from workflow.run.status import look
from workflow.run.status_page import in_one_line


@pytest.fixture(autouse=True)
def example(tmp_path, monkeypatch) -> ExampleRun:
    """A run, in an empty folder, whose first training runs and whose second has failed."""
    monkeypatch.chdir(tmp_path)
    run = ExampleRun()
    run.control()
    events.append("results", "run", cluster=None)
    for job in run.jobs:
        if job.stage == "download":
            run.happened("finished", job)
    run.happened("started", TRAINING)
    run.happened("failed", OTHER, "loss.py:3: no loss")
    return run


def test_the_line_of_a_file_says_what_runs_what_failed_and_what_is_left(example):
    status = look(read_start("results"), example.jobs)
    done = sum(job.stage == "download" for job in example.jobs)
    head = f"{done} of {len(example.jobs)} jobs done, 1 failed, 0 s passed"
    status.began = time.time()
    assert in_one_line(status) == f"{head}, running: train 1"
    status.left, status.began = (190.0, 400.0), time.time()
    assert in_one_line(status) == f"{head}, about 3 min to 7 min left, running: train 1"


@pytest.mark.parametrize("height", [24, 10])
def test_a_terminal_shows_the_total_first_the_stages_at_work_and_the_others_in_a_line_each(
    example, height
):
    status = look(read_start("results"), example.jobs)
    total, head, train, waiting, done = progress._fitted(status, height).plain.split("\n")
    assert total == in_one_line(status)
    assert head.split() == "stage jobs done running failed time left".split()
    assert train.split() == ["train", "2", "1", "1"]  # of none done, nothing
    downloads = [job for job in example.jobs if job.stage == "download"]
    assert done == f"done: {len(downloads)} jobs of download"
    others = {job.stage for job in example.jobs} - {"download", "train"}
    number, _, names = waiting.removeprefix("waiting: ").partition(" jobs of ")
    assert set(names.split(", ")) == others
    assert int(number) == len(example.jobs) - len(downloads) - 2


def test_a_terminal_with_too_few_lines_keeps_the_total_and_what_waits(example):
    status = look(read_start("results"), example.jobs)
    lines = progress._fitted(status, 4).plain.split("\n")
    assert [line.partition(":")[0] for line in lines[1:]] == ["waiting", "done"]


def test_a_failed_job_is_named_once_with_its_error(example, capsys):
    screen = Screen("results", Command(starts_jobs=False))
    screen.jobs = example.jobs
    screen._draw()
    screen._draw()
    failed, first, second = capsys.readouterr().err.splitlines()
    assert failed.startswith("failed: train ")
    assert "loss.py:3: no loss (results/logs/train/" in failed
    assert "1 failed" in first and "1 failed" in second


SNAKEFILE = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from workflow.run import events, progress
from workflow.run.command import Command
from workflow.planning.stages import Job
SCREEN = progress.Screen("results", Command(starts_jobs=True, lists_jobs="--quiet" in sys.argv))
onstart:
    SCREEN.begin([Job("prepare_sts", name="stsb")])
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
    first, *_, last = done.stderr.splitlines()
    assert first == "log: results/logs/run.log has what Snakemake and its jobs print"
    assert last.startswith("0 of 1 job done, ")  # this Snakefile writes no events
    logged = Path("results", progress.LOG).read_text()
    assert "a line of a job\nanother\n" in logged and "rule all:" in logged
    again = run_snakemake(capture_output=True, text=True)
    assert again.stderr.startswith("Nothing to be done")
    assert Path("results", progress.LOG).read_text().startswith(logged)


def test_a_failed_job_leaves_the_last_word_to_the_end_of_the_run():
    Path("broken").touch()
    done = run_snakemake(capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.splitlines()[-1] == "why: see above"
    assert "Error in rule all" in Path("results", progress.LOG).read_text()
    assert "Exiting" not in done.stderr and "Error" not in done.stderr


def test_a_terminal_has_its_cursor_and_no_escape_goes_to_the_log():
    ours, theirs = pty.openpty()
    run_snakemake(stderr=theirs, stdout=theirs)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    assert "prepare_sts" in shown and "of 1 job done" in shown and "a line of a job" not in shown
    assert shown.rindex("\033[?25h") > shown.rindex("\033[?25l")
    assert "\033" not in Path("results", progress.LOG).read_text()


def test_who_asks_for_snakemakes_own_lines_gets_them():
    done = run_snakemake("--quiet", capture_output=True, text=True)
    assert "a line of a job" in done.stdout and not Path("results", progress.LOG).exists()


def test_a_disk_that_is_full_leaves_the_terminal_to_snakemake(monkeypatch):
    def full(path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(progress, "_give_streams_to", full)
    assert Screen("results", Command(starts_jobs=True)) not in logger.handlers
