"""Whether an answerer's folder is what its record says and its model computes."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from semblance.answering.folder import (
    SETTINGS,
    StoredAnswerer,
    read_files,
    require_listed,
)
from semblance.answering.settings import Threshold
from semblance.counts import counted
from semblance.errors import InputError
from semblance.models.saved import FOLDER
from semblance.provenance import file_digest

# Numbers of a unit vector, computed on another machine, with other threads or in other batches.
TOLERANCE = 1e-4


@dataclass(frozen=True)
class Checked:
    """What was found: ``facts`` for the reader, ``problems`` that make the folder wrong."""

    facts: tuple[str, ...]
    problems: tuple[str, ...]


def check_answerer(folder: str | Path) -> Checked:
    """Check digests and contents, and compute the vectors again; nothing is written.

    Raises InputError for a folder that is no answerer at all.
    """
    folder = Path(folder)
    record = require_listed(folder)
    facts = [f"{counted(len(record['outputs']), 'file')} listed by the record"]
    problems = [*_digest_problems(folder, record["outputs"]), *_unlisted(folder, record["outputs"])]
    try:
        stored = read_files(folder, record)
        facts.append(_counts_line(stored))
        problems += _setting_problems(stored)
        difference = vector_difference(stored)
    except InputError as error:  # the other problems are worth telling, too
        return Checked(tuple(facts), (*problems, str(error)))
    facts.append(f"vectors computed again differ by {difference:.1e} at most")
    if difference > TOLERANCE:
        problems.append(f"vectors: not those of the model (more than {TOLERANCE:.0e} away)")
    return Checked(tuple(facts), tuple(problems))


def _digest_problems(folder: Path, outputs: dict[str, str]) -> list[str]:
    problems = []
    for name, expected in sorted(outputs.items()):
        path = folder / name
        if not path.is_file():
            problems.append(f"{path}: missing")
        elif file_digest(path) != expected:
            problems.append(f"{path}: damaged: its sha256 is not that of the record")
    return problems


def _unlisted(folder: Path, outputs: dict[str, str]) -> list[str]:
    """Name the files of the model that the record does not list: a reader might use them."""
    found = (path for path in sorted((folder / FOLDER).rglob("*")) if path.is_file())
    names = (path.relative_to(folder).as_posix() for path in found)
    return [f"{folder / name}: not listed by the record" for name in names if name not in outputs]


def _counts_line(stored: StoredAnswerer) -> str:
    entries = counted(len(stored.entries), "entry", "entries")
    answers = counted(stored.bank.candidates.answers, "distinct answer")
    texts = counted(len(stored.bank.sources), "text")
    settings = stored.settings
    how = f"ranking {settings.ranking}, match {settings.match}"
    return f"{entries}, {answers}, {texts} to compare with; {how}; {_threshold(stored)}"


def _threshold(stored: StoredAnswerer) -> str:
    threshold = stored.settings.threshold
    if threshold is None:
        return "no threshold: each question gets an answer"
    shares = f"precision {threshold.precision:.1%}, {threshold.answered:.1%} answered"
    return f"threshold {threshold.score:.4f} ({shares})"


def _setting_problems(stored: StoredAnswerer) -> list[str]:
    """Compare answering.json with the record, and its threshold with the scores that can be."""
    path = stored.folder / SETTINGS
    problems = []
    if stored.record.get("settings") != stored.settings.as_json():
        problems.append(f"{path}: says something else than the record's settings")
    threshold = stored.settings.threshold
    if threshold is not None:
        by_cosine = stored.settings.ranking != "words"
        found = _threshold_problems(threshold, by_cosine)
        problems += [f"{path}: threshold: {problem}" for problem in found]
    return problems


def _threshold_problems(threshold: Threshold, by_cosine: bool) -> Iterator[str]:
    """Yield what cannot be true of a threshold."""
    if by_cosine and abs(threshold.score) > 1:
        yield f"no cosine reaches {threshold.score}, or all do"
    stated = threshold.facts.get("stated")
    if isinstance(stated, float) and threshold.precision < stated:
        yield f"its precision, {threshold.precision}, is below the stated one, {stated}"
    for name in ("precision", "answered"):
        interval = threshold.facts.get(f"{name}_interval")
        value = getattr(threshold, name)
        if interval is not None and not _holds(interval, value):
            yield f"{name}, {value}, is not within its interval"


def _holds(interval: object, value: float) -> bool:
    """Tell whether an interval is two numbers, and a value lies between them."""
    numbers = isinstance(interval, list) and [type(bound) for bound in interval] == [float, float]
    return numbers and interval[0] <= value <= interval[1]


def vector_difference(stored: StoredAnswerer) -> float:
    """Return the largest difference of a number in the stored vectors from the model's own."""
    from semblance.answering.embedding import Embedder  # imports torch

    embedder = Embedder(stored.model, stored.settings.max_length)
    if embedder.width != stored.vectors.shape[1]:
        raise InputError(stored.model, f"makes vectors of {embedder.width} numbers")
    again = embedder.embed_candidates(stored.bank.candidates)
    return float(np.abs(again - stored.vectors).max())
