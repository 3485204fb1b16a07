"""A run writes into no folder of the project and not into the mirror."""

import subprocess

import pytest

from semblance.errors import InputError
from semblance.provenance import ROOT
from workflow.config.model import Config
from workflow.planning.config import OWN, WRITTEN, check_folder


def check(**changes) -> None:
    config = Config.model_construct(**{"output": "results", "downloads": "resources"} | changes)
    for key in WRITTEN:
        check_folder(config, key)


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize(
    "output",
    [
        "semblance",
        "semblance_faq",
        "./workflow/",
        "tests/results",  # a folder below
        ".",  # a folder above
        str(ROOT.parent),
        "demo/../docs",
        "demo",  # it holds the demo's data
        ".venv/results",
    ],
)
@pytest.mark.parametrize("key", ["output", "downloads"])
def test_a_folder_of_the_project_is_refused(key, output):
    with pytest.raises(InputError, match=f"config.{key}: .* a folder of the project itself"):
        check(**{key: output})


def test_a_link_to_a_folder_of_the_project_is_refused(tmp_path):
    (tmp_path / "link").symlink_to(ROOT / "semblance")
    with pytest.raises(InputError, match="a folder of the project itself"):
        check(output=str(tmp_path / "link"))


@pytest.mark.parametrize("output", ["data", "data/results", "."])
def test_the_mirror_is_refused_as_output(tmp_path, monkeypatch, output):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="config.output: .* the mirror of the raw data"):
        check(output=output, mirror="data")


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"output": "demo/results", "downloads": "demo/resources", "mirror": "demo/data"},
        {"output": "results/run", "downloads": "results/resources"},
        {"output": "/scratch/results"},
        {"mirror": "https://mirror.example/data"},
    ],
)
def test_a_folder_of_its_own_is_accepted(changes):
    check(**changes)


def test_every_folder_of_the_project_is_known():
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("no git, or no checkout: THE PROJECT'S FOLDERS WERE NOT CHECKED")
    folders = {line.partition("/")[0] for line in done.stdout.splitlines() if "/" in line}
    shown = {folder for folder in folders if not folder.startswith(".")}
    assert shown - {"demo"} <= set(OWN)  # demo/results lies beside demo/data
