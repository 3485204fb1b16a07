"""The papers' claims beside our verdicts: the first section of the page."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from semblance.counts import counted
from semblance.reporting.claims_page import LEDGER
from semblance.reporting.judging import Judgement
from semblance.reporting.verdicts import CANNOT, NOT_RUN, Verdict

# A verdict is shown by its words and by a shape, never by colour alone.
SIGNS: dict[Verdict, str] = {
    "reproduced": "✓",
    "larger than claimed": "↑",
    "smaller than claimed": "↓",
    "none within the margin": "=",
    "contradicted": "✗",
    "undecided": "?",
    "yes": "▲",
    "equal": "≈",
    "no": "▼",
    "open": "○",
    "cannot be asked here": "∅",
    "not run": "–",
}
WITHOUT = (NOT_RUN, CANNOT)  # verdicts that say nothing about a difference
WIDTH = 160  # of a bar, in its own units
EDGE = 3  # what lies further out is drawn here, as an arrow
ZERO = 48  # where a claimed difference has its 0
SIZE = 112  # and the paper's size
CENTRE = 80  # where a claim of no difference has its 0
MARGIN = 36  # how far its margin lies from there


@dataclass(frozen=True)
class Bar:
    """The scale of a small bar: where 0 lies, and how wide a point is; it differs by claim."""

    zero: float
    unit: float

    def place(self, value: float) -> float:
        """Return where a difference is drawn: at the edge if it lies beyond it."""
        return round(min(max(self._exact(value), EDGE), WIDTH - EDGE), 1)

    def is_below(self, value: float) -> bool:
        """Tell whether a difference lies beyond the left edge."""
        return self._exact(value) < EDGE

    def is_above(self, value: float) -> bool:
        """Tell whether a difference lies beyond the right edge."""
        return self._exact(value) > WIDTH - EDGE

    def _exact(self, value: float) -> float:
        return self.zero + self.unit * value


@dataclass(frozen=True)
class Claims:
    """The section: a summary, the claims with a verdict, and by reason what those without say."""

    summary: str
    lines: list[tuple[Judgement, Bar | None]]
    not_run: dict[str, list[str]]
    signs = SIGNS


def section(judgements: Iterable[Judgement]) -> Claims:
    """Return the section of these verdicts: those on the papers' claims, then our questions."""
    judgements = list(judgements)
    judged = [found for found in judgements if found.verdict not in WITHOUT]
    not_run: dict[str, dict[str, None]] = {}
    for found in judgements:
        if found.verdict in WITHOUT:
            not_run.setdefault(found.why, {})[f"{found.says} ({found.claim.source})"] = None
    return Claims(
        summary=_summed_up(judgements, judged),
        lines=[(one, _bar(one)) for one in sorted(judged, key=lambda one: one.claim.is_question)],
        not_run={why: list(claims) for why, claims in not_run.items()},
    )


def _summed_up(judgements: list[Judgement], judged: list[Judgement]) -> str:
    counts = Counter(found.verdict for found in judged)
    verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in SIGNS if counts[verdict])
    names = {found.name for found in judgements}
    without = len(names - {found.name for found in judged})
    text = f"{counted(len(names), 'claim')}: {counted(len(judged), 'verdict')}"
    if verdicts:
        text += f" ({verdicts})"
    text += f", {without} without. Rules of verdicts: version {LEDGER}."
    stand_ins = sum(found.stand_in for found in judged)
    if stand_ins:
        text += f" {stand_ins} of the verdicts are on stand-ins, and not on the papers."
    return text


def _bar(found: Judgement) -> Bar | None:
    """Return the bar of a verdict; None where there is no difference, or nothing to scale it by."""
    if found.difference is None:
        return None
    if found.claim.expects == "difference" and found.size:
        return Bar(ZERO, (SIZE - ZERO) / abs(found.size))
    return Bar(CENTRE, MARGIN / found.margin) if found.margin else None
