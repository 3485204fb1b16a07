"""Every command and every line of code in README.md works as it is typed.

A command that would train or install something is run as a dry run: ``make -n``, ``snakemake -n``.
"""

import importlib
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pandas as pd
import pytest
from snakemake.cli import parse_args

from semblance.__main__ import OF_OTHER_NAME
from semblance.__main__ import commands as known_commands
from tests.dag.tiny import COPIED, ROOT, copy_project, write_model
from workflow.checks.load import load
from workflow.config.layers import laid_over
from workflow.planning.plan import Plan
from workflow.planning.stages import jobs, record
from workflow.planning.tables import rows_of
from workflow.run.costs import estimates

README = (ROOT / "README.md").read_text()
SKILL = (ROOT / "docs/SKILL.md").read_text()
OF_SKILL = re.findall(r"^(?:\| `)?(semblance .+?)(?:  #|`|$)", SKILL, re.MULTILINE)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(language: str) -> list[str]:
    """Return the contents of the code blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    """Return every command of README.md, without its comment."""
    lines = [line for block in blocks("bash") for line in block.splitlines()]
    return [line.split("  #")[0].strip() for line in lines]


def commands_of(program: str) -> list[str]:
    return [command for command in commands() if command.split()[0] == program]


def run(command: str, folder: Path) -> str:
    """Run a command as the activated environment would; return what it printed."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def plan_of(*names: str | Path) -> Plan:
    return Plan(load(laid_over([ROOT / name for name in names])))


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    """A copy of the project."""
    folder = tmp_path_factory.mktemp("readme") / "project"
    copy_project(folder, (*COPIED, "configs", "Makefile", "pyproject.toml", "constraints.txt"))
    return folder


def test_every_command_is_of_a_program_that_these_tests_know():
    known = {"git", "make", ".", "snakemake", "semblance"}
    assert {command.split()[0] for command in commands()} == known


@pytest.mark.parametrize("command", [c for c in commands_of("semblance") if " plan" in c])
def test_plan_reads_the_config(command: str, checkout: Path):
    program = command.replace("semblance plan", "python -m semblance plan")
    price = re.search(r"in all: (\S+) GPU-hours, .+, (\d+)\.\d GB", run(program, checkout))
    if "rcl_table3" in command:
        assert f"about {float(price[1]):.0f} GPU-hours and {price[2]} GB" in README


def test_make_docs_corrects_a_wrong_count(checkout: Path):
    shutil.copytree(ROOT / "docs", checkout / "docs", dirs_exist_ok=True)
    wrong = re.sub(r"(count:trainings -->)\d+", r"\1 12", README)
    (checkout / "README.md").write_text(wrong)
    assert run("python -m workflow.scripts.fill_docs", checkout).split() == ["README.md"]
    assert wrong != README == (checkout / "README.md").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_make_target_that_a_page_names_exists(page: Path):
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(re.findall(r"(?:`|^)make ([a-z-]+)", page.read_text(), re.MULTILINE)) <= set(targets)


@pytest.mark.parametrize("command", commands_of("snakemake"))
def test_snakemake_knows_the_arguments_and_the_plan_has_the_target(command: str, monkeypatch):
    """What Snakemake plans by config.yaml, tests/dag/test_jobs.py shows."""
    monkeypatch.chdir(ROOT)  # where the profile is
    _, options = parse_args(shlex.split(command)[1:])
    plan = plan_of("config.yaml", *options.configfile)
    assert jobs(plan)
    assert {Path(target).stem for target in options.targets} <= set(plan.config.tables)
    if "slurm" in command:
        assert options.executor == "slurm"


@pytest.mark.parametrize("command", [*commands_of("semblance"), *OF_SKILL])
def test_each_command_of_semblance_takes_these_arguments(command: str):
    _, name, *arguments = shlex.split(command)
    assert name in known_commands()
    own = list(itertools.takewhile(lambda word: word != "--", arguments))
    script = OF_OTHER_NAME.get(name, name)
    importlib.import_module(f"workflow.scripts.{script}").parser().parse_args(own)


def test_the_cell_that_explain_is_asked_for_is_one_of_the_table():
    [command] = [command for command in commands() if " explain " in command]
    table, row, _ = command.split()[2:]
    plan = plan_of("config.yaml")
    assert row in [entry.method for entry in rows_of(plan.config, plan.config.tables[table])]


def test_the_lines_of_python_compare_two_sentences(tmp_path, capsys):
    (code,) = blocks("python")
    (shown,) = blocks("text")
    path = re.search('"(demo/results/.+?)"', code)[1]
    demo = plan_of("config.yaml", "demo/config.yaml")
    planned = [record(demo, job) for job in jobs(demo)]
    assert f"{path.removesuffix('/model')}/record.json" in planned
    write_model(tmp_path)
    exec(code.replace(path, str(tmp_path / "model")), {})
    number = re.compile(r"-?\d\.\d\d")
    assert number.sub("N", capsys.readouterr().out) == number.sub("N", shown)


def test_the_finding_has_the_numbers_of_the_runs_that_it_names():
    finding = README.split("**One finding**")[1].split("\n\n")[0]
    first, second = re.findall(r"\((docs/runs/.+?)/\)", finding)
    with tarfile.open(ROOT / first / "records.tar.xz") as box:
        readings = pd.read_csv(box.extractfile("figures/rcl_specifications.csv"))
    assert (readings["holds"] == 0).all() and set(readings["of"]) == {12} and "twelve" in finding
    claims = pd.read_csv(ROOT / second / "claims.csv").set_index(["claim", "reading"])
    claim = claims.loc[("rcl-over-attention-dropout", "mean")]
    printed = re.findall(r"[+-]?\d*\.\d+", finding.replace("−", "-"))
    gain, least, most, bound, *of_claim = map(float, printed)
    of_pairs = readings.loc[readings["table"] == "rcl_specifications", "difference"]
    assert [least, most] == [round(of_pairs.min(), 2), round(of_pairs.max(), 2)]
    assert bound - 0.01 < readings["high"].max() < bound < gain == readings["published"].max()
    assert of_claim == [round(claim[name], 2) for name in ("difference", "low", "high")]


def test_the_price_of_a_try_is_that_of_ten_trainings():
    cost = estimates([])
    which = ("train", "wiki1m", "bert-base", "simcse")
    [seconds] = {cost.seconds(job) for job in cost.jobs() if job[:4] == which}
    assert f"about {10 * seconds / 3600:.0f} GPU-hours" in README


def test_the_index_names_every_page_of_the_docs_once():
    index = (ROOT / "docs/README.md").read_text()
    pages = [page.name for page in (ROOT / "docs").glob("*.md") if page.name != "README.md"]
    assert {page: index.count(f"]({page})") for page in pages} == dict.fromkeys(pages, 1)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file(page: Path):
    links = re.findall(r"(?:\]\((?!https?:)|src(?:set)?=\")(.+?)[)\"]", page.read_text())
    assert [link for link in links if not (page.parent / link.partition("#")[0]).exists()] == []
