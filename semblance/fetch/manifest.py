"""What a run downloads: the raw data sets of the manifest, and the bases.

The manifest (workflow/manifest.yaml) says where each file comes from, and pins it by its size and its
sha256 or git blob. A path is relative, and the same under a mirror and under the project's data folder.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from semblance import layout
from semblance.errors import InputError
from semblance.provenance import file_digest
from semblance.settings import decode
from semblance.strict_yaml import read_yaml

OWN_HUB = "https://huggingface.co"
HOW_TO_FILL = (  # advice for a machine without a network
    "without a network: fill a folder by `semblance fetch CONFIG --mirror FOLDER` on a machine that"
    " has one, and start with --config mirror=FOLDER"
)


@dataclass(frozen=True)
class Pin:
    """The digest of a file and its size in bytes, each None if it is unknown.

    The digest is a sha256, or git's name of the content (``blob_digest``), or both.
    """

    sha256: str | None = None
    size: int | None = None
    git_blob: str | None = None

    @property
    def has_digest(self) -> bool:
        """Tell whether a digest is known, so that a file can be trusted."""
        return self.sha256 is not None or self.git_blob is not None

    def mismatch(self, path: Path) -> str:
        """Return how a file differs from the pin, or the empty string."""
        size = path.stat().st_size
        if self.size not in (None, size):
            return f"it has {size} bytes, expected {self.size}"
        for name, digest in (("sha256", file_digest), ("git_blob", blob_digest)):
            expected = getattr(self, name)
            if expected is not None and (actual := digest(path)) != expected:
                kind = name.replace("_", " ")
                return f"its content was altered: {kind} expected {expected}, actual {actual}"
        return ""

    def holds(self, path: Path) -> bool:
        """Tell whether a file is there as pinned."""
        return path.is_file() and not self.mismatch(path)

    def contradiction(self, stated: "Pin") -> str:
        """Return how what a server states of a file differs from the pin, or the empty string."""
        for name, expected in vars(self).items():
            value = getattr(stated, name)
            if None not in (expected, value) and expected != value:
                return f"{name.replace('_', ' ')} expected {expected}, the server states {value}"
        return ""


def blob_digest(path: Path) -> str:
    """Return git's name of a content: the sha1 of ``blob <size>``, a zero byte, the content."""
    start = b"blob %d\0" % path.stat().st_size
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, lambda: hashlib.sha1(start)).hexdigest()


def found_entry(path: Path) -> dict[str, Any]:
    """Return what records state of a file."""
    return {"sha256": file_digest(path), "size": path.stat().st_size}


def is_url(place: object) -> bool:
    """Tell whether a place is an http(s) address, not a folder or file."""
    return str(place).startswith(("http://", "https://"))


def below(place: str | Path, path: str) -> str:
    """Return the address or path of a relative path below an address or folder."""
    root = str(place).rstrip("/")
    return f"{root}/{quote(path, safe='/@')}" if is_url(place) else f"{root}/{path}"


@dataclass(frozen=True)
class File:
    """One file: its relative path, its pin and its addresses.

    What is unknown of the pin is None. Without a digest, the hub that an address names states one.
    """

    path: str
    sha256: str | None
    size: int | None
    urls: tuple[str, ...] = ()
    git_blob: str | None = field(default=None, kw_only=True)

    @property
    def pin(self) -> Pin:
        """What the manifest states of the file's content."""
        return Pin(self.sha256, self.size, self.git_blob)


@dataclass(frozen=True)
class Archive(File):
    """A zip or tar file, of which ``members`` ({name in the archive: relative path}) are wanted.

    The archive's digest is that of its members, too.
    """

    members: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Dataset:
    """One raw dataset. A file without addresses comes from a mirror alone."""

    title: str
    licence: str
    homepage: str | None
    expected: dict[str, int]
    files: tuple[File, ...] = ()
    archives: tuple[Archive, ...] = ()

    @property
    def downloads(self) -> tuple[File, ...]:
        """What is fetched: the files that come alone, then the archives."""
        return (*self.files, *self.archives)

    def paths(self) -> list[str]:
        """Return the relative paths of all files, those out of archives included, sorted."""
        members = (path for archive in self.archives for path in archive.members.values())
        return sorted([*(file.path for file in self.files), *members])


@dataclass(frozen=True)
class _Manifest:
    datasets: dict[str, Dataset]


def load_manifest(path: str | Path) -> dict[str, Dataset]:
    """Read and check the manifest; InputError names the key, or the line, of whatever is wrong."""
    datasets = decode(_Manifest, read_yaml(path), str(path)).datasets
    for name, dataset in datasets.items():
        where = f"{path}.datasets.{name}"
        if not re.fullmatch("[A-Za-z0-9][A-Za-z0-9._-]*", name):  # it names rules and files
            raise InputError(where, "not a plain name", "letters, digits, dot, dash, underscore")
        _check_dataset(dataset, where)
    return datasets


def find_dataset(datasets: Mapping[str, Dataset], name: str, manifest: str | Path) -> Dataset:
    """Return the data set of a name; raises InputError that lists the known names."""
    if name not in datasets:
        known = ", ".join(sorted(datasets))
        raise InputError(manifest, f"no dataset {name!r}", f"known are {known}")
    return datasets[name]


def _check_dataset(dataset: Dataset, where: str) -> None:
    paths = [*dataset.paths(), *(archive.path for archive in dataset.archives)]
    for path in paths:
        _check_path(path, where)
    if len({*paths}) != len(paths):
        raise InputError(where, "the same path stands twice")
    for file in dataset.downloads:
        for url in file.urls:
            if not is_url(url):
                raise InputError(f"{where}: {file.path}", f"not an http(s) address: {url!r}")


def _check_path(path: str, where: str) -> None:
    """Raise InputError for a path that leaves its folder, or means different things to tools."""
    pure = PurePosixPath(path)
    is_odd = pure.is_absolute() or ".." in pure.parts or str(pure) != path
    # Braces are wildcards to Snakemake, and some file systems end a name at a control character.
    has_odd_character = any(not c.isprintable() or c in "\\{}" for c in path)
    if is_odd or has_odd_character or path == ".":
        problem = f"not a plain relative path: {path!r}"
        raise InputError(where, problem, "no leading /, no .., no backslash or brace")


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
