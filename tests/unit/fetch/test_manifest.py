"""The manifest: what it may say, and what the project's own says; what a pin accepts."""

import hashlib
import re
from itertools import chain
from pathlib import Path

import pytest

from semblance.fetch.manifest import Pin, blob_digest, load_manifest
from semblance.fetch.web import AT_COMMIT
from tests.unit.fetch.examples import sha

MANIFEST = Path(__file__).parents[3] / "workflow" / "manifest.yaml"
OURS = load_manifest(MANIFEST)


def test_every_address_on_a_code_or_data_hub_is_at_a_pinned_commit():
    items = [item for data in OURS.values() for item in data.downloads]
    for url in chain.from_iterable(item.urls for item in items):
        if "github" in url or "huggingface" in url:
            assert re.search("/[0-9a-f]{40}/", url), url


def test_every_file_has_a_digest_or_a_hub_that_states_one():
    for name, data in OURS.items():
        for file in data.downloads:
            assert file.pin.has_digest or any(map(AT_COMMIT.search, file.urls)), (name, file.path)


# Pins

CONTENT = b"some text\n"
DIGEST = sha(CONTENT)
BLOB = hashlib.sha1(b"blob 10\0some text\n").hexdigest()
ALTERED = "its content was altered: {} expected {}, actual {}"


@pytest.mark.parametrize(
    "pin, problem",
    [
        (Pin(DIGEST, 10, BLOB), ""),
        (Pin(DIGEST), ""),
        (Pin(None, None, BLOB), ""),
        (Pin(None, 10), ""),
        (Pin(), ""),
        (Pin(DIGEST, 3), "it has 10 bytes, expected 3"),
        (Pin("0" * 64), ALTERED.format("sha256", "0" * 64, DIGEST)),
        (Pin("0" * 64, None, BLOB), ALTERED.format("sha256", "0" * 64, DIGEST)),
        (Pin(DIGEST, None, "0" * 40), ALTERED.format("git blob", "0" * 40, BLOB)),
    ],
)
def test_a_file_is_held_by_a_pin_if_all_agrees(tmp_path, pin, problem):
    path = tmp_path / "a.txt"
    path.write_bytes(CONTENT)
    assert pin.mismatch(path) == problem
    assert pin.holds(path) == (not problem)
    assert not pin.holds(path.with_name("b.txt"))


def test_a_blob_digest_is_the_one_that_git_computes():
    empty = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"  # git's well-known empty blob
    assert blob_digest(Path("/dev/null")) == empty


@pytest.mark.parametrize(
    "stated, problem",
    [
        (Pin(DIGEST, 10, BLOB), ""),
        (Pin(), ""),  # a server may state nothing
        (Pin(None, 11), "size expected 10, the server states 11"),
        (Pin("0" * 64, 10), f"sha256 expected {DIGEST}, the server states {'0' * 64}"),
        (Pin(None, 10, "0" * 40), f"git blob expected {BLOB}, the server states {'0' * 40}"),
    ],
)
def test_what_a_server_states_may_contradict_a_pin(stated, problem):
    assert Pin(DIGEST, 10, BLOB).contradiction(stated) == problem
