"""A mirror is filled, told file by file, and is all that a machine without a network needs."""

import json
from pathlib import Path

import pytest
import yaml

from semblance.errors import InputError
from semblance.fetch.fill import fill_mirror
from semblance.fetch.manifest import Dataset
from semblance.fetch.wanted import BaseSource, Found, Hub, State, Wanted
from semblance.provenance import read_sealed
from tests.dag.tiny import CONFIG, ROOT, write_base
from tests.scripts.flags import flags
from tests.unit.fetch.examples import (
    ALTERED,
    COMMIT,
    CONTENT,
    QUICK,
    REPO,
    dataset,
    pinned,
    write,
)
from workflow.planning.config import load
from workflow.planning.layers import over_project
from workflow.planning.plan import Plan
from workflow.planning.stages import Job
from workflow.planning.stages import record as record_of
from workflow.scripts import download, download_model, fetch, prepare_nli

MODEL = {"config.json": b"{}", "model.safetensors": bytes(1000)}


def fill(folder: Path, *parts: Dataset, hub: str = "", **bases: BaseSource) -> list[Found]:
    manifest = {f"set{number}": part for number, part in enumerate(parts)}
    wanted = Wanted("m.yaml", str(folder / "resources"), Hub(hub), tuple(manifest), bases)
    return list(fill_mirror(wanted, manifest, folder / "mirror", patience=QUICK))


def states(lines: list[Found]) -> dict[str, str]:
    return {line.file: line.state for line in lines}


def test_a_later_call_has_what_came_before_and_mends_what_is_damaged(server, tmp_path):
    data = dataset(pinned(server.serve("/f", CONTENT)))
    there = tmp_path / "mirror/a/b.txt"
    assert states(fill(tmp_path, data)) == {"a/b.txt": State.FETCHED}
    assert states(fill(tmp_path, data)) == {"a/b.txt": State.HERE} and server.count("/f") == 1
    write(there, ALTERED)
    assert states(fill(tmp_path, data)) == {"a/b.txt": State.FETCHED} and server.count("/f") == 2
    assert there.read_bytes() == CONTENT


def test_a_file_that_cannot_be_had_is_named_with_its_place_and_stops_no_other(server, tmp_path):
    gone = f"{server.url}/gone"
    there = pinned(server.serve("/f", CONTENT), path="three.txt")
    lost = dataset(pinned(path="one.txt"), pinned(gone, path="two.txt"))
    lines = fill(tmp_path, lost, dataset(there))
    assert states(lines) == {
        "one.txt": State.BY_HAND,
        "two.txt": State.FAILED,
        "three.txt": State.FETCHED,
    }
    mirror = tmp_path / "mirror"
    place = f"it has no public address; put it at {mirror}/one.txt (see http://home)"
    assert str(lines[0]).endswith(f"one.txt: {place}")
    assert f"{gone}: HTTP 404; put it at {mirror}/two.txt" in str(lines[1])


def test_every_file_of_a_repository_has_a_line(server, tmp_path):
    server.serve_hub(REPO, COMMIT, MODEL, large=("model.safetensors",))
    base = BaseSource(hub=REPO, revision=COMMIT)
    lines = fill(tmp_path, hub=server.url, tiny=base)
    assert [line.file.rpartition("/")[2] for line in lines] == list(MODEL)
    assert {line.state for line in lines} == {State.FETCHED}
    place = tmp_path / f"mirror/models/{REPO}@{COMMIT}"
    assert (place / "model.safetensors").read_bytes() == MODEL["model.safetensors"]
    server.close()
    assert {line.state for line in fill(tmp_path, hub=server.url, tiny=base)} == {State.HERE}


def test_a_repository_that_no_hub_gives_is_reported(server, tmp_path):
    base = BaseSource(hub=REPO, revision=COMMIT)
    [line] = fill(tmp_path, hub=server.url, tiny=base)
    assert line.state == State.FAILED and "HTTP 404" in line.problem


def test_a_base_of_this_machine_is_looked_for(tmp_path):
    folder = tmp_path / "base"
    [line] = fill(tmp_path, tiny=BaseSource(folder=str(folder)))
    assert line.state == State.BY_HAND and f"put the model into {folder}" in line.problem
    [line] = fill(tmp_path, tiny=BaseSource(package="no_such_package_anywhere"))
    assert line.state == State.BY_HAND and "pip install" in line.problem


# The whole way: a config, the command, and a machine without a network.


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    """Return the working folder, which is not that of the project."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written_config(folder: Path, server) -> str:
    """Serve the demo's files and a tiny model; write a config that names them by address."""
    manifest = yaml.safe_load((ROOT / "demo/manifest.yaml").read_text())
    for entry in manifest["datasets"].values():
        for file in entry["files"]:
            content = (ROOT / "demo/data" / file["path"]).read_bytes()
            file["urls"] = [server.serve(f"/raw/{file['path']}", content)]
    (folder / "manifest.yaml").write_text(json.dumps(manifest))
    write_base(folder / "base")
    model = {path.name: path.read_bytes() for path in (folder / "base").iterdir()}
    server.serve_hub(REPO, COMMIT, model, large=("model.safetensors",))
    base = {"hub": REPO, "revision": COMMIT, "pooling": "mean", "max_length": 64}
    bases = {**CONFIG["bases"], "tiny": {**base, "tokenizer": "tiny"}}
    places = {"manifest": "manifest.yaml", "mirror": None, "hub": server.url}
    (folder / "mine.yaml").write_text(json.dumps({**CONFIG, **places, "bases": bases}))
    return "mine.yaml"


def prepare_offline(config_file: str, mirror: Path) -> dict:
    """Run the stages up to a base and a corpus from the mirror alone; return the corpus's record."""
    config = load(over_project([config_file], [f"mirror={mirror}"]))
    plan = Plan(config)
    data = Path(plan.downloads, "data")
    manifest = config.manifest
    raw = flags(manifest=manifest, dataset="nli-simcse", mirror=mirror)
    download.main([*raw, *flags(destination=data, record=data / "records/nli-simcse.json")])
    record = Path(plan.out, "corpora/nli/record.json")
    settings = json.dumps(config.corpora["nli"].settings())
    raw = flags(manifest=manifest, data=data, code="")
    prepare_nli.main([*flags(settings=settings, output=record), *raw])
    place = flags(
        hub=config.hub, mirror=mirror, output=record_of(plan, Job("download_model", base="tiny"))
    )
    download_model.main([*flags(settings=plan.base_settings("tiny")), *place])
    return read_sealed(record)


def test_a_filled_mirror_is_all_that_a_machine_without_a_network_needs(server, project, capsys):
    """The first call lacks a file, and says so in one line; the second one goes on from there."""
    config = written_config(project, server)
    gone = server.files.pop("/raw/nli/nli_for_simcse.csv")
    with pytest.raises(SystemExit) as ended:
        fetch.main([config, "--mirror", "mirror"])
    shown = capsys.readouterr()
    assert ended.value.code == 1
    [missing] = [line for line in shown.out.splitlines() if line.startswith("missing ")]
    assert missing.split()[1:3] == ["nli-simcse", "nli/nli_for_simcse.csv:"]
    [error] = shown.err.splitlines()
    assert error.startswith("error: mirror: 1 of ") and "goes on from here" in error

    server.files["/raw/nli/nli_for_simcse.csv"] = gone
    fetch.main([config, "--mirror", "mirror"])
    *lines, last = capsys.readouterr().out.splitlines()
    fetched = [line.split()[2] for line in lines if line.startswith("fetched ")]
    assert fetched == ["nli/nli_for_simcse.csv"]
    assert all(line.startswith(("fetched ", "have ")) for line in lines)
    mirror = project / "mirror"
    assert last == f"mirror has all {len(lines)} files: start with --config mirror={mirror}"

    server.close()
    counts = prepare_offline(config, mirror)["counts"]
    assert counts["rows"] == 456  # as the manifest of the demo says
    assert (project / "resources/models/tiny/model/model.safetensors").is_file()


def test_without_a_folder_the_command_asks_for_one(server, project):
    with pytest.raises(InputError, match="give --mirror FOLDER"):
        fetch.main([written_config(project, server)])


def test_a_mirror_in_the_results_is_refused(server, project):
    config = written_config(project, server)
    with pytest.raises(InputError, match="mine.yaml:1: output: results is, holds or lies in"):
        fetch.main([config, "--mirror", "results/mirror"])
