"""The manifest of the raw datasets: where each file comes from, and the digest that it must have.

The manifest (workflow/manifest.yaml) pins each file by its size and its sha256 or git blob. A path is
relative, and the same under a mirror and under the project's data folder.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from semblance.download.pin import LARGEST, Pin, is_of_hub, is_url
from semblance.errors import InputError
from semblance.layout import DIGEST_LOCK
from semblance.settings import decode
from semblance.strict_yaml import read_yaml


@dataclass(frozen=True)
class File:
    """One file: its relative path, its pin and its addresses.

    What is unknown of the pin is None. Without a digest, the hub that one of the addresses names
    has to state one.
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

    @property
    def has_digest(self) -> bool:
        """Tell whether its digest is in the manifest, or a hub states it."""
        return self.pin.has_digest or any(is_of_hub(url) for url in self.urls)


@dataclass(frozen=True)
class Archive(File):
    """A zip or tar file, of which ``members`` ({name in the archive: relative path}) are wanted."""

    members: dict[str, str] = field(default_factory=dict)

    def has_pinned_members(self, files: Sequence[File]) -> bool:
        """Tell whether ``files`` pin all its members, so that it needs no digest of its own."""
        pinned = {file.path for file in files if file.pin.has_digest}
        return pinned.issuperset(self.members.values())


@dataclass(frozen=True)
class Dataset:
    """One raw dataset. A file without addresses comes out of an archive, or from a mirror alone."""

    title: str
    licence: str
    homepage: str | None
    expected: dict[str, int]
    files: tuple[File, ...] = ()
    archives: tuple[Archive, ...] = ()

    def member_paths(self) -> list[str]:
        """Return the relative paths of the files that come out of archives."""
        return [path for archive in self.archives for path in archive.members.values()]

    def paths(self) -> list[str]:
        """Return the relative paths of all files, those out of archives included, sorted."""
        files = [file.path for file in self.files]
        return sorted({*files, *self.member_paths()})


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
    for index, file in enumerate(dataset.files):
        _check_file(file, f"{where}.files[{index}]")
    for index, archive in enumerate(dataset.archives):
        _check_file(archive, f"{where}.archives[{index}]")
        for name, path in archive.members.items():
            _check_path(name, f"{where}.members")
            _check_path(path, f"{where}.members")
    # A member of an archive may be pinned as a file, so these two lists may share paths.
    archives = [archive.path for archive in dataset.archives]
    _check_unique([file.path for file in dataset.files] + archives, where)
    _check_unique(dataset.member_paths() + archives, where)


def _check_unique(paths: Sequence[str], where: str) -> None:
    if len(set(paths)) != len(paths):
        raise InputError(where, "the same path stands twice")


def _check_file(file: File, where: str) -> None:
    _check_path(file.path, f"{where}.path")
    if file.sha256 is not None and not re.fullmatch("[0-9a-f]{64}", file.sha256):
        raise InputError(f"{where}.sha256", f"not 64 hex digits: {file.sha256!r}")
    if file.git_blob is not None and not re.fullmatch("[0-9a-f]{40}", file.git_blob):
        raise InputError(f"{where}.git_blob", f"not 40 hex digits: {file.git_blob!r}")
    if file.size is not None and not 0 < file.size <= LARGEST:
        raise InputError(f"{where}.size", f"out of range: {file.size}")
    for url in file.urls:
        if not is_url(url):
            raise InputError(f"{where}.urls", f"not an http(s) address: {url!r}")


def _check_path(path: str, where: str) -> None:
    if path in (".", DIGEST_LOCK) or not _is_plain(path):
        raise InputError(
            where,
            f"not a plain relative path: {path!r}",
            "no leading /, no .., no backslash or brace",
        )


def _is_plain(path: str) -> bool:
    """Tell whether a path stays below its folder and means the same to every tool.

    Braces would be wildcards to Snakemake, and some file systems end a name at a control character.
    """
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or str(pure) != path:
        return False
    return all(c.isprintable() and c not in "\\{}" for c in path)
