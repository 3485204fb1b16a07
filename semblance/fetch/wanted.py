"""What a run downloads, and what is known of each of its files. Nothing heavy is imported here."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from semblance import layout

OWN_HUB = "https://huggingface.co"
HOW_TO_FILL = (  # advice for a machine without a network
    "without a network: fill a folder by `semblance fetch CONFIG --mirror FOLDER` on a machine that"
    " has one, and start with --config mirror=FOLDER"
)


class State(StrEnum):
    """Whether and where a file is."""

    HERE = "have"  # it is downloaded, or lies in the mirror that is filled
    MIRROR = "mirror"  # it lies in the mirror
    REACHED = "reached"  # an address has it
    FETCHED = "fetched"
    BY_HAND = "by hand"  # it has no address: somebody has to put it there
    FAILED = "missing"  # a place does not have it


class Found(NamedTuple):
    """What is known of one file of a source: a data set or a base.

    ``size`` is in bytes, None where nobody states it. ``problem`` says why no place has the file.
    """

    source: str
    file: str
    state: State
    size: int | None = None
    problem: str = ""

    def __str__(self) -> str:
        problem = f": {self.problem}" if self.problem else ""
        return f"{self.state:8} {self.source:20} {self.file}{problem}"


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

    @property
    def token(self) -> bool | None:
        """The token for the hub's client: None is the user's, False none."""
        return None if self.root == self.token_hub.rstrip("/") else False


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
