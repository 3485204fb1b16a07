"""Archives, which are pinned: only the named member, only to the place that is named."""

import gzip
import io
import tarfile
import warnings
import zipfile

import pytest

from semblance.fetch.raw import extract
from tests.files import contents
from tests.hostile.bounds import refusal

GOOD = b"the content\n" * 100


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


GOOD_MEMBER = ("one", GOOD)
PLAIN_ZIP, PLAIN_TAR = zipped(GOOD_MEMBER), tarred(GOOD_MEMBER)
BROKEN = b"\xff" * 8
BAD: dict[str, bytes] = {  # whose member "one" must not be taken
    "zip, absent": zipped(("two", GOOD)),
    "zip, encrypted": encrypted(PLAIN_ZIP),
    "zip, truncated": PLAIN_ZIP[:-30],
    "zip, lzma broken": patched(zipped(GOOD_MEMBER, compression=zipfile.ZIP_LZMA), 50, BROKEN),
    "tar, a folder": tarred(("one", "", tarfile.DIRTYPE)),
    "tar, absent": tarred(("two", GOOD)),
    "tar, truncated": PLAIN_TAR[:-20],
    "tar, a negative size": patched(tarred(GOOD_MEMBER, mode="w"), 124, b"\xff" * 12),
    "tar, xz broken": patched(tarred(GOOD_MEMBER, mode="w:xz"), 40, BROKEN),
    "text": b"no archive\n",
    "gzip of text": gzip.compress(b"no tar"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_archive_is_refused_by_name_and_leaves_nothing(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    archive = tmp_path / "archive"
    archive.write_bytes(BAD[name])
    message = refusal(extract, archive, "one", tmp_path / "data" / "out.txt")
    assert message.startswith(f"{archive}: ") and contents(tmp_path) == {"archive": BAD[name]}


@pytest.mark.parametrize("build", [zipped, tarred])
@pytest.mark.parametrize("name", ["../one", "/etc/one", "C:\\one", "-rf"])
def test_a_members_name_never_becomes_a_path(build, name, tmp_path, monkeypatch):
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    archive = tmp_path / "archive"
    archive.write_bytes(build((name, GOOD), ("other", b"other")))
    extract(archive, name, folder / "out.txt")
    assert contents(tmp_path) == {"a/b/out.txt": GOOD, "archive": archive.read_bytes()}


def test_an_error_of_the_target_is_not_one_of_the_archive(tmp_path):
    (tmp_path / "archive").write_bytes(PLAIN_ZIP)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OSError):
        extract(tmp_path / "archive", "one", tmp_path / "file" / "out.txt")
