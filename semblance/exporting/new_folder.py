"""An export writes into a new folder, so that it never replaces what it was not asked to."""

from pathlib import Path

from semblance.errors import InputError


def require_new(folder: Path) -> None:
    """Raise InputError for a folder that holds something, or a file of its name."""
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise InputError(folder, "exists already", "name a new folder")
