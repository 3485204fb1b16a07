"""Models from a hub: pinned, hashed by us, whole or not at all, and usable without a network afterwards."""

import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.fetch.hub import RECORD, Repository, fetch_repository, mirrored
from semblance.fetch.origins import NAME
from semblance.fetch.wanted import Hub
from semblance.fetch.web import Patience
from semblance.layout import DIGEST_LOCK
from semblance.provenance import read_sealed, write_sealed
from tests.local_http import Fault, LocalServer, running

REPO, REVISION = "someone/some-model", "0123456789abcdef0123456789abcdef01234567"
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
UNWANTED = {
    "pytorch_model.bin": b"pickle",
    "README.md": b"read",
    "onnx/model.onnx": b"onnx",
    "tf_model.h5": b"h5",
}
QUICK = Patience(attempts=3, first=0.01, longest=2.0, timeout=2.0)
CDN = "/cdn/" + hashlib.sha256(WEIGHTS).hexdigest()
server = pytest.fixture(running)


@pytest.fixture(autouse=True)
def network_allowed(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)


LISTING = f"/api/models/{REPO}/revision/{REVISION}"


def unlist(server: LocalServer) -> None:
    """Let the hub list the names of the files alone; it states the digests with each file."""
    listing = {"sha": REVISION, "siblings": [{"rfilename": name} for name in FILES]}
    server.serve(LISTING, json.dumps(listing).encode())


def hub(server: LocalServer, without: tuple[str, ...] = (), **changed: bytes) -> None:
    files = {name: content for name, content in (FILES | UNWANTED).items() if name not in without}
    server.serve_hub(
        REPO, REVISION, files | changed, large=("model.safetensors", "pytorch_model.bin")
    )


def fetch(server: LocalServer, folder: Path, mirror: Path | str | None = None, **pins: str) -> dict:
    repository = Repository(REPO, pins.pop("revision", REVISION), Hub(server.url), **pins)
    return fetch_repository(repository, folder / "model", folder, mirror, QUICK)


def left(folder: Path) -> set[str]:
    """Name what a fetch left behind, but for its lock file and the handle of its lock."""
    found = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    return found - {DIGEST_LOCK, ".fetching"}


def resolve(name: str) -> str:
    return f"/{REPO}/resolve/{REVISION}/{name}"


def test_the_wanted_files_come_with_their_digests_and_no_others(server, tmp_path):
    hub(server)
    found = fetch(server, tmp_path, weights_sha256=hashlib.sha256(WEIGHTS).hexdigest())
    assert found["commit"] == REVISION
    assert found["files"] == {
        name: {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
        for name, content in FILES.items()
    }
    assert left(tmp_path) == {f"model/{name}" for name in (*FILES, RECORD)}
    assert (tmp_path / "model/model.safetensors").read_bytes() == WEIGHTS
    assert not any(name in path for name in UNWANTED for _, path, _ in server.seen)
    assert server.count(CDN) == 1


@pytest.mark.parametrize("revision", ["main", "v1.0", REVISION[:6], REVISION.upper()])
def test_a_revision_that_can_move_is_refused(server, tmp_path, revision):
    with pytest.raises(InputError, match="not a pinned revision"):
        fetch(server, tmp_path, revision=revision)
    assert server.seen == []


def test_an_abbreviated_commit_is_fetched_by_its_whole_name(server, tmp_path):
    hub(server)
    short = f"/api/models/{REPO}/revision/{REVISION[:7]}"
    server.serve(short, server.files[LISTING].content)
    found = fetch(server, tmp_path, revision=REVISION[:7])
    assert found["commit"] == REVISION and set(found["files"]) == set(FILES)
    assert not any(f"resolve/{REVISION[:7]}/" in path for _, path, _ in server.seen)


def test_a_dropped_connection_is_resumed(server, tmp_path):
    hub(server)
    server.faults[CDN] = [Fault(cut=100_000)]
    assert fetch(server, tmp_path)["files"]["model.safetensors"]["size"] == len(WEIGHTS)
    assert [seen[2] is not None for seen in server.seen if seen[1] == CDN] == [False, True]


def test_a_second_run_continues_what_the_first_could_not_finish(server, tmp_path):
    hub(server)
    server.always[CDN] = Fault(status=503)
    with pytest.raises(InputError, match="model.safetensors: HTTP 503"):
        fetch(server, tmp_path)
    server.always.clear()
    fetch(server, tmp_path)
    assert server.count(resolve("config.json")) == 1


@pytest.mark.parametrize("path", [LISTING, resolve("config.json"), CDN])
def test_after_too_many_requests_we_wait_and_ask_again(server, tmp_path, path):
    hub(server)
    server.faults[path] = [Fault(status=429, retry_after="1")]
    started = time.monotonic()
    fetch(server, tmp_path)
    assert time.monotonic() - started >= 1.0


@pytest.mark.parametrize("path", [LISTING, resolve("config.json"), CDN])
def test_a_hub_that_always_refuses_fails_in_one_clear_line(server, tmp_path, path):
    hub(server)
    server.always[path] = Fault(status=429, retry_after="0")
    with pytest.raises(InputError, match="HTTP 429") as caught:
        fetch(server, tmp_path)
    assert "\n" not in str(caught.value) and len(server.seen) < 40
    assert not (tmp_path / "model" / RECORD).exists()


def test_after_the_first_fetch_no_network_is_needed_until_a_file_is_altered(server, tmp_path):
    hub(server)
    first = fetch(server, tmp_path)
    asked = len(server.seen)
    assert fetch(server, tmp_path) == first and len(server.seen) == asked
    (tmp_path / "model/vocab.txt").write_bytes(b"[BAD]\n")
    assert fetch(server, tmp_path) == first
    assert (tmp_path / "model/vocab.txt").read_bytes() == FILES["vocab.txt"]


def test_another_revision_replaces_the_folder(server, tmp_path):
    hub(server)
    fetch(server, tmp_path)
    server.serve_hub(REPO, "f" * 40, {"config.json": b"{ }", "model.safetensors": b"new"})
    fetch(server, tmp_path, revision="f" * 40)
    assert left(tmp_path) == {"model/config.json", "model/model.safetensors", f"model/{RECORD}"}
    assert json.loads((tmp_path / "model" / RECORD).read_text())["revision"] == "f" * 40


def digests(files: dict[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}


def test_the_commit_and_the_digests_are_locked_at_the_first_fetch(server, tmp_path):
    hub(server)
    fetch(server, tmp_path)
    locked = read_sealed(tmp_path / DIGEST_LOCK)
    assert locked == {f"{REPO}@{REVISION}": {"commit": REVISION, "files": digests(FILES)}}


@pytest.mark.parametrize("file", ["model.safetensors", "vocab.txt"])
def test_a_hub_that_later_states_another_digest_is_refused_in_one_line(server, tmp_path, file):
    hub(server)
    fetch(server, tmp_path / "one")
    changed = FILES[file][::-1]
    hub(server, **{file: changed})
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / DIGEST_LOCK).write_bytes((tmp_path / "one" / DIGEST_LOCK).read_bytes())
    with pytest.raises(InputError) as caught:
        fetch(server, tmp_path / "two")
    both = {digests(FILES)[file], digests({file: changed})[file]}
    assert "\n" not in str(caught.value) and all(digest in str(caught.value) for digest in both)
    assert not (tmp_path / "two/model" / RECORD).exists()


@pytest.mark.parametrize(
    "commit, changed, problem",
    [
        (REVISION, {"model.safetensors": "0" * 64}, f"0{{64}}, the server states {CDN[5:]}"),
        ("0123456" + "f" * 33, {}, f"commit: 0123456f* at first use, now {REVISION}"),
    ],
)
def test_a_hub_that_contradicts_the_lock_is_refused_before_the_download(
    server, tmp_path, commit, changed, problem
):
    hub(server)
    entry = {"commit": commit, "files": digests(FILES) | changed}
    write_sealed(tmp_path / DIGEST_LOCK, {f"{REPO}@{REVISION}": entry})
    with pytest.raises(InputError, match=problem):
        fetch(server, tmp_path)
    assert server.count(CDN) == 0


def test_a_folder_with_other_digests_than_the_lock_file_is_refused(server, tmp_path):
    hub(server)
    fetch(server, tmp_path)
    files = {**digests(FILES), "vocab.txt": "0" * 64}
    lock = {f"{REPO}@{REVISION}": {"commit": REVISION, "files": files}}
    write_sealed(tmp_path / DIGEST_LOCK, lock)
    with pytest.raises(InputError, match="files: vocab.txt: 0* at first use"):
        fetch(server, tmp_path)


def authorised(server) -> set[str]:
    """Return the hosts to which a token was sent."""
    return {asked["Host"] for asked in server.headers if "Authorization" in asked}


def test_the_token_goes_to_no_other_hub_than_its_own(server, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    hub(server)
    fetch(server, tmp_path)
    assert server.count(CDN) == 1 and authorised(server) == set()


def test_the_token_goes_to_the_hub_that_the_config_names_but_not_to_its_storage(
    server, tmp_path, monkeypatch
):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    hub(server)
    repository = Repository(REPO, REVISION, Hub(server.url, token_hub=server.url + "/"))
    fetch_repository(repository, tmp_path / "model", tmp_path, patience=QUICK)
    assert authorised(server) == {server.url.removeprefix("http://")}
    asked = [path for _, path, _ in server.seen if path != CDN]
    with_token = [asked for asked in server.headers if "Authorization" in asked]
    assert len(with_token) == len(asked)


def test_a_hub_that_lists_no_digests_states_them_with_each_file(server, tmp_path):
    hub(server)
    unlist(server)
    assert set(fetch(server, tmp_path)["files"]) == set(FILES)


def altered_weights(server: LocalServer) -> None:
    server.serve(CDN, WEIGHTS[::-1])


def altered_vocabulary(server: LocalServer) -> None:
    server.files[resolve("vocab.txt")].content = b"[BAD]\n"


def missing_tokenizer(server: LocalServer) -> None:
    del server.files[resolve("tokenizer.json")]


def other_revision_listed(server: LocalServer) -> None:
    content = server.files[LISTING].content
    server.files[LISTING].content = content.replace(REVISION.encode(), b"f" * 40)


def other_revision_of_a_file(server: LocalServer) -> None:
    unlist(server)
    server.files[resolve("vocab.txt")].headers["X-Repo-Commit"] = "f" * 40


def no_digest(server: LocalServer) -> None:
    unlist(server)
    server.files[resolve("vocab.txt")].headers["ETag"] = '"unknown"'


def no_repository(server: LocalServer) -> None:
    server.files.clear()


def without(name: str) -> Callable[[LocalServer], object]:
    return lambda server: hub(server, without=(name,))


def listed(content: bytes) -> Callable[[LocalServer], object]:
    return lambda server: server.serve(LISTING, content)


SHA = b'{"sha": "' + b"0" * 40 + b'", "siblings": '
ALTERED = hashlib.sha256(WEIGHTS[::-1]).hexdigest()
REFUSED = {
    "altered weights": (
        altered_weights,
        f"model.safetensors: .*sha256 expected {CDN[5:]}, actual {ALTERED}",
    ),
    "an altered small file": (altered_vocabulary, "vocab.txt: .*its content was altered"),
    "a missing file": (missing_tokenizer, "tokenizer.json: .*HTTP 404"),
    "another revision": (other_revision_listed, f"answers with revision {'f' * 40}"),
    "another revision of a file": (
        other_revision_of_a_file,
        f"answers with revision {'f' * 40}",
    ),
    "no digest": (no_digest, "vocab.txt: the hub states no digest"),
    "no repository": (no_repository, f"{REPO}@.*the hub does not answer: HTTP 404"),
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
def test_a_hub_that_is_wrong_is_refused_in_one_line(server, tmp_path, name):
    break_it, problem = REFUSED[name]
    hub(server)
    break_it(server)
    with pytest.raises(InputError, match=problem) as caught:
        fetch(server, tmp_path)
    assert "\n" not in str(caught.value) and not (tmp_path / "model" / RECORD).exists()


@pytest.mark.parametrize("lists_digests", [True, False])
def test_weights_other_than_the_pinned_ones_are_refused(server, tmp_path, lists_digests):
    hub(server)
    if not lists_digests:
        unlist(server)
    with pytest.raises(InputError, match=f"expected {'0' * 64}, .* {CDN[5:]}"):
        fetch(server, tmp_path, weights_sha256="0" * 64)
    assert server.count(CDN) == (not lists_digests)  # what the hub states is not downloaded


# Mirrors


def filled(server, folder: Path) -> Path:
    """Fetch the repository into a mirror, close the hub, and return the mirror."""
    hub(server)
    repository = Repository(REPO, REVISION, Hub(server.url))
    place = Path(mirrored(folder / "mirror", repository))
    fetch_repository(repository, place, folder / "mirror/models", patience=QUICK)
    return folder / "mirror"


def fetch_offline(mirror: Path | str, folder: Path, **pins: str) -> dict:
    repository = Repository(REPO, REVISION, Hub("http://127.0.0.1:9"), **pins)
    return fetch_repository(repository, folder / "model", folder, mirror, QUICK)


def test_a_repository_of_a_mirror_is_copied_without_asking_the_hub(server, tmp_path):
    mirror = filled(server, tmp_path)
    asked = len(server.seen)
    found = fetch_offline(mirror, tmp_path / "other")
    assert found["commit"] == REVISION and len(server.seen) == asked
    assert left(tmp_path / "other") == {NAME, *(f"model/{name}" for name in (*FILES, RECORD))}
    assert {name: file["sha256"] for name, file in found["files"].items()} == digests(FILES)
    assert read_sealed(tmp_path / "other" / DIGEST_LOCK) == read_sealed(
        mirror / "models" / DIGEST_LOCK
    )


def test_the_same_mirror_may_be_an_address(server, tmp_path):
    mirror = filled(server, tmp_path)
    for path in (mirror / "models").rglob("*"):
        if path.is_file():
            server.serve(f"/mirror/{path.relative_to(mirror)}", path.read_bytes())
    found = fetch_offline(server.url + "/mirror", tmp_path / "other")
    assert {name: file["sha256"] for name, file in found["files"].items()} == digests(FILES)


def test_an_altered_file_of_a_mirror_is_refused_with_both_digests(server, tmp_path):
    mirror = filled(server, tmp_path)
    [file] = mirror.rglob("vocab.txt")
    file.write_bytes(b"[BAD]\n")
    with pytest.raises(InputError, match=f"expected {digests(FILES)['vocab.txt']}, actual"):
        fetch_offline(mirror, tmp_path / "other")
    assert not (tmp_path / "other/model" / RECORD).exists()


def test_weights_of_a_mirror_other_than_the_pinned_ones_are_refused(server, tmp_path):
    mirror = filled(server, tmp_path)
    with pytest.raises(InputError, match=f"sha256 expected {'0' * 64}, actual {CDN[5:]}"):
        fetch_offline(mirror, tmp_path / "other", weights_sha256="0" * 64)


def test_a_mirror_whose_record_names_a_file_elsewhere_is_refused(server, tmp_path):
    mirror = filled(server, tmp_path)
    [path] = mirror.rglob(RECORD)
    record = read_sealed(path)
    record["files"]["../../escaped"] = record["files"]["config.json"]
    write_sealed(path, record)
    with pytest.raises(InputError, match="lists other files than those of a model"):
        fetch_offline(mirror, tmp_path / "other")


def test_offline_a_base_that_the_mirror_lacks_is_refused_with_how_to_fill_it(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    (tmp_path / "mirror").mkdir()
    with pytest.raises(InputError, match="`semblance fetch CONFIG --mirror FOLDER`") as caught:
        fetch_offline(tmp_path / "mirror", tmp_path / "other")
    assert "--config mirror=FOLDER" in str(caught.value) and "\n" not in str(caught.value)
