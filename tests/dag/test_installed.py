"""The project as a package: built, installed into a fresh folder, and used from an empty one."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from semblance.code_digest import code_digest
from tests.dag.tiny import copy_project

FOLDERS = (
    *("configs", "demo", "envs", "papers", "profiles"),
    *("semblance", "faq", "slurm", "workflow"),
)
FILES = ("Snakefile", "config.yaml", "pyproject.toml")
PACKAGE = "semblance_workflow"
LEFT_OUT = ("demo/README.md", "demo/.gitattributes", "faq/tests/")
STAGES = ("download", "prepare_faq", "train", "evaluate_sts", "render_table")
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")


def started(*command: str, cwd: Path, **variables: str) -> str:
    """Return what a program prints; these tests fail where it fails."""
    options = {"cwd": cwd, "env": os.environ | variables, "timeout": 500}
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    """A checkout of the project, without the tests, as it stands."""
    folder = tmp_path_factory.mktemp("package") / "checkout"
    copy_project(folder, (*FOLDERS, *FILES, "README.md", "LICENSE"))
    return folder


@pytest.fixture(scope="module")
def wheel(checkout: Path) -> Path:
    """The package, built without the network."""
    pytest.importorskip("setuptools", "77", reason="no setuptools: THE PACKAGE WAS NOT BUILT")
    offline = ("--no-deps", "--no-index", "--no-build-isolation")
    started(*PIP, "wheel", ".", *offline, "--wheel-dir", "..", cwd=checkout)
    [built] = checkout.parent.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """The folder into which the package is installed."""
    target = wheel.parent / "target"
    offline = ("--no-deps", "--no-index", "--target", str(target))
    started(*PIP, "install", *offline, str(wheel), cwd=wheel.parent)
    return target


@pytest.fixture
def semblance(installed: Path, tmp_path: Path):
    """A function that runs the installed program in an empty folder; it must change no file of it."""
    (tmp_path / "work").mkdir()
    before = state(installed)

    def run(*arguments: str) -> str:
        program = str(installed / "bin/semblance")
        return started(program, *arguments, cwd=tmp_path / "work", PYTHONPATH=str(installed))

    yield run
    assert state(installed) == before


def state(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the size and the time of each file below a folder, the compiled ones included."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}


def test_the_package_holds_each_file_of_the_workflow_in_one_folder(checkout: Path, wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
    paths = [path for name in FOLDERS for path in (checkout / name).rglob("*") if path.is_file()]
    wanted = {path.relative_to(checkout).as_posix() for path in paths} | set(FILES)
    wanted = {name for name in wanted if not name.startswith(LEFT_OUT)}
    assert sorted(names) == sorted(f"{PACKAGE}/{name}" for name in wanted)


def test_the_installed_program_compares_and_plans_from_an_empty_folder(semblance, tmp_path: Path):
    for name, last in (("a", 3), ("b", 4)):
        (tmp_path / f"{name}.csv").write_text(f"item,score\n1,1\n2,2\n3,{last}\n")
    assert semblance("compare", "../a.csv", "../b.csv").startswith("no verdict: ")
    assert "semblance run configs/minilm.yaml" in semblance("--help")
    assert "prepare_wiki" in semblance("plan", "demo/config.yaml")
    assert list((tmp_path / "work").iterdir()) == []


@pytest.mark.dag
def test_the_installed_program_finds_all_that_a_run_reads(semblance, tmp_path: Path):
    planned = semblance("run", "demo/config.yaml", "--cores", "1", "--dry-run")
    assert "nothing was started" in planned and "evaluate_faq" in planned


def test_the_installed_code_has_the_digests_of_the_checkout(installed: Path, tmp_path: Path):
    modules = [f"workflow.scripts.{name}" for name in STAGES]
    modules.append("semblance_faq.scripts.build_answerer")
    program = f"from semblance.code_digest import code_digest as d; print(*map(d, {modules}))"
    path = str(installed / PACKAGE)
    printed = started(sys.executable, "-P", "-c", program, cwd=tmp_path, PYTHONPATH=path)
    assert printed.split() == list(map(code_digest, modules))
