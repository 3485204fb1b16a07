"""Models from a hub: pinned, hashed by us, whole or not at all, and usable without a network afterwards."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.fetch.hub import RECORD, Repository, current_commit, fetch_repository, mirrored
from semblance.fetch.origins import NAME
from semblance.fetch.wanted import Hub
from semblance.layout import DIGEST_LOCK
from semblance.provenance import read_sealed, write_sealed
from tests.local_http import Fault, LocalServer
from tests.unit.fetch.examples import COMMIT, QUICK, REPO, left, sha, write

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
    ("pytorch_model.bin", "README.md", "onnx/model.onnx", "tf_model.h5"), b"unwanted"
)
DIGESTS = {name: sha(content) for name, content in FILES.items()}
CDN = "/cdn/" + sha(WEIGHTS)
KEY = f"{REPO}@{COMMIT}"  # in lock files
LISTING = f"/api/models/{REPO}/revision/{COMMIT}"


@pytest.fixture
def hub(server) -> LocalServer:
    """A hub that has the repository."""
    serve(server)
    return server


def serve(hub: LocalServer, without: str = "", **changed: bytes) -> None:
    files = {name: content for name, content in (FILES | UNWANTED).items() if name != without}
    hub.serve_hub(REPO, COMMIT, files | changed, large=("model.safetensors", "pytorch_model.bin"))


def unlist(hub: LocalServer) -> None:
    """Let the hub list the names of the files alone; it states the digests with each file."""
    listing = {"sha": COMMIT, "siblings": [{"rfilename": name} for name in FILES]}
    hub.serve(LISTING, json.dumps(listing).encode())


def fetch(
    hub: Hub | LocalServer, folder: Path, mirror: Path | str | None = None, **pins: str
) -> dict:
    address = hub if isinstance(hub, Hub) else Hub(hub.url)
    repository = Repository(REPO, pins.pop("revision", COMMIT), address, **pins)
    return fetch_repository(repository, folder / "model", folder, mirror, QUICK)


def refused(hub: Hub | LocalServer, folder: Path, problem: str, *more: Path | str, **pins) -> None:
    """Expect a refusal in one line, after which no folder passes for whole."""
    with pytest.raises(InputError, match=problem) as caught:
        fetch(hub, folder, *more, **pins)
    assert "\n" not in str(caught.value) and not (folder / "model" / RECORD).exists()


def resolve(name: str) -> str:
    return f"/{REPO}/resolve/{COMMIT}/{name}"


def test_the_wanted_files_come_with_their_digests_and_no_others(hub, tmp_path):
    found = fetch(hub, tmp_path, weights_sha256=sha(WEIGHTS))
    assert found["commit"] == COMMIT
    assert found["files"] == {
        name: {"sha256": sha(content), "size": len(content)} for name, content in FILES.items()
    }
    whole = {f"model/{name}" for name in (*FILES, RECORD)}
    assert left(tmp_path) == {DIGEST_LOCK, *whole}
    assert (tmp_path / "model/model.safetensors").read_bytes() == WEIGHTS
    assert not any(name in path for name in UNWANTED for _, path, _ in hub.seen)
    assert hub.count(CDN) == 1
    assert read_sealed(tmp_path / DIGEST_LOCK) == {KEY: {"commit": COMMIT, "files": DIGESTS}}


@pytest.mark.parametrize("revision", ["main", "v1.0", COMMIT[:6], COMMIT.upper()])
def test_a_revision_that_can_move_is_refused(hub, tmp_path, revision):
    refused(hub, tmp_path, "not a pinned revision", revision=revision)
    assert hub.seen == []


def test_an_abbreviated_commit_is_fetched_by_its_whole_name(hub, tmp_path):
    short = f"/api/models/{REPO}/revision/{COMMIT[:7]}"
    hub.serve(short, hub.files[LISTING].content)
    found = fetch(hub, tmp_path, revision=COMMIT[:7])
    assert found["commit"] == COMMIT and set(found["files"]) == set(FILES)
    assert not any(f"resolve/{COMMIT[:7]}/" in path for _, path, _ in hub.seen)


def test_the_commit_of_the_main_branch_is_asked_for_by_name(hub):
    hub.serve(
        f"/api/models/{REPO}/revision/main", json.dumps({"sha": COMMIT, "siblings": []}).encode()
    )
    assert current_commit(REPO, Hub(hub.url), QUICK) == COMMIT


def test_each_request_is_made_again_and_what_came_is_kept(hub, tmp_path):
    paths = (LISTING, resolve("config.json"), CDN)
    for path in paths:
        hub.faults[path] = [Fault(status=429, retry_after="1")]
    hub.faults[CDN].append(Fault(cut=100_000))
    started = time.monotonic()
    assert fetch(hub, tmp_path)["files"]["model.safetensors"]["size"] == len(WEIGHTS)
    assert time.monotonic() - started >= len(paths)
    assert [seen[2] is not None for seen in hub.seen if seen[1] == CDN] == [False, False, True]


def test_a_second_run_continues_what_the_first_could_not_finish(hub, tmp_path):
    hub.always[CDN] = Fault(status=503)
    refused(hub, tmp_path, "model.safetensors: HTTP 503")
    hub.always.clear()
    fetch(hub, tmp_path)
    assert hub.count(resolve("config.json")) == 1


@pytest.mark.parametrize("path", [LISTING, resolve("config.json"), CDN])
def test_a_hub_that_always_refuses_fails_soon(hub, tmp_path, path):
    hub.always[path] = Fault(status=429, retry_after="0")
    refused(hub, tmp_path, "HTTP 429")
    assert len(hub.seen) < 40


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


@pytest.mark.parametrize("file", ["model.safetensors", "vocab.txt"])
def test_a_hub_that_later_states_another_digest_is_refused(hub, tmp_path, file):
    fetch(hub, tmp_path / "one")
    changed = FILES[file][::-1]
    serve(hub, **{file: changed})
    write(tmp_path / "two" / DIGEST_LOCK, (tmp_path / "one" / DIGEST_LOCK).read_bytes())
    refused(hub, tmp_path / "two", f"{DIGESTS[file]}.*{sha(changed)}")


@pytest.mark.parametrize(
    "commit, changed, problem",
    [
        (COMMIT, {"model.safetensors": "0" * 64}, f"0{{64}}, the server states {CDN[5:]}"),
        ("0123456" + "f" * 33, {}, f"commit: 0123456f* at first use, now {COMMIT}"),
    ],
)
def test_a_hub_that_contradicts_the_lock_is_refused_before_the_download(
    hub, tmp_path, commit, changed, problem
):
    write_sealed(tmp_path / DIGEST_LOCK, {KEY: {"commit": commit, "files": DIGESTS | changed}})
    refused(hub, tmp_path, problem)
    assert hub.count(CDN) == 0


def test_a_folder_with_other_digests_than_the_lock_file_is_refused(hub, tmp_path):
    fetch(hub, tmp_path)
    files = {**DIGESTS, "vocab.txt": "0" * 64}
    write_sealed(tmp_path / DIGEST_LOCK, {KEY: {"commit": COMMIT, "files": files}})
    with pytest.raises(InputError, match="files: vocab.txt: 0* at first use"):
        fetch(hub, tmp_path)


@pytest.mark.parametrize("is_named", [True, False])
def test_the_token_goes_to_the_hub_that_the_config_names_alone_and_never_to_its_storage(
    hub, tmp_path, monkeypatch, is_named
):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    fetch(Hub(hub.url, token_hub=hub.url + "/") if is_named else hub, tmp_path)
    with_token = [headers["Host"] for headers in hub.headers if "Authorization" in headers]
    requests = [path for _, path, _ in hub.seen if path != CDN]
    assert with_token == [hub.url.removeprefix("http://")] * len(requests) * is_named
    assert hub.count(CDN) == 1


def test_a_hub_that_lists_no_digests_states_them_with_each_file(hub, tmp_path):
    unlist(hub)
    assert set(fetch(hub, tmp_path)["files"]) == set(FILES)


def unlisted(name: str, **headers: str) -> Callable[[LocalServer], object]:
    """Return what lets a hub list no digests, and send other headers with one file."""

    def change(hub: LocalServer) -> None:
        unlist(hub)
        hub.files[resolve(name)].headers |= {key.replace("_", "-"): v for key, v in headers.items()}

    return change


def listed(content: bytes) -> Callable[[LocalServer], object]:
    return lambda hub: hub.serve(LISTING, content)


def without(name: str) -> Callable[[LocalServer], object]:
    return lambda hub: serve(hub, name)


OTHER = "f" * 40
RENAMED = f'{{"sha": "{OTHER}", "siblings": []}}'.encode()
SHA = b'{"sha": "' + b"0" * 40 + b'", "siblings": '
REFUSED = {
    "altered weights": (
        lambda hub: hub.serve(CDN, WEIGHTS[::-1]),
        f"model.safetensors: .*sha256 expected {CDN[5:]}, actual {sha(WEIGHTS[::-1])}",
    ),
    "an altered small file": (
        lambda hub: hub.serve(resolve("vocab.txt"), b"[BAD]\n"),
        "vocab.txt: .*its content was altered",
    ),
    "a missing file": (
        lambda hub: hub.files.pop(resolve("tokenizer.json")),
        "tokenizer.json: .*HTTP 404",
    ),
    "another revision": (listed(RENAMED), f"answers with revision {OTHER}"),
    "another revision of a file": (
        unlisted("vocab.txt", X_Repo_Commit=OTHER),
        f"answers with revision {OTHER}",
    ),
    "no digest": (
        unlisted("vocab.txt", ETag='"unknown"'),
        "vocab.txt: the hub states no digest",
    ),
    "no repository": (lambda hub: hub.files.clear(), f"{REPO}@.*the hub does not answer: HTTP 404"),
    "no server": (LocalServer.close, "the connection failed"),
    "no safetensors": (
        without("model.safetensors"),
        "no model.safetensors.*pickled ones are never read",
    ),
    "no safetensors of a layer": (
        without("2_Dense/model.safetensors"),
        "no 2_Dense/model.safetensors",
    ),
    "a deep listing": (listed(b"[" * 100_000), "nested too deeply"),
    "a listed number": (listed(SHA + b"[7]}"), "makes no sense"),
    "a numeric name": (listed(SHA + b'[{"rfilename": 7}]}'), "makes no sense"),
    "a listing without a commit": (listed(b'{"siblings": []}'), "makes no sense"),
    "a listing that is no text": (listed(b"\xff"), "makes no sense"),
    "a huge listing": (listed(b" " * (9 << 20)), "more than 8,388,608 bytes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_hub_that_is_wrong_is_refused_in_one_line(hub, tmp_path, name):
    break_it, problem = REFUSED[name]
    break_it(hub)
    refused(hub, tmp_path, problem)


@pytest.mark.parametrize("lists_digests", [True, False])
def test_weights_other_than_the_pinned_ones_are_refused(hub, tmp_path, lists_digests):
    if not lists_digests:
        unlist(hub)
    problem = f"expected {'0' * 64}, .* {CDN[5:]}"
    refused(hub, tmp_path, problem, weights_sha256="0" * 64)
    assert hub.count(CDN) == (not lists_digests)  # what the hub states is not downloaded


# Mirrors

NOWHERE = Hub("http://127.0.0.1:9")


@pytest.fixture
def mirror(hub, tmp_path) -> Path:
    """A mirror that has the repository; its hub does not answer any more."""
    folder = tmp_path / "mirror"
    repository = Repository(REPO, COMMIT, Hub(hub.url))
    place = Path(mirrored(folder, repository))
    fetch_repository(repository, place, folder / "models", patience=QUICK)
    return folder


def test_a_repository_of_a_mirror_is_copied_without_asking_the_hub(mirror, tmp_path):
    found = fetch(NOWHERE, tmp_path / "other", mirror)
    assert found["commit"] == COMMIT
    whole = {f"model/{name}" for name in (*FILES, RECORD)}
    assert left(tmp_path / "other") == {NAME, DIGEST_LOCK, *whole}
    assert {name: file["sha256"] for name, file in found["files"].items()} == DIGESTS
    locks = [
        read_sealed(folder / DIGEST_LOCK) for folder in (tmp_path / "other", mirror / "models")
    ]
    assert locks[0] == locks[1]


def test_the_same_mirror_may_be_an_address(hub, mirror, tmp_path):
    for path in mirror.rglob("*"):
        if path.is_file():
            hub.serve(f"/mirror/{path.relative_to(mirror)}", path.read_bytes())
    found = fetch(NOWHERE, tmp_path / "other", hub.url + "/mirror")
    assert {name: file["sha256"] for name, file in found["files"].items()} == DIGESTS


def test_an_altered_file_of_a_mirror_is_refused_with_both_digests(mirror, tmp_path):
    [file] = mirror.rglob("vocab.txt")
    write(file, b"[BAD]\n")
    problem = f"expected {DIGESTS['vocab.txt']}, actual {sha(file.read_bytes())}"
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
    advice = "`semblance fetch CONFIG --mirror FOLDER`.*--config mirror=FOLDER"
    refused(NOWHERE, tmp_path / "other", advice, tmp_path / "mirror")
