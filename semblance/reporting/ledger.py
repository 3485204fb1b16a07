"""The ledger of tries: what each look at a loss beside its control showed, one line of JSON a look.

Lines are added and never changed. The seal of each is a digest of it and of the seal before, so that
a line that was edited or taken out is noticed. A file beside the ledger counts its lines, so that a
cut end is noticed, too; whoever cuts both is caught by the number that each look prints.
"""

import dataclasses
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semblance.counts import counted, interval, signed
from semblance.errors import InputError, at
from semblance.files import write_text
from semblance.lines import read_json_lines
from semblance.provenance import canonical, text_digest
from semblance.settings import decode

if TYPE_CHECKING:
    from semblance.statistics.tries import Standing

RESTORE = "bring it back from a copy; no try may be lost"
NEAR = 1.0  # points from the control, within which the spread of a try says something of others
ALIKE = 0.01  # points within which the scores of all seeds make two tries variants of one


@dataclass(frozen=True)
class Look:
    """A look at a try. Scores are in points, by seed: of the loss, and of its control.

    ``digest``: of the loss, its settings, those of its control, and the code that trains by them.
    ``budget``: the digest of the control's settings, whatever its name; of early ledgers its name.
    ``number``: of the look in its ledger, from 1. ``doubted``: seeds of a kept try that others doubt.
    ``opened``: the difference on the test sets with its interval, once they were opened for it.
    ``drawn``: by seed, the difference on resampled pairs, the same pairs for all seeds.
    """

    time: str
    loss: str
    digest: str
    control: str
    settings: dict[str, Any]
    scores: dict[str, tuple[float, float]]
    verdict: dict[str, Any] = field(default_factory=dict)
    opened: dict[str, float] | None = None
    drawn: dict[str, list[float]] = field(default_factory=dict)
    budget: str = ""
    number: int = 0
    doubted: int = 0

    def on_resampled_pairs(self) -> np.ndarray | None:
        """The differences (draws, n) on resampled pairs; None where a seed has none."""
        if self.drawn.keys() != self.scores.keys():
            return None
        return np.array([self.drawn[seed] for seed in sorted(self.drawn, key=int)]).T

    def sides(self) -> np.ndarray:
        """The scores (2, n) of the loss and of its control, in the order of the seeds."""
        return np.array([self.scores[seed] for seed in sorted(self.scores, key=int)]).T

    def is_variant(self, other: "Look") -> bool:
        """Tell whether two looks are at one loss by name, or by the scores of the seeds they share."""
        if self.loss == other.loss:
            return True
        shared = self.scores.keys() & other.scores.keys()
        apart = [abs(self.scores[seed][0] - other.scores[seed][0]) for seed in shared]
        return bool(shared) and max(apart) <= ALIKE


def distinct(looks: Iterable[Look]) -> list[Look]:
    """Return the looks that are no variants of one before them."""
    found: list[Look] = []
    for look in looks:
        if not any(look.is_variant(other) for other in found):
            found.append(look)
    return found


def default_place() -> Path:
    """Return the ledger of a user, for all that is tried anywhere: in the folder of programs' states."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    return Path(state, "semblance", "tries.jsonl")


class Ledger:
    """The looks of a file, each checked against its seal."""

    def __init__(self, path: Path):
        self.path = path
        self.seal = ""
        self.looks = list(self._read()) if path.is_file() else []
        self.counter = path.with_name(f"{path.name}.count")
        written = int(self.counter.read_text()) if self.counter.is_file() else 0
        if written > len(self.looks):
            problem = f"it has {counted(len(self.looks), 'look')} of {written:,}"
            raise InputError(path, problem, RESTORE)

    def _read(self) -> Iterator[Look]:
        for line, entry in read_json_lines(self.path):
            where = at(self.path, line)
            stated = entry.pop("seal", None)
            self.seal = text_digest(self.seal + canonical(entry))
            if stated != self.seal:
                problem = "this line, or one before it, is not as it was written"
                raise InputError(where, problem, RESTORE)
            look = decode(Look, entry, where)
            yield dataclasses.replace(look, budget=look.budget or look.control)

    def tries(self, budget: str) -> dict[str, Look]:
        """Return the last look at each try of a control, by digest, in the order of their start."""
        return {look.digest: look for look in self.looks if look.budget == budget}

    def standing(self, look: Look) -> "Standing":
        """Return what a try is judged by beside its own seeds: what was there before its first look."""
        from semblance.statistics.tries import Pool, Standing  # slow to import

        digests = [each.digest for each in self.looks]
        first = digests.index(look.digest) if look.digest in digests else len(digests)
        before = {e.digest: e for e in self.looks[:first] if e.budget == look.budget}
        kept = [each for each in before.values() if each.verdict["word"] == "KEEP"]
        sides = [each.sides() for each in distinct(before.values())]
        # What breaks a training spreads it, too.
        pool = Pool.of([ours for ours, theirs in sides if abs((ours - theirs).mean()) < NEAR])
        return Standing(len(before) + 1, len(distinct(kept)), pool)

    def add(self, look: Look) -> Look:
        """Judge a look after the tries before it, write it, and return it with its verdict."""
        from semblance.statistics.tries import judge

        standing, drawn = self.standing(look), look.on_resampled_pairs()
        verdict = dataclasses.asdict(judge(*look.sides(), standing, drawn, held=not look.doubted))
        verdict["far"] = [sorted(look.scores, key=int)[place] for place in verdict["far"]]
        for name in ("low", "high", "shows"):
            if not np.isfinite(verdict[name]):
                verdict[name] = None  # JSON has no infinite number
        look = dataclasses.replace(look, verdict=verdict, number=len(self.looks) + 1)
        entry = dataclasses.asdict(look)
        self.seal = text_digest(self.seal + canonical(entry))
        text = self.path.read_text(encoding="utf-8") if self.path.is_file() else ""
        write_text(self.path, f"{text}{canonical(entry | {'seal': self.seal})}\n")
        write_text(self.counter, f"{look.number}\n")
        self.looks.append(look)
        return look


def said(look: Look) -> Iterator[str]:
    """Yield what a look shows, for people."""
    from semblance.statistics.tries import FURTHER  # slow to import

    shown, seeds = look.verdict, len(look.scores)
    parts = look.settings["pairs"]
    pairs = sum(own for own, _ in parts.values())
    ends = f"[{signed(shown['low']) or '−∞'}, {signed(shown['high']) or '+∞'}]"
    yield (
        f"{shown['word']}: {look.loss} {signed(shown['difference'])} points {ends} beside"
        f" {look.control}, {seeds} seeds on these {pairs:,} pairs"
    )
    yield (
        f"evidence {shown['evidence']:,.2f} with {shown['freedom']:.3g} degrees of freedom,"
        f" {shown['needed']:,.0f} keeps this try;"
        f" {shown['spent']:.0%} of the error budget of {look.control} is spent"
    )
    if shown["far"]:
        names = counted(len(shown["far"]), "seed")
        yield f"{names} far from the others: {', '.join(shown['far'])}; look at their trainings"
    if shown["word"] in ("SMALL", "DISCARD"):
        yield f"it gains less than {shown['least']:.2f}, the least gain that counts beside these seeds"
    elif shown["word"] == "OPEN" and (shown["low"] or 0) <= 0 < shown["evidence"] - shown["needed"]:
        yield "above 0 on these pairs; on others it is not shown, and more seeds need not show it"
    elif shown["word"] == "OPEN" and shown["ends"] is None:
        gain = f"; {FURTHER} more show a mean of {signed(shown['shows'])}" if shown["shows"] else ""
        yield f"seeds like these would not decide it{gain}"
    elif shown["word"] == "OPEN":
        more = counted(shown["ends"] - seeds, "more seed")
        yield f"{more} like these would decide it: --seeds {shown['ends']}"
    elif shown["ends"] < seeds:
        yield f"so it was after {shown['ends']} seeds"
    if look.doubted:
        ours, theirs = look.sides()[:, look.doubted :]
        alone = signed(float((ours - theirs).mean()))
        yield f"the {counted(len(ours), 'new seed')} alone, by which nothing was chosen: {alone} points"
    if gain := look.opened:
        ends = interval(gain["low"], gain["high"])
        count = f"95 % interval over {gain['seeds']:g} seeds"
        yield f"on the test sets: {signed(gain['difference'])} points {ends}, {count}"
    elif shown["word"] == "KEEP":
        yield "the test sets are closed: --open opens them, once"
    names = ", ".join(f"{name} {own:,} of {of:,}" for name, (own, of) in parts.items())
    error = f"; they cause an error of {shown['items']:.2f}" if look.drawn else ""
    yield f"development pairs that stand in no test set: {names}{error}"
