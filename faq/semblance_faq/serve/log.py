"""The log of questions, one JSON object a line: written only where ``serve --log`` names a file.

Questions are personal data, so the file is readable for its owner alone.
"""

import json
import os
import sys
import time
from pathlib import Path

from semblance.data.text import filled
from semblance.errors import InputError, at
from semblance.files import open_regular
from semblance.strict_json import parse_strict
from semblance_faq.answer.answerer import Answered

MODE = 0o600
START = b'{"time": "'  # of each line that the server writes
ASKED, REFUSED, NONE = "asked", "refused", "none"  # the kinds of a line


class QuestionLog:
    """A file that questions and their answers are added to."""

    def __init__(self, path: str | Path):
        """Open the file for adding; OSError where it cannot be written, InputError for another file."""
        self.path = path
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
        self.handle = os.open(path, flags, MODE)
        first = os.pread(self.handle, len(START), 0) if self._size() else b""
        if first != START[: len(first)]:  # such as a file of the answerer that is served
            problem = "holds something else than logged questions"
            raise InputError(self.path, problem, "name a new file")

    def _size(self) -> int:
        return os.fstat(self.handle).st_size  # a device has none

    def _is_cut(self) -> bool:
        """Tell whether a crash or a full disk has left the last line without its end."""
        size = self._size()
        return bool(size) and os.pread(self.handle, 1, size - 1) != b"\n"

    def note(self, kind: str, answered: Answered) -> None:
        """Note a question and its best answers, in one write: two processes never mix lines.

        ``kind`` is ASKED, REFUSED where the question got no answer, or NONE where a person found none
        of the answers right. A disk that is full
        costs the line and a warning, and never the answer. What it took of a line is ended by the next.
        """
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        given = [{"id": answer.id, "score": answer.score} for answer in answered.answers]
        facts = {"question": answered.question, "known": answered.known, "answers": given}
        line = json.dumps({"time": when, "kind": kind, **facts}, ensure_ascii=False) + "\n"
        whole = b"\n" * self._is_cut() + line.encode()
        problem = "no room for a whole line"
        try:
            if os.write(self.handle, whole) == len(whole):
                return
        except OSError as error:
            problem = error.strerror
        print(f"warning: {self.path}: not written: {problem}", file=sys.stderr)

    def close(self) -> None:
        """Close the file."""
        os.close(self.handle)


def read_log(path: Path | str) -> list[tuple[str, bool]]:
    """Return the questions of a log, their white space normalised, and if none of the answers was right.

    A line is passed over that begins as the server's lines do and is no JSON: the machine stopped
    while it was written. Raises InputError with the line for what the server does not write.
    """
    questions = []
    with open_regular(path) as stream:
        for line, raw in enumerate(stream, 1):
            written = raw.strip()
            try:
                value = parse_strict(raw.decode())
                if not isinstance(value, dict):
                    raise ValueError("no object")
            except ValueError as error:  # of JSON or of UTF-8
                if written.startswith(START[: len(written)]):
                    continue
                problem = f"not as the server writes it: {error}"
                raise InputError(at(path, line), problem, "correct or remove the line") from None
            text = filled(value.get("question"), "question", path, line)
            questions.append((text, value.get("kind") == NONE))
    return questions
