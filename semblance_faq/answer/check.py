"""Whether an answerer's folder is what its record says and its model computes."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from semblance.counts import counted
from semblance.errors import InputError
from semblance.models.saved import FOLDER
from semblance.provenance import damage
from semblance_faq.answer.folder import StoredAnswerer, read_files, read_record

# Numbers of a unit vector, computed on another machine, with other threads or in other batches.
TOLERANCE = 1e-4


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
    checked = Checked([f"{counted(len(outputs), 'file')} listed by the record"], [])
    for name, expected in sorted(outputs.items()):
        if problem := damage(folder / name, expected):
            checked.problems.append(f"{folder / name}: {problem}")
    for path in sorted((folder / FOLDER).rglob("*")):
        if path.is_file() and path.relative_to(folder).as_posix() not in outputs:
            checked.problems.append(f"{path}: not listed by the record")  # a reader might use it
    try:
        stored = read_files(folder, record)
        checked.facts.append(_description(stored))
        difference = vector_difference(stored)
    except (InputError, OSError, ValueError) as error:  # the other problems are worth telling, too
        checked.problems.append(str(error))
        return checked
    checked.facts.append(f"vectors computed again differ by {difference:.1e} at most")
    if not difference <= TOLERANCE:  # NaN is not within it
        checked.problems.append(f"vectors: not those of the model (more than {TOLERANCE:.0e} away)")
    return checked


def _description(stored: StoredAnswerer) -> str:
    entries = counted(len(stored.entries), "entry", "entries")
    texts = counted(len(stored.bank.sources), "text")
    settings = stored.settings
    promise = f"floor {settings.floor:.4f}, no threshold"
    if settings.threshold is not None:
        promise = f"floor {settings.floor:.4f}, threshold {settings.threshold.score:.4f}"
    return f"{entries}, {texts} to compare with; ranking {settings.ranking}, match {settings.match}; {promise}"


def vector_difference(stored: StoredAnswerer) -> float:
    """Return the largest difference of a number in the stored vectors from the model's own."""
    from semblance_faq.answer.embedding import Embedder  # imports torch

    embedder = Embedder(stored.model, stored.settings.max_length)
    own = embedder.embed_candidates(stored.bank.candidates)
    if own.shape != stored.vectors.shape:
        raise InputError(stored.model, f"makes {len(own)} vectors of {own.shape[-1]} numbers")
    return float(np.abs(own - stored.vectors).max())
