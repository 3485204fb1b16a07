"""Fetching raw datasets: resumed, retried, verified; nothing altered or half-written gets through."""

import hashlib
import io
import json
import os
import re
import stat
import time
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.fetch import download, web
from semblance.fetch.datasets import fetch_dataset
from semblance.fetch.manifest import Archive, Dataset, File, load_manifest
from semblance.fetch.origins import NAME
from semblance.fetch.web import Patience
from semblance.layout import DIGEST_LOCK
from semblance.provenance import read_sealed
from tests.local_http import Fault, Served, running
from workflow.scripts import download as script

MANIFEST = Path(__file__).parents[3] / "workflow" / "manifest.yaml"
CONTENT = bytes(range(256)) * 64
ATTEMPTS = 3
QUICK = Patience(ATTEMPTS, first=0.01, longest=2.0, timeout=2.0)
server = pytest.fixture(running)


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def dataset(*files: File, archives: tuple[Archive, ...] = ()) -> Dataset:
    return Dataset("title", "licence", "http://home", {"rows": 1}, files, archives)


def pinned(*urls: str, content: bytes = CONTENT, path: str = "a/b.txt") -> File:
    return File(path, sha(content), len(content), urls)


def fetch(data: Dataset, folder: Path, mirror: Path | str | None = None) -> dict:
    return fetch_dataset(data, folder, mirror, QUICK)


def fetch_one(item: File, folder: Path, mirror: Path | str | None = None) -> dict:
    return fetch(dataset(item), folder, mirror)


def left(folder: Path) -> set[str]:
    """Name what a fetch left behind, its lock handle excepted."""
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()} - {".fetching"}


ALTERED = CONTENT[::-1]


def test_a_good_file_is_recorded_by_path_digest_and_size(server, tmp_path):
    record = fetch_one(pinned(server.serve("/f", CONTENT)), tmp_path)
    assert record == {"files": {"a/b.txt": {"sha256": sha(CONTENT), "size": len(CONTENT)}}}
    assert (tmp_path / "a/b.txt").read_bytes() == CONTENT and left(tmp_path) == {"a/b.txt"}


def test_a_file_that_is_there_is_not_asked_for_again(server, tmp_path):
    item = pinned(server.serve("/f", CONTENT))
    first, second = fetch_one(item, tmp_path), fetch_one(item, tmp_path)
    assert first == second and server.count("/f") == 1


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
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.txt.part").write_bytes(part)
    fetch_one(pinned(server.serve("/f", CONTENT, ranges=ranges)), tmp_path)
    assert [seen[2] for seen in server.seen] == spans
    assert (tmp_path / "a/b.txt").read_bytes() == CONTENT and left(tmp_path) == {"a/b.txt"}


def test_a_dropped_connection_is_resumed_and_loses_less_than_a_chunk(server, tmp_path):
    content, cut = os.urandom(300_000), 200_000
    url = server.serve("/f", content)
    server.faults["/f"] = [Fault(cut=cut)]
    fetch_one(pinned(url, content=content), tmp_path)
    assert (tmp_path / "a/b.txt").read_bytes() == content
    assert cut - web.CHUNK < int(re.fullmatch(r"bytes=(\d+)-", server.seen[1][2])[1]) <= cut


LONG = CONTENT * 8  # several chunks: of a shorter file nothing is kept when a connection is lost
OTHER = LONG[::-1]


def test_the_rests_of_two_versions_are_not_joined(server, tmp_path):
    """The file changes after a connection is lost; its size and name stay."""
    url = server.serve("/f", LONG)
    server.faults["/f"] = [Fault(cut=100_000, then=Served(OTHER))]
    fetch_one(pinned(url, content=OTHER), tmp_path)
    assert (tmp_path / "a/b.txt").read_bytes() == OTHER
    starts = [seen[2] for seen in server.seen]
    assert starts[0] is None and starts[1].startswith("bytes=") and starts[2:] == [None]


def test_a_file_that_changes_at_each_request_is_refused_after_one_fresh_start(server, tmp_path):
    url = server.serve("/f", LONG)
    server.faults["/f"] = [Fault(cut=100_000, then=Served(OTHER)), Fault(then=Served(OTHER))]
    with pytest.raises(InputError, match="its content was altered"):
        fetch_one(pinned(url, content=LONG), tmp_path)
    assert server.count("/f") == 3 and left(tmp_path) == set()


def test_without_a_digest_nothing_is_continued(server, tmp_path):
    content = zipped({"one": os.urandom(300_000)})
    [member] = zipfile.ZipFile(io.BytesIO(content)).infolist()
    inside = pinned(path="one.txt", content=zipfile.ZipFile(io.BytesIO(content)).read(member))
    archive = archived(server, content, {"one": "one.txt"}, pin=False)
    server.faults["/x"] = [Fault(cut=200_000)]
    fetch(dataset(inside, archives=(archive,)), tmp_path)
    assert [seen[2] for seen in server.seen] == [None, None]


def test_an_empty_answer_for_a_file_without_a_digest_is_refused(server, tmp_path):
    archive = Archive("x.zip", None, None, (server.serve("/x", b""),), {"one": "one.txt"})
    with pytest.raises(InputError, match="x.zip: .*it is empty"):
        fetch(dataset(pinned(path="one.txt"), archives=(archive,)), tmp_path)
    assert left(tmp_path) == set()


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
    mirror = tmp_path / "mirror" if has_mirror else None
    (tmp_path / "mirror/a").mkdir(parents=True)
    (tmp_path / "mirror/a/b.txt").write_bytes(served)
    with pytest.raises(InputError, match=f"^a/b.txt: .*{problem}"):
        fetch_one(pinned(server.serve("/f", served)), tmp_path / "data", mirror)
    assert left(tmp_path / "data") == set()


def test_a_connection_that_always_breaks_fails_and_keeps_the_part_for_the_next_run(
    server, tmp_path
):
    url = server.serve("/f", CONTENT, declared=len(CONTENT), ranges=False)
    server.always["/f"] = Fault(cut=100)
    with pytest.raises(InputError, match="the connection failed"):
        fetch_one(pinned(url), tmp_path)
    assert left(tmp_path) == {"a/b.txt.part"} and server.count("/f") == ATTEMPTS


def test_the_next_address_is_used_when_one_fails_or_is_altered(server, tmp_path):
    bad = server.serve("/bad", ALTERED)
    fetch_one(pinned(server.url + "/gone", bad, server.serve("/f", CONTENT)), tmp_path)
    assert [seen[1] for seen in server.seen] == ["/gone", "/bad", "/f"]  # a 404 is not retried
    assert (tmp_path / "a/b.txt").read_bytes() == CONTENT


def test_after_too_many_requests_we_wait_as_long_as_the_server_asks(server, tmp_path):
    url = server.serve("/f", CONTENT)
    server.faults["/f"] = [Fault(status=429, retry_after="1")]
    started = time.monotonic()
    fetch_one(pinned(url), tmp_path)
    assert time.monotonic() - started >= 1.0 and server.count("/f") == 2


@pytest.mark.parametrize(
    "fault, problem, requests",
    [
        (Fault(status=429), "HTTP 429", ATTEMPTS),
        (Fault(status=503, retry_after="3600"), "asks to wait 3600 s", 1),  # not waited for
    ],
)
def test_a_server_that_always_refuses_is_given_up(server, tmp_path, fault, problem, requests):
    url = server.serve("/f", CONTENT)
    server.always["/f"] = fault
    with pytest.raises(InputError, match=problem):
        fetch_one(pinned(url), tmp_path)
    assert server.count("/f") == requests


def test_a_mirror_folder_is_the_only_place_tried(server, tmp_path):
    item = pinned(server.serve("/f", CONTENT))
    with pytest.raises(InputError, match="no such file"):
        fetch_one(item, tmp_path / "data", mirror=tmp_path / "mirror")
    (tmp_path / "mirror/a").mkdir(parents=True)
    (tmp_path / "mirror/a/b.txt").write_bytes(CONTENT)
    fetch_one(item, tmp_path / "data", mirror=tmp_path / "mirror")
    assert server.seen == []


def test_a_mirror_address_has_the_same_paths(server, tmp_path):
    server.serve("/mirror/a/b%20c.txt", CONTENT)
    fetch_one(
        pinned(server.url + "/elsewhere", path="a/b c.txt"),
        tmp_path,
        mirror=server.url + "/mirror/",
    )
    assert [seen[1] for seen in server.seen] == ["/mirror/a/b%20c.txt"]


def test_an_altered_file_that_is_there_is_replaced(server, tmp_path):
    item = pinned(server.serve("/f", CONTENT))
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.txt").write_bytes(CONTENT[::-1])
    fetch_one(item, tmp_path)
    assert (tmp_path / "a/b.txt").read_bytes() == CONTENT


def test_too_little_space_on_the_disk_is_reported_before_the_download(
    server, tmp_path, monkeypatch
):
    monkeypatch.setattr(download.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 10}))
    with pytest.raises(InputError, match=f"{len(CONTENT)} bytes are needed and 10 are free"):
        fetch_one(pinned(server.serve("/f", CONTENT)), tmp_path)


COMMIT = "0123456789abcdef0123456789abcdef01234567"
ON_HUB = f"/datasets/someone/data/resolve/{COMMIT}/b.tar"


def on_hub(server, content: bytes = CONTENT) -> File:
    """Serve a large file as a hub does, and return it without a digest."""
    server.serve_large(ON_HUB, COMMIT, content)
    return File("a/b.txt", None, None, (server.url + ON_HUB,))


def test_a_file_without_a_digest_is_checked_by_its_hubs_statement(server, tmp_path):
    item = on_hub(server)
    record = fetch_one(item, tmp_path)
    assert record == {"files": {"a/b.txt": {"sha256": sha(CONTENT), "size": len(CONTENT)}}}
    server.serve(f"/cdn/{sha(CONTENT)}", CONTENT[::-1])  # the hub still states the old digest
    with pytest.raises(InputError, match=f"expected {sha(CONTENT)}, actual {sha(CONTENT[::-1])}"):
        fetch_one(item, tmp_path / "other")


def test_the_stated_digest_is_locked_and_required_from_then_on(server, tmp_path):
    item = on_hub(server)
    record = fetch_one(item, tmp_path)
    assert read_sealed(tmp_path / DIGEST_LOCK) == record["files"]
    assert fetch_one(item, tmp_path) == record
    (tmp_path / "a/b.txt").unlink()
    on_hub(server, CONTENT[::-1])
    with pytest.raises(InputError, match=f"expected {sha(CONTENT)}, actual {sha(CONTENT[::-1])}"):
        fetch_one(item, tmp_path)


def test_a_file_without_any_digest_is_refused_in_one_line(server, tmp_path):
    item = File("a/b.txt", None, None, (server.serve("/f", CONTENT),))
    with pytest.raises(InputError, match="no digest is stated there") as caught:
        fetch_one(item, tmp_path)
    assert "\n" not in str(caught.value) and server.count("/f") == 0


def test_a_hub_that_answers_with_another_commit_is_refused(server, tmp_path):
    item = on_hub(server)
    server.files[ON_HUB].headers["X-Repo-Commit"] = "f" * 40
    with pytest.raises(InputError, match=f"answers with revision {'f' * 40}"):
        fetch_one(item, tmp_path)


def test_a_mirror_folder_may_bring_the_lock_file(server, tmp_path):
    item = on_hub(server)
    record = fetch_one(item, tmp_path / "mirror")
    asked = len(server.seen)
    server.close()
    (tmp_path / "mirror" / DIGEST_LOCK).rename(tmp_path / "lock")
    with pytest.raises(InputError, match=f"put {DIGEST_LOCK} into the mirror"):
        fetch_one(item, tmp_path / "data", mirror=tmp_path / "mirror")
    (tmp_path / "lock").rename(tmp_path / "mirror" / DIGEST_LOCK)
    options = {"mirror": tmp_path / "mirror"}
    assert fetch_one(item, tmp_path / "data", **options) == record
    assert read_sealed(tmp_path / "data" / DIGEST_LOCK) == record["files"]
    assert len(server.seen) == asked


def test_a_file_is_checked_by_its_git_blob(server, tmp_path):
    blob = hashlib.sha1(b"blob %d\0" % len(CONTENT) + CONTENT).hexdigest()
    item = File("a/b.txt", None, None, (server.serve("/f", CONTENT),), git_blob=blob)
    assert fetch_one(item, tmp_path)["files"]["a/b.txt"]["sha256"] == sha(CONTENT)
    assert fetch_one(item, tmp_path) and left(tmp_path) == {"a/b.txt"}
    server.serve("/f", CONTENT[::-1])
    with pytest.raises(InputError, match=f"git blob expected {blob}, actual"):
        fetch_one(item, tmp_path / "other")


def zipped(members: dict[str, bytes], links: tuple[str, ...] = ()) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as box:
        for name, content in members.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (
                stat.S_IFLNK | 0o777 if name in links else stat.S_IFREG | 0o644
            ) << 16
            box.writestr(info, content)
    return buffer.getvalue()


def archived(server, content: bytes, members: dict[str, str], pin: bool = True) -> Archive:
    return Archive(
        "x.zip",
        sha(content) if pin else None,
        len(content),
        (server.serve("/x", content),),
        members,
    )


def test_a_member_is_extracted_to_its_path_and_nothing_else_is(server, tmp_path):
    content = zipped(
        {"in/one.txt": CONTENT, "in/two.txt": b"2", "../evil.txt": b"evil", "/evil.txt": b"evil"}
    )
    data = dataset(archives=(archived(server, content, {"in/one.txt": "a/one.txt"}),))
    record = fetch(data, tmp_path / "data")
    assert record == {"files": {"a/one.txt": {"sha256": sha(CONTENT), "size": len(CONTENT)}}}
    assert left(tmp_path) == {
        "data/" + name for name in ("x.zip", "a/one.txt", DIGEST_LOCK, ".fetching")
    }
    assert fetch(data, tmp_path / "data") == record and server.count("/x") == 1


def test_an_unpinned_archive_is_accepted_if_its_members_are_pinned(server, tmp_path):
    content = zipped({"one": CONTENT})
    data = dataset(
        pinned(path="one.txt"), archives=(archived(server, content, {"one": "one.txt"}, pin=False),)
    )
    assert fetch(data, tmp_path / "good")["files"]["one.txt"]["sha256"] == sha(CONTENT)
    server.serve("/x", zipped({"one": CONTENT[::-1]}))
    wrong = replace(data, archives=(replace(data.archives[0], size=None),))
    with pytest.raises(InputError, match=f"member one of x.zip.*{sha(CONTENT[::-1])}"):
        fetch(wrong, tmp_path / "bad")
    assert not (tmp_path / "bad/one.txt").exists()


def test_a_mirror_may_hold_a_member_without_its_archive(server, tmp_path):
    data = dataset(
        pinned(path="one.txt"), archives=(archived(server, b"none", {"one": "one.txt"}, pin=False),)
    )
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror/one.txt").write_bytes(CONTENT)
    fetch(data, tmp_path / "data", mirror=tmp_path / "mirror")
    assert left(tmp_path / "data") == {"one.txt", NAME} and server.seen == []


def test_a_bad_archive_is_refused_and_no_member_of_it_is_left(server, tmp_path):
    """The kinds of bad archives are in tests/hostile/test_archives.py."""
    content = zipped({"link": b"/etc/passwd"}, links=("link",))
    data = dataset(archives=(archived(server, content, {"link": "out.txt"}),))
    with pytest.raises(InputError, match="not a regular file"):
        fetch(data, tmp_path)
    assert left(tmp_path) == {"x.zip"}


def test_a_member_longer_than_its_pin_is_stopped(server, tmp_path):
    content = zipped({"one": b"0" * 10_000_000})
    data = dataset(
        File("out.txt", sha(b"0"), 1), archives=(archived(server, content, {"one": "out.txt"}),)
    )
    with pytest.raises(InputError, match="longer than 1 bytes"):
        fetch(data, tmp_path)


def test_the_script_writes_the_record_and_names_an_unknown_dataset(server, tmp_path):
    file = {
        "path": "a/b.txt",
        "sha256": sha(CONTENT),
        "size": None,
        "urls": [server.serve("/f", CONTENT)],
    }
    entry = {"title": "t", "licence": "l", "homepage": None, "expected": {}, "files": [file]}
    (tmp_path / "manifest.yaml").write_text(json.dumps({"datasets": {"one": entry}}))
    flags = [
        "--manifest",
        str(tmp_path / "manifest.yaml"),
        "--destination",
        str(tmp_path / "data"),
        "--record",
        str(tmp_path / "record.json"),
        "--dataset",
    ]
    script.main([*flags, "one"])
    assert read_sealed(tmp_path / "record.json") == {
        "dataset": "one",
        "files": {"a/b.txt": {"sha256": sha(CONTENT), "size": len(CONTENT)}},
    }
    with pytest.raises(InputError, match="no dataset 'two'.*known are one"):
        script.main([*flags, "two"])


AT_HAND = [
    "sts12",
    "sts13",
    "sts14",
    "sts15",
    "sts16",
    "stsb",
    "sick",
    "nli-sample",
    "wiki-sample",
    "stackfaq",
    "covid",
]


@pytest.mark.parametrize("name", AT_HAND)
def test_the_real_files_have_the_pinned_digests(name, tmp_path):
    folder = os.environ.get("SEMBLANCE_DATA")
    if not folder:
        warnings.warn(
            "SEMBLANCE_DATA is not set: the manifest is not held against the real data",
            stacklevel=1,
        )
        pytest.skip("SEMBLANCE_DATA is not set")
    data = load_manifest(MANIFEST)[name]
    assert len(fetch(data, tmp_path, mirror=folder)["files"]) == len(data.files)
