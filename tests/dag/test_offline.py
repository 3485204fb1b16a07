"""Every stage works from files alone: the whole tiny DAG ran where each call to the network is refused and noted."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.dag.test_reruns import STAGES
from tests.dag.tiny import ROOT, Project, trapped
from tests.scripts.flags import flags, python
from workflow.planning.stages import stages

pytestmark = pytest.mark.dag
DOWNLOADS = {"download", "download_model"}
COMPUTING = set(STAGES) - DOWNLOADS

WITH_A_MODEL = {"download_model", *stages("train"), *stages("read")}
COMMAND = re.compile(r"(?m)^ *Shell command: (?=.* -m workflow\.scripts\.(?:faq )?(\w+) )(.*)$")


def lines(project: Project, name: str) -> list[str]:
    file = project.folder / "trap" / name
    return file.read_text().splitlines() if file.exists() else []


def test_no_stage_calls_the_network(finished: Project):
    assert lines(finished, "calls") == []


def scripts(noted: list[str]) -> set[str]:
    """Return the stages whose scripts stand in command lines; "" for a process that runs none."""
    found = (re.search(r"(?<!\S)workflow\.scripts\.(?:faq )?(\w+)", line) for line in noted)
    return {match[1] if match else "" for match in found}


def test_the_trap_lay_in_the_way_of_every_stage(finished: Project):
    of_snakemake = ""
    assert scripts(lines(finished, "processes")) == {of_snakemake, *COMPUTING, *DOWNLOADS}


def test_a_stage_without_a_model_that_runs_by_itself_imports_no_torch(project: Project):
    """It takes seconds: neither Snakemake nor a stage that reads, counts or prints may pay them."""
    # Its log has no word of the jobs, which would stand in the middle of a line of what is printed.
    # The first is that of the whole run; a test before this one may have run something again.
    log = min((project.folder / ".snakemake/log").glob("*.snakemake.log"))
    commands = dict(COMMAND.findall(log.read_text()))
    assert commands.keys() == {*COMPUTING, *DOWNLOADS}
    notes = project.folder / "by-hand"
    for stage in commands.keys() - WITH_A_MODEL:
        done = subprocess.run(
            ["bash", "-c", commands[stage]],
            cwd=project.folder,
            env=os.environ | trapped(notes),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
    assert scripts((notes / "processes").read_text().splitlines()) == commands.keys() - WITH_A_MODEL
    assert not (notes / "torch").exists()


def test_no_stage_loads_a_library_that_could_ask_a_hub():
    shared = {path.stem for path in ROOT.glob("workflow/scripts/*.py")}
    packages = {n: "workflow" if n in shared else "semblance_faq" for n in COMPUTING}
    programs = [f"{package}.scripts.{name}" for name, package in packages.items()]
    program = (
        "import importlib, sys\n"
        "import workflow\n"  # it knows where the package of the application lies
        "for name in sys.argv[1:]: importlib.import_module(name)\n"
        "print(*{name.partition('.')[0] for name in sys.modules})\n"
    )
    done = python("-c", program, *programs)
    assert done.returncode == 0, done.stderr
    libraries = {"huggingface_hub", "transformers", "datasets", "sentence_transformers"}
    assert not libraries & {*done.stdout.split()}


@pytest.fixture
def run_trapped(tmp_path):
    """A function that runs Python; attempts to call the network are noted in tmp_path / "trap"."""

    def run(*words: str, folder: Path = tmp_path) -> subprocess.CompletedProcess:
        environment = os.environ | trapped(tmp_path / "trap")
        return python(*words, cwd=folder, env=environment, timeout=120)

    return run


@pytest.mark.parametrize(
    "program",
    ["from torch.utils.data import Dataset", "import importlib; importlib.import_module('torch')"],
)
def test_a_planted_import_of_torch_is_noted(run_trapped, tmp_path, program):
    assert run_trapped("-c", program, "planted").returncode == 0
    noted = (tmp_path / "trap/torch").read_text().splitlines()
    assert any(line.endswith("planted") for line in noted)


def test_a_stage_that_calls_is_noted(run_trapped, tmp_path):
    """The one stage that may call does, here towards a mirror on this machine."""
    places = {"destination": tmp_path / "data", "record": tmp_path / "record.json"}
    raw = {"manifest": "demo/manifest.yaml", "dataset": "nli-simcse"}
    words = flags(**raw, **places, mirror="http://127.0.0.1:9")
    program = (
        "import sys, time\n"
        "time.sleep = lambda seconds: None\n"  # or it would call again for half a minute
        "import workflow.scripts.download as script\n"
        "script.main(sys.argv[1:])\n"
    )
    done = run_trapped("-c", program, *words, folder=ROOT)
    assert done.returncode != 0
    assert "workflow.scripts.download" in (tmp_path / "trap/calls").read_text()
