"""``semblance status`` and ``semblance table``, which look at a run and change nothing."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.provenance import ROOT
from tests.scripts.flags import start
from tests.unit.run.example_run import note_start
from tests.unit.run.test_current_tables import STS as STS_TABLE
from tests.unit.run.test_current_tables import finish, plan_of, render_whole
from workflow.planning.plan import Plan
from workflow.scripts import status, table
from workflow.scripts.endings import CLOSED


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """The plan of one table in an empty folder, in which a run has noted its start."""
    monkeypatch.chdir(tmp_path)
    changed = {"manifest": str(ROOT / "workflow/manifest.yaml")}
    plan = Plan(plan_of(t_sts=STS_TABLE).config.model_copy(update=changed))
    note_start(plan)
    return plan


def test_on_a_terminal_status_is_coloured_and_drawn_anew_until_ctrl_c(plan):
    ours, theirs = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    environment |= {"PYTHONPATH": str(ROOT), "TERM": "xterm"}
    command = [sys.executable, "-m", "semblance", "status", "--watch"]
    process = subprocess.Popen(command, env=environment, stdout=theirs, stderr=subprocess.PIPE)
    os.close(theirs)
    shown = ""
    while "to go on" not in shown:
        shown += os.read(ours, 10_000).decode()
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1] == b"" and process.returncode == 0
    os.close(ours)
    assert shown.startswith("\033[H\033[2Jresults: \033[1mno run works here\033[0m")


def test_a_reader_that_has_read_enough_is_no_error(plan):
    reading, writing = os.pipe()
    os.close(reading)
    process = start("status", stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert process.communicate(timeout=60)[1] == "" and process.returncode == CLOSED


def test_table_prints_a_finished_table_as_it_lies_in_the_folder(plan, capsys):
    finish(plan)
    render_whole(plan, "t_sts")
    for form, path in (("--csv", "t_sts.csv"), ("--json", "json/t_sts.json")):
        table.main(["t_sts", form])
        whole = Path("results/tables", path).read_text()
        assert capsys.readouterr().out.rstrip() == whole.rstrip()


@pytest.mark.parametrize("columns", ["60", ""])
def test_a_table_fits_the_terminal_and_is_whole_in_a_pipe(plan, capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    finish(plan)
    render_whole(plan, "t_sts")
    table.main(["T_STS"])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= int(columns or 10_000) and lines[0] == STS_TABLE["title"]
    assert ("STS12" in lines[2].split()) is (not columns)
    assert lines[-1].endswith(": results/tables/t_sts.md")


def test_table_prints_what_there_is_of_an_incomplete_table_and_writes_nothing(plan, capsys):
    finish(plan, but=("evaluate_sts",))
    table.main(["t_sts"])
    shown = capsys.readouterr().out
    assert shown.startswith("INCOMPLETE: ") and "n/a" in shown
    assert shown.endswith(" notes: semblance table t_sts --json\n")
    table.main(["t_sts", "--json"])
    assert "INCOMPLETE" in json.loads(capsys.readouterr().out)["name"]


def test_without_a_name_the_tables_are_listed_and_an_unknown_one_is_refused_with_them(plan, capsys):
    table.main([])
    assert capsys.readouterr().out == f"t_sts  {STS_TABLE['title']}\n"
    for name, advice in (("t_sst", "did you mean t_sts?"), ("other", "name one of t_sts")):
        with pytest.raises(
            InputError, match=re.escape(f"{name}: there is no such table; {advice}")
        ):
            table.main([name])


def test_a_runs_folder_without_its_flag_is_answered_with_the_command_to_type(tmp_path):
    with pytest.raises(InputError, match=f"; semblance status --output {tmp_path}$"):
        status.main([str(tmp_path)])
