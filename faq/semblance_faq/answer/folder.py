"""The folder of an answerer: a model, the entries, a vector for each candidate text, the settings.

The record, written last, holds the digest of each file and the settings. It lies beside ``model/``
as the record of a trained model does, so ``SavedModel.read`` reads it too. One check of all digests,
when the folder is opened, guards what is in it; only the model's own files are hostile beyond that,
and their readers know it.
"""

import os
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from semblance import layout
from semblance.counts import counted
from semblance.errors import InputError
from semblance.files import whole_file, whole_folder, write_text
from semblance.layout import BANK_ENTRIES, RECORD
from semblance.locks import exclusive
from semblance.models.saved import FOLDER, SavedModel
from semblance.provenance import checked, damage, file_digest, read_sealed, write_record
from semblance_faq.answer.bank import Bank, FaqEntry, Match, build_bank, read_entries, write_entries
from semblance_faq.answer.places import ANSWERER

STAGE = "build_answerer"
# Numbers of a unit vector, computed on another machine, with other threads or in other batches.
TOLERANCE = 1e-4
ENTRIES = "entries.jsonl"
VECTORS = "vectors.npy"
TERMS = "4 letters, 2 signs of Chinese, Japanese and Korean"  # of BM25, whose scores limits are of
Ranking = Literal["vectors", "words", "hybrid"]


@dataclass(frozen=True)
class Threshold:
    """The least score of a first answer, for a precision that held-out questions have shown.

    The score is the cosine, or BM25's where words alone rank. ``answered`` is the share of the
    questions whose first answer reaches it.
    """

    score: float
    precision: float
    answered: float


@dataclass(frozen=True)
class AnsweringSettings:
    """Which ranking compares a question with which texts of an entry; ``max_length`` in tokens.

    A first answer whose score lies below the ``floor`` is none.
    """

    ranking: Ranking
    match: Match
    max_length: int
    threshold: Threshold | None
    floor: float = 0.0

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "AnsweringSettings":
        """Return the settings that the record of an answerer holds."""
        values = dict(record["settings"])
        if values["threshold"] is not None:
            names = ("score", "precision", "answered")  # one of before has more
            values["threshold"] = Threshold(*(values["threshold"][name] for name in names))
        if values.pop("letters", "") != TERMS and values["ranking"] != "vectors":
            problem = "its threshold and floor are of another BM25"
            raise InputError("answerer", problem, "make it again: semblance run CONFIG")
        return cls(**values)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**asdict(self), "letters": TERMS}


@dataclass(frozen=True)
class StoredAnswerer:
    """What an answerer's folder holds; ``vectors`` are (T, d) float32."""

    folder: Path
    settings: AnsweringSettings
    entries: tuple[FaqEntry, ...]
    bank: Bank
    vectors: np.ndarray

    @property
    def model(self) -> Path:
        """The folder of the model."""
        return self.folder / FOLDER


def answerer_folder(named: str | Path) -> Path:
    """Return the folder of a trained FAQ: the one named, or the only one that its run has made."""
    records = sorted(Path(named).glob(f"{layout.pattern(ANSWERER)}/{RECORD}"))
    if len(records) == 1:
        return records[0].parent
    return Path(named)


def embed_answerer(
    entries: Sequence[FaqEntry],
    model: SavedModel,
    settings: AnsweringSettings,
    compute_on: str = "cpu",
) -> StoredAnswerer:
    """Return the answerer of some entries, in memory; its folder is the model's own."""
    from semblance_faq.answer.embedding import Embedder  # imports torch

    folder = model.record_path.parent
    bank = build_bank(entries, settings.match)
    embedder = Embedder(folder / FOLDER, settings.max_length, compute_on)
    vectors = embedder.embed_bank(bank)
    return StoredAnswerer(folder, settings, tuple(entries), bank, vectors)


def write_answerer(
    folder: Path,
    model: SavedModel,
    stored: StoredAnswerer,
    texts: Mapping[str, str] | None = None,
    **facts: Any,
) -> None:
    """Write an answerer and a copy of its model.

    ``texts`` are further files to write, by name, ``facts`` what else the record says. The files
    are written one by one, the record last; other files of the folder stay.
    """
    texts = texts or {}
    folder.mkdir(parents=True, exist_ok=True)
    with exclusive(folder):
        started = time.monotonic()
        (folder / RECORD).unlink(missing_ok=True)  # from here on the folder is not whole
        write_entries(folder / ENTRIES, stored.entries)
        copied = [name for name in model.record["outputs"] if name.startswith(f"{FOLDER}/")]
        with whole_folder(folder / FOLDER) as temporary:
            for name in copied:
                place = temporary / Path(name).relative_to(FOLDER)
                place.parent.mkdir(exist_ok=True)
                shutil.copyfile(model.record_path.parent / name, place)
        with whole_file(folder / VECTORS) as temporary, temporary.open("wb") as stream:
            np.save(stream, stored.vectors, allow_pickle=False)
        for name, text in texts.items():
            write_text(folder / name, text)
        write_record(
            folder / RECORD,
            STAGE,
            outputs=[ENTRIES, VECTORS, *copied, *texts],
            started=started,
            settings=stored.settings.as_json(),
            **facts,
        )


def read_record(folder: Path) -> dict[str, Any]:
    """Return the record of an answerer; InputError for a folder without one."""
    path = folder / RECORD
    advice = "name the folder that semblance faq train wrote"
    if not path.is_file():
        raise InputError(folder, f"no answerer: it has no {RECORD}", advice)
    record = read_sealed(path)
    if record.get("stage") != STAGE:
        raise InputError(path, "not the record of an answerer", advice)
    return record


def changed_file(folder: Path) -> Path | None:
    """Return the user's file that is not as it was when the answerer was made; None of none known.

    The record of an update names it, else that of the bank that the answerer was built from.
    """
    record = read_record(folder)
    for link in record["inputs"]:
        if link["role"].endswith(BANK_ENTRIES) and (folder / link["place"]).is_file():
            folder = (folder / link["place"]).parent
            record = read_sealed(folder / RECORD)
            break
    for link in record["inputs"]:
        file = folder / link["place"]
        if not link["record"] and file.is_file() and file_digest(file) != link["digest"]:
            return Path(os.path.normpath(file))
    return None


def read_answerer(folder: Path) -> StoredAnswerer:
    """Read an answerer and check each file's digest; the model itself is not loaded.

    Raises InputError for a file that is missing or damaged.
    """
    read_record(folder)
    return read_files(folder, checked(folder / RECORD))


def read_files(folder: Path, record: Mapping[str, Any]) -> StoredAnswerer:
    """Read the files of an answerer without their digests."""
    settings = AnsweringSettings.from_record(record)
    entries = read_entries(folder / ENTRIES)
    # In memory: a mapped file that is overwritten in place would end a server without a word.
    vectors = np.load(folder / VECTORS, allow_pickle=False)
    vectors.setflags(write=False)
    bank = build_bank(entries, settings.match)
    return StoredAnswerer(folder, settings, entries, bank, vectors)


class Checked(NamedTuple):
    """What was found: ``facts`` for the reader, ``problems`` that make the folder wrong."""

    facts: list[str]
    problems: list[str]


def check_answerer(folder: Path) -> Checked:
    """Check digests and compute the vectors again; nothing is written.

    Raises InputError for a folder that is no answerer at all.
    """
    record = read_record(folder)
    outputs = record["outputs"]
    seen = Checked([f"{counted(len(outputs), 'file')} listed by the record"], [])
    for name, expected in sorted(outputs.items()):
        if problem := damage(folder / name, expected):
            seen.problems.append(f"{folder / name}: {problem}")
    for path in sorted((folder / FOLDER).rglob("*")):
        if path.is_file() and path.relative_to(folder).as_posix() not in outputs:
            seen.problems.append(f"{path}: not listed by the record")  # a reader might use it
    try:
        stored = read_files(folder, record)
        difference = vector_difference(stored)
    except (InputError, OSError, ValueError, EOFError) as error:
        # The other problems are worth telling, too.
        seen.problems.append(str(error))
        return seen
    seen.facts.append(f"vectors computed again differ by {difference:.1e} at most")
    if not difference <= TOLERANCE:  # NaN is not within it
        seen.problems.append(f"vectors: not those of the model (more than {TOLERANCE:.0e} away)")
    return seen


def vector_difference(stored: StoredAnswerer) -> float:
    """Return the largest difference of a number in the stored vectors from the model's own."""
    from semblance_faq.answer.embedding import Embedder  # imports torch

    embedder = Embedder(stored.model, stored.settings.max_length)
    own = embedder.embed_bank(stored.bank)
    if own.shape != stored.vectors.shape:
        raise InputError(stored.model, f"makes {len(own)} vectors of {own.shape[-1]} numbers")
    return float(np.abs(own - stored.vectors).max())
