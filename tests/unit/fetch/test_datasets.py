"""Fetching raw datasets: resumed, retried, verified; nothing altered or half-written gets through."""

import json
import os
import re
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.fetch import download, web
from semblance.fetch.datasets import fetch_dataset
from semblance.fetch.manifest import Archive, Dataset, File, load_manifest
from semblance.fetch.origins import NAME
from semblance.layout import DIGEST_LOCK
from semblance.provenance import read_sealed
from tests.hostile.test_archives import zipped
from tests.local_http import Fault, Served, blob_name
from tests.scripts.flags import flags
from tests.unit.fetch.examples import (
    ALTERED,
    COMMIT,
    CONTENT,
    QUICK,
    dataset,
    left,
    pinned,
    sha,
    write,
)
from workflow.scripts import download as script

MANIFEST = Path(__file__).parents[3] / "workflow" / "manifest.yaml"
LONG = CONTENT * 8  # several chunks: of a shorter file nothing is kept when a connection is lost
OTHER = LONG[::-1]
FOUND = {"sha256": sha(CONTENT), "size": len(CONTENT)}


def fetch(data: Dataset | File, folder: Path, mirror: Path | str | None = None) -> dict:
    if isinstance(data, File):
        data = dataset(data)
    return fetch_dataset(data, folder, mirror, QUICK)


def test_a_good_file_is_recorded_and_not_requested_again(server, tmp_path):
    item = pinned(server.serve("/f", CONTENT))
    assert fetch(item, tmp_path) == fetch(item, tmp_path) == {"files": {"a/b.txt": FOUND}}
    assert (tmp_path / "a/b.txt").read_bytes() == CONTENT and left(tmp_path) == {"a/b.txt"}
    assert server.count("/f") == 1


@pytest.mark.parametrize(
    "part, ranges, spans",
    [
        (CONTENT[:1000], True, ["bytes=1000-"]),
        (CONTENT[:1000], False, ["bytes=1000-"]),  # the server begins at the start
        (b"x" * 1000, True, ["bytes=1000-", None]),  # a part of another file
        (CONTENT + b"!", True, [None]),  # too long
        (CONTENT, True, []),  # a killed process had completed it
    ],
)
def test_a_part_is_continued_where_it_stopped(server, tmp_path, part, ranges, spans):
    write(tmp_path / "a/b.txt.part", part)
    fetch(pinned(server.serve("/f", CONTENT, ranges=ranges)), tmp_path)
    assert [seen[2] for seen in server.seen] == spans
    assert (tmp_path / "a/b.txt").read_bytes() == CONTENT and left(tmp_path) == {"a/b.txt"}


def test_a_dropped_connection_is_resumed_and_loses_less_than_a_chunk(server, tmp_path):
    content, cut = os.urandom(300_000), 200_000
    url = server.serve("/f", content)
    server.faults["/f"] = [Fault(cut=cut)]
    fetch(pinned(url, content=content), tmp_path)
    assert (tmp_path / "a/b.txt").read_bytes() == content
    assert cut - web.CHUNK < int(re.fullmatch(r"bytes=(\d+)-", server.seen[1][2])[1]) <= cut


def test_the_rests_of_two_versions_are_not_joined(server, tmp_path):
    """The file changes after a connection is lost; its size and name stay."""
    url = server.serve("/f", LONG)
    server.faults["/f"] = [Fault(cut=100_000, then=Served(OTHER))]
    fetch(pinned(url, content=OTHER), tmp_path)
    assert (tmp_path / "a/b.txt").read_bytes() == OTHER
    starts = [seen[2] for seen in server.seen]
    assert starts[0] is None and starts[1].startswith("bytes=") and starts[2:] == [None]


def test_a_file_that_changes_at_each_request_is_refused_after_one_fresh_start(server, tmp_path):
    url = server.serve("/f", LONG)
    server.faults["/f"] = [Fault(cut=100_000, then=Served(OTHER)), Fault(then=Served(OTHER))]
    with pytest.raises(InputError, match="its content was altered"):
        fetch(pinned(url, content=LONG), tmp_path)
    assert server.count("/f") == 3 and left(tmp_path) == set()


@pytest.mark.parametrize(
    "served, problem",
    [
        (
            ALTERED,
            f"its content was altered: sha256 expected {sha(CONTENT)}, actual {sha(ALTERED)}",
        ),
        (CONTENT + b"!", f"it has {len(CONTENT) + 1} bytes, expected {len(CONTENT)}"),
        (CONTENT[:-1], f"it has {len(CONTENT) - 1} bytes, expected {len(CONTENT)}"),
    ],
)
@pytest.mark.parametrize("has_mirror", [False, True])
def test_another_content_than_the_pinned_one_is_refused(
    server, tmp_path, served, problem, has_mirror
):
    write(tmp_path / "mirror/a/b.txt", served)
    mirror = tmp_path / "mirror" if has_mirror else None
    with pytest.raises(InputError, match=f"^a/b.txt: .*{problem}"):
        fetch(pinned(server.serve("/f", served)), tmp_path / "data", mirror)
    assert left(tmp_path / "data") == set()


def test_the_next_address_is_used_when_one_fails_or_is_altered(server, tmp_path):
    bad = server.serve("/bad", ALTERED)
    fetch(pinned(server.url + "/gone", bad, server.serve("/f", CONTENT)), tmp_path)
    assert [seen[1] for seen in server.seen] == ["/gone", "/bad", "/f"]  # a 404 is not retried
    assert (tmp_path / "a/b.txt").read_bytes() == CONTENT


@pytest.mark.parametrize(
    "fault, problem, requests, rest",
    [
        (Fault(status=429), "HTTP 429", QUICK.attempts, set()),
        (Fault(status=503, retry_after="3600"), "asks to wait 3600 s", 1, set()),  # not waited for
        (Fault(cut=100), "the connection failed", QUICK.attempts, {"a/b.txt.part"}),
    ],
)
def test_a_server_that_always_fails_is_given_up_and_the_part_kept_for_the_next_run(
    server, tmp_path, fault, problem, requests, rest
):
    url = server.serve("/f", CONTENT, ranges=False)
    server.always["/f"] = fault
    with pytest.raises(InputError, match=problem):
        fetch(pinned(url), tmp_path)
    assert server.count("/f") == requests and left(tmp_path) == rest


def test_a_mirror_folder_is_the_only_place_tried(server, tmp_path):
    item = pinned(server.serve("/f", CONTENT))
    with pytest.raises(InputError, match="no such file"):
        fetch(item, tmp_path / "data", tmp_path / "mirror")
    write(tmp_path / "mirror/a/b.txt")
    fetch(item, tmp_path / "data", tmp_path / "mirror")
    assert server.seen == []


def test_a_mirror_address_has_the_same_paths(server, tmp_path):
    server.serve("/mirror/a/b%20c.txt", CONTENT)
    item = pinned(server.url + "/elsewhere", path="a/b c.txt")
    fetch(item, tmp_path, server.url + "/mirror/")
    assert [seen[1] for seen in server.seen] == ["/mirror/a/b%20c.txt"]


def test_too_little_space_on_the_disk_is_reported_before_the_download(
    server, tmp_path, monkeypatch
):
    monkeypatch.setattr(download.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 10}))
    with pytest.raises(InputError, match=f"{len(CONTENT)} bytes are needed and 10 are free"):
        fetch(pinned(server.serve("/f", CONTENT)), tmp_path)


# Files without a digest in the manifest

ON_HUB = f"/datasets/someone/data/resolve/{COMMIT}/b.tar"


def on_hub(server, content: bytes = CONTENT) -> File:
    """Serve a large file as a hub does, and return it without a digest."""
    server.serve_large(ON_HUB, COMMIT, content)
    return File("a/b.txt", None, None, (server.url + ON_HUB,))


def test_a_stated_digest_is_checked_locked_and_required_from_then_on(server, tmp_path):
    item = on_hub(server)
    record = fetch(item, tmp_path)
    assert record == {"files": {"a/b.txt": FOUND}} == fetch(item, tmp_path)
    assert read_sealed(tmp_path / DIGEST_LOCK) == record["files"]
    problem = f"expected {sha(CONTENT)}, actual {sha(ALTERED)}"
    server.serve(f"/cdn/{sha(CONTENT)}", ALTERED)  # the hub still states the old digest
    with pytest.raises(InputError, match=problem):
        fetch(item, tmp_path / "other")
    (tmp_path / "a/b.txt").unlink()
    on_hub(server, ALTERED)  # it states the new one
    with pytest.raises(InputError, match=problem):
        fetch(item, tmp_path)


def test_a_file_without_any_digest_is_refused_in_one_line(server, tmp_path):
    item = File("a/b.txt", None, None, (server.serve("/f", CONTENT),))
    with pytest.raises(InputError, match="no digest is stated there") as caught:
        fetch(item, tmp_path)
    assert "\n" not in str(caught.value) and server.count("/f") == 0


def test_a_mirror_folder_may_bring_the_lock_file(server, tmp_path):
    item = on_hub(server)
    data, mirror = tmp_path / "data", tmp_path / "mirror"
    record = fetch(item, mirror)
    requests = len(server.seen)
    server.close()
    (mirror / DIGEST_LOCK).rename(tmp_path / "lock")
    with pytest.raises(InputError, match=f"put {DIGEST_LOCK} into the mirror"):
        fetch(item, data, mirror)
    (tmp_path / "lock").rename(mirror / DIGEST_LOCK)
    assert fetch(item, data, mirror) == record
    assert read_sealed(data / DIGEST_LOCK) == record["files"]
    assert len(server.seen) == requests


def test_a_file_is_checked_by_its_git_blob(server, tmp_path):
    blob = blob_name(CONTENT)
    item = File("a/b.txt", None, None, (server.serve("/f", CONTENT),), git_blob=blob)
    assert fetch(item, tmp_path) == {"files": {"a/b.txt": FOUND}}
    server.serve("/f", ALTERED)
    assert fetch(item, tmp_path) and left(tmp_path) == {"a/b.txt"}
    with pytest.raises(InputError, match=f"git blob expected {blob}, actual"):
        fetch(item, tmp_path / "other")


# Archives


def archived(
    server, content: bytes, members: dict[str, str], *files: File, is_pinned: bool = True
) -> Dataset:
    """Serve an archive; return the data set of its members, which ``files`` may pin."""
    digest = sha(content) if is_pinned else None
    urls = (server.serve("/x", content),)
    return dataset(*files, archives=(Archive("x.zip", digest, None, urls, members),))


ONE = pinned(path="one.txt")


def test_a_member_is_extracted_to_its_path_and_nothing_else_is(server, tmp_path):
    inside = {"in/one.txt": CONTENT, "in/two.txt": b"2", "../evil.txt": b"e", "/evil.txt": b"e"}
    data = archived(server, zipped(*inside.items()), {"in/one.txt": "a/one.txt"})
    record = fetch(data, tmp_path / "data")
    assert record == {"files": {"a/one.txt": FOUND}} == fetch(data, tmp_path / "data")
    names = ("x.zip", "a/one.txt", DIGEST_LOCK, ".fetching")
    assert left(tmp_path) == {f"data/{name}" for name in names}
    assert server.count("/x") == 1


def test_an_unpinned_archive_is_accepted_if_its_members_are_pinned(server, tmp_path):
    data = archived(server, zipped(("one", CONTENT)), {"one": "one.txt"}, ONE, is_pinned=False)
    assert fetch(data, tmp_path / "good") == {"files": {"one.txt": FOUND}}
    server.serve("/x", zipped(("one", ALTERED)))
    with pytest.raises(InputError, match=f"member one of x.zip.*{sha(ALTERED)}"):
        fetch(data, tmp_path / "bad")
    assert not (tmp_path / "bad/one.txt").exists()


def test_without_a_digest_nothing_is_continued(server, tmp_path):
    content = os.urandom(300_000)
    member = pinned(path="one.txt", content=content)
    data = archived(server, zipped(("one", content)), {"one": "one.txt"}, member, is_pinned=False)
    server.faults["/x"] = [Fault(cut=200_000)]
    fetch(data, tmp_path)
    assert [seen[2] for seen in server.seen] == [None, None]


def test_a_mirror_may_hold_a_member_without_its_archive(server, tmp_path):
    data = archived(server, b"none", {"one": "one.txt"}, ONE, is_pinned=False)
    write(tmp_path / "mirror/one.txt")
    fetch(data, tmp_path / "data", tmp_path / "mirror")
    assert left(tmp_path / "data") == {"one.txt", NAME} and server.seen == []


@pytest.mark.parametrize(
    "content, member, problem, rest",
    [
        (b"", ONE, "x.zip: .*it is empty", set()),
        (zipped(("one", b"/etc/passwd", stat.S_IFLNK)), ONE, "not a regular file", {"x.zip"}),
        (zipped(("one", bytes(10**7))), replace(ONE, size=1), "longer than 1 bytes", {"x.zip"}),
    ],
)
def test_a_bad_archive_is_refused_and_no_member_of_it_is_left(
    server, tmp_path, content, member, problem, rest
):
    """The kinds of bad archives are in tests/hostile/test_archives.py."""
    data = archived(server, content, {"one": "one.txt"}, member, is_pinned=False)
    with pytest.raises(InputError, match=problem):
        fetch(data, tmp_path)
    assert left(tmp_path) == rest


def test_the_script_writes_the_record_and_names_an_unknown_dataset(server, tmp_path):
    urls = [server.serve("/f", CONTENT)]
    file = {"path": "a/b.txt", "sha256": sha(CONTENT), "size": None, "urls": urls}
    entry = {"title": "t", "licence": "l", "homepage": None, "expected": {}, "files": [file]}
    (tmp_path / "manifest.yaml").write_text(json.dumps({"datasets": {"one": entry}}))
    record = tmp_path / "record.json"
    places = {"manifest": tmp_path / "manifest.yaml", "destination": tmp_path / "data"}
    script.main(flags(**places, record=record, dataset="one"))
    assert read_sealed(record) == {"dataset": "one", "files": {"a/b.txt": FOUND}}
    with pytest.raises(InputError, match="no dataset 'two'.*known are one"):
        script.main(flags(**places, record=record, dataset="two"))


AT_HAND = "sts12 sts13 sts14 sts15 sts16 stsb sick nli-sample wiki-sample stackfaq covid".split()


@pytest.mark.parametrize("name", AT_HAND)
def test_the_real_files_have_the_pinned_digests(name, tmp_path, real_data):
    data = load_manifest(MANIFEST)[name]
    assert len(fetch(data, tmp_path, real_data)["files"]) == len(data.files)
