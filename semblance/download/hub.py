"""Models from a hub, at a pinned revision, each file hashed by us against what the hub states.

Only safetensors weights are taken: a pickled file can run code when it is read.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import httpx2  # huggingface_hub speaks HTTP through it and lets its errors pass
from huggingface_hub import HfApi, get_hf_file_metadata, hf_hub_url
from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled
from huggingface_hub.utils import build_hf_headers

from semblance.download.transfer import Passing, Patience, Unavailable, bring, refusal, retrying
from semblance.errors import InputError
from semblance.files import sync
from semblance.provenance import file_digest, read_sealed, write_sealed

T = TypeVar("T")
WEIGHTS = "model.safetensors"
RECORD = "download.json"  # repo, revision and digests, written last: it vouches for the folder
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
WANTED_TOO = re.compile(
    r"sentence_\w+_config\.json|\d+_(Pooling|Dense)/(config\.json|model\.safetensors)"
)


def fetch_repository(
    repo: str,
    revision: str,
    destination: str | Path,
    endpoint: str | None = None,
    weights_sha256: str | None = None,
    local_only: bool = False,
    *,
    progress: bool = True,
    patience: Patience = Patience(),
) -> dict:
    """Bring a model repository's files to a folder and return ``{file: {"sha256": …, "size": …}}``.

    ``revision`` is a commit, of 40 hex digits or abbreviated to no fewer than 7; ``weights_sha256``
    pins model.safetensors. A folder that is there with the right digests is not fetched again;
    ``local_only`` forbids the network. The folder appears whole: until then its files wait, and are
    continued, in ``<destination>.part``. Raises InputError.
    """
    destination, place = Path(destination), f"{repo}@{revision[:12]}"
    if not re.fullmatch("[0-9a-f]{7,40}", revision):
        raise InputError(
            f"{repo}@{revision}",
            "not a pinned revision",
            "give the commit's hex digits, best all 40",
        )
    problem = _flaw(destination, repo, revision, weights_sha256)
    if not problem:
        return read_sealed(destination / RECORD)["files"]
    if local_only:
        raise InputError(
            destination, f"{place} is not there whole: {problem}", "fetch it once with a network"
        )
    staging = destination.with_name(destination.name + ".part")
    commit, names = _names(repo, revision, endpoint, place, patience)
    files = {
        name: _file(repo, commit, name, staging, endpoint, weights_sha256, progress, patience)
        for name in names
    }
    _drop_others(staging, set(names))
    write_sealed(staging / RECORD, {"repo": repo, "revision": revision, "files": files})
    _swap(staging, destination)
    return files


def blob_digest(path: str | Path) -> str:
    """Return git's name of a file's content: the sha1 of ``blob <size>``, a zero byte, the content."""
    content = Path(path).read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def _flaw(folder: Path, repo: str, revision: str, weights_sha256: str | None) -> str:
    """Return why a folder is not the repository asked for, or the empty string."""
    if not (folder / RECORD).is_file():
        return f"no {RECORD}"
    try:
        record = read_sealed(folder / RECORD)
    except InputError as error:
        return str(error)
    if (record.get("repo"), record.get("revision")) != (repo, revision):
        return f"it holds {record.get('repo')}@{record.get('revision')}"
    for name, stated in record["files"].items():
        actual = file_digest(folder / name) if (folder / name).is_file() else "missing"
        if actual != stated["sha256"]:
            return f"{name}: sha256 expected {stated['sha256']}, actual {actual}"
    found = record["files"][WEIGHTS]["sha256"]
    return (
        ""
        if weights_sha256 in (None, found)
        else f"{WEIGHTS}: sha256 expected {weights_sha256}, actual {found}"
    )


def _names(
    repo: str, revision: str, endpoint: str | None, place: str, patience: Patience
) -> tuple[str, list[str]]:
    """Return the whole commit and the files to take; InputError if the weights are not there as safetensors."""
    api = HfApi(endpoint=endpoint)
    info = _ask(
        lambda: api.model_info(repo, revision=revision, timeout=patience.timeout), place, patience
    )
    if not str(info.sha).startswith(revision):
        raise InputError(place, f"the hub answers with revision {info.sha}")
    there = {sibling.rfilename for sibling in info.siblings or ()}
    dense = {
        f"{name.split('/')[0]}/{WEIGHTS}"
        for name in there
        if re.fullmatch(r"\d+_Dense/config\.json", name)
    }
    for needed in sorted({"config.json", WEIGHTS} | dense):
        if needed not in there:
            raise InputError(
                place,
                f"the repository has no {needed}",
                "choose a revision with safetensors weights: pickled ones are never read",
            )
    return info.sha, sorted(name for name in there if name in WANTED or WANTED_TOO.fullmatch(name))


def _file(
    repo: str,
    revision: str,
    name: str,
    folder: Path,
    endpoint: str | None,
    weights_sha256: str | None,
    progress: bool,
    patience: Patience,
) -> dict:
    """Bring one file and check it against the hub's statement and against the pin."""
    where, url = (
        f"{repo}@{revision[:12]}/{name}",
        hf_hub_url(repo, name, revision=revision, endpoint=endpoint),
    )
    stated = _ask(
        lambda: get_hf_file_metadata(url, endpoint=endpoint, timeout=patience.timeout),
        where,
        patience,
    )
    if stated.commit_hash != revision:
        raise InputError(where, f"the hub answers with revision {stated.commit_hash}")
    sha256 = stated.etag if re.fullmatch("[0-9a-f]{64}", stated.etag or "") else None
    if name == WEIGHTS and weights_sha256 not in (None, sha256):
        raise InputError(where, f"sha256 expected {weights_sha256}, the hub states {stated.etag}")
    target = folder / name
    if not (target.is_file() and _agrees(target, stated.etag)):
        try:
            bring(
                url,
                target,
                sha256,
                stated.size,
                patience=patience,
                progress=progress,
                headers=build_hf_headers(),
            )
        except Unavailable as reason:
            raise InputError(where, str(reason)) from None
    if not _agrees(target, stated.etag):
        actual = blob_digest(target)
        target.unlink()
        raise InputError(
            where, f"its content was altered: git blob expected {stated.etag}, actual {actual}"
        )
    return {"sha256": file_digest(target), "size": target.stat().st_size}


def _agrees(path: Path, etag: str | None) -> bool:
    """Compare a file with the hub's statement: sha256 for a large file, git's blob name for a small one."""
    return etag == (file_digest(path) if len(etag or "") == 64 else blob_digest(path))


def _ask(question: Callable[[], T], where: str, patience: Patience) -> T:
    """Ask the hub, patiently; InputError with one clear line when it will not answer."""

    def once() -> T:
        try:
            return question()
        except HfHubHTTPError as error:
            response = error.response
            raise refusal(
                response.status_code, response.headers.get("Retry-After"), patience
            ) from None
        except httpx2.RequestError as error:
            raise Passing(f"the connection failed ({type(error).__name__})") from None

    try:
        return retrying(patience)(once)
    except Unavailable as reason:
        raise InputError(
            where,
            f"the hub does not answer: {reason}",
            "check the names, the revision and the network, or try later",
        ) from None
    except (
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
    ) as error:  # as the library meets an odd answer
        raise InputError(
            where, f"the hub's answer makes no sense ({error})", "check the address of the hub"
        ) from None
    except OfflineModeIsEnabled:
        raise InputError(
            where, "HF_HUB_OFFLINE forbids the network", "unset it for the download"
        ) from None


def _drop_others(folder: Path, names: set[str]) -> None:
    for path in folder.rglob("*"):  # left from an earlier attempt at another revision
        if path.is_file() and str(path.relative_to(folder)) not in names:
            path.unlink()


def _swap(staging: Path, destination: Path) -> None:
    old = destination.with_name(destination.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if destination.exists():
        os.replace(destination, old)
    os.replace(staging, destination)
    sync(destination.parent)
    shutil.rmtree(old, ignore_errors=True)
