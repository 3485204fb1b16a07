"""Archives: only the named member, only a regular file, only to the place that is named."""

import gzip
import io
import os
import stat
import struct
import tarfile
import warnings
import zipfile

import pytest

from semblance.fetch.raw import extract
from tests.files import contents
from tests.hostile.bounds import refusal

GOOD = b"the content\n" * 100
LIMIT = 10_000


def zipped(*members: tuple, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Build a zip of (name, content) or (name, content, Unix mode)."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as box, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a name that stands twice
        for name, content, *mode in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = (mode[0] if mode else 0) << 16
            info.compress_type = compression
            box.writestr(info, content)
    return buffer.getvalue()


def tarred(*members: tuple, mode: str = "w:gz") -> bytes:
    """Build a tar of (name, content), or of (name, target of a link, type)."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as box:
        for name, content, *kind in members:
            info = tarfile.TarInfo(name)
            if kind:
                [info.type] = kind
                info.linkname = content
                box.addfile(info)
            else:
                info.size = len(content)
                box.addfile(info, io.BytesIO(content))
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


GOOD_MEMBER = ("one", GOOD)
PLAIN_ZIP, PLAIN_TAR = zipped(("one", GOOD, stat.S_IFREG | 0o644)), tarred(GOOD_MEMBER)
BARE_TAR = tarred(GOOD_MEMBER, mode="w")
DIRECTORY = PLAIN_ZIP.index(b"PK\x01\x02")  # where the zip's list of members begins
UNKNOWN_METHOD = b"\x63\x00"
ZEROS = ("one", bytes(50_000_000))
BROKEN = b"\xff" * 8
BAD: dict[str, bytes] = {  # whose member "one" must not be taken
    "zip, a symlink": zipped(("one", b"/etc/passwd", stat.S_IFLNK | 0o777)),
    "zip, a device": zipped(("one", b"", stat.S_IFCHR | 0o644)),
    "zip, a pipe": zipped(("one", b"", stat.S_IFIFO | 0o644)),
    "zip, a folder": zipped(("one/", b"", stat.S_IFDIR | 0o755)),
    "zip, absent": zipped(("two", GOOD)),
    "zip, encrypted": encrypted(PLAIN_ZIP),
    "zip, a bomb": zipped(ZEROS),
    "zip, a bomb that states little": lying(zipped(ZEROS), 10),
    "zip, a size that lies": lying(PLAIN_ZIP, 5),
    "zip, an unknown compression": patched(
        patched(PLAIN_ZIP, 8, UNKNOWN_METHOD), DIRECTORY + 10, UNKNOWN_METHOD
    ),
    "zip, truncated": PLAIN_ZIP[:-30],
    "zip, no directory": PLAIN_ZIP[:DIRECTORY],
    "zip, a changed byte": patched(PLAIN_ZIP, 40, b"\xff\xff"),
    "zip, a false offset": patched(PLAIN_ZIP, DIRECTORY + 42, b"\xff\xff\xff\x7f"),
    "zip, bzip2 broken": patched(zipped(GOOD_MEMBER, compression=zipfile.ZIP_BZIP2), 50, BROKEN),
    "zip, lzma broken": patched(zipped(GOOD_MEMBER, compression=zipfile.ZIP_LZMA), 50, BROKEN),
    "tar, a symlink": tarred(("one", "/etc/passwd", tarfile.SYMTYPE)),
    "tar, a symlink upwards": tarred(("one", "../../x", tarfile.SYMTYPE)),
    "tar, a hardlink": tarred(("two", GOOD), ("one", "two", tarfile.LNKTYPE)),
    "tar, a hardlink to nothing": tarred(("one", "/etc/passwd", tarfile.LNKTYPE)),
    "tar, a device": tarred(("one", "", tarfile.CHRTYPE)),
    "tar, a block device": tarred(("one", "", tarfile.BLKTYPE)),
    "tar, a pipe": tarred(("one", "", tarfile.FIFOTYPE)),
    "tar, a folder": tarred(("one", "", tarfile.DIRTYPE)),
    "tar, absent": tarred(("two", GOOD)),
    "tar, a bomb": tarred(ZEROS),
    "tar, truncated": PLAIN_TAR[:-20],
    "tar, cut inside the member": BARE_TAR[:900],
    "tar, a changed byte": patched(PLAIN_TAR, 60, b"\xff\xff"),
    "tar, a false checksum": patched(BARE_TAR, 3, b"x"),
    "tar, a negative size": patched(BARE_TAR, 124, b"\xff" * 12),
    "tar, xz broken": patched(tarred(GOOD_MEMBER, mode="w:xz"), 40, BROKEN),
    "tar, bzip2 broken": patched(tarred(GOOD_MEMBER, mode="w:bz2"), 40, BROKEN),
    "empty": b"",
    "text": b"no archive\n",
    "gzip of text": gzip.compress(b"no tar"),
    "zip magic alone": b"PK\x03\x04",
    "an empty zip": b"PK\x05\x06" + bytes(18),
    "zeros": bytes(10_240),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_archive_is_refused_by_name_and_leaves_nothing(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    archive = tmp_path / "archive"
    archive.write_bytes(BAD[name])
    member = "one/" if name == "zip, a folder" else "one"
    message = refusal(extract, archive, member, tmp_path / "data" / "out.txt", LIMIT)
    assert message.startswith(f"{archive}: ") and contents(tmp_path) == {"archive": BAD[name]}


NAMES = ["../one", "../../../../tmp/one", "/etc/one", "a/../../one", "C:\\one", "..\\one"]
NAMES += ["a\nb", "-rf", "$(touch PWNED)", "ünï", " "]


@pytest.mark.parametrize("build", [zipped, tarred])
@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_name_never_becomes_a_path(build, name, tmp_path, monkeypatch):
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    archive = tmp_path / "archive"
    archive.write_bytes(build((name, GOOD), ("good", GOOD)))
    extract(archive, "good", folder / "out.txt", LIMIT)  # the others are not even looked at
    # The content of an odd member goes where the caller says.
    extract(archive, name, folder / "two.txt", LIMIT)
    taken = {"a/b/out.txt": GOOD, "a/b/two.txt": GOOD}
    assert contents(tmp_path) == taken | {"archive": archive.read_bytes()}


SOUND = {
    "zip": PLAIN_ZIP,
    "stored": zipped(GOOD_MEMBER, compression=zipfile.ZIP_STORED),
    "tar": BARE_TAR,
    "tar.gz": PLAIN_TAR,
    "tar.xz": tarred(GOOD_MEMBER, mode="w:xz"),
}


@pytest.mark.parametrize("name", SOUND)
def test_a_good_member_is_taken_up_to_the_limit_and_no_further(name, tmp_path):
    archive, target = tmp_path / "archive", tmp_path / "out.txt"
    archive.write_bytes(SOUND[name])
    extract(archive, "one", target, len(GOOD))
    assert target.read_bytes() == GOOD
    message = refusal(extract, archive, "one", target, len(GOOD) - 1)
    assert f"longer than {len(GOOD) - 1} bytes" in message
    assert target.read_bytes() == GOOD  # what was there stays


def test_a_link_at_the_targets_place_is_replaced_and_not_followed(tmp_path):
    (tmp_path / "archive").write_bytes(PLAIN_ZIP)
    (tmp_path / "precious").write_bytes(b"precious")
    os.symlink(tmp_path / "precious", tmp_path / "out.txt")
    extract(tmp_path / "archive", "one", tmp_path / "out.txt", LIMIT)
    assert (tmp_path / "precious").read_bytes() == b"precious"
    assert not (tmp_path / "out.txt").is_symlink() and (tmp_path / "out.txt").read_bytes() == GOOD
