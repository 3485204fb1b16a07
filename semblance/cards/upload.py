"""What an upload of a trained model holds, and the upload itself.

Every file is checked against a record before it is named: those of the model against the record of
its training, its card and results against the record of the cards. The token is the one that the
library keeps after `hf auth login`.
"""

import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from semblance import layout
from semblance.cards.licences import Standing
from semblance.errors import InputError
from semblance.layout import RECORD
from semblance.models.saved import FOLDER, SavedModel
from semblance.provenance import file_digest, read_sealed

REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
AGAIN = "semblance run writes the cards when all models have their scores"


class Hub(Protocol):
    """What is asked of a hub: ``huggingface_hub.HfApi`` has it."""

    def create_repo(self, repo_id: str, **options: Any) -> Any:
        """Make a repository."""

    def upload_folder(self, **options: Any) -> Any:
        """Upload a folder as one commit, and return that."""

    def create_tag(self, repo_id: str, **options: Any) -> Any:
        """Name a commit."""


@dataclass(frozen=True)
class File:
    """One file of an upload: its name there, where it lies here, its size in bytes, its sha256."""

    name: str
    path: Path
    size: int
    sha256: str


@dataclass(frozen=True)
class Upload:
    """The files of an upload; ``licences`` are those of the data behind the weights, by data set."""

    files: tuple[File, ...]
    revision: str
    standing: Standing
    licences: dict[str, str]

    @property
    def card(self) -> str:
        """The text of the card."""
        path = next(file.path for file in self.files if file.name == "README.md")
        return path.read_text(encoding="utf-8")


def plan_upload(named: str | Path) -> Upload:
    """Return what an upload of a model holds.

    ``named`` is the folder of a trained model or of an answerer, or the folder ``model`` in one.
    Raises InputError for another folder, a file that is not as its record says, and a model whose
    weights have no card.
    """
    record = _record_of(Path(named))
    model = SavedModel.read(record)
    cards = _cards_record(record)
    place, card = _card_of(model, cards)
    extras = cards.parent / place / FOLDER
    try:
        files = [*_model_files(model), *_card_files(extras, card["files"])]
        licences = {str(name): str(text) for name, text in card["licences"].items()}
        return Upload(tuple(files), str(card["revision"]), card["standing"], licences)
    except (LookupError, TypeError, AttributeError):
        raise InputError(cards, "not the record of cards", f"delete it; {AGAIN}") from None


def _record_of(folder: Path) -> Path:
    """Return the record of the model in a folder, or of the model that the folder itself is."""
    folder = Path(os.path.abspath(folder))
    for place in (folder, folder.parent):
        if (place / RECORD).is_file() and (place / FOLDER).is_dir():
            return place / RECORD
    advice = "name the folder of a trained model, such as models/CORPUS/BASE/METHOD/seed-1"
    raise InputError(folder, f"no trained model: no {RECORD} beside a folder {FOLDER}", advice)


def _cards_record(record: Path) -> Path:
    """Return the record of the cards of the run that a model belongs to."""
    for folder in record.parents:
        found = folder / layout.MODEL_CARDS / RECORD
        if found.is_file():
            return found
    raise InputError(record.parent, "no card: no run above this folder has written any", AGAIN)


def _card_of(model: SavedModel, cards: Path) -> tuple[str, dict[str, Any]]:
    """Return the place and the card of a model's weights; its own, or of what it was copied from."""
    found = read_sealed(cards).get("cards", {})
    fitting = [
        place for place, card in found.items() if card.get("weights") == model.weights_digest
    ]
    own = os.path.relpath(model.record_path.parent, cards.parent)
    for place in (own, *fitting):
        if place in fitting:
            return place, found[place]
    advice = AGAIN
    if model.record.get("evidence", {}).get("chosen") is not None:
        advice += "; an answerer whose weights are those of its base has no trained model to upload"
    raise InputError(model.folder, f"{cards} has no card of these weights", advice)


def _model_files(model: SavedModel) -> Iterator[File]:
    """Yield the files of a model, which ``SavedModel.read`` has checked."""
    for name, digest in sorted(model.record["outputs"].items()):
        if name.startswith(f"{FOLDER}/"):
            path = model.record_path.parent / name
            yield _file(name.removeprefix(f"{FOLDER}/"), path, digest)


def _card_files(folder: Path, files: dict[str, str]) -> Iterator[File]:
    for name, digest in sorted(files.items()):
        path = folder / name
        if not path.is_file() or file_digest(path) != digest:
            raise InputError(path, "missing, or not as the record of the cards says", AGAIN)
        yield _file(name, path, digest)


def _file(name: str, path: Path, digest: str) -> File:
    """Return a file of an upload; InputError for a name that leads out of the model's folder."""
    if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
        raise InputError(path, "a record lists it, but it is no file of the model", AGAIN)
    return File(name, path, path.stat().st_size, digest)


def require_free(upload: Upload, told: bool) -> None:
    """Raise InputError for weights whose data do not allow any use, unless the user was ``told``."""
    if upload.standing == "free" or told:
        return
    stated = ", ".join(f"{name} ({text or 'none'})" for name, text in upload.licences.items())
    problem = f"its data are not free for any use ({upload.standing}): {stated or 'no data known'}"
    raise InputError("the licences", problem, "to upload it all the same, add --non-commercial")


def require_repository(name: str) -> None:
    """Raise InputError for anything but OWNER/NAME."""
    if not REPOSITORY.fullmatch(name) or "--" in name or ".." in name:
        raise InputError("--to", f"{name!r} is no name of a repository", "give OWNER/NAME")


def send(upload: Upload, repository: str, hub: Hub) -> str:
    """Upload to a repository, which is made private if it is new; return the commit's address.

    The commit gets a tag, the revision, by which these weights can be loaded later.
    """
    hub.create_repo(repository, private=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for file in upload.files:
            link = Path(folder, file.name)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(file.path)
        commit = hub.upload_folder(
            repo_id=repository,
            folder_path=folder,
            commit_message=f"Upload {upload.revision}",
        )
    hub.create_tag(repository, tag=upload.revision, revision=commit.oid, exist_ok=True)
    return str(commit.commit_url)
