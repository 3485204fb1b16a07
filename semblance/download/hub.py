"""Models from a hub, at a pinned revision, each file hashed by us against what the hub states.

Only safetensors weights are taken: a pickled file can run code when it is read.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import httpx2  # huggingface_hub speaks HTTP through it and lets its errors pass
from huggingface_hub import HfApi, HfFileMetadata, get_hf_file_metadata, hf_hub_url
from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled
from huggingface_hub.utils import build_hf_headers

from semblance.download.pin import Pin
from semblance.download.transfer import (
    Patience,
    Transfer,
    Transient,
    Unavailable,
    fetch_file,
    refusal,
    retrying,
)
from semblance.errors import InputError
from semblance.files import sync
from semblance.provenance import file_digest, read_sealed, write_sealed

T = TypeVar("T")
ODD_ANSWER = (ValueError, TypeError, LookupError, AttributeError)  # what the library then raises
WEIGHTS = "model.safetensors"
RECORD = "download.json"  # repo, revision and digests; written last, so the folder is whole
WANTED = {
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "modules.json",
    "config_sentence_transformers.json",
    WEIGHTS,
}
WANTED_PATTERN = re.compile(
    r"sentence_\w+_config\.json|\d+_(Pooling|Dense)/(config\.json|model\.safetensors)"
)


@dataclass(frozen=True)
class Repository:
    """A model repository of a hub at one commit.

    ``revision`` is the commit's 40 hex digits, or its first 7 or more. ``endpoint`` is the address
    of the hub, None for the library's own. ``weights_sha256`` pins model.safetensors.
    """

    name: str
    revision: str
    endpoint: str | None = None
    weights_sha256: str | None = None

    def __str__(self) -> str:
        return f"{self.name}@{self.revision[:12]}"


def fetch_repository(
    repository: Repository,
    destination: str | Path,
    transfer: Transfer = Transfer(),
    local_only: bool = False,
) -> dict:
    """Fetch a model repository's files to a folder and return ``{file: {"sha256": …, "size": …}}``.

    A folder that is there with the right digests is not fetched again; ``local_only`` forbids the
    network. The folder appears whole: until then its files wait in ``<destination>.part``, and a
    later call continues them. Raises InputError.
    """
    if not re.fullmatch("[0-9a-f]{7,40}", repository.revision):
        raise InputError(
            f"{repository.name}@{repository.revision}",
            "not a pinned revision",
            "give the commit's hex digits, best all 40",
        )
    destination = Path(destination)
    problem = _difference(destination, repository)
    if not problem:
        return read_sealed(destination / RECORD)["files"]
    if local_only:
        raise InputError(
            destination,
            f"{repository} is not there whole: {problem}",
            "fetch it once with a network",
        )
    staging = destination.with_name(destination.name + ".part")
    commit, names = _list_files(repository, transfer.patience)
    at_commit = replace(repository, revision=commit)
    files = {name: _fetch(at_commit, name, staging, transfer) for name in names}
    _drop_others(staging, set(names))
    record = {"repo": repository.name, "revision": repository.revision, "files": files}
    write_sealed(staging / RECORD, record)
    _swap(staging, destination)
    return files


def blob_digest(path: str | Path) -> str:
    """Return git's name of a file's content: the sha1 of ``blob <size>``, a zero byte, the content."""
    content = Path(path).read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def _difference(folder: Path, repository: Repository) -> str:
    """Return how a folder differs from the repository that is asked for, or the empty string."""
    if not (folder / RECORD).is_file():
        return f"no {RECORD}"
    try:
        record = read_sealed(folder / RECORD)
    except InputError as error:
        return str(error)
    if (record.get("repo"), record.get("revision")) != (repository.name, repository.revision):
        return f"it holds {record.get('repo')}@{record.get('revision')}"
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


def _list_files(repository: Repository, patience: Patience) -> tuple[str, list[str]]:
    """Return the whole commit and the files to fetch; InputError if there are no safetensors weights."""
    api = HfApi(endpoint=repository.endpoint)
    info = _ask(
        lambda: api.model_info(
            repository.name, revision=repository.revision, timeout=patience.timeout
        ),
        str(repository),
        patience,
    )
    if not str(info.sha).startswith(repository.revision):
        raise InputError(repository, f"the hub answers with revision {info.sha}")
    there = {sibling.rfilename for sibling in info.siblings or ()}
    for needed in sorted(_needed_files(there)):
        if needed not in there:
            raise InputError(
                repository,
                f"the repository has no {needed}",
                "choose a revision with safetensors weights: pickled ones are never read",
            )
    wanted = [name for name in there if name in WANTED or WANTED_PATTERN.fullmatch(name)]
    return info.sha, sorted(wanted)


def _needed_files(there: Iterable[str]) -> set[str]:
    """Return the files without which no model can be built: those of the encoder and of dense layers."""
    needed = {"config.json", WEIGHTS}
    for name in there:
        if re.fullmatch(r"\d+_Dense/config\.json", name):
            layer, _, _ = name.partition("/")
            needed.add(f"{layer}/{WEIGHTS}")
    return needed


def _fetch(repository: Repository, name: str, folder: Path, transfer: Transfer) -> dict:
    """Fetch one file and check it against the hub's statement and against the pin."""
    where = f"{repository}/{name}"
    url = hf_hub_url(
        repository.name, name, revision=repository.revision, endpoint=repository.endpoint
    )
    stated = _ask_metadata(repository, name, url, transfer.patience)
    target = folder / name
    if not (target.is_file() and _agrees(target, stated.etag)):
        pin = Pin(_sha256(stated.etag), stated.size)
        try:
            fetch_file(url, target, pin, transfer, build_hf_headers())
        except Unavailable as reason:
            raise InputError(where, str(reason)) from None
    if not _agrees(target, stated.etag):
        actual = blob_digest(target)
        target.unlink()
        raise InputError(
            where, f"its content was altered: git blob expected {stated.etag}, actual {actual}"
        )
    return {"sha256": file_digest(target), "size": target.stat().st_size}


def _ask_metadata(
    repository: Repository, name: str, url: str, patience: Patience
) -> HfFileMetadata:
    """Return what the hub states of a file, after checking its commit and the pin of the weights."""
    where = f"{repository}/{name}"
    stated = _ask(
        lambda: get_hf_file_metadata(url, endpoint=repository.endpoint, timeout=patience.timeout),
        where,
        patience,
    )
    if stated.commit_hash != repository.revision:
        raise InputError(where, f"the hub answers with revision {stated.commit_hash}")
    pinned = repository.weights_sha256
    if name == WEIGHTS and pinned not in (None, _sha256(stated.etag)):
        raise InputError(where, f"sha256 expected {pinned}, the hub states {stated.etag}")
    return stated


def _sha256(etag: str | None) -> str | None:
    """Return the sha256 that the hub states of a large file; None for a small one."""
    if etag is not None and re.fullmatch("[0-9a-f]{64}", etag):
        return etag
    return None


def _agrees(path: Path, etag: str | None) -> bool:
    """Compare a file with the hub's statement: sha256 for a large file, git's blob name for a small one."""
    if etag is not None and len(etag) == 64:
        return etag == file_digest(path)
    return etag == blob_digest(path)


def _ask(question: Callable[[], T], where: str, patience: Patience) -> T:
    """Ask the hub, patiently; InputError with one clear line when it will not answer."""

    def once() -> T:
        """Ask once; Transient if asking again may help."""
        try:
            return question()
        except HfHubHTTPError as error:
            response = error.response
            raise refusal(
                response.status_code, response.headers.get("Retry-After"), patience
            ) from None
        except httpx2.RequestError as error:
            raise Transient(f"the connection failed ({type(error).__name__})") from None

    try:
        return retrying(patience)(once)
    except Unavailable as reason:
        raise InputError(
            where,
            f"the hub does not answer: {reason}",
            "check the names, the revision and the network, or try later",
        ) from None
    except OfflineModeIsEnabled:
        raise InputError(
            where, "HF_HUB_OFFLINE forbids the network", "unset it for the download"
        ) from None
    except ODD_ANSWER as error:
        raise InputError(
            where, f"the hub's answer makes no sense ({error})", "check the address of the hub"
        ) from None


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
