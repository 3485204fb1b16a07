"""The log of questions that ``semblance faq serve --log`` writes, read strictly.

What people asked is worth learning where somebody said which entry answers it: lines of the kind
``chosen``. The log holds what strangers typed, so nothing in it is trusted.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from semblance.answering.entries import LONGEST_TEXT
from semblance.data.text import MAX_LINE, filled
from semblance.errors import InputError, at
from semblance.files import open_regular
from semblance.settings import decode, parse_json

START = b'{"time": "'  # of each line that the server writes
ASKED, CHOSEN = "asked", "chosen"
MOST_BYTES = 4 << 30
ADVICE = "correct the line or remove it"


@dataclass(frozen=True)
class Shown:
    """An answer that was shown."""

    id: str
    score: float


@dataclass(frozen=True)
class AskedLine:
    """A question and the answers that were shown for it."""

    time: str
    kind: Literal["asked"]
    question: str
    known: bool
    answers: tuple[Shown, ...]


@dataclass(frozen=True)
class ChosenLine:
    """A question and the entry that answers it, as a person said."""

    time: str
    kind: Literal["chosen"]
    question: str
    id: str


@dataclass(frozen=True)
class Choice:
    """A question, its white space normalised, and the id that was chosen; the line that says so."""

    question: str
    id: str
    line: int


@dataclass(frozen=True)
class QuestionsLog:
    """What a log holds: the number of questions asked, and the choices.

    ``cut`` holds the numbers of the lines that are not whole, as a crash leaves one.
    """

    asked: int
    choices: tuple[Choice, ...]
    cut: tuple[int, ...] = ()


def read_choices(path: Path | str) -> QuestionsLog:
    """Read a log of questions.

    Raises InputError with the line for whatever the server does not write. A line that is no
    JSON is passed over where it is the last one and has no end, or begins as the server's lines do:
    the machine stopped while it was written.
    """
    asked = 0
    cut = []
    choices = []
    for line, raw in _raw_lines(path):
        found = _value_of(raw, path, line)
        if found is None:
            cut.append(line)
        elif isinstance(found, ChosenLine):
            choices.append(_choice(found, path, line))
        else:
            asked += 1
    return QuestionsLog(asked, tuple(choices), tuple(cut))


def _raw_lines(path: Path | str) -> Iterator[tuple[int, bytes]]:
    """Yield the number of each line that is not blank, and its bytes with the line end."""
    line = 0
    try:
        with open_regular(path, MOST_BYTES) as stream:
            while raw := stream.readline(MAX_LINE + 1):
                line += 1
                if len(raw) > MAX_LINE:
                    problem = f"a line of more than {MAX_LINE} bytes"
                    raise InputError(at(path, line), problem, ADVICE)
                if raw.strip():
                    yield line, raw
    except FileNotFoundError:
        advice = "semblance faq serve --log FILE writes one"
        raise InputError(path, "no such file", advice) from None


def _value_of(raw: bytes, path: Path | str, line: int) -> AskedLine | ChosenLine | None:
    """Return what a line says; None for a line that was cut off."""
    where = at(path, line)
    try:
        value = parse_json(_decoded(raw, where), where)
    except InputError as error:
        if not raw.endswith(b"\n") or (raw.startswith(START) and is_cut(raw)):
            return None
        raise InputError(where, error.problem, ADVICE) from None
    kind = None
    if isinstance(value, dict):
        kind = value.get("kind")
    if kind == ASKED:
        return decode(AskedLine, value, where)
    if kind == CHOSEN:
        return decode(ChosenLine, value, where)
    problem = f"no object of the kind {ASKED} or {CHOSEN}"
    raise InputError(where, problem, "name the file that semblance faq serve --log wrote")


def is_cut(line: bytes) -> bool:
    """Tell whether a line begins as the server's lines do, as far as it goes, and is no JSON."""
    if not line.startswith(START[: len(line)]):
        return False
    try:
        json.loads(line)
    except (ValueError, RecursionError):  # ValueError also where it is no UTF-8
        return True
    return False


def _decoded(raw: bytes, where: str) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(where, f"not UTF-8: {error.reason} at byte {error.start}") from None


def _choice(found: ChosenLine, path: Path | str, line: int) -> Choice:
    question = filled(found.question, "question", path, line)
    if len(question) > LONGEST_TEXT:
        problem = f"the question has more than {LONGEST_TEXT:,} characters"
        raise InputError(at(path, line), problem, ADVICE)
    return Choice(question, found.id, line)
