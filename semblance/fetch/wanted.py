"""What a run downloads, and the places that may have it. Nothing heavy is imported here."""

from dataclasses import dataclass
from pathlib import Path

from semblance import layout

OWN_HUB = "https://huggingface.co"
HOW_TO_FILL = (  # advice for a machine without a network
    "without a network: fill a folder by `semblance fetch CONFIG --mirror FOLDER` on a machine that"
    " has one, and start with --config mirror=FOLDER"
)


@dataclass(frozen=True)
class Hub:
    """The address of a model hub, and of the hub that the user's token (HF_TOKEN) is meant for.

    A token is a password: no other server gets it, such as a mirror of the hub.
    """

    address: str = OWN_HUB
    token_hub: str = OWN_HUB

    @property
    def root(self) -> str:
        """The address, to which a path can be appended."""
        return self.address.rstrip("/")


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

    ``manifest`` is the file that describes the data sets. A ``mirror`` (folder or address) has the
    raw data in place of their own addresses, and may have bases of the hub.
    """

    manifest: str
    downloads: str
    hub: Hub
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
