"""An answerer judged again, from the scores of its run, and compared with what its folder says.

The digests of a folder can be renewed by whoever changes it. What it says of itself can not, where
the scores that it was made from lie beside it.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

from semblance.answering.derivation import (
    AnswererSettings,
    Known,
    judge_answerer,
    read_curves,
    settings_of,
    texts_of,
)
from semblance.answering.entries import read_entries
from semblance.answering.folder import ENTRIES, SETTINGS
from semblance.answering.measured import Measured, read_asked, read_evaluations
from semblance.errors import InputError
from semblance.evaluation.prepared import QUESTIONS
from semblance.layout import RECORD
from semblance.models.saved import WEIGHTS
from semblance.names import START
from semblance.provenance import canonical, checked, read_object, read_sealed, read_text
from semblance.settings import decode

EXACT = 1e-9  # relative: what two versions of a library may differ by
LONGEST = 80  # characters of a value that a problem shows
# What a record that was made by hand may lead to.
BROKEN = (LookupError, TypeError, ValueError, AttributeError, StopIteration)


@dataclass(frozen=True)
class Again:
    """What was found: whether all was ``judged`` again, one line, and each problem with its file."""

    judged: bool
    fact: str
    problems: tuple[tuple[Path, str], ...] = ()


@dataclass
class _Named:
    """The records that an answerer names, by their kind: their paths."""

    banks: list[Path] = field(default_factory=list)
    evaluations: list[Path] = field(default_factory=list)
    curves: list[str] = field(default_factory=list)
    missing: list[Path] = field(default_factory=list)


def judge_again(folder: Path, record: dict[str, Any]) -> Again:
    """Judge an answerer once more by the scores that its ``record`` names, and compare."""
    path = folder / RECORD
    if "answerer" not in record:
        return Again(False, "not re-derived: its record names no scores")
    problems: list[tuple[Path, str]] = []
    try:
        wanted = decode(AnswererSettings, record["answerer"], f"{path}: answerer")
        named = _named(folder, record, wanted)
        if named.missing:
            where = named.missing[0]
            return Again(False, f"not re-derived: the scores are not here (such as {where})")
        for problem in _problems(folder, record, wanted, named):
            problems.append(problem)  # one by one: an error leaves those before it
    except InputError as error:
        problems.append((path, f"cannot be judged again: {error}"))
    except BROKEN as error:
        problems.append((path, f"cannot be judged again ({type(error).__name__}: {error})"))
    count = len(record.get("records", {}))
    return Again(True, f"judged again by the scores of its run ({count} records)", tuple(problems))


def _named(folder: Path, record: dict[str, Any], wanted: AnswererSettings) -> _Named:
    """Return the records that are needed to judge again, by their stage.

    The start model is not needed; it may lie elsewhere.
    """
    found = _Named()
    unneeded = set()
    if wanted.way(record["evidence"]["chosen"]).model == START:
        unneeded.add(_model_record(folder, record))
    for name in sorted(record["records"]):
        path = folder / name
        if path in unneeded:
            continue
        if not path.is_file():
            found.missing.append(path)
            continue
        stage = read_sealed(path).get("stage")
        if stage == "prepare_faq":
            found.banks.append(path)
        if stage == "evaluate_faq":
            found.evaluations.append(path)
        if stage == "draw_learning_curve":
            found.curves.append(str(path))
    return found


def _model_record(folder: Path, record: dict[str, Any]) -> Path:
    """Return the record of the model that an answerer was made from."""
    [name] = [name for name in record["inputs"] if name.endswith(f"/{WEIGHTS}")]
    return folder / (name.removesuffix(WEIGHTS) + RECORD)


def _problems(
    folder: Path, record: dict[str, Any], wanted: AnswererSettings, named: _Named
) -> Iterator[tuple[Path, str]]:
    [bank] = named.banks
    checked(bank, QUESTIONS)
    questions = read_asked(bank.parent, wanted.protocol)
    measured = read_evaluations(map(str, named.evaluations), wanted.base, questions)
    yield from _changed(folder, record, measured)
    judgement = judge_answerer(wanted, measured)
    evidence = json.loads(canonical(judgement.as_json()))
    for problem in _differences("evidence", record.get("evidence"), evidence):
        yield folder / RECORD, problem
    settings = settings_of(wanted, judgement).as_json()
    stated = read_object(folder / SETTINGS)
    for name in sorted(settings):
        for problem in _differences(name, stated.get(name), settings[name]):
            yield folder / SETTINGS, problem
    if judgement.chosen != record["evidence"]["chosen"]:
        return  # the texts tell of another model, whose record is not named
    model: dict[str, Any] = {}
    if wanted.way(judgement.chosen).model != START:
        model = read_sealed(_model_record(folder, record))
        if model["outputs"][WEIGHTS] != record["outputs"][WEIGHTS]:
            yield folder / WEIGHTS, f"not the weights of {wanted.way(judgement.chosen).model}"
    known = Known.of(read_entries(folder / ENTRIES), questions)
    texts = texts_of(wanted, judgement, known, model, read_curves(named.curves).lines)
    for name, text in texts.items():
        yield from _different_lines(folder / name, text)


def _changed(
    folder: Path, record: dict[str, Any], measured: Measured
) -> Iterator[tuple[Path, str]]:
    """Yield the evaluations that say something else than when the answerer was made."""
    kept = {folder / name: digest for name, digest in record["records"].items()}
    for path, digest in measured.records.items():
        if kept[Path(path)] != digest:
            yield Path(path), "says something else than when the answerer was made"


def _differences(place: str, stated: object, found: object) -> Iterator[str]:
    """Yield one line for each value that is not the one that the scores give."""
    if isinstance(stated, dict) and isinstance(found, dict):
        for name in sorted(stated.keys() | found.keys()):
            yield from _differences(f"{place}.{name}", stated.get(name), found.get(name))
    elif isinstance(stated, list) and isinstance(found, list) and len(stated) == len(found):
        for number, (one, other) in enumerate(zip(stated, found, strict=True)):
            yield from _differences(f"{place}[{number}]", one, other)
    elif not _is_same(stated, found):
        yield f"{place} says {_shown(stated)}, the scores give {_shown(found)}"


def _is_same(stated: object, found: object) -> bool:
    if isinstance(stated, float) and isinstance(found, float):
        return math.isclose(stated, found, rel_tol=EXACT, abs_tol=EXACT)
    return stated == found


def _shown(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    if len(text) > LONGEST:
        return f"{text[:LONGEST]}…"
    return text


def _different_lines(path: Path, text: str) -> Iterator[tuple[Path, str]]:
    if not path.is_file():
        yield path, "missing; a folder of an earlier version has none: run its config again"
        return
    stated = read_text(path).splitlines()
    for number, lines in enumerate(zip_longest(stated, text.splitlines()), start=1):
        if lines[0] != lines[1]:
            yield path, f"line {number} says {_shown(lines[0])}, the scores give {_shown(lines[1])}"
