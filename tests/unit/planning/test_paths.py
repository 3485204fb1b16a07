"""The paths of a config: ~ is the home folder; shipped inputs are found from any folder."""

import pytest

from semblance.errors import InputError
from semblance.provenance import ROOT
from tests.shipped import merged
from workflow.config.model import Config
from workflow.planning.config import load, named, own
from workflow.planning.layers import over_project


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
    assert loaded().manifest == own("workflow/manifest.yaml") == "workflow/manifest.yaml"
    monkeypatch.chdir(tmp_path)
    assert loaded().manifest == own("workflow/manifest.yaml")
    assert own("workflow/manifest.yaml") == f"{ROOT}/workflow/manifest.yaml"
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
