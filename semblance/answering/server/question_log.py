"""The log of questions, one JSON object a line: written only where its file is named.

Questions are personal data, so the file is readable for its owner alone. ``kind`` is ``asked``, with
the answers that were shown, or ``chosen``, with the entry that a person picked.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from semblance.answering.answerer import Answered
from semblance.answering.choices import is_cut
from semblance.data.text import MAX_LINE

MODE = 0o600


class QuestionLog:
    """A file that questions and their answers are added to."""

    def __init__(self, path: str | Path):
        """Open the file for adding; OSError where it cannot be written."""
        self.path = path
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
        self.handle = os.open(path, flags, MODE)
        self._mend_last_line()

    def _mend_last_line(self) -> None:
        """Take away a line of ours that a crash has cut off; end any other that has no end."""
        size = os.fstat(self.handle).st_size
        place = max(0, size - MAX_LINE)
        last = os.pread(self.handle, MAX_LINE, place).rpartition(b"\n")[2]
        if not size or not last:  # a device has no size, and may give bytes all the same
            return
        if is_cut(last):
            os.ftruncate(self.handle, size - len(last))
            print(f"warning: {self.path}: took away a last line that was cut off", file=sys.stderr)
        else:
            os.write(self.handle, b"\n")

    def asked(self, answered: Answered) -> None:
        """Note a question and the answers that were shown for it."""
        shown = [{"id": answer.id, "score": answer.score} for answer in answered.answers]
        facts = {"question": answered.question, "known": answered.known, "answers": shown}
        self._add({"kind": "asked", **facts})

    def chosen(self, question: str, entry: str) -> None:
        """Note the entry that answered a question, as the person says who asked it."""
        self._add({"kind": "chosen", "question": question, "id": entry})

    def _add(self, facts: dict[str, Any]) -> None:
        """Write one line in one call, so that two processes never mix their lines.

        A disk that is full costs the line and a warning, and never the answer.
        """
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        line = json.dumps({"time": when, **facts}, ensure_ascii=False) + "\n"
        try:
            os.write(self.handle, line.encode())
        except OSError as error:
            print(f"warning: {self.path}: not written: {error.strerror}", file=sys.stderr)

    def close(self) -> None:
        """Close the file."""
        os.close(self.handle)
