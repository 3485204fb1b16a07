"""Commands execute no file of a user's folder that is named like a module."""

import subprocess

import pytest

from semblance_faq.answer.folder import Threshold
from tests.unit.faq.example_faq import ENTRIES, write_example, write_model
from workflow import installed

MODULES = ("random", "json", "numpy", "torch", "yaml", "click", "semblance", "workflow")
TRAP = "open('executed', 'a').write(__name__)\nraise SystemExit(99)\n"
FAQ = "question,answer\n" + "".join(f"Where is {n}?,In room {n}.\n" for n in "abcdef")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
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
        (["run", "demo/config.yaml", "-n"], 0),
        (["compare", "a.csv", "b.csv"], 0),
        (["score", "base", "--pairs", "my.csv"], 2),
        (["faq", "ask", "--model", "faq", ENTRIES[0].question], 0),
        (["faq", "train", "my.csv", "--output", "out", "--cores", "none"], 2),
    ],
)
def test_a_command_imports_nothing_from_the_folder_that_it_runs_in(folder, arguments, status):
    done = subprocess.run([folder / "program", *arguments], cwd=folder, capture_output=True)
    assert not (folder / "executed").exists(), (folder / "executed").read_text()
    assert done.returncode == status, done.stderr.decode()
