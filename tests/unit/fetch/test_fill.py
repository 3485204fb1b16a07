"""A mirror is filled, told file by file, and is all that a machine without a network needs."""

import hashlib
import json
import os
from pathlib import Path

import pytest
import yaml

from semblance.errors import InputError
from semblance.fetch.fill import BY_HAND, FAILED, FETCHED, HAVE, Filled, fill_mirror
from semblance.fetch.manifest import Archive, Dataset, File
from semblance.fetch.wanted import BaseSource, Hub, Wanted
from semblance.fetch.web import Patience
from semblance.provenance import read_sealed
from tests.dag.tiny import CONFIG, ROOT, write_base
from tests.local_http import Fault, Served, running
from workflow.planning.config import load
from workflow.planning.layers import over_project
from workflow.planning.plan import Plan
from workflow.scripts import download, download_model, fetch, prepare_nli

CONTENT = os.urandom(100_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()
COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPO = "someone/some-model"
MODEL = {"config.json": b"{}", "model.safetensors": bytes(1000)}
QUICK = Patience(attempts=2, first=0.01, longest=0.1, timeout=1.0)
server = pytest.fixture(running)


@pytest.fixture(autouse=True)
def network_allowed(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)


def dataset(*files: File, archives: tuple[Archive, ...] = ()) -> Dataset:
    return Dataset("title", "licence", "http://home", {}, files, archives)


def pinned(path: str, *urls: str) -> File:
    return File(path, SHA256, len(CONTENT), urls)


def fill(folder: Path, *parts: Dataset, hub: str = "", **bases: BaseSource) -> list[Filled]:
    manifest = {f"set{number}": part for number, part in enumerate(parts)}
    wanted = Wanted("m.yaml", str(folder / "resources"), Hub(hub), tuple(manifest), bases)
    return list(fill_mirror(wanted, manifest, folder / "mirror", patience=QUICK))


def states(lines: list[Filled]) -> dict[str, str]:
    return {line.file: line.state for line in lines}


def test_a_second_call_has_what_the_first_one_fetched(server, tmp_path):
    data = dataset(pinned("a/b.txt", server.serve("/f", CONTENT)))
    assert states(fill(tmp_path, data)) == {"a/b.txt": FETCHED}
    asked = len(server.seen)
    assert states(fill(tmp_path, data)) == {"a/b.txt": HAVE} and len(server.seen) == asked
    assert (tmp_path / "mirror/a/b.txt").read_bytes() == CONTENT


def test_a_damaged_file_of_the_mirror_is_fetched_again(server, tmp_path):
    data = dataset(pinned("a/b.txt", server.serve("/f", CONTENT)))
    fill(tmp_path, data)
    (tmp_path / "mirror/a/b.txt").write_bytes(CONTENT[::-1])
    assert states(fill(tmp_path, data)) == {"a/b.txt": FETCHED}
    assert (tmp_path / "mirror/a/b.txt").read_bytes() == CONTENT


def test_a_file_that_cannot_be_had_is_told_with_its_place_and_stops_no_other(server, tmp_path):
    gone = f"{server.url}/gone"
    lines = fill(
        tmp_path,
        dataset(pinned("one.txt"), pinned("two.txt", gone)),
        dataset(pinned("three.txt", server.serve("/f", CONTENT))),
    )
    assert states(lines) == {"one.txt": BY_HAND, "two.txt": FAILED, "three.txt": FETCHED}
    mirror = tmp_path / "mirror"
    assert str(lines[0]).endswith(
        f"one.txt: it has no public address; put it at {mirror}/one.txt (see http://home)"
    )
    assert f"{gone}: HTTP 404; put it at {mirror}/two.txt" in str(lines[1])


def test_a_call_that_was_stopped_goes_on_where_it_stopped(server, tmp_path):
    data = dataset(pinned("a/b.txt", server.serve("/f", CONTENT)))
    server.always["/f"] = Fault(cut=70_000)
    server.files["/f"] = Served(CONTENT, ranges=False)
    assert states(fill(tmp_path, data)) == {"a/b.txt": FAILED}
    server.always.clear()
    server.files["/f"] = Served(CONTENT)
    assert states(fill(tmp_path, data)) == {"a/b.txt": FETCHED}
    assert server.seen[-1][2].startswith("bytes=")


def test_every_file_of_a_repository_has_a_line(server, tmp_path):
    server.serve_hub(REPO, COMMIT, MODEL, large=("model.safetensors",))
    base = BaseSource(hub=REPO, revision=COMMIT)
    lines = fill(tmp_path, hub=server.url, tiny=base)
    assert [line.file.rpartition("/")[2] for line in lines] == list(MODEL)
    assert {line.state for line in lines} == {FETCHED}
    place = tmp_path / f"mirror/models/{REPO}@{COMMIT}"
    assert (place / "model.safetensors").read_bytes() == MODEL["model.safetensors"]
    server.close()
    assert {line.state for line in fill(tmp_path, hub=server.url, tiny=base)} == {HAVE}


def test_a_repository_that_no_hub_gives_is_told(server, tmp_path):
    base = BaseSource(hub=REPO, revision=COMMIT)
    [line] = fill(tmp_path, hub=server.url, tiny=base)
    assert line.state == FAILED and "HTTP 404" in line.problem


def test_a_base_of_this_machine_is_looked_for(tmp_path):
    folder = tmp_path / "base"
    [line] = fill(tmp_path, tiny=BaseSource(folder=str(folder)))
    assert line.state == BY_HAND and f"put the model into {folder}" in line.problem
    [line] = fill(tmp_path, tiny=BaseSource(package="no_such_package_anywhere"))
    assert line.state == BY_HAND and "pip install" in line.problem


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
    config = {
        **CONFIG,
        "manifest": "manifest.yaml",
        "mirror": None,
        "hub": server.url,
        "bases": {**CONFIG["bases"], "tiny": {**base, "tokenizer": "tiny"}},
    }
    (folder / "mine.yaml").write_text(json.dumps(config))
    return "mine.yaml"


def prepare_offline(config_file: str, mirror: Path) -> Path:
    """Run the stages up to a corpus and a base from the mirror alone; return the records' folder."""
    config = load(over_project([config_file], [f"mirror={mirror}"]))
    plan = Plan(config)
    data = Path(plan.downloads, "data")
    out = Path(plan.out)
    raw = ["--manifest", config.manifest]
    from_mirror = ["--mirror", str(mirror)]
    record = data / "records/nli-simcse.json"
    place = ["--destination", str(data), "--record", str(record)]
    download.main([*raw, "--dataset", "nli-simcse", *place, *from_mirror])
    settings = json.dumps(config.corpora["nli"].settings())
    output = ["--output", str(out / "corpora/nli/record.json")]
    prepare_nli.main(["--settings", settings, *raw, "--data", str(data), "--code", "", *output])
    settings = plan.base_settings("tiny")
    output = ["--output", plan.base_record("tiny")]
    download_model.main(["--settings", settings, "--hub", config.hub, *from_mirror, *output])
    return out


def test_a_filled_mirror_is_all_that_a_machine_without_a_network_needs(server, project, capsys):
    config = written_config(project, server)
    mirror = project / "mirror"
    fetch.main([config, "--mirror", "mirror"])
    *lines, last = capsys.readouterr().out.splitlines()
    assert all(line.startswith("fetched ") for line in lines)
    assert last == f"mirror has all {len(lines)} files: start with --config mirror={mirror}"
    server.close()
    out = prepare_offline(config, mirror)
    counts = read_sealed(out / "corpora/nli/record.json")["counts"]
    assert counts["rows"] == 456  # as the manifest of the demo says
    assert (project / "resources/models/tiny/model/model.safetensors").is_file()


def test_the_command_ends_with_status_1_and_one_line_where_something_is_missing(
    server, project, capsys
):
    config = written_config(project, server)
    del server.files["/raw/nli/nli_for_simcse.csv"]
    with pytest.raises(SystemExit) as ended:
        fetch.main([config, "--mirror", "mirror"])
    shown = capsys.readouterr()
    assert ended.value.code == 1
    [missing] = [line for line in shown.out.splitlines() if line.startswith("missing ")]
    assert missing.split()[1:3] == ["nli-simcse", "nli/nli_for_simcse.csv:"]
    [error] = shown.err.splitlines()
    assert error.startswith("error: mirror: 1 of ") and "goes on from here" in error


def test_without_a_folder_the_command_asks_for_one(server, project):
    with pytest.raises(InputError, match="give --mirror FOLDER"):
        fetch.main([written_config(project, server)])


def test_a_mirror_in_the_results_is_refused(server, project):
    config = written_config(project, server)
    with pytest.raises(InputError, match="mine.yaml:1: output: results is, holds or lies in"):
        fetch.main([config, "--mirror", "results/mirror"])
