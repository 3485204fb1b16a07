"""Data sets, a model repository, and what a fetch left behind, for the tests of fetching."""

import hashlib
from pathlib import Path

from semblance.fetch.manifest import Archive, Dataset, File

CONTENT = bytes(range(256)) * 64
ALTERED = CONTENT[::-1]  # of the same size
COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPO = "someone/some-model"


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def dataset(*files: File, archives: tuple[Archive, ...] = ()) -> Dataset:
    return Dataset("title", "licence", "http://home", {}, files, archives)


def pinned(*urls: str, content: bytes = CONTENT, path: str = "a/b.txt") -> File:
    return File(path, sha(content), len(content), urls)


def write(path: Path, content: bytes = CONTENT) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def left(folder: Path) -> set[str]:
    """Name what a fetch left behind."""
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
