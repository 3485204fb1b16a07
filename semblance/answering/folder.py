"""The folder of an answerer: a model, the entries, a vector for each candidate text, the settings.

The record, written last, holds the digest of each file. It lies beside ``model/`` as the record of a
trained model does, so ``SavedModel.read`` reads it too. The folder may come from elsewhere: each of
its files is bounded and strictly decoded, and none is a pickle.
"""

import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from semblance.answering.bank import Bank, build_bank
from semblance.answering.entries import FaqEntry, read_entries, write_entries
from semblance.answering.settings import AnsweringSettings, read_settings
from semblance.errors import InputError, is_passing
from semblance.files import require_regular, whole_file, whole_folder, write_text
from semblance.layout import RECORD
from semblance.locks import exclusive
from semblance.models.saved import FOLDER, TOKENIZER, WEIGHTS, SavedModel
from semblance.provenance import (
    Record,
    checked,
    file_digest,
    read_sealed,
    write_json,
    write_record,
)

STAGE = "build_answerer"
ENTRIES = "entries.jsonl"
VECTORS = "vectors.npy"
SETTINGS = "answering.json"
REQUIRED = (WEIGHTS, TOKENIZER, ENTRIES, VECTORS, SETTINGS)
MODEL_SUFFIXES = {
    ".json",
    ".txt",
    ".safetensors",
    ".md",
}  # a model's other files, such as pickles, stay behind
MOST_VECTORS = 32 << 30  # bytes; 10,000,000 texts of a base model
CHUNK = 8192  # vectors whose length is checked at once
LENGTH_TOLERANCE = 1e-3  # of a vector of length one, in float32
ADVICE = "write the folder again"


@dataclass(frozen=True)
class StoredAnswerer:
    """What an answerer's folder holds; ``vectors`` (T, d) float32 are memory-mapped."""

    folder: Path
    record: dict[str, Any]
    settings: AnsweringSettings
    entries: tuple[FaqEntry, ...]
    bank: Bank
    vectors: np.ndarray

    @property
    def model(self) -> Path:
        """The folder of the model."""
        return self.folder / FOLDER


@dataclass(frozen=True)
class Origin:
    """How an answerer came about, for its record.

    ``inputs`` are the digests of what was read and ``records`` its records, by default the model's;
    ``texts`` are further files to write, by name, and ``facts`` what else the record says.
    ``device`` computes the vectors.
    """

    code: str = ""
    inputs: dict[str, str] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    device: str = "cpu"


def write_answerer(
    folder: str | Path,
    entries: Sequence[FaqEntry],
    model: SavedModel | str | Path,
    settings: AnsweringSettings,
    origin: Origin | None = None,
) -> None:
    """Write an answerer: the model is copied, and the vectors are computed here.

    ``model`` is a saved model or a sentence-transformers folder. The files are written one by one,
    the record last; other files of the folder stay. Raises InputError for entries and models that
    cannot be used.
    """
    origin = origin or Origin()
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with exclusive(folder):
        started = time.monotonic()
        (folder / RECORD).unlink(missing_ok=True)  # from here on the folder is not whole
        write_entries(folder / ENTRIES, entries)
        write_json(folder / SETTINGS, settings.as_json())
        copied = _copy_model(model, folder / FOLDER)
        _write_vectors(folder, build_bank(entries, settings.match), settings, origin.device)
        for name, text in origin.texts.items():
            write_text(folder / name, text)
        write_record(
            folder / RECORD,
            STAGE,
            outputs=[ENTRIES, SETTINGS, VECTORS, *copied, *origin.texts],
            started=started,
            code=origin.code,
            settings=settings.as_json(),
            **_read_by(origin, model, folder),
            **origin.facts,
        )


def _copy_model(model: SavedModel | str | Path, target: Path) -> list[str]:
    """Copy a model's files; return their names beside the record."""
    source = _model_folder(model)
    if not source.is_dir():
        raise InputError(source, "no model folder", "name a sentence-transformers folder")
    names = sorted(_model_files(model))
    if source.resolve() != target.resolve():
        with whole_folder(target) as temporary:
            for name in names:
                place = temporary / name
                place.parent.mkdir(parents=True, exist_ok=True)
                require_regular(source / name)
                shutil.copyfile(source / name, place)
    return [f"{FOLDER}/{name}" for name in names]


def _model_folder(model: SavedModel | str | Path) -> Path:
    if isinstance(model, SavedModel):
        return model.folder
    return Path(model)


def _model_files(model: SavedModel | str | Path) -> Iterator[str]:
    """Yield the names of the files that belong to a model, in its folder and one level below.

    Of a saved model they are those that its record lists: its card comes later, and is left out.
    """
    folder = _model_folder(model)
    for path in [*folder.glob("*"), *folder.glob("*/*")]:
        name = path.relative_to(folder).as_posix()
        listed = not isinstance(model, SavedModel) or f"{FOLDER}/{name}" in model.record["outputs"]
        good = path.suffix in MODEL_SUFFIXES and not name.startswith(".") and path.is_file()
        if good and listed:
            yield name


def _write_vectors(folder: Path, bank: Bank, settings: AnsweringSettings, device: str) -> None:
    from semblance.answering.embedding import Embedder  # imports torch

    embedder = Embedder(folder / FOLDER, settings.max_length, device)
    vectors = embedder.embed_candidates(bank.candidates)
    with whole_file(folder / VECTORS) as temporary, temporary.open("wb") as stream:
        np.save(stream, vectors, allow_pickle=False)


def _read_by(origin: Origin, model: SavedModel | str | Path, folder: Path) -> dict[str, Any]:
    """Return what the record says of what was read."""
    if origin.inputs:
        return {"inputs": origin.inputs, "records": origin.records}
    if isinstance(model, SavedModel):
        return {
            "inputs": {"model": model.weights_digest},
            "records": {"model": model.record},
        }
    return {"inputs": {"model": file_digest(folder / WEIGHTS)}}


def read(folder: str | Path) -> StoredAnswerer:
    """Read an answerer and check each file's digest; the model itself is not loaded.

    Raises InputError for a file that is missing, damaged, or not what its name says.
    """
    folder = Path(folder)
    require_listed(folder)
    record = checked(folder / RECORD)
    return read_files(folder, record)


def require_listed(folder: Path) -> dict[str, Any]:
    """Return the record of an answerer after looking at the names of its files.

    Raises InputError for a record of something else, and for one that names files elsewhere.
    """
    path = folder / RECORD
    if not path.is_file():
        advice = "name the folder that semblance faq train wrote"
        raise InputError(folder, f"no answerer: it has no {RECORD}", advice)
    record = read_sealed(path)
    outputs = record.get("outputs")
    if not isinstance(outputs, dict) or not set(REQUIRED) <= outputs.keys():
        raise InputError(path, f"not the record of an answerer ({', '.join(REQUIRED)})", ADVICE)
    for name, digest in outputs.items():
        place = PurePosixPath(name)
        if place.is_absolute() or ".." in place.parts or not isinstance(digest, str):
            raise InputError(path, f"lists {name!r:.80}, which is no file beside it", ADVICE)
    return record


def read_files(folder: Path, record: dict[str, Any]) -> StoredAnswerer:
    """Read the files of an answerer without their digests."""
    settings = read_settings(folder / SETTINGS)
    entries = read_entries(folder / ENTRIES)
    bank = build_bank(entries, settings.match)
    vectors = _map_vectors(folder / VECTORS, len(bank.sources))
    return StoredAnswerer(folder, record, settings, entries, bank, vectors)


def _map_vectors(path: Path, count: int) -> np.ndarray:
    """Memory-map a file of so many unit vectors; InputError for anything else."""
    try:
        require_regular(path, MOST_VECTORS)
        mapped = np.lib.format.open_memmap(path, mode="r")  # reads neither pickles nor zips
    except FileNotFoundError:
        raise InputError(path, "no such file", ADVICE) from None
    except (ValueError, TypeError, OverflowError, EOFError, OSError, SyntaxError) as error:
        if is_passing(error):
            raise
        raise InputError(path, f"no vectors ({error})", ADVICE) from None
    _require_unit(mapped, path, count)
    return np.asarray(mapped)  # a plain view: memmap's own operators are slower


def _require_unit(mapped: np.ndarray, path: Path, count: int) -> None:
    """Raise InputError unless an array holds ``count`` float32 vectors of length one."""
    good = isinstance(mapped, np.memmap) and mapped.ndim == 2 and mapped.flags.c_contiguous
    if not good or mapped.dtype != np.dtype("<f4") or mapped.shape[0] != count:
        raise InputError(path, f"expected {count} vectors as float32, one a row", ADVICE)
    if mapped.shape[1] == 0 or path.stat().st_size != mapped.offset + mapped.nbytes:
        raise InputError(path, "is longer or shorter than its vectors", ADVICE)
    for start in range(0, count, CHUNK):
        part = mapped[start : start + CHUNK]
        lengths = np.einsum("td,td->t", part, part)
        if not (np.abs(lengths - 1) <= LENGTH_TOLERANCE).all():  # NaN is not within it
            raise InputError(path, "holds a vector that is not of length one", ADVICE)
