"""One input of a record, and where it comes from."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Link:
    """One input of a record: its digest, the record that lists it, the places looked at for it.

    ``kept`` is what the reader's record keeps of that record: its digest, empty if there is none.
    """

    name: str
    digest: str
    source: Path | None
    sought: tuple[str, ...]
    kept: str = ""
