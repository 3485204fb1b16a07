"""An extra of the package has all that its command imports, and no Snakemake."""

import re
import tomllib
from importlib.metadata import packages_distributions
from subprocess import CompletedProcess

import pytest

from semblance.models.base import BaseSettings, build_base
from tests.dag.tiny import ROOT, write_base
from tests.scripts.flags import python
from workflow.requirements import requirements

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PAIRS = "sentence1,sentence2,score\nA dog runs.,A dog walks.,4\nA cat.,Two books,0\nOne,Two,2\n"
# Runs the command line as if the modules that are named first were not installed.
WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in MISSING:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

MISSING = sys.argv.pop(1).split(",")
sys.meta_path.insert(0, Missing())
from semblance.__main__ import main
main()
"""


def distributions(extras: list[str]) -> set[str]:
    """Return the names of the packages of some extras, in pip's normal form."""
    return {_normal(r.partition("==")[0]) for r in requirements(PROJECT, extras)}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def semblance(extras: list[str], *arguments) -> CompletedProcess:
    """Run a command without the modules of the packages that ``extras`` lack."""
    missing = distributions(["run"]) - distributions(extras)
    modules = [
        module
        for module, names in packages_distributions().items()
        if missing & set(map(_normal, names))
    ]
    assert {"snakemake", "datasets"} <= set(modules)
    return python("-c", WITHOUT, ",".join(modules), *map(str, arguments))


def test_compare_needs_no_extra(tmp_path):
    for name, last in (("a", 3), ("b", 4)):
        (tmp_path / f"{name}.csv").write_text(f"item,score\n1,1\n2,2\n3,{last}\n")
    sets = (tmp_path / "a.csv", tmp_path / "b.csv")
    done = semblance([], "compare", *sets)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("no verdict: a less b is −0.33 on 3 items")


@pytest.mark.parametrize("folder", ["model", "source"])
def test_score_needs_its_extra_alone(tmp_path, folder):
    write_base(tmp_path / "source")
    settings = BaseSettings(max_length=64, folder=str(tmp_path / "source"), pooling="mean")
    build_base(settings, tmp_path / "model/record.json", "")
    (tmp_path / "pairs.csv").write_text(PAIRS)
    done = semblance(
        ["score"], "score", tmp_path / folder, "--pairs", tmp_path / "pairs.csv", "--threads", 1
    )
    assert done.returncode == 0, done.stderr
    assert "pairs" in done.stdout


@pytest.mark.parametrize("command", ["check", "score"])
def test_another_command_names_what_is_not_installed(command):
    done = semblance([], command, "demo/config.yaml")
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    known = "; the extra 'run' of the package has all that commands need"
    assert re.fullmatch(rf"error: \w+ is not installed{known}", line)
