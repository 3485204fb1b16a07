"""The log of questions, one JSON object a line: written only where ``serve --log`` names a file.

Questions are personal data, so the file is readable for its owner alone. ``kind`` is ``asked``, with
the answers that were given, or ``chosen``, with the entry that a person picked: what people asked is
worth learning where somebody said which entry answers it.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from semblance.data.text import filled
from semblance.errors import InputError, at
from semblance.files import open_regular
from semblance.strict_json import parse_strict
from semblance_faq.answer.answerer import Answered

MODE = 0o600
START = b'{"time": "'  # of each line that the server writes
ASKED, CHOSEN = "asked", "chosen"
ADVICE = "correct the line or remove it"


class QuestionLog:
    """A file that questions and their answers are added to."""

    def __init__(self, path: str | Path):
        """Open the file for adding; OSError where it cannot be written, InputError for another file."""
        self.path = path
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
        self.handle = os.open(path, flags, MODE)
        self.is_cut = False  # whether the last line has no end
        self._refuse_other_file()
        self._end_last_line()

    def _refuse_other_file(self) -> None:
        """Raise InputError for a file of something else, such as of the answerer that is served."""
        if os.fstat(self.handle).st_size:  # a device has none
            first = os.pread(self.handle, len(START), 0)
            if first != START[: len(first)]:
                problem = "holds something else than logged questions"
                raise InputError(self.path, problem, "name a new file")

    def _end_last_line(self) -> None:
        """End a last line that a crash has cut off; whoever reads the log passes it over."""
        size = os.fstat(self.handle).st_size
        if size and os.pread(self.handle, 1, size - 1) not in (b"\n", b""):  # of a device: nothing
            os.write(self.handle, b"\n")

    def note_answers(self, answered: Answered) -> None:
        """Note a question and the answers that were given."""
        given = [{"id": answer.id, "score": answer.score} for answer in answered.answers]
        facts = {"question": answered.question, "known": answered.known, "answers": given}
        self._add({"kind": ASKED, **facts})

    def note_choice(self, question: str, entry: str) -> bool:
        """Note the entry that answered a question, as the person says who asked it; tell whether it is."""
        return self._add({"kind": CHOSEN, "question": question, "id": entry})

    def _add(self, facts: dict[str, Any]) -> bool:
        """Write one line in one call, so that two processes never mix their lines; tell whether it is whole.

        A disk that is full costs the line and a warning, and never the answer. What it took of a line
        is ended by the next one.
        """
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        line = json.dumps({"time": when, **facts}, ensure_ascii=False) + "\n"
        whole = b"\n" * self.is_cut + line.encode()
        problem = "no room for a whole line"
        written = 0
        try:
            written = os.write(self.handle, whole)
        except OSError as error:
            problem = error.strerror
        if written == len(whole):
            self.is_cut = False
            return True
        self.is_cut = self.is_cut or written > 0
        print(f"warning: {self.path}: not written: {problem}", file=sys.stderr)
        return False

    def close(self) -> None:
        """Close the file."""
        os.close(self.handle)


def _is_cut(line: bytes) -> bool:
    """Tell whether a line begins as the server's lines do, as far as it goes, and is no JSON."""
    if not line.startswith(START[: len(line)]):
        return False
    try:
        json.loads(line)
    except ValueError:  # also where it is no UTF-8
        return True
    return False


class Choice(NamedTuple):
    """A question, its white space normalised, and the id that was chosen; the line that says so."""

    question: str
    id: str
    line: int


class QuestionsRead(NamedTuple):
    """What a log holds: the questions asked, the choices, and the lines not whole."""

    asked: tuple[str, ...]
    choices: tuple[Choice, ...]
    cut: tuple[int, ...] = ()


def read_choices(path: Path | str) -> QuestionsRead:
    """Read a log of questions.

    A line that is no JSON is passed over where it is the last one and has no end, or begins as the
    server's lines do: the machine stopped while it was written. Raises InputError with the line for
    whatever else the server does not write.
    """
    asked = []
    choices = []
    cut = []
    with open_regular(path) as stream:
        for line, raw in enumerate(stream, 1):
            if not raw.strip():
                continue
            kind, value = _value_of(raw, at(path, line))
            if kind == CHOSEN:
                question = filled(value.get("question"), "question", path, line)
                entry = filled(value.get("id"), "id", path, line)
                choices.append(Choice(question, entry, line))
            elif kind == ASKED:
                asked.append(filled(value.get("question"), "question", path, line))
            else:
                cut.append(line)
    return QuestionsRead(tuple(asked), tuple(choices), tuple(cut))


def _value_of(raw: bytes, where: str) -> tuple[str | None, dict[str, Any]]:
    """Return the kind and the object of a line; no kind for a line that was cut off."""
    try:
        value = parse_strict(raw.decode())
    except ValueError as error:  # of JSON or of UTF-8
        if not raw.endswith(b"\n") or _is_cut(raw.removesuffix(b"\n")):
            return None, {}
        raise InputError(where, f"not JSON: {error}", ADVICE) from None
    if isinstance(value, dict) and value.get("kind") in (ASKED, CHOSEN):
        return value["kind"], value
    problem = f"no object of the kind {ASKED} or {CHOSEN}"
    raise InputError(where, problem, "name the file that semblance faq serve --log wrote")
