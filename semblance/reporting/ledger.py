"""The ledger of tries: what each look at a loss beside its control showed, one line of JSON a look.

Lines are added and never changed. The seal of each is a digest of it and of the seal before, so that
a line that was edited or taken out is noticed. Whoever cuts off the last lines is not.
"""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from semblance.errors import InputError, at
from semblance.files import write_text
from semblance.lines import read_json_lines
from semblance.provenance import canonical, text_digest
from semblance.settings import decode

MARGIN = 0.5  # points, as that of a table: within it a gain is none


@dataclass(frozen=True)
class Look:
    """A look at a try. Scores are in points, by seed: of the loss, and of its control.

    ``digest``: of the loss, its settings, those of its control, and the code that trains by them.
    ``opened``: the difference on the test sets with its interval, once they were opened for it.
    """

    time: str
    loss: str
    digest: str
    control: str
    settings: dict[str, Any]
    scores: dict[str, tuple[float, float]]
    verdict: dict[str, Any] = field(default_factory=dict)
    opened: dict[str, float] | None = None

    @property
    def differences(self) -> np.ndarray:
        """The loss less its control, (n,)."""
        return np.array([ours - theirs for ours, theirs in self.scores.values()])


class Ledger:
    """The looks of a file, each checked against its seal."""

    def __init__(self, path: Path):
        self.path = path
        self.seal = ""
        self.looks = list(self._read()) if path.is_file() else []

    def _read(self) -> Iterator[Look]:
        for line, entry in read_json_lines(self.path):
            where = at(self.path, line)
            stated = entry.pop("seal", None)
            self.seal = text_digest(self.seal + canonical(entry))
            if stated != self.seal:
                problem = "this line, or one before it, is not as it was written"
                raise InputError(where, problem, "bring it back from a copy; no try may be lost")
            yield decode(Look, entry, where)

    def tries(self, control: str) -> dict[str, Look]:
        """Return the last look at each try of a control, by digest, in the order of their start."""
        return {look.digest: look for look in self.looks if look.control == control}

    def add(self, look: Look) -> Look:
        """Judge a look among all tries of its control, write it, and return it with its verdict."""
        from semblance.statistics.tries import judge  # slow to import

        tries = self.tries(look.control) | {look.digest: look}
        verdicts = judge([each.differences for each in tries.values()], MARGIN)
        verdict = dataclasses.asdict(verdicts[list(tries).index(look.digest)])
        for end in ("low", "high"):
            if not np.isfinite(verdict[end]):
                verdict[end] = None  # JSON has no infinite number
        look = dataclasses.replace(look, verdict=verdict)
        entry = dataclasses.asdict(look)
        self.seal = text_digest(self.seal + canonical(entry))
        text = self.path.read_text(encoding="utf-8") if self.path.is_file() else ""
        write_text(self.path, f"{text}{canonical(entry | {'seal': self.seal})}\n")
        return look
