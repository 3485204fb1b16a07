"""No reader of foreign files waits for ever or fills the memory; most is asked of archives."""

import os
import re
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from semblance.data.raw import Raw
from semblance.data.tokens import load_tokenizer
from semblance.fetch import unpack
from semblance.fetch.unpack import extract
from semblance.models.architecture import read_architecture
from semblance.models.weights import load_weights
from semblance_faq.read.faq import read_own
from tests.hostile.bounds import NO_FILES, put, refusal
from tests.hostile.test_archives import tarred
from workflow.planning.layers import read_layer

# What stands in the place of a file


READERS = {
    "a config": (read_layer, "c.yaml"),
    "weights": (load_weights, "model.safetensors"),
    "a model's config": (lambda path: read_architecture(path.parent), "config.json"),
    "a tokenizer": (load_tokenizer, "tokenizer.json"),
    "a user's file": (lambda path: Raw({}, path.parent).user_file(str(path)), "own.csv"),
    "a FAQ in CSV": (read_own, "f.csv"),
    "a FAQ in JSON": (read_own, "f.jsonl"),
    "a FAQ in gzip": (read_own, "f.csv.gz"),
    "a workbook": (read_own, "f.xlsx"),
    "an archive": (lambda path: extract(path, "a", path.with_name("out"), 9), "x.zip"),
}


@pytest.mark.parametrize("kind", NO_FILES)
@pytest.mark.parametrize("name", READERS)
def test_what_is_no_regular_file_or_too_large_is_refused_at_once(name, kind, tmp_path):
    read, file = READERS[name]
    path = put(tmp_path / file, kind)
    assert str(path) in refusal(read, path)


# Archives that stand for much. The limits themselves are tried in the long tests; the others lower
# them a hundredfold.


def header(name: str, size: int, kind: bytes) -> bytes:
    """Return the header of a tar's member that states any size."""
    info = tarfile.TarInfo(name)
    info.size = size
    info.type = kind
    return info.tobuf(tarfile.GNU_FORMAT)


def zeros(mode: str) -> Callable[[int], bytes]:
    """Return what packs three times as many zeros as a limit allows into a tar."""
    return lambda most: tarred(("other", bytes(3 * most)), mode=mode)


def taken(path: Path) -> None:
    """Take a member out of an archive."""
    extract(path, "one", path.with_name("out"), 1000)


LIMITS = [  # the limit, content that is beyond it, the message
    (
        "MOST_MEMBERS",
        lambda most: header("a", 0, tarfile.REGTYPE) * (most + 1),
        "x.tar: more than {most:,} members",
    ),
    *(
        ("ALWAYS_UNPACKED", zeros(mode), "bytes unpacked from")
        for mode in ("w:gz", "w:bz2", "w:xz")
    ),
]


@pytest.mark.parametrize("share", [100, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("constant, content_of, words", LIMITS)
def test_an_archive_that_stands_for_more_than_a_limit_is_refused(
    constant, content_of, words, share, tmp_path, monkeypatch
):
    most = getattr(unpack, constant) // share
    monkeypatch.setattr(unpack, constant, most)
    (tmp_path / "x.tar").write_bytes(content_of(most))
    message = refusal(taken, tmp_path / "x.tar", seconds=60)
    assert re.search(words.format(most=most), message), message


KINDS_OF_HEADER = {
    "a long name": tarfile.GNUTYPE_LONGNAME,
    "a long link": tarfile.GNUTYPE_LONGLINK,
    "facts on a member": tarfile.XHDTYPE,
    "facts on all members": tarfile.XGLTYPE,
    "a map of holes": tarfile.GNUTYPE_SPARSE,
}


@pytest.mark.parametrize("kind", KINDS_OF_HEADER)
def test_a_tar_whose_header_states_gigabytes_is_refused(kind, tmp_path):
    path = tmp_path / "x.tar"
    path.write_bytes(header("one", 3 << 30, KINDS_OF_HEADER[kind]))
    os.truncate(path, (3 << 30) + 10_240)
    assert "x.tar: cannot open member one" in refusal(taken, path)


def test_a_zip_of_too_many_members_is_refused(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as box:
        box.writestr("a", "")
    content = path.read_bytes()
    start = content.index(b"PK\x01\x02")
    end = content.index(b"PK\x05\x06")
    entries = content[start:end] * 1_000_000
    stated = struct.pack("<HHII", 0xFFFF, 0xFFFF, len(entries), start)
    path.write_bytes(content[:start] + entries + content[end : end + 8] + stated + b"\0\0")
    assert "a list of members of 47,000,000 bytes" in refusal(taken, path)


@pytest.mark.long
def test_the_longest_list_of_members_of_a_zip_is_read_within_the_bounds(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as box:
        for i in range(unpack.MOST_DIRECTORY // 52):
            box.writestr(f"{i:06d}", "")
    assert "no member one" in refusal(taken, path)
