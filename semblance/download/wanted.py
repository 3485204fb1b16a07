"""What a run downloads, and the places that may have it. Nothing heavy is imported here."""

from dataclasses import dataclass
from pathlib import Path

from semblance import layout


@dataclass(frozen=True)
class BaseSource:
    """Where a base comes from: exactly one of hub, package and folder."""

    hub: str | None = None
    revision: str | None = None
    weights_sha256: str | None = None
    package: str | None = None
    subfolder: str | None = None
    folder: str | None = None


@dataclass(frozen=True)
class Wanted:
    """The data sets and bases of a run, the folder of downloads, and the places to ask.

    ``manifest`` is the file that describes the data sets; ``hub`` is the address of the model hub;
    a ``mirror`` (folder or address) has the raw data in place of their own addresses.
    """

    manifest: str
    downloads: str
    hub: str
    datasets: tuple[str, ...]
    bases: dict[str, BaseSource]
    mirror: str | None = None

    @property
    def data(self) -> Path:
        """The folder of the raw data."""
        return Path(self.downloads, layout.RAW_DATA)

    def base_folder(self, name: str) -> Path:
        """Return the folder of a base."""
        return Path(layout.place(self.downloads, layout.BASE, base=name))
