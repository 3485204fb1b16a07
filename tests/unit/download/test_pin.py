"""Pins: what a file must be before it is accepted."""

import hashlib

import pytest

from semblance.download.pin import Pin, blob_digest, is_of_hub, is_url

CONTENT = b"some text\n"
DIGEST = hashlib.sha256(CONTENT).hexdigest()
BLOB = hashlib.sha1(b"blob 10\0some text\n").hexdigest()


@pytest.fixture
def path(tmp_path):
    """A file with CONTENT."""
    (tmp_path / "a.txt").write_bytes(CONTENT)
    return tmp_path / "a.txt"


@pytest.mark.parametrize(
    "sha256, size", [(DIGEST, len(CONTENT)), (DIGEST, None), (None, len(CONTENT)), (None, None)]
)
def test_a_file_that_agrees_with_what_is_known_has_no_mismatch(path, sha256, size):
    assert Pin(sha256, size).mismatch(path) == ""


def test_the_size_and_the_digest_that_differ_are_named(path):
    assert Pin(DIGEST, 3).mismatch(path) == f"it has {len(CONTENT)} bytes, expected 3"
    altered = Pin("0" * 64, None).mismatch(path)
    assert altered.endswith(f"sha256 expected {'0' * 64}, actual {DIGEST}")


def test_only_a_file_with_the_pinned_digest_is_held(path):
    assert Pin(DIGEST, None).holds(path)
    assert not Pin(None, len(CONTENT)).holds(path)  # without a digest none can be trusted
    assert not Pin("0" * 64, None).holds(path)
    assert not Pin(DIGEST, None).holds(path.with_name("b.txt"))


@pytest.mark.parametrize("place", ["http://x/y", "https://x/y"])
def test_an_address_is_one_of_http_or_https(place):
    assert is_url(place)
    assert not is_url(place.replace("http", "ftp")) and not is_url("/folder/file")


def test_a_blob_digest_is_the_one_that_git_computes():
    empty = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"  # git's well-known empty blob
    assert blob_digest("/dev/null") == empty


def test_a_file_is_held_by_its_git_blob(path):
    assert Pin(None, None, BLOB).holds(path)
    assert not Pin(None, None, "0" * 40).holds(path)
    altered = Pin(None, None, "0" * 40).mismatch(path)
    assert altered.endswith(f"git blob expected {'0' * 40}, actual {BLOB}")


def test_a_sha256_and_a_git_blob_must_both_agree(path):
    assert Pin(DIGEST, None, BLOB).holds(path)
    assert not Pin(DIGEST, None, "0" * 40).holds(path)
    assert not Pin("0" * 64, None, BLOB).holds(path)


@pytest.mark.parametrize(
    "stated, problem",
    [
        (Pin(DIGEST, 10, BLOB), ""),
        (Pin(None, None), ""),  # a server may state nothing
        (Pin(None, 11), "size expected 10, the server states 11"),
        (Pin("0" * 64, 10), f"sha256 expected {DIGEST}, the server states {'0' * 64}"),
        (Pin(None, 10, "0" * 40), f"git blob expected {BLOB}, the server states {'0' * 40}"),
    ],
)
def test_what_a_server_states_may_contradict_a_pin(stated, problem):
    assert Pin(DIGEST, 10, BLOB).contradiction(stated) == problem


def test_an_address_of_a_hub_names_a_whole_commit():
    assert is_of_hub(f"https://hub/datasets/a/b/resolve/{'0' * 40}/c.txt")
    assert not is_of_hub("https://hub/datasets/a/b/resolve/main/c.txt")
