"""The raw datasets: where each file comes from, and the digest that it must have.

The manifest (workflow/manifest.yaml) pins each file by sha256 and size. A path is relative, and the
same under a mirror and under the project's data folder.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from semblance.download.transfer import (
    LARGEST,
    Altered,
    Patience,
    Unavailable,
    bring,
    is_url,
    mismatch,
)
from semblance.download.unpack import extract
from semblance.errors import InputError
from semblance.files import sync
from semblance.locks import FileLock, NoLocks
from semblance.provenance import file_digest, read_sealed, write_sealed
from semblance.settings import decode
from semblance.strict_yaml import read_yaml

LOCK = (
    "digests.lock.json"  # digests, found at the first download, of what the manifest does not pin
)


@dataclass(frozen=True)
class File:
    """One file: its relative path, its pin (sha256, size in bytes; None if unknown) and its addresses."""

    path: str
    sha256: str | None
    size: int | None
    urls: tuple[str, ...] = ()


@dataclass(frozen=True)
class Archive(File):
    """A zip or tar file, of which ``members`` ({name in the archive: relative path}) are wanted."""

    members: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Dataset:
    """One raw dataset. A file without addresses comes out of an archive, or from a mirror alone."""

    title: str
    licence: str
    homepage: str | None
    expected: dict[str, int]
    files: tuple[File, ...] = ()
    archives: tuple[Archive, ...] = ()


@dataclass(frozen=True)
class _Manifest:
    datasets: dict[str, Dataset]


@dataclass(frozen=True)
class _Errand:
    destination: Path
    homepage: str | None
    mirror: str | None
    progress: bool
    accept_unpinned: bool
    offline: bool
    patience: Patience
    locked: dict[str, dict]  # the content of the lock file; grows as unpinned files arrive


def load_manifest(path: str | Path) -> dict[str, Dataset]:
    """Read and check the manifest; InputError names the key, or the line, of whatever is wrong."""
    datasets = decode(_Manifest, read_yaml(path), str(path)).datasets
    for name, dataset in datasets.items():
        if not re.fullmatch("[A-Za-z0-9][A-Za-z0-9._-]*", name):  # it names rules and files
            raise InputError(
                f"{path}.datasets.{name}",
                "not a plain name",
                "letters, digits, dot, dash, underscore",
            )
        _check_dataset(dataset, f"{path}.datasets.{name}")
    return datasets


def fetch(
    dataset: Dataset,
    destination: str | Path,
    mirror: str | Path | None = None,
    *,
    progress: bool = True,
    accept_unpinned: bool = False,
    offline: bool = False,
    patience: Patience = Patience(),
) -> dict:
    """Bring a dataset's files under ``destination`` and return ``{"files": {path: {sha256, size}}}``.

    What is there with the right digest stays. With a ``mirror`` (a folder or an http(s) address) no
    other place is tried; otherwise each address in turn. ``offline`` forbids the network. A file that
    the manifest does not pin needs ``accept_unpinned`` once; its digest is then kept in the lock file
    and checked ever after. Raises InputError; nothing half-written takes a file's place.
    """
    destination = Path(destination)
    destination.mkdir(parents=True, exist_ok=True)
    with _exclusive(destination):
        locked = read_sealed(destination / LOCK) if (destination / LOCK).exists() else {}
        errand = _Errand(
            destination,
            dataset.homepage,
            None if mirror is None else str(mirror),
            progress,
            accept_unpinned,
            offline,
            patience,
            locked,
        )
        inside = {path for archive in dataset.archives for path in archive.members.values()}
        for item in dataset.files:
            if item.path not in inside:
                _obtain(item, errand)
        for archive in dataset.archives:
            _obtain_members(archive, {f.path: f for f in dataset.files}, errand)
        wanted = sorted({f.path for f in dataset.files} | inside)
        return {"files": {path: _entry(destination / path) for path in wanted}}


def _obtain(item: File, errand: _Errand, vouched: bool = False) -> None:
    """Make sure that a file is there as pinned; ``vouched``: pinned parts make its own pin needless."""
    target = errand.destination / item.path
    sha256, size = _pin(item, errand)
    if sha256 is None and not (vouched or errand.accept_unpinned):
        raise InputError(
            item.path,
            "the manifest does not pin its digest",
            "--accept-unpinned takes what comes and keeps its digest in " + LOCK,
        )
    if _right(target, sha256, size):
        return
    reasons = (
        [f"the file that is there: {mismatch(target, sha256, size)}"] if target.exists() else []
    )
    for place in _places(item, errand):
        try:
            bring(place, target, sha256, size, patience=errand.patience, progress=errand.progress)
        except Unavailable as reason:
            reasons.append(f"{place}: {reason}")
        else:
            _lock(item, errand)
            return
    home = f" (its home page: {errand.homepage})" if errand.homepage else ""
    raise InputError(
        item.path, "; ".join(reasons) or _nowhere(errand), f"give a mirror that has it{home}"
    )


def _obtain_members(archive: Archive, files: dict[str, File], errand: _Errand) -> None:
    members = {
        name: files.get(path, File(path, None, None)) for name, path in archive.members.items()
    }
    missing = {
        name: item
        for name, item in members.items()
        if not _right(errand.destination / item.path, *_pin(item, errand))
    }
    if errand.mirror is not None:  # a mirror may hold the members themselves
        missing = {name: item for name, item in missing.items() if not _mirrored(item, errand)}
    if not missing:
        return
    pinned = all(item.sha256 is not None for item in members.values())
    _obtain(archive, errand, vouched=pinned)
    for name, item in missing.items():
        _unpack(archive, name, item, errand)


def _mirrored(item: File, errand: _Errand) -> bool:
    """Take an archive's member straight from the mirror; say whether the mirror has it."""
    sha256, size = _pin(item, errand)
    if sha256 is None and not errand.accept_unpinned:
        return False
    for place in _places(item, errand):
        try:
            bring(
                place,
                errand.destination / item.path,
                sha256,
                size,
                patience=errand.patience,
                progress=errand.progress,
            )
        except Altered as reason:
            raise InputError(item.path, f"{place}: {reason}", "mend the mirror") from None
        except Unavailable:
            return False
        _lock(item, errand)
        return True
    return False


def _unpack(archive: Archive, name: str, item: File, errand: _Errand) -> None:
    box, target = errand.destination / archive.path, errand.destination / item.path
    fresh = target.with_name(target.name + ".fresh")
    extract(box, name, fresh, item.size or LARGEST)
    problem = mismatch(fresh, *_pin(item, errand))
    if problem:
        fresh.unlink()
        raise InputError(item.path, f"member {name} of {archive.path}: {problem}")
    fresh.replace(target)
    sync(target.parent)
    _lock(item, errand)


def _places(item: File, errand: _Errand) -> list[str]:
    """List where to look for a file, in order."""
    if errand.mirror is None:
        return [] if errand.offline else list(item.urls)
    if not is_url(errand.mirror):
        return [str(Path(errand.mirror, item.path))]
    return [] if errand.offline else [f"{errand.mirror.rstrip('/')}/{quote(item.path)}"]


def _nowhere(errand: _Errand) -> str:
    return (
        "not there, and the network is forbidden" if errand.offline else "it has no public address"
    )


def _pin(item: File, errand: _Errand) -> tuple[str | None, int | None]:
    if item.sha256 is not None or item.path not in errand.locked:
        return item.sha256, item.size
    return errand.locked[item.path]["sha256"], errand.locked[item.path]["size"]


def _right(path: Path, sha256: str | None, size: int | None) -> bool:
    """Say whether a file is there as pinned; without a digest nothing can vouch for it."""
    return sha256 is not None and path.is_file() and not mismatch(path, sha256, size)


def _lock(item: File, errand: _Errand) -> None:
    if item.sha256 is None:
        errand.locked[item.path] = _entry(errand.destination / item.path)
        write_sealed(errand.destination / LOCK, errand.locked)


def _entry(path: Path) -> dict:
    return {"sha256": file_digest(path), "size": path.stat().st_size}


@contextmanager
def _exclusive(folder: Path) -> Iterator[None]:
    """Let one process at a time fetch into a folder, so that none shares a part file with another."""
    lock = FileLock(folder / ".fetching")
    try:
        with suppress(NoLocks):  # then nothing keeps two processes off one part file
            lock.take(wait=True)
        yield
    finally:
        lock.release()


def _check_dataset(dataset: Dataset, where: str) -> None:
    for kind in ("files", "archives"):
        for index, item in enumerate(getattr(dataset, kind)):
            _check_file(item, f"{where}.{kind}[{index}]")
    for name, path in (pair for archive in dataset.archives for pair in archive.members.items()):
        _check_path(name, f"{where}.members")
        _check_path(path, f"{where}.members")
    archived = [item.path for item in dataset.archives]
    inside = [path for archive in dataset.archives for path in archive.members.values()]
    for paths in (
        [item.path for item in dataset.files] + archived,
        inside + archived,
    ):  # a member may be pinned as a file
        if len(set(paths)) != len(paths):
            raise InputError(where, "the same path stands twice")


def _check_file(item: File, where: str) -> None:
    _check_path(item.path, f"{where}.path")
    if item.sha256 is not None and not re.fullmatch("[0-9a-f]{64}", item.sha256):
        raise InputError(f"{where}.sha256", f"not 64 hex digits: {item.sha256!r}")
    if item.size is not None and not 0 < item.size <= LARGEST:
        raise InputError(f"{where}.size", f"out of range: {item.size}")
    for url in item.urls:
        if not is_url(url):
            raise InputError(f"{where}.urls", f"not an http(s) address: {url!r}")


def _check_path(path: str, where: str) -> None:
    pure = PurePosixPath(path)
    # Braces would be wildcards to Snakemake, and some file systems end a name at a control character.
    odd = [c for c in path if c in "\\{}" or not c.isprintable()]
    if pure.is_absolute() or ".." in pure.parts or str(pure) != path or path in (".", LOCK) or odd:
        raise InputError(
            where,
            f"not a plain relative path: {path!r}",
            "no leading /, no .., no backslash or brace",
        )
