"""Archives: only the member asked for, only a regular file, only to the place that the caller names."""

import gzip
import io
import os
import stat
import struct
import tarfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.fetch.unpack import extract

GOOD = b"the content\n" * 100
LIMIT = 10_000


def zipped(*members: tuple[str, bytes, int], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Build a zip of (name, content, Unix mode)."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as box, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a name that stands twice
        for name, content, mode in members:
            info = zipfile.ZipInfo(name)
            info.external_attr, info.compress_type = mode << 16, compression
            box.writestr(info, content)
    return buffer.getvalue()


def tarred(*members: tuple[str, bytes, str], mode: str = "w:gz") -> bytes:
    """Build a tar of (name, content or link target, kind)."""
    kinds = {
        "file": tarfile.REGTYPE,
        "symlink": tarfile.SYMTYPE,
        "hardlink": tarfile.LNKTYPE,
        "device": tarfile.CHRTYPE,
        "block": tarfile.BLKTYPE,
        "pipe": tarfile.FIFOTYPE,
        "folder": tarfile.DIRTYPE,
    }
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as box:
        for name, content, kind in members:
            info = tarfile.TarInfo(name)
            info.type = kinds[kind]
            if kind == "file":
                info.size = len(content)
            elif kind.endswith("link"):
                info.linkname = content.decode()
            box.addfile(info, io.BytesIO(content) if kind == "file" else None)
    return buffer.getvalue()


def patched(content: bytes, at: int, value: bytes) -> bytes:
    return content[:at] + value + content[at + len(value) :]


def encrypted(content: bytes) -> bytes:
    """Set the bit that says a member is encrypted, in the member's header and in the directory."""
    directory = content.index(b"PK\x01\x02")
    return patched(patched(content, 6, b"\x01\x00"), directory + 8, b"\x01\x00")


def lying(content: bytes, size: int) -> bytes:
    """State another uncompressed size in both headers of the only member."""
    directory = content.index(b"PK\x01\x02")
    return patched(
        patched(content, 22, struct.pack("<I", size)), directory + 24, struct.pack("<I", size)
    )


PLAIN_ZIP, PLAIN_TAR = zipped(("one", GOOD, stat.S_IFREG | 0o644)), tarred(("one", GOOD, "file"))
BOMB = bytes(50_000_000)
BAD: dict[str, tuple[bytes, str]] = {  # name: (archive, the member asked for)
    "zip, a symlink": (zipped(("one", b"/etc/passwd", stat.S_IFLNK | 0o777)), "one"),
    "zip, a device": (zipped(("one", b"", stat.S_IFCHR | 0o644)), "one"),
    "zip, a pipe": (zipped(("one", b"", stat.S_IFIFO | 0o644)), "one"),
    "zip, a folder": (zipped(("one/", b"", stat.S_IFDIR | 0o755)), "one/"),
    "zip, a doubled member": (zipped(("one", GOOD, 0), ("one", b"other", 0)), "one"),
    "zip, absent": (PLAIN_ZIP, "two"),
    "zip, encrypted": (encrypted(PLAIN_ZIP), "one"),
    "zip, a bomb": (zipped(("one", BOMB, 0)), "one"),
    "zip, a bomb that states little": (lying(zipped(("one", BOMB, 0)), 10), "one"),
    "zip, a size that lies": (lying(PLAIN_ZIP, 5), "one"),
    "zip, an unknown compression": (
        patched(
            patched(PLAIN_ZIP, 8, b"\x63\x00"), PLAIN_ZIP.index(b"PK\x01\x02") + 10, b"\x63\x00"
        ),
        "one",
    ),
    "zip, truncated": (PLAIN_ZIP[:-30], "one"),
    "zip, no directory": (PLAIN_ZIP[: PLAIN_ZIP.index(b"PK\x01\x02")], "one"),
    "zip, a changed byte": (patched(PLAIN_ZIP, 40, b"\xff\xff"), "one"),
    "zip, a false offset": (
        patched(PLAIN_ZIP, PLAIN_ZIP.index(b"PK\x01\x02") + 42, b"\xff\xff\xff\x7f"),
        "one",
    ),
    "zip, bzip2 broken": (
        patched(zipped(("one", GOOD, 0), compression=zipfile.ZIP_BZIP2), 50, b"\xff" * 8),
        "one",
    ),
    "zip, lzma broken": (
        patched(zipped(("one", GOOD, 0), compression=zipfile.ZIP_LZMA), 50, b"\xff" * 8),
        "one",
    ),
    "tar, a symlink": (tarred(("one", b"/etc/passwd", "symlink")), "one"),
    "tar, a symlink upwards": (tarred(("one", b"../../x", "symlink")), "one"),
    "tar, a hardlink": (tarred(("two", GOOD, "file"), ("one", b"two", "hardlink")), "one"),
    "tar, a hardlink to nothing": (tarred(("one", b"/etc/passwd", "hardlink")), "one"),
    "tar, a device": (tarred(("one", b"", "device")), "one"),
    "tar, a block device": (tarred(("one", b"", "block")), "one"),
    "tar, a pipe": (tarred(("one", b"", "pipe")), "one"),
    "tar, a folder": (tarred(("one", b"", "folder")), "one"),
    "tar, a doubled member": (tarred(("one", GOOD, "file"), ("one", b"x", "file")), "one"),
    "tar, a link, then a file": (
        tarred(("one", b"/tmp/x", "symlink"), ("one", GOOD, "file")),
        "one",
    ),
    "tar, absent": (PLAIN_TAR, "two"),
    "tar, a bomb": (tarred(("one", BOMB, "file")), "one"),
    "tar, truncated": (PLAIN_TAR[:-20], "one"),
    "tar, cut inside the member": (tarred(("one", GOOD, "file"), mode="w")[:900], "one"),
    "tar, a changed byte": (patched(PLAIN_TAR, 60, b"\xff\xff"), "one"),
    "tar, a false checksum": (patched(tarred(("one", GOOD, "file"), mode="w"), 3, b"x"), "one"),
    "tar, a negative size": (
        patched(tarred(("one", GOOD, "file"), mode="w"), 124, b"\xff" * 12),
        "one",
    ),
    "tar, xz broken": (patched(tarred(("one", GOOD, "file"), mode="w:xz"), 40, b"\xff" * 8), "one"),
    "tar, bzip2 broken": (
        patched(tarred(("one", GOOD, "file"), mode="w:bz2"), 40, b"\xff" * 8),
        "one",
    ),
    "empty": (b"", "one"),
    "text": (b"no archive\n", "one"),
    "gzip of text": (gzip.compress(b"no tar"), "one"),
    "zip magic alone": (b"PK\x03\x04", "one"),
    "an empty zip": (b"PK\x05\x06" + bytes(18), "one"),
    "zeros": (bytes(10_240), "one"),
}


def left(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in folder.rglob("*")
        if p.is_file() and p.name != "archive"
    }


@pytest.mark.parametrize("name", BAD)
def test_a_bad_archive_is_refused_by_name_and_leaves_nothing(name, tmp_path, monkeypatch):
    content, member = BAD[name]
    monkeypatch.chdir(tmp_path)
    archive = tmp_path / "archive"
    archive.write_bytes(content)
    with pytest.raises(InputError, match=f"^{archive}: ") as caught:
        extract(archive, member, tmp_path / "data" / "out.txt", LIMIT)
    assert "\n" not in str(caught.value) and left(tmp_path) == {}


NAMES = [
    "../one",
    "../../../../tmp/one",
    "/etc/one",
    "a/../../one",
    "C:\\one",
    "..\\one",
    "a\nb",
    "-rf",
    "$(touch PWNED)",
    "ünï",
    " ",
]


@pytest.mark.parametrize(
    "build",
    [
        lambda name: zipped((name, GOOD, 0), ("good", GOOD, 0)),
        lambda name: tarred((name, GOOD, "file"), ("good", GOOD, "file")),
    ],
    ids=["zip", "tar"],
)
@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_name_never_becomes_a_path(
    build: Callable[[str], bytes], name, tmp_path, monkeypatch
):
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    archive = tmp_path / "archive"
    archive.write_bytes(build(name))
    extract(archive, "good", folder / "out.txt", LIMIT)  # the others are not even looked at
    extract(
        archive, name, folder / "two.txt", LIMIT
    )  # the content of an odd member goes where the caller says
    assert left(tmp_path) == {"a/b/out.txt": GOOD, "a/b/two.txt": GOOD}


@pytest.mark.parametrize(
    "content",
    [
        PLAIN_ZIP,
        PLAIN_TAR,
        tarred(("one", GOOD, "file"), mode="w"),
        tarred(("one", GOOD, "file"), mode="w:xz"),
        zipped(("one", GOOD, 0), compression=zipfile.ZIP_STORED),
    ],
    ids=["zip", "tar.gz", "tar", "tar.xz", "stored"],
)
def test_a_good_member_is_taken_up_to_the_limit_and_no_further(content, tmp_path):
    archive, target = tmp_path / "archive", tmp_path / "out.txt"
    archive.write_bytes(content)
    extract(archive, "one", target, len(GOOD))
    assert target.read_bytes() == GOOD
    with pytest.raises(InputError, match=f"longer than {len(GOOD) - 1} bytes"):
        extract(archive, "one", target, len(GOOD) - 1)
    assert target.read_bytes() == GOOD  # what was there stays


def test_a_link_at_the_targets_place_is_replaced_and_not_followed(tmp_path):
    (tmp_path / "archive").write_bytes(PLAIN_ZIP)
    (tmp_path / "precious").write_bytes(b"precious")
    os.symlink(tmp_path / "precious", tmp_path / "out.txt")
    extract(tmp_path / "archive", "one", tmp_path / "out.txt", LIMIT)
    assert (tmp_path / "precious").read_bytes() == b"precious"
    assert not (tmp_path / "out.txt").is_symlink() and (tmp_path / "out.txt").read_bytes() == GOOD
