"""What lies in a folder, and the smallest damage of a file: for all tests."""

from pathlib import Path


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def flip(path: Path) -> None:
    """Change one bit of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
