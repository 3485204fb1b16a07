"""The launcher that `make setup` writes: whatever the path of the checkout or the present folder holds."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from faq.tests.example_faq import ENTRIES, write_example
from semblance.provenance import ROOT
from semblance_faq.answer.folder import Threshold
from tests.dag.tiny import write_model
from workflow import installed

FILES = (
    "Makefile",
    "pyproject.toml",
    "constraints.txt",
    "semblance/__init__.py",
    "semblance/__main__.py",
    "semblance/errors.py",
    "workflow/installed.py",
)
PATHS = (
    "plain",
    """it's "quoted", and has spaces""",
    "$HOME, $(date) and `date`",
    "a line\nbreak",
    "back\\slash\\n",
    "-begins with a dash",
)


@pytest.fixture
def checkout(tmp_path):
    """A function that makes a small checkout in a folder of a name, its environment set up."""

    def make(name: str) -> Path:
        folder = tmp_path / name
        for part in ("semblance", "workflow", ".venv/bin"):
            (folder / part).mkdir(parents=True)
        for part in FILES:
            shutil.copy(ROOT / part, folder / part)
        (folder / ".venv/bin/python").symlink_to(sys.executable)
        (folder / ".venv/.ready").touch()
        return folder

    return make


def run(*command, **options) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, **options)


@pytest.mark.parametrize("name", PATHS)
def test_the_launcher_runs_in_a_checkout_of_any_path(checkout, tmp_path, name):
    folder = checkout(name)
    made = run("make", ".venv/bin/semblance", cwd=folder)
    assert made.returncode == 0, made.stderr
    started = run(str(folder / ".venv/bin/semblance"), cwd=tmp_path)
    assert started.stderr.startswith("usage: semblance ")


def test_a_checkout_whose_path_holds_a_colon_is_refused_in_one_line(checkout):
    """PYTHONPATH separates its folders by colons, and knows no escape."""
    folder = checkout("a:b")
    run("make", ".venv/bin/semblance", cwd=folder)
    started = run(str(folder / ".venv/bin/semblance"))
    assert started.returncode == 1
    assert started.stderr == f"error: {folder}: no : may stand in the path; move it elsewhere\n"


def test_the_launcher_keeps_the_users_own_pythonpath(checkout, tmp_path):
    folder = checkout("plain")
    run("make", ".venv/bin/semblance", cwd=folder)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/sitecustomize.py").write_text("print('mine')\n")
    variables = {**os.environ, "PYTHONPATH": str(tmp_path / "mine")}
    started = run(str(folder / ".venv/bin/semblance"), env=variables)
    assert started.stdout == "mine\n"


MODULES = ("random", "json", "numpy", "torch", "yaml", "click", "semblance", "workflow")
TRAP = "open('executed', 'a').write(__name__)\nraise SystemExit(99)\n"
FAQ = "question,answer\n" + "".join(f"Where is {n}?,In room {n}.\n" for n in "abcdef")


@pytest.fixture(scope="module")
def trapped(tmp_path_factory):
    """A folder with a trap for each of MODULES, the program, an answerer and a few inputs."""
    place = tmp_path_factory.mktemp("user")
    for name in MODULES:
        (place / f"{name}.py").write_text(TRAP)
    program = place / "program"
    installed.write_launcher(program)
    model = write_model(place / "base")
    write_example(place / "faq", model, threshold=Threshold(0.1, 0.9, 0.5))
    (place / "my.csv").write_text(FAQ)
    for name in "ab":
        (place / f"{name}.csv").write_text("item,score\n1,1\n2,2\n3,3\n")
    return place


@pytest.mark.parametrize(
    "arguments, status",
    [
        (["--version"], 0),
        (["run", "demo/config.yaml", "-n", "--", "demo/resources/data/records/stsb.json"], 0),
        (["compare", "a.csv", "b.csv"], 0),
        (["score", "base", "--pairs", "my.csv"], 2),
        (["faq", "ask", "--model", "faq", ENTRIES[0].question], 0),
        (["faq", "train", "my.csv", "--output", "out", "--cores", "none"], 2),
    ],
)
def test_a_command_imports_nothing_from_the_folder_that_it_runs_in(trapped, arguments, status):
    done = run(str(trapped / "program"), *arguments, cwd=trapped)
    assert not (trapped / "executed").exists(), (trapped / "executed").read_text()
    assert done.returncode == status, done.stderr
