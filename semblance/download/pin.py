"""What a file must be before it is accepted: its digest and its size."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from semblance.provenance import file_digest

LARGEST = 8 << 30  # bytes; no file of ours comes near it
CHUNK = 1 << 20  # bytes
AT_COMMIT = re.compile("/resolve/([0-9a-f]{40})/")  # in the addresses of a hub's files


@dataclass(frozen=True)
class Pin:
    """The digest of a file and its size in bytes, each None if it is unknown.

    The digest is a sha256, or git's name of the content (``blob_digest``), or both.
    """

    sha256: str | None
    size: int | None
    git_blob: str | None = None

    @property
    def has_digest(self) -> bool:
        """Tell whether a digest is known, so that a file can be trusted."""
        return self.sha256 is not None or self.git_blob is not None

    def mismatch(self, path: Path) -> str:
        """Return how a file differs from the pin, or the empty string."""
        found = path.stat().st_size
        if self.size is not None and found != self.size:
            return f"it has {found} bytes, expected {self.size}"
        if self.sha256 is not None:
            actual = file_digest(path)
            if actual != self.sha256:
                return f"its content was altered: sha256 expected {self.sha256}, actual {actual}"
        if self.git_blob is not None:
            actual = blob_digest(path)
            if actual != self.git_blob:
                return (
                    f"its content was altered: git blob expected {self.git_blob}, actual {actual}"
                )
        return ""

    def holds(self, path: Path) -> bool:
        """Tell whether a file is there as pinned; without a digest none can be trusted."""
        return self.has_digest and path.is_file() and not self.mismatch(path)

    def contradiction(self, stated: "Pin") -> str:
        """Return how what a server states of a file differs from the pin, or the empty string."""
        for name in ("size", "sha256", "git_blob"):
            expected = getattr(self, name)
            found = getattr(stated, name)
            if None not in (expected, found) and expected != found:
                return f"{name.replace('_', ' ')} expected {expected}, the server states {found}"
        return ""


def blob_digest(path: str | Path) -> str:
    """Return git's name of a file's content: the sha1 of ``blob <size>``, a zero byte, the content."""
    path = Path(path)
    digest = hashlib.sha1(b"blob %d\0" % path.stat().st_size)
    with open(path, "rb") as stream:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def is_url(place: object) -> bool:
    """Tell whether a place is an http(s) address, not a folder or file."""
    return str(place).startswith(("http://", "https://"))


def is_of_hub(url: str) -> bool:
    """Tell whether an address is that of a hub's file at a whole commit."""
    return AT_COMMIT.search(url) is not None
