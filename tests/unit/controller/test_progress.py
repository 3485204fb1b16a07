"""The progress line: it names what runs, counts what is done, and passes snakemake's exit status on."""

from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from workflow.controller import events, progress
from workflow.controller.progress import ProgressLine

STARTED = {
    "job": "logs/train/x",
    "rule": "train",
    "wildcards": {"corpus": "nli", "base": "tiny", "method": "rcl-2", "seed": "3"},
}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    events.append("out", "progress", done=7, total=9)  # of an earlier run


def follow() -> ProgressLine:
    """Follow a run with one job that starts and 12 of 50 that are done."""
    line = ProgressLine("out")
    line.left = "about 3 min left"
    events.append("out", "started", **STARTED)
    events.append("out", "progress", done=12, total=50)
    for said in ("rule train:\n", "\n", "error: nli.csv:7: an empty sentence\n"):
        line.draw(said if said.startswith(progress.SHOWN) else "")
    return line


def test_a_file_gets_a_line_that_names_the_job_and_how_much_is_left(capsys):
    follow()
    shown, error = capsys.readouterr().err.splitlines()
    assert shown.startswith("12 of 50 jobs done, ")
    assert shown.endswith(" passed, about 3 min left (train nli tiny rcl-2 3)")
    assert error == "error: nli.csv:7: an empty sentence"  # and no other line of snakemake's


def test_a_terminal_has_one_line_that_fits_it(monkeypatch, capsys):
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    follow()
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1  # of the error
    last = shown.rpartition("\r\033[K")[2].partition("\n")[2]
    assert last.startswith("12 of 50 jobs done, ") and len(last) == 39


def test_the_exit_status_is_snakemakes(tmp_path):
    for command, fails in (("exit 3", True), ("true", False)):
        (tmp_path / "Snakefile").write_text(f"rule all:\n    shell: '{command}'\n")
        assert (progress.main(["--cores", "1"]) != 0) is fails


def test_what_an_interrupted_run_says_at_its_end_is_passed_on(tmp_path, monkeypatch, capsys):
    said = ["stopped: jobs that are done, and stay done: 3 of 9\n", "noise\n", "to go on: again\n"]
    output = MagicMock()
    output.__iter__.side_effect = [KeyboardInterrupt, iter(said)]
    interrupted = SimpleNamespace(stdout=output, wait=lambda: 1)
    monkeypatch.setattr(progress.subprocess, "Popen", lambda *args, **options: interrupted)
    assert progress.main([]) == progress.INTERRUPTED
    shown = capsys.readouterr().err
    assert said[0] in shown and said[2].strip() in shown and "noise" not in shown


def test_the_last_line_is_that_of_the_job_which_failed_first(tmp_path, monkeypatch, capsys):
    def failing(*args, **options):
        events.append("out", "run", cluster=None)
        for job, error in (("logs/a", "loss.py:3: no loss"), ("logs/b", "another")):
            events.append("out", "failed", job=job, rule="train", error=error)
        return SimpleNamespace(stdout=["noise\n", "failed: train\n"], wait=lambda: 1)

    monkeypatch.setattr(progress.subprocess, "Popen", failing)
    monkeypatch.setattr(progress, "output_of", lambda files: "out")
    assert progress.main([]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == "train: loss.py:3: no loss"


def test_the_time_left_is_that_of_the_status(monkeypatch):
    from workflow.status import look, started

    monkeypatch.setattr(started, "read_start", lambda out: out)
    monkeypatch.setattr(look, "look", lambda start: SimpleNamespace(left=190.0))
    assert progress.time_left("results") == "about 3 min left"


def test_the_time_left_is_not_known_before_a_run_has_noted_its_start(tmp_path):
    assert progress.time_left(str(tmp_path)) == "time left not known yet"


def test_the_output_is_that_of_the_last_config_that_names_one(tmp_path):
    for name, text in (("a", "output: x\n"), ("b", "output: y\n"), ("c", "keep: {}\n")):
        (tmp_path / name).with_suffix(".yaml").write_text(text)
    files = [str(tmp_path / f"{name}.yaml") for name in "abc"]
    assert progress.output_of(files) == "y"
