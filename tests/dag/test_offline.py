"""Every stage works from files alone: the whole tiny DAG ran where each call to the network is refused and noted."""

import os
import re
import subprocess

import pytest

from tests.dag.test_reruns import STAGES, program_of
from tests.dag.tiny import Project, trapped
from tests.scripts.flags import python
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
    program = (
        "import importlib, sys\n"
        "import workflow\n"  # it knows where the package of the application lies
        "for name in sys.argv[1:]: importlib.import_module(name)\n"
        "print(*{name.partition('.')[0] for name in sys.modules})\n"
    )
    done = python("-c", program, *map(program_of, COMPUTING))
    assert done.returncode == 0, done.stderr
    libraries = {"huggingface_hub", "transformers", "datasets", "sentence_transformers"}
    assert not libraries & {*done.stdout.split()}


PLANTED = {  # a program -> where the trap notes it
    "from torch.utils.data import Dataset": "torch",
    "import importlib; importlib.import_module('torch')": "torch",
    "import requests; requests.get('http://127.0.0.1:9')": "calls",
}


@pytest.mark.parametrize("program", PLANTED)
def test_a_planted_import_of_torch_or_call_is_noted(program, tmp_path):
    python("-c", program, "planted", env=os.environ | trapped(tmp_path))
    noted = (tmp_path / PLANTED[program]).read_text().splitlines()
    assert any(line.endswith("planted") for line in noted)
