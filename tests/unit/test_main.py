"""``semblance`` and ``make`` say what they can do, and change nothing by it."""

import ast
import importlib
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from semblance import version as program
from semblance.__main__ import GROUPS, commands, script_of
from semblance.provenance import ROOT
from tests.scripts.flags import python
from workflow.scripts import completion

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def test_the_help_has_for_each_command_the_first_line_of_its_own_help_and_an_example():
    done = python("-m", "semblance", "--help")
    assert done.returncode == 0 and done.stderr == ""
    lines = done.stdout.splitlines()
    for name in commands():
        text = (ROOT / f"workflow/scripts/{script_of(name)}.py").read_text()
        first = ast.get_docstring(ast.parse(text)).splitlines()[0]
        shown = re.compile(rf"  {name} +{re.escape(first)}")
        [place] = [number for number, line in enumerate(lines) if shown.fullmatch(line)]
        assert lines[place + 1].split()[:2] == ["semblance", name]


@pytest.mark.parametrize("name", commands())
def test_a_command_takes_its_example_and_its_help_has_its_name_and_its_text(name, capsys):
    script = importlib.import_module(f"workflow.scripts.{script_of(name)}")
    [example] = [group[name] for group in GROUPS.values() if name in group]
    _, named, *arguments = example.split()
    assert named == name
    script.parser().parse_args(arguments)
    with pytest.raises(SystemExit) as end:
        script.parser().parse_args(["--help"])
    shown = capsys.readouterr().out
    assert end.value.code == 0 and shown.startswith(f"usage: semblance {name}")
    assert script.__doc__.strip() in shown


def test_an_unknown_flag_of_a_command_is_bad_input():
    done = python("-m", "semblance", "status", "--fly")
    assert done.returncode == 2 and "unrecognized arguments: --fly" in done.stderr


@pytest.mark.parametrize(
    "arguments, line",
    [
        ("tabel", "error: tabel: there is no such command; did you mean table?"),
        ("--fly", "error: --fly: there is no such command; name one of check, sources,"),
        (
            "faq trian",
            "error: trian: there is no such command of semblance faq; did you mean train?",
        ),
    ],
)
def test_a_command_that_is_not_there_is_an_error_that_names_the_nearest_one(arguments, line):
    done = python("-m", "semblance", *arguments.split())
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith(line) and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "typed, completed",
    [
        ("semblance ver", "verify"),
        ("semblance status --wa", "--watch"),
        ("semblance faq cov", "coverage"),
        ("semblance run configs/starts.y", "configs/starts.yaml"),
        ("semblance verify --output doc", "docs"),
        ("semblance completion f", "fish"),
    ],
)
def test_bash_completes_commands_options_files_and_choices(typed, completed, tmp_path, capsys):
    completion.main(["bash"])
    words = typed.split()
    (tmp_path / "completion.bash").write_text(
        f"""{capsys.readouterr().out}
        COMP_WORDS=({typed}) COMP_CWORD={len(words) - 1}
        $(complete -p semblance | sed 's/.*-F //; s/ .*//')
        echo "${{COMPREPLY[@]}}"
        """
    )
    done = subprocess.run(
        ["bash", tmp_path / "completion.bash"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout == f"{completed}\n" and done.stderr == ""


def test_without_a_command_the_usage_is_an_error():
    done = python("-m", "semblance")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("usage: semblance COMMAND")


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder that the program takes for its checkout."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    monkeypatch.setattr(program, "ROOT", tmp_path)
    return tmp_path


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=T", "-c", "user.email=t@example.org"]
    command = ["git", *who, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def test_outside_of_git_the_version_is_that_of_pyproject_if_it_is_there(checkout):
    assert program.version() == f"semblance {VERSION}"
    (checkout / "pyproject.toml").unlink()
    assert program.version() == "semblance"


def test_in_a_git_checkout_the_version_names_the_commit_and_later_changes(checkout):
    git(checkout, "init", "--quiet")
    git(checkout, "add", ".")
    git(checkout, "commit", "--quiet", "--message", "first")
    git(checkout, "tag", "v9")  # a tag is no commit
    commit = git(checkout, "rev-parse", "--short=12", "HEAD").strip()
    assert program.version() == f"semblance {VERSION} (commit {commit})"
    (checkout / "pyproject.toml").write_text((checkout / "pyproject.toml").read_text() + "\n")
    assert program.version() == f"semblance {VERSION} (commit {commit}-dirty)"


def test_make_alone_shows_the_help_and_makes_nothing(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    shown = [
        subprocess.run(["make", *target], cwd=tmp_path, capture_output=True, text=True, check=True)
        for target in ([], ["help"])
    ]
    assert shown[0].stdout == shown[1].stdout != ""
    assert [path.name for path in tmp_path.iterdir()] == ["Makefile"]


def test_the_help_of_make_names_each_target_once():
    text = (ROOT / "Makefile").read_text()
    named = re.findall(r"^# make ([\w-]+)  ", text, re.MULTILINE)
    targets = re.search(r"^\.PHONY: (.*)", text, re.MULTILINE)[1].split()
    assert sorted([*named, "help"]) == sorted(targets)
