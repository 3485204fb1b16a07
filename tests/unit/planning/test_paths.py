"""The paths of a config: ~ is the home folder; shipped inputs are found from any folder.

A run writes into no folder of the project and not into the mirror.
"""

import subprocess

import pytest

from semblance.errors import InputError
from semblance.provenance import ROOT
from tests.shipped import merged
from workflow.checks.load import OWN, WRITTEN, check_folder, load, named
from workflow.config.layers import over_project
from workflow.config.model import Config


def loaded(**changes: object) -> Config:
    layers = over_project([])
    layers.update(changes)
    return load(dict(layers))


def test_a_tilde_is_the_home_folder_in_every_path(monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    config = merged("config.yaml") | {"output": "~/out", "downloads": "~/raw", "mirror": "~/mirror"}
    config["faq"]["banks"]["mine"] = {"kind": "own", "path": "~/faq.csv"}
    config["bases"]["own"] = {"folder": "~/base", "max_length": 8, "tokenizer": "own"}
    found = load(config)
    places = [found.output, found.downloads, found.mirror]
    places += [found.faq.banks["mine"].path, found.bases["own"].folder]
    names = ("out", "raw", "mirror", "faq.csv", "base")
    assert places == [f"/home/me/{name}" for name in names]


@pytest.mark.parametrize("output", ["/scratch/me/out", "out/", "out//x", "~/out"])
def test_an_output_may_be_absolute_and_is_spelt_in_one_way(output, monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    expected = {"out/": "out", "out//x": "out/x", "~/out": "/home/me/out"}.get(output, output)
    assert loaded(output=output).output == expected


def test_a_home_folder_with_a_brace_is_refused_for_what_a_run_writes(monkeypatch):
    monkeypatch.setenv("HOME", "/home/{me}")
    with pytest.raises(InputError, match="^config.output: /home/{me}/out holds a brace"):
        loaded(output="~/out")


def test_a_shipped_input_is_found_from_another_folder_and_spelt_as_written_from_the_projects(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(ROOT)
    assert loaded().manifest == "workflow/manifest.yaml"
    monkeypatch.chdir(tmp_path)
    assert loaded().manifest == f"{ROOT}/workflow/manifest.yaml"
    (tmp_path / "workflow").mkdir()
    (tmp_path / "workflow/manifest.yaml").touch()
    assert loaded().manifest == "workflow/manifest.yaml"  # the working folder comes first


def test_a_shipped_input_has_one_name_wherever_the_project_lies(tmp_path, monkeypatch):
    for folder in (ROOT, tmp_path):
        monkeypatch.chdir(folder)
        assert named(loaded().manifest) == "workflow/manifest.yaml"
    assert named(f"{tmp_path}/mine.yaml") == f"{tmp_path}/mine.yaml"
    assert named("mine.yaml") == "mine.yaml"


def test_an_input_that_is_nowhere_keeps_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert loaded(mirror="no/such").mirror == "no/such"
    assert loaded(mirror="https://x.example/a").mirror == "https://x.example/a"


# --- folders that a run writes -----------------------------------------------------------------


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
        "faq/semblance_faq",
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
