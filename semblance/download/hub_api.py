"""The questions that we ask a model hub: the files of a repository at a commit, and their digests."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

import httpx2  # huggingface_hub speaks HTTP through it and lets its errors pass
from huggingface_hub import HfApi, get_hf_file_metadata
from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled
from huggingface_hub.hf_api import RepoSibling

from semblance.download.address import stated_pin
from semblance.download.pin import Pin
from semblance.download.transfer import Patience, Transient, Unavailable, refusal, retrying
from semblance.errors import InputError

T = TypeVar("T")
ODD_ANSWER = (ValueError, TypeError, LookupError, AttributeError)  # what the library then raises
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
    api = HfApi(endpoint=repository.endpoint)
    info = _ask(
        lambda: api.model_info(
            repository.name,
            revision=repository.revision,
            files_metadata=True,
            timeout=patience.timeout,
        ),
        str(repository),
        patience,
    )
    if not re.fullmatch("[0-9a-f]{40}", str(info.sha)) or not info.sha.startswith(
        repository.revision
    ):
        raise InputError(repository, f"the hub answers with revision {info.sha}")
    there = {sibling.rfilename: sibling for sibling in info.siblings or ()}
    for needed in sorted(_needed_files(there)):
        if needed not in there:
            raise InputError(
                repository,
                f"the repository has no {needed}",
                "choose a revision with safetensors weights: pickled ones are never read",
            )
    return Listing(info.sha, {n: _listed_pin(there[n]) for n in sorted(there) if _is_wanted(n)})


def ask_pin(repository: Repository, name: str, url: str, patience: Patience) -> Pin:
    """Return what a hub states of one file, after checking its commit; InputError for another."""
    where = f"{repository}/{name}"
    stated = _ask(
        lambda: get_hf_file_metadata(url, endpoint=repository.endpoint, timeout=patience.timeout),
        where,
        patience,
    )
    if stated.commit_hash != repository.revision:
        raise InputError(where, f"the hub answers with revision {stated.commit_hash}")
    pin = stated_pin(stated.etag, stated.size)
    if not pin.has_digest:
        raise InputError(where, f"the hub states no digest (etag {stated.etag})")
    return pin


def _is_wanted(name: str) -> bool:
    return name in WANTED or WANTED_PATTERN.fullmatch(name) is not None


def _listed_pin(sibling: RepoSibling) -> Pin:
    """Return the pin of a listed file; a hub that lists no digests leaves it empty."""
    if sibling.lfs is not None:
        return Pin(sibling.lfs.sha256, sibling.lfs.size)
    return stated_pin(sibling.blob_id, sibling.size)


def _needed_files(there: Iterable[str]) -> set[str]:
    """Return the files without which no model can be built: those of the encoder and of dense layers."""
    needed = {"config.json", WEIGHTS}
    for name in there:
        if re.fullmatch(r"\d+_Dense/config\.json", name):
            layer, _, _ = name.partition("/")
            needed.add(f"{layer}/{WEIGHTS}")
    return needed


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
