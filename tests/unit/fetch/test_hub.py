"""Models from a hub: pinned, hashed by us, whole or not at all, and usable without a network afterwards."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.fetch.hub import RECORD, Repository, current_commit, fetch_repository, mirrored
from semblance.fetch.manifest import Hub
from semblance.provenance import read_sealed, write_sealed
from tests.local_http import Fault, LocalServer
from tests.unit.fetch.examples import COMMIT, REPO, left, sha, write

WEIGHTS = bytes(range(256)) * 1024
FILES = {
    "config.json": b'{"model_type": "bert"}',
    "tokenizer.json": b"{}",
    "vocab.txt": b"[PAD]\n",
    "modules.json": b"[]",
    "sentence_bert_config.json": b"{}",
    "1_Pooling/config.json": b"{}",
    "2_Dense/config.json": b"{}",
    "2_Dense/model.safetensors": b"dense",
    "model.safetensors": WEIGHTS,
}
UNWANTED = dict.fromkeys(
    ("pytorch_model.bin", "README.md", "onnx/model.onnx", "tf_model.h5", "modeling.py"), b"unwanted"
)
DIGESTS = {name: sha(content) for name, content in FILES.items()}
CDN = "/cdn/" + sha(WEIGHTS)
LISTING = f"/api/models/{REPO}/revision/{COMMIT}"
TREE = f"/api/models/{REPO}/tree/{COMMIT}"


@pytest.fixture
def hub(server) -> LocalServer:
    """A hub that has the repository."""
    serve(server)
    return server


def serve(hub: LocalServer, without: str = "", **changed: bytes) -> None:
    files = {name: content for name, content in (FILES | UNWANTED).items() if name != without}
    hub.serve_hub(REPO, COMMIT, files | changed, large=("model.safetensors", "pytorch_model.bin"))


def fetch(
    hub: Hub | LocalServer, folder: Path, mirror: Path | str | None = None, **pins: str
) -> dict:
    address = hub if isinstance(hub, Hub) else Hub(hub.url)
    repository = Repository(REPO, pins.pop("revision", COMMIT), address, **pins)
    return fetch_repository(repository, folder / "model", mirror)


def refused(hub: Hub | LocalServer, folder: Path, problem: str, *more: Path | str, **pins) -> None:
    """Expect a refusal, after which nothing is left."""
    with pytest.raises(InputError, match=problem):
        fetch(hub, folder, *more, **pins)
    assert not (folder / "model").exists()


def resolve(name: str) -> str:
    return f"/{REPO}/resolve/{COMMIT}/{name}"


def test_the_wanted_files_come_with_their_digests_and_no_others(hub, tmp_path):
    fetched = fetch(hub, tmp_path, weights_sha256=sha(WEIGHTS))
    assert fetched["commit"] == COMMIT
    assert fetched["files"] == {
        name: {"sha256": sha(content), "size": len(content)} for name, content in FILES.items()
    }
    assert left(tmp_path) == {f"model/{name}" for name in (*FILES, RECORD)}
    assert (tmp_path / "model/model.safetensors").read_bytes() == WEIGHTS
    assert not any(name in path for name in UNWANTED for _, path in hub.seen)
    assert hub.count(CDN) == 1


@pytest.mark.parametrize("revision", ["main", "v1.0", COMMIT[:6], COMMIT.upper()])
def test_a_revision_that_can_move_is_refused(hub, tmp_path, revision):
    refused(hub, tmp_path, "not a pinned revision", revision=revision)
    assert hub.seen == []


def test_an_abbreviated_commit_is_fetched_by_its_whole_name(hub, tmp_path):
    hub.serve(f"/api/models/{REPO}/revision/{COMMIT[:7]}", hub.files[LISTING].content)
    fetched = fetch(hub, tmp_path, revision=COMMIT[:7])
    assert fetched["commit"] == COMMIT and set(fetched["files"]) == set(FILES)
    assert not any(f"resolve/{COMMIT[:7]}/" in path for _, path in hub.seen)


def test_the_commit_of_the_main_branch_is_asked_for_by_name(hub):
    hub.serve(f"/api/models/{REPO}/revision/main", hub.files[LISTING].content)
    assert current_commit(REPO, Hub(hub.url)) == COMMIT
    with pytest.raises(InputError, match="me/nothing@main: .*HTTP 404"):
        current_commit("me/nothing", Hub(hub.url))


@pytest.mark.parametrize("path", [LISTING, TREE, resolve("config.json"), CDN])
def test_each_request_is_made_again_after_a_failure_that_passes(hub, tmp_path, path):
    hub.faults[path] = [Fault(status=503)]
    assert set(fetch(hub, tmp_path)["files"]) == set(FILES)


def test_after_the_first_fetch_no_network_is_needed_until_a_file_is_altered(hub, tmp_path):
    first = fetch(hub, tmp_path)
    requests = len(hub.seen)
    assert fetch(hub, tmp_path) == first and len(hub.seen) == requests
    vocabulary = write(tmp_path / "model/vocab.txt", b"[BAD]\n")
    assert fetch(hub, tmp_path) == first
    assert vocabulary.read_bytes() == FILES["vocab.txt"]


def test_another_revision_replaces_the_folder(hub, tmp_path):
    fetch(hub, tmp_path)
    hub.serve_hub(REPO, "f" * 40, {"config.json": b"{ }", "model.safetensors": b"new"})
    fetch(hub, tmp_path, revision="f" * 40)
    assert left(tmp_path / "model") == {"config.json", "model.safetensors", RECORD}
    assert read_sealed(tmp_path / "model" / RECORD)["revision"] == "f" * 40


@pytest.mark.parametrize("is_named", [True, False])
def test_the_token_goes_to_the_hub_of_the_config_alone(hub, tmp_path, monkeypatch, is_named):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    fetch(Hub(hub.url, token_hub=hub.url + "/") if is_named else hub, tmp_path)
    with_token = [headers["Host"] for headers in hub.headers if "Authorization" in headers]
    requests = [path for _, path in hub.seen if path != CDN]
    assert with_token == [hub.url.removeprefix("http://")] * len(requests) * is_named
    assert hub.count(CDN) == 1


def listed(content: bytes) -> Callable[[LocalServer], object]:
    return lambda hub: hub.serve(LISTING, content)


def without(name: str) -> Callable[[LocalServer], object]:
    return lambda hub: serve(hub, name)


def altered(name: str) -> Callable[[LocalServer], object]:
    """Return what lets a hub serve other bytes of the same size, with its own headers."""

    def change(hub: LocalServer) -> None:
        served = hub.files[CDN if name == "model.safetensors" else resolve(name)]
        served.content = served.content[::-1]

    return change


OTHER = "f" * 40
NAMES = [{"rfilename": name} for name in FILES]
BARE = json.dumps({"id": REPO, "sha": COMMIT, "siblings": NAMES}).encode()
REFUSED = {
    "altered weights": (
        altered("model.safetensors"),
        f"model.safetensors: .*sha256 expected {CDN[5:]}, actual {sha(WEIGHTS[::-1])}",
    ),
    "an altered small file": (altered("vocab.txt"), "vocab.txt: its content was altered"),
    "a missing file": (
        lambda hub: hub.files.pop(resolve("tokenizer.json")),
        f"HTTP 404 of {resolve('tokenizer.json')}",
    ),
    "another revision": (
        listed(f'{{"id": "a", "sha": "{OTHER}", "siblings": []}}'.encode()),
        f"answers with revision {OTHER}",
    ),
    "no digests": (listed(BARE), "config.json: the hub states no digest"),
    "no repository": (
        lambda hub: hub.files.clear(),
        f"^{REPO}@.*: http.*: HTTP 404 of {LISTING}; check",
    ),
    "a hub that is busy": (
        lambda hub: hub.always.update({LISTING: Fault(status=429)}),
        "HTTP 429",
    ),
    "no server": (LocalServer.close, "the connection failed"),
    "no safetensors": (
        without("model.safetensors"),
        "no model.safetensors; pickled weights are never read",
    ),
    "no safetensors of a layer": (
        without("2_Dense/model.safetensors"),
        "no 2_Dense/model.safetensors",
    ),
    "a listed number": (listed(b'{"siblings": [7]}'), "makes no sense"),
    "a page": (listed(b"<html>"), "makes no sense"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_hub_that_is_wrong_is_refused_in_one_line(hub, tmp_path, name):
    break_it, problem = REFUSED[name]
    break_it(hub)
    refused(hub, tmp_path, problem)


def test_weights_other_than_the_pinned_ones_are_refused_before_the_download(hub, tmp_path):
    problem = f"model.safetensors: weights_sha256: .*expected {'0' * 64}, .* {CDN[5:]}"
    refused(hub, tmp_path, problem, weights_sha256="0" * 64)
    assert hub.count(CDN) == 0


# Mirrors

NOWHERE = Hub("http://127.0.0.1:9")


@pytest.fixture
def mirror(hub, tmp_path) -> Path:
    """A mirror that has the repository; its hub does not answer any more."""
    folder = tmp_path / "mirror"
    repository = Repository(REPO, COMMIT, Hub(hub.url))
    fetch_repository(repository, mirrored(folder, repository))
    return folder


@pytest.mark.parametrize("is_address", [False, True])
def test_a_repository_of_a_mirror_is_not_asked_of_the_hub(hub, mirror, tmp_path, is_address):
    for path in mirror.rglob("*"):
        if path.is_file():
            hub.serve(f"/mirror/{path.relative_to(mirror)}", path.read_bytes())
    fetched = fetch(NOWHERE, tmp_path / "other", hub.url + "/mirror" if is_address else mirror)
    assert fetched["commit"] == COMMIT
    assert {name: file["sha256"] for name, file in fetched["files"].items()} == DIGESTS
    assert left(tmp_path / "other") == {f"model/{name}" for name in (*FILES, RECORD)}


def test_a_repository_that_the_mirror_lacks_comes_from_the_hub(hub, tmp_path):
    assert set(fetch(hub, tmp_path, tmp_path / "mirror")["files"]) == set(FILES)


def test_an_altered_file_of_a_mirror_is_refused_with_both_digests(mirror, tmp_path):
    [file] = mirror.rglob("vocab.txt")
    write(file, b"[BAD]\n")
    problem = f"{file}: .*expected {DIGESTS['vocab.txt']}, actual {sha(file.read_bytes())}"
    refused(NOWHERE, tmp_path / "other", problem, mirror)


def test_weights_of_a_mirror_other_than_the_pinned_ones_are_refused(mirror, tmp_path):
    problem = f"sha256 expected {'0' * 64}, actual {CDN[5:]}"
    refused(NOWHERE, tmp_path / "other", problem, mirror, weights_sha256="0" * 64)


def test_a_mirror_whose_record_names_a_file_elsewhere_is_refused(mirror, tmp_path):
    [path] = mirror.rglob(RECORD)
    record = read_sealed(path)
    record["files"]["../../escaped"] = record["files"]["config.json"]
    write_sealed(path, record)
    problem = "lists other files than those of a model"
    refused(NOWHERE, tmp_path / "other", problem, mirror)


def test_offline_a_base_that_the_mirror_lacks_is_refused_with_how_to_fill_it(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    (tmp_path / "mirror").mkdir()
    advice = "HF_HUB_OFFLINE forbids.*`semblance fetch CONFIG --mirror FOLDER`.*mirror=FOLDER"
    refused(NOWHERE, tmp_path / "other", advice, tmp_path / "mirror")
