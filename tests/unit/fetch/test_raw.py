"""Raw files: pinned, from addresses, mirrors and archives; nothing altered or half-written gets through."""

import gzip
import json
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.fetch.manifest import Archive, Dataset, File, Pin, load_manifest
from semblance.fetch.raw import fetch_dataset
from semblance.fetch.web import Unavailable, ask_address, take
from semblance.provenance import read_sealed
from tests.hostile.test_archives import zipped
from tests.local_http import Fault, blob_name
from tests.scripts.flags import flags
from tests.unit.fetch.examples import ALTERED, COMMIT, CONTENT, dataset, left, pinned, sha, write
from workflow.scripts import download as script

MANIFEST = Path(__file__).parents[3] / "workflow" / "manifest.yaml"
RECORDED = {"sha256": sha(CONTENT), "size": len(CONTENT)}


def fetch(data: Dataset | File, folder: Path, mirror: Path | str | None = None) -> dict:
    if isinstance(data, File):
        data = dataset(data)
    return fetch_dataset(data, folder, mirror)


def test_a_good_file_is_recorded_and_not_requested_again(server, tmp_path):
    item = pinned(server.serve("/f", CONTENT))
    assert fetch(item, tmp_path) == fetch(item, tmp_path) == {"files": {"a/b.txt": RECORDED}}
    assert (tmp_path / "a/b.txt").read_bytes() == CONTENT and left(tmp_path) == {"a/b.txt"}
    assert server.count("/f") == 1


def test_a_damaged_file_is_fetched_again(server, tmp_path):
    write(tmp_path / "a/b.txt", ALTERED)
    fetch(pinned(server.serve("/f", CONTENT)), tmp_path)
    assert (tmp_path / "a/b.txt").read_bytes() == CONTENT


@pytest.mark.parametrize("fault", [Fault(status=503), Fault(cut=100)])
def test_a_failure_that_passes_is_tried_again_from_the_start(server, tmp_path, fault):
    url = server.serve("/f", CONTENT)
    server.faults["/f"] = [fault]
    fetch(pinned(url), tmp_path)
    assert server.seen == [("GET", "/f")] * 2 and left(tmp_path) == {"a/b.txt"}


@pytest.mark.parametrize("has_mirror", [False, True])
def test_another_content_than_the_pinned_one_is_refused(server, tmp_path, has_mirror):
    """What a pin finds wrong with a file, tests/unit/fetch/test_manifest.py has."""
    write(tmp_path / "mirror/a/b.txt", ALTERED)
    mirror = tmp_path / "mirror" if has_mirror else None
    problem = f"its content was altered: sha256 expected {sha(CONTENT)}, actual {sha(ALTERED)}"
    with pytest.raises(InputError, match=f"^a/b.txt: .*{problem}"):
        fetch(pinned(server.serve("/f", ALTERED)), tmp_path / "data", mirror)
    assert left(tmp_path / "data") == set()


def test_the_next_address_is_used_when_one_fails_or_is_altered(server, tmp_path):
    bad = server.serve("/bad", ALTERED)
    fetch(pinned(server.url + "/gone", bad, server.serve("/f", CONTENT)), tmp_path)
    assert [seen[1] for seen in server.seen] == ["/gone", "/bad", "/f"]  # a 404 is not retried
    assert (tmp_path / "a/b.txt").read_bytes() == CONTENT


@pytest.mark.parametrize(
    "fault, problem, requests",
    [
        (Fault(status=404), "HTTP 404", 1),
        (Fault(status=429), "HTTP 429", 6),
        (Fault(cut=100), "the connection failed", 6),
    ],
)
def test_a_server_that_always_fails_is_given_up(server, tmp_path, fault, problem, requests):
    url = server.serve("/f", CONTENT)
    server.always["/f"] = fault
    advice = "see http://home; without a network: fill a folder by `semblance fetch"
    with pytest.raises(InputError, match=f"^a/b.txt: {url}: {problem}.*; {advice}"):
        fetch(pinned(url), tmp_path)
    assert server.count("/f") == requests and left(tmp_path) == set()


def test_a_file_longer_than_its_pin_is_not_read_to_its_end(server, tmp_path):
    url = server.serve("/f", bytes(3 << 20))
    with pytest.raises(Unavailable, match="it has more than 10 bytes"):
        take(url, tmp_path / "f", Pin("0" * 64, 10))
    assert left(tmp_path) == set()


@pytest.mark.parametrize("url", ["http://[", "http://a:b/", "http://a:99999999/"])
def test_an_address_that_is_none_is_refused_in_one_line(tmp_path, url):
    with pytest.raises(InputError, match="makes no sense"):
        fetch(pinned(url), tmp_path)


# Mirrors


def test_a_mirror_folder_is_the_only_place_tried(server, tmp_path):
    item = pinned(server.serve("/f", CONTENT))
    with pytest.raises(InputError, match="mirror/a/b.txt: no such file"):
        fetch(item, tmp_path / "data", tmp_path / "mirror")
    write(tmp_path / "mirror/a/b.txt")
    fetch(item, tmp_path / "data", tmp_path / "mirror")
    assert server.seen == []


def test_a_mirror_address_has_the_same_paths(server, tmp_path):
    server.serve("/mirror/a/b%20c.txt", CONTENT)
    item = pinned(server.url + "/elsewhere", path="a/b c.txt")
    fetch(item, tmp_path, server.url + "/mirror/")
    assert [seen[1] for seen in server.seen] == ["/mirror/a/b%20c.txt"]


# Files without a sha256 in the manifest

PATH = f"/datasets/someone/data/resolve/{COMMIT}/b.tar"


def test_a_file_without_a_digest_must_have_the_one_that_its_hub_states(server, tmp_path):
    server.serve_large(PATH, COMMIT, CONTENT)
    item = File("a/b.txt", None, None, (server.url + PATH,))
    assert fetch(item, tmp_path / "one") == {"files": {"a/b.txt": RECORDED}}
    server.serve(f"/cdn/{sha(CONTENT)}", ALTERED)  # the hub still states the old digest
    with pytest.raises(InputError, match=f"expected {sha(CONTENT)}, actual {sha(ALTERED)}"):
        fetch(item, tmp_path / "two")
    # A machine without a network cannot ask: the mirror that `semblance fetch` has filled is trusted.
    requests = len(server.seen)
    assert fetch(item, tmp_path / "three", tmp_path / "one") == {"files": {"a/b.txt": RECORDED}}
    assert len(server.seen) == requests


def test_a_file_without_any_digest_is_refused_in_one_line(server, tmp_path):
    item = File("a/b.txt", None, None, (server.serve("/f", CONTENT),))
    with pytest.raises(InputError, match="no digest is stated there"):
        fetch(item, tmp_path)
    assert server.count("/f") == 0


def test_a_file_is_checked_by_its_git_blob(server, tmp_path):
    blob = blob_name(CONTENT)
    item = File("a/b.txt", None, None, (server.serve("/f", CONTENT),), git_blob=blob)
    assert fetch(item, tmp_path) == {"files": {"a/b.txt": RECORDED}}
    server.serve("/f", ALTERED)
    assert fetch(item, tmp_path) and left(tmp_path) == {"a/b.txt"}
    with pytest.raises(InputError, match=f"git blob expected {blob}, actual"):
        fetch(item, tmp_path / "other")


# Archives


def test_a_member_is_extracted_to_its_path_and_nothing_else_is(server, tmp_path):
    """tests/hostile/test_archives.py has bad archives; one of another digest is refused as a file is."""
    inside = {"in/one.txt": CONTENT, "in/two.txt": b"2", "../evil.txt": b"e", "/evil.txt": b"e"}
    content = zipped(*inside.items())
    urls = (server.serve("/x", content),)
    archive = Archive("x.zip", sha(content), None, urls, members={"in/one.txt": "a/one.txt"})
    data = dataset(archives=(archive,))
    record = fetch(data, tmp_path / "data")
    assert record == {"files": {"a/one.txt": RECORDED}} == fetch(data, tmp_path / "data")
    assert left(tmp_path) == {"data/x.zip", "data/a/one.txt"} and server.count("/x") == 1


# What a server states

BLOB = blob_name(CONTENT)


@pytest.mark.parametrize(
    "path, headers, pin",
    [
        ("/f", {"ETag": f'"{"0" * 40}"'}, Pin(None, len(CONTENT))),  # of no hub
        (PATH, {"ETag": f'"{BLOB}"'}, Pin(None, len(CONTENT))),  # it only looks like one of a hub
        (PATH, {"ETag": f'"{BLOB}"', "X-Repo-Commit": COMMIT}, Pin(None, len(CONTENT), BLOB)),
    ],
)
def test_a_server_states_the_size_and_a_hub_a_digest_without_a_download(server, path, headers, pin):
    assert ask_address(server.serve(path, CONTENT, headers=headers)) == pin
    assert server.seen == [("HEAD", path)]


def test_a_hub_that_answers_with_another_commit_is_refused(server):
    server.serve_large(PATH, "f" * 40, CONTENT)
    with pytest.raises(Unavailable, match=f"revision {'f' * 40}"):
        ask_address(server.url + PATH)


def test_a_server_that_answers_no_head_is_asked_by_a_get(server):
    url = server.serve("/f", CONTENT)
    server.faults["/f"] = [Fault(status=405)]
    assert ask_address(url).size == len(CONTENT)


@pytest.mark.parametrize("path", ["/f", PATH])
def test_a_busy_server_is_asked_again_and_one_without_the_file_is_not(server, path):
    url = server.serve(path, CONTENT)
    server.faults[path] = [Fault(status=503)]
    assert ask_address(url).size == len(CONTENT)
    del server.files[path]
    with pytest.raises(Unavailable, match="HTTP 404"):
        ask_address(url)
    assert server.count(path, "HEAD") == 3


# The program


def test_the_script_writes_the_record_and_names_an_unknown_dataset(server, tmp_path):
    urls = [server.serve("/f", CONTENT)]
    file = {"path": "a/b.txt", "sha256": sha(CONTENT), "size": None, "urls": urls}
    entry = {"title": "t", "licence": "l", "homepage": None, "expected": {}, "files": [file]}
    (tmp_path / "manifest.yaml").write_text(json.dumps({"datasets": {"one": entry}}))
    record = tmp_path / "record.json"
    places = {"manifest": tmp_path / "manifest.yaml", "destination": tmp_path / "data"}
    script.main(flags(**places, record=record, dataset="one"))
    assert read_sealed(record) == {"dataset": "one", "files": {"a/b.txt": RECORDED}}
    with pytest.raises(InputError, match="no dataset 'two'.*known are one"):
        script.main(flags(**places, record=record, dataset="two"))


AT_HAND = "sts12 sts13 sts14 sts15 sts16 stsb sick nli-sample wiki-sample stackfaq covid".split()


@pytest.mark.parametrize("name", AT_HAND)
def test_the_real_files_have_the_pinned_digests(name, tmp_path, real_data):
    data = load_manifest(MANIFEST)[name]
    assert len(fetch(data, tmp_path, real_data)["files"]) == len(data.files)


def test_a_file_that_a_server_compresses_unasked_is_taken_as_it_is_meant(server, tmp_path):
    """Its size on the way is not the file's: other clients take such a file for a cut one."""
    packed = {"Content-Encoding": "gzip"}
    url = server.serve("/f", gzip.compress(CONTENT), headers=packed)
    assert ask_address(url) == Pin()
    take(url, tmp_path / "file", Pin(sha(CONTENT), len(CONTENT)))
    assert (tmp_path / "file").read_bytes() == CONTENT
