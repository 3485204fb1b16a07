"""``semblance run`` calls Snakemake, with the arguments that it shows."""

import subprocess
import sys
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.provenance import ROOT
from tests.scripts.flags import start
from workflow.scripts import run


@pytest.fixture
def started(monkeypatch) -> list:
    """The programs that would take this process's place, and their arguments."""
    found = []
    monkeypatch.setattr(run.os, "execv", lambda program, argv: found.append((program, argv)))
    return found


@pytest.fixture
def config(tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text("output: mine\n")
    return "mine.yaml"


def test_run_becomes_the_command_that_it_prints(started, config, capsys, monkeypatch):
    own = Path(sys.executable).with_name("snakemake")
    monkeypatch.setenv("PATH", "")
    run.main([config, "--cores", "3", "--output", "a b", "--set", "x=1", "y=[1, 2]"])
    said = capsys.readouterr()
    [(program, argv)] = started
    assert program == argv[0] == str(own) and said.out == ""
    options = ["--configfile", "mine.yaml", "--config", "x=1", "y=[1, 2]", 'output="a b"']
    assert argv[1:] == [*options, "--snakefile", str(ROOT / "Snakefile"), "--cores", "3"]
    assert said.err == f"{run.shlex.join(argv)}\n"


def test_run_names_snakemake_by_its_name_alone_where_the_path_leads_to_it(
    started, config, capsys, monkeypatch
):
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    run.main([])
    assert capsys.readouterr().err.startswith("snakemake --snakefile ")


def test_in_the_checkout_run_needs_no_more_than_the_cores(started, monkeypatch):
    monkeypatch.chdir(ROOT)
    run.main([])
    assert started[0][1][1:] == ["--cores", "all"]


def test_the_arguments_of_run_are_those_that_snakemake_understands(config):
    from snakemake.cli import parse_args

    argv = run.command_line([config, "--set", "x=1", "-n", "--", "one.md", "--keep-going"])
    _, options = parse_args(argv)
    assert list(options.targets) == ["one.md"] and options.dryrun and options.keep_going
    assert options.config == ["x=1"] and [str(f) for f in options.configfile] == ["mine.yaml"]


@pytest.mark.parametrize("output", ["1e5", "010", "yes", "null", "2026-01-01"])
def test_an_output_that_looks_like_another_value_is_quoted(started, config, output):
    assert f'output="{output}"' in run.command_line([config, "--output", output])


@pytest.mark.parametrize("setting", ["a.b=c", "=x", "output", "mine.yaml"])
def test_a_setting_that_snakemake_would_end_on_with_a_traceback_is_refused(config, setting):
    with pytest.raises(InputError, match="no KEY=VALUE"):
        run.command_line([config, "--set", setting])


def test_run_gives_snakemake_the_path_of_a_shipped_config_that_is_not_in_the_folder(config):
    argv = run.command_line(["configs/minilm.yaml", config])
    assert argv[:3] == ["--configfile", str(ROOT / "configs/minilm.yaml"), "mine.yaml"]
    Path("configs").mkdir()
    Path("configs/minilm.yaml").write_text("output: mine\n")
    assert run.command_line(["configs/minilm.yaml"])[1] == "configs/minilm.yaml"


@pytest.mark.parametrize("text", ["output: [", "- a list", "a: 1\na: 2\n"])
def test_run_refuses_a_malformed_config_before_snakemake_sees_it(started, config, text):
    Path(config).write_text(text)
    with pytest.raises(InputError, match=f"{config}:"):
        run.main([config])
    assert started == []


def test_the_exit_status_of_run_is_snakemakes(config):
    process = start("run", "--", "--this-is-no-option", stderr=subprocess.PIPE)
    said = process.communicate(timeout=300)[1]
    assert process.returncode == 2 and "--this-is-no-option" in said.splitlines()[0]
    assert "snakemake: error:" in said
