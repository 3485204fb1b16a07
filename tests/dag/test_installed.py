"""The project as a package: built, installed into a fresh folder, and used from an empty one."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from semblance.code_digest import code_digest
from semblance.provenance import ROOT
from tests.dag.tiny import copy_project

FOLDERS = (
    *("configs", "demo", "envs", "papers", "profiles"),
    *("semblance", "semblance_faq", "slurm", "workflow"),
)
FILES = ("Snakefile", "config.yaml", "pyproject.toml", "setup.py", "README.md", "LICENSE")
PACKAGE = "semblance_workflow"
LEFT_OUT = ("demo/README.md", "demo/.gitattributes")
STAGES = ("download", "prepare_faq", "train", "evaluate_sts", "build_answerer", "render_table")
CORPUS = "demo/results/corpora/wiki1m/record.json"


def started(*command: str, cwd: Path, **variables: str) -> str:
    """Return what a program prints; these tests fail where it fails."""
    options = {"cwd": cwd, "env": os.environ | variables, "timeout": 500}
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    """A git checkout of the project, without the tests, as it stands."""
    folder = tmp_path_factory.mktemp("package") / "checkout"
    copy_project(folder, (*FOLDERS, *FILES, ".gitignore"))
    git = ("git", "-c", "user.name=T", "-c", "user.email=t@example.org")
    started(*git, "init", "--quiet", cwd=folder)
    started(*git, "add", ".", cwd=folder)
    started(*git, "commit", "--quiet", "--message", "first", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(checkout: Path) -> Path:
    """The package, built without the network."""
    pytest.importorskip("setuptools", "77", reason="no setuptools: THE PACKAGE WAS NOT BUILT")
    offline = ("--no-deps", "--no-index", "--no-build-isolation", "--quiet")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    (checkout / "build/lib/semblance_workflow").mkdir(parents=True)
    (checkout / "build/lib/semblance_workflow/gone.py").touch()  # of an earlier build
    started(*pip, "wheel", ".", *offline, "--wheel-dir", "..", cwd=checkout)
    [built] = checkout.parent.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """The folder into which the package is installed."""
    target = wheel.parent / "target"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    offline = ("--no-deps", "--no-index", "--quiet")
    started(*pip, "install", *offline, "--target", str(target), str(wheel), cwd=wheel.parent)
    return target


@pytest.fixture
def semblance(installed: Path, tmp_path: Path, monkeypatch):
    """A function that runs the installed program in an empty folder; it must change no file of it."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
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
    assert all(name.startswith(f"{PACKAGE}/") for name in names)
    held = {name.removeprefix(f"{PACKAGE}/") for name in names}
    tracked = started("git", "ls-files", "-z", *FOLDERS, cwd=checkout).strip("\0").split("\0")
    wanted = {name for name in tracked if not name.startswith(LEFT_OUT)}
    assert held == wanted | {"Snakefile", "config.yaml", "pyproject.toml", "commit.txt"}


def test_the_installed_program_tells_its_commands_and_the_commit(checkout: Path, semblance):
    commit = started("git", "rev-parse", "--short=12", "HEAD", cwd=checkout).strip()
    assert f"(commit {commit})" in semblance("--version")
    assert "semblance run configs/minilm.yaml" in semblance("--help")


def test_the_installed_program_prints_the_configs_that_it_ships(semblance):
    for name in ("config.yaml", "configs/own-faq.yaml", "slurm/profile.yaml"):
        assert semblance("config", name) == (ROOT / name).read_text()
    assert semblance("config") == (ROOT / "config.yaml").read_text()


def test_the_installed_program_plans_a_config_from_an_empty_folder(semblance, tmp_path: Path):
    assert "prepare_wiki" in semblance("plan", "demo/config.yaml")
    assert "the run can start" in semblance("check", "demo/config.yaml")
    assert list((tmp_path / "work").iterdir()) == []


def test_the_installed_code_has_the_digests_of_the_checkout(installed: Path, tmp_path: Path):
    modules = [f"workflow.scripts.{name}" for name in STAGES]
    program = f"from semblance.code_digest import code_digest as d; print(*map(d, {modules}))"
    path = str(installed / PACKAGE)
    printed = started(sys.executable, "-P", "-c", program, cwd=tmp_path, PYTHONPATH=path)
    assert printed.split() == list(map(code_digest, modules))


@pytest.mark.dag
def test_a_run_of_the_installed_program_goes_on_where_a_checkout_stopped(
    checkout: Path, installed: Path, semblance, tmp_path: Path
):
    work = tmp_path / "work"
    config = ("--configfile", str(checkout / "demo/config.yaml"), "--cores", "1")
    places = ("--snakefile", str(checkout / "Snakefile"), "--directory", str(work))
    started(sys.executable, "-m", "snakemake", *config, *places, "--", CORPUS, cwd=tmp_path)
    again = semblance("run", "demo/config.yaml", "--cores", "1", "--", CORPUS)
    assert "Nothing to be done" in again
    rest = semblance("run", "demo/config.yaml", "--cores", "1", "--dry-run")
    assert "nothing was started" in rest and "prepare_wiki" not in rest and "train" in rest
    assert sorted(path.name for path in work.iterdir()) == [".snakemake", "demo"]
