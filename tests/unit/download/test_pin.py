"""Pins: what a file must be before it is accepted."""

import hashlib

import pytest

from semblance.download.pin import Pin, is_url

CONTENT = b"some text\n"
DIGEST = hashlib.sha256(CONTENT).hexdigest()


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
