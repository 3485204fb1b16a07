"""Models from a hub, at a pinned revision, each file hashed by us against what the hub states.

Only safetensors weights are taken: a pickled file can run code when it is read.
"""

import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from huggingface_hub import hf_hub_url
from huggingface_hub.utils import build_hf_headers

from semblance.download.digest_lock import DigestLock, exclusive
from semblance.download.hub_api import WEIGHTS, Repository, ask_listing, ask_pin
from semblance.download.pin import Pin
from semblance.download.transfer import Transfer, Unavailable, fetch_file
from semblance.errors import InputError
from semblance.files import sync
from semblance.layout import DIGEST_LOCK, SOURCE_RECORD
from semblance.provenance import file_digest, read_sealed, write_sealed

# Repository, revision, commit and digests of the files; written last: the folder is whole.
RECORD = Path(SOURCE_RECORD).name


@dataclass(frozen=True)
class Fetched:
    """What was fetched: the 40 digits of the commit, and {file: {"sha256": …, "size": …}}."""

    commit: str
    files: dict[str, dict[str, Any]]


def fetch_repository(
    repository: Repository,
    destination: str | Path,
    lock_folder: str | Path,
    transfer: Transfer = Transfer(),
    local_only: bool = False,
) -> Fetched:
    """Fetch a model repository's files to a folder.

    A folder that is there with the right digests is not fetched again; ``local_only`` forbids the
    network. The folder appears whole: until then its files wait in ``<destination>.part``, and a
    later call continues them. The commit and the digests are kept in the lock file of
    ``lock_folder`` at the first call and required from then on. Raises InputError.
    """
    repository.check_revision()
    destination = Path(destination)
    lock = DigestLock(Path(lock_folder, DIGEST_LOCK))
    problem = difference(destination, repository)
    if problem:
        if local_only:
            raise InputError(
                destination,
                f"{repository} is not there whole: {problem}",
                "fetch it once with a network",
            )
        _fetch_all(repository, destination, lock, transfer)
    record = read_sealed(destination / RECORD)
    with exclusive(lock.path.parent):
        lock.keep(lock_name(repository), _lock_entry(record))
    return Fetched(record["commit"], record["files"])


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
    if (record.get("repo"), record.get("revision")) != (repository.name, repository.revision):
        return f"it holds {record.get('repo')}@{record.get('revision')}"
    if "commit" not in record:
        return f"its {RECORD} names no commit"
    for name, stated in record["files"].items():
        actual = "missing"
        if (folder / name).is_file():
            actual = file_digest(folder / name)
        if actual != stated["sha256"]:
            return f"{name}: sha256 expected {stated['sha256']}, actual {actual}"
    found = record["files"][WEIGHTS]["sha256"]
    if repository.weights_sha256 not in (None, found):
        return f"{WEIGHTS}: sha256 expected {repository.weights_sha256}, actual {found}"
    return ""


def _fetch_all(
    repository: Repository, destination: Path, lock: DigestLock, transfer: Transfer
) -> None:
    """Fetch every file of a repository and put the whole folder in its place."""
    staging = destination.with_name(destination.name + ".part")
    listing = ask_listing(repository, transfer.patience)
    at_commit = replace(repository, revision=listing.commit)
    locked = lock.get(lock_name(repository))
    files = {}
    for name in listing.files:
        url = hf_hub_url(
            repository.name, name, revision=listing.commit, endpoint=repository.endpoint
        )
        pin = ask_pin(at_commit, name, url, transfer.patience)
        check_statement(at_commit, name, pin, locked)
        files[name] = _fetch(f"{at_commit}/{name}", url, staging / name, pin, transfer)
    _drop_others(staging, set(files))
    record = {
        "repo": repository.name,
        "revision": repository.revision,
        "commit": listing.commit,
        "files": files,
    }
    if locked:
        lock.require(lock_name(repository), locked, _lock_entry(record))
    write_sealed(staging / RECORD, record)
    _swap(staging, destination)


def check_statement(
    repository: Repository, name: str, stated: Pin, locked: dict[str, Any] | None
) -> None:
    """Raise InputError if a hub states another sha256 of a file than the config or the lock file."""
    expected = {}
    if locked:
        expected = dict(locked["files"])
    if repository.weights_sha256 is not None:
        expected[WEIGHTS] = repository.weights_sha256
    pinned = expected.get(name)
    if stated.sha256 is not None and pinned not in (None, stated.sha256):
        raise InputError(
            f"{repository}/{name}",
            f"sha256 expected {pinned}, the hub states {stated.sha256}",
            f"compare the pin (weights_sha256, or {DIGEST_LOCK}) with the hub's page of the file",
        )


def _lock_entry(record: dict[str, Any]) -> dict[str, Any]:
    digests = {name: file["sha256"] for name, file in record["files"].items()}
    return {"commit": record["commit"], "files": digests}


def _fetch(where: str, url: str, target: Path, pin: Pin, transfer: Transfer) -> dict[str, Any]:
    """Fetch one file and check it against the hub's statement."""
    if not pin.holds(target):
        try:
            fetch_file(url, target, pin, transfer, build_hf_headers())
        except Unavailable as reason:
            raise InputError(where, str(reason)) from None
    return {"sha256": file_digest(target), "size": target.stat().st_size}


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
