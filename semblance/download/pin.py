"""What a file must be before it is accepted: its digest and its size."""

from dataclasses import dataclass
from pathlib import Path

from semblance.provenance import file_digest

LARGEST = 8 << 30  # bytes; no file of ours comes near it


@dataclass(frozen=True)
class Pin:
    """The sha256 of a file and its size in bytes, each None if it is unknown."""

    sha256: str | None
    size: int | None

    def mismatch(self, path: Path) -> str:
        """Return how a file differs from the pin, or the empty string."""
        found = path.stat().st_size
        if self.size is not None and found != self.size:
            return f"it has {found} bytes, expected {self.size}"
        if self.sha256 is None:
            return ""
        actual = file_digest(path)
        if actual != self.sha256:
            return f"its content was altered: sha256 expected {self.sha256}, actual {actual}"
        return ""

    def holds(self, path: Path) -> bool:
        """Tell whether a file is there as pinned; without a digest none can be trusted."""
        return self.sha256 is not None and path.is_file() and not self.mismatch(path)


def is_url(place: object) -> bool:
    """Tell whether a place is an http(s) address, not a folder or file."""
    return str(place).startswith(("http://", "https://"))
