"""Models from a hub, at a pinned revision, each file hashed by us against what the hub states.

Only safetensors weights are taken: a pickled file can run code when it is read.
"""

import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from semblance import layout
from semblance.download.answer import Unavailable
from semblance.download.digest_lock import DigestLock, exclusive
from semblance.download.hub_api import WEIGHTS, Repository, ask_listing, ask_pin, is_wanted
from semblance.download.origins import note_origins, origin, stamp
from semblance.download.pin import Pin
from semblance.download.transfer import FetchOptions, fetch_file
from semblance.download.wanted import HOW_TO_FILL
from semblance.errors import InputError
from semblance.files import sync
from semblance.provenance import file_digest, read_sealed, write_sealed

# Repository, revision, commit and digests of the files; written last: the folder is whole.
RECORD = Path(layout.SOURCE_RECORD).name


@dataclass(frozen=True)
class Fetched:
    """What was fetched: the 40 digits of the commit, and {file: {"sha256": …, "size": …}}."""

    commit: str
    files: dict[str, dict[str, Any]]


def fetch_repository(
    repository: Repository,
    destination: str | Path,
    lock_folder: str | Path,
    options: FetchOptions = FetchOptions(),
) -> Fetched:
    """Fetch a model repository's files to a folder, from a mirror that has it or from its hub.

    A folder that is there with the right digests is not fetched again. The folder appears whole:
    until then its files wait in ``<destination>.part``, and a later call continues them. The
    commit and the digests are kept in the lock file of ``lock_folder`` at the first call and
    required from then on. Raises InputError.
    """
    repository.check_revision()
    destination = Path(destination)
    lock = DigestLock(Path(lock_folder, layout.DIGEST_LOCK))
    problem = difference(destination, repository)
    if problem:
        fetching = _Fetching(repository, destination, lock, options)
        if not fetching.copy_from_mirror():
            if options.offline:
                problem = f"{repository} is not there whole: {problem}"
                raise InputError(destination, problem, HOW_TO_FILL)
            fetching.fetch_from_hub()
    record = read_sealed(destination / RECORD)
    with exclusive(lock.path.parent):
        lock.keep(lock_name(repository), _lock_entry(record))
    return Fetched(record["commit"], record["files"])


def mirrored(mirror: str | Path | None, repository: Repository) -> str:
    """Return the folder or address of a repository in a mirror, the empty string without one."""
    if mirror is None:
        return ""
    place = layout.MIRRORED_MODEL.format(name=repository.name, revision=repository.revision)
    return f"{str(mirror).rstrip('/')}/{place}"


def lock_name(repository: Repository) -> str:
    """Return the name of a repository's entry in the lock file."""
    return f"{repository.name}@{repository.revision}"


def difference(folder: Path, repository: Repository) -> str:
    """Return how a folder differs from the repository that is asked for, or the empty string."""
    if not (folder / RECORD).is_file():
        return f"no {RECORD}"
    try:
        record = read_sealed(folder / RECORD)
    except InputError as error:
        return str(error)
    problem = _problem(record, repository)
    if problem:
        return problem
    for name, stated in record["files"].items():
        actual = "missing"
        if (folder / name).is_file():
            actual = file_digest(folder / name)
        if actual != stated["sha256"]:
            return f"{name}: sha256 expected {stated['sha256']}, actual {actual}"
    return ""


def _problem(record: dict[str, Any], repository: Repository) -> str:
    """Return why a record is not of the repository that is asked for, or the empty string."""
    if (record.get("repo"), record.get("revision")) != (repository.name, repository.revision):
        return f"it holds {record.get('repo')}@{record.get('revision')}"
    if "commit" not in record:
        return f"its {RECORD} names no commit"
    files = record.get("files", {})
    if WEIGHTS not in files or not all(map(is_wanted, files)):
        return f"its {RECORD} lists other files than those of a model"
    found = files[WEIGHTS]["sha256"]
    if repository.weights_sha256 not in (None, found):
        return f"{WEIGHTS}: sha256 expected {repository.weights_sha256}, actual {found}"
    return ""


class _Fetching:
    """Fetches the files of one repository into a folder beside its place, and moves it there."""

    def __init__(
        self, repository: Repository, destination: Path, lock: DigestLock, options: FetchOptions
    ):
        self.repository = repository
        self.destination = destination
        self.staging = destination.with_name(destination.name + ".part")
        self.locked = lock.get(lock_name(repository))
        self.lock = lock
        self.options = options

    def fetch_from_hub(self) -> None:
        """Fetch every file, held against what the hub states of it."""
        patience = self.options.transfer.patience
        listing = ask_listing(self.repository, patience)
        at_commit = replace(self.repository, revision=listing.commit)
        headers = at_commit.headers()
        files = {}
        for name in listing.files:
            pin = ask_pin(at_commit, name, patience)
            check_statement(at_commit, name, pin, self.locked)
            files[name] = self._fetch(at_commit.address(name), name, pin, headers)
        self._finish(listing.commit, files)

    def copy_from_mirror(self) -> bool:
        """Copy every file from the mirror, held against its record; return whether it is there."""
        place = mirrored(self.options.mirror, self.repository)
        record_file = self.staging / RECORD
        try:
            if not place:
                return False
            fetch_file(f"{place}/{RECORD}", record_file, Pin(None, None), self.options.transfer)
        except Unavailable:
            return False
        record = read_sealed(record_file)
        problem = _problem(record, self.repository)
        if problem:
            raise InputError(place, problem, "mend the mirror: `semblance fetch` fills it")
        files = {}
        origins = {}
        for name, stated in record["files"].items():
            pin = Pin(stated["sha256"], stated["size"])
            check_statement(self.repository, name, pin, self.locked, "the mirror")
            path = Path(place, name)
            if path.is_file():
                origins[path] = origin(stamp(path), stated["sha256"], layout.RECORD)
            files[name] = self._fetch(f"{place}/{name}", name, pin)
        self._finish(record["commit"], files)
        note_origins(self.destination.parent, origins)
        return True

    def _fetch(
        self, place: str, name: str, pin: Pin, headers: dict[str, str] | None = None
    ) -> dict[str, Any]:
        """Fetch one file from a place and return what the record says of it."""
        target = self.staging / name
        if not pin.holds(target):
            try:
                fetch_file(place, target, pin, self.options.transfer, headers)
            except Unavailable as reason:
                raise InputError(f"{self.repository}/{name}", f"{place}: {reason}") from None
        return {"sha256": file_digest(target), "size": target.stat().st_size}

    def _finish(self, commit: str, files: dict[str, dict[str, Any]]) -> None:
        """Write the record, and put the whole folder in its place."""
        _drop_others(self.staging, set(files))
        record = {
            "repo": self.repository.name,
            "revision": self.repository.revision,
            "commit": commit,
            "files": files,
        }
        if self.locked:
            self.lock.require(lock_name(self.repository), self.locked, _lock_entry(record))
        write_sealed(self.staging / RECORD, record)
        _swap(self.staging, self.destination)


def check_statement(
    repository: Repository,
    name: str,
    stated: Pin,
    locked: dict[str, Any] | None,
    place: str = "the hub",
) -> None:
    """Raise InputError if a place states another sha256 of a file than config or lock file do."""
    expected = {}
    if locked:
        expected = dict(locked["files"])
    if repository.weights_sha256 is not None:
        expected[WEIGHTS] = repository.weights_sha256
    pinned = expected.get(name)
    if stated.sha256 is not None and pinned not in (None, stated.sha256):
        raise InputError(
            f"{repository}/{name}",
            f"sha256 expected {pinned}, {place} states {stated.sha256}",
            f"compare the pin (weights_sha256, or {layout.DIGEST_LOCK}) with the hub's page of the file",
        )


def _lock_entry(record: dict[str, Any]) -> dict[str, Any]:
    digests = {name: file["sha256"] for name, file in record["files"].items()}
    return {"commit": record["commit"], "files": digests}


def _drop_others(folder: Path, names: set[str]) -> None:
    """Delete the files that an attempt at another revision has left."""
    for path in folder.rglob("*"):
        if path.is_file() and str(path.relative_to(folder)) not in names:
            path.unlink()


def _swap(staging: Path, destination: Path) -> None:
    """Put the new folder in the place of the old one."""
    old = destination.with_name(destination.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if destination.exists():
        os.replace(destination, old)
    os.replace(staging, destination)
    sync(destination.parent)
    shutil.rmtree(old, ignore_errors=True)
