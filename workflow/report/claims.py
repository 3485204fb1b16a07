"""The papers' claims beside our verdicts: the first section of the page."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from semblance.counts import counted
from semblance.reporting.claims_page import LEDGER, by_reason, headline
from semblance.reporting.judging import Judgement
from semblance.statistics.verdicts import FROM_WORST, Verdict

# A verdict is shown by its words and by a shape, never by colour alone.
SIGNS: dict[Verdict, str] = {
    "reproduced": "✓",
    "larger than claimed": "↑",
    "smaller than claimed": "↓",
    "far smaller than claimed": "⇊",
    "no difference": "=",
    "a little the other way": "↙",
    "the other way": "←",
    "contradicted": "✗",
    "undecided": "?",
    "yes": "▲",
    "equal": "≈",
    "no": "▼",
    "open": "○",
    "below no training": "⊥",
    "cannot be asked here": "∅",
    "not run": "–",
}
WIDTH = 160  # of a bar, in its own units
EDGE = 6  # room for a dot, or for the arrow of an interval that reaches further


@dataclass(frozen=True)
class Bar:
    """The scale of the bars of a group: so many points to both sides of the 0 in the middle."""

    reach: float

    def place(self, value: float) -> float:
        """Return where a difference is drawn: at the edge if it lies beyond it."""
        inner = WIDTH / 2 - EDGE
        return round(WIDTH / 2 + inner * min(max(value / self.reach, -1), 1), 1)


@dataclass(frozen=True)
class Claims:
    """The section: a summary, the claims with a verdict, and by reason what those without say."""

    headline: str
    counts: dict[str, int]
    summary: str
    groups: list[tuple[str, Bar, list[Judgement]]]
    not_run: dict[str, list[str]]
    signs = SIGNS


def section(judgements: Iterable[Judgement]) -> Claims:
    """Return the section of these verdicts: those on the papers' claims, then our questions."""
    judgements = list(judgements)
    judged = [found for found in judgements if found.is_judged]
    others = [found for found in judgements if not found.is_judged]
    of_papers = [one for one in judged if not one.claim.is_question]
    of_all = counted(len({one.name for one in judgements}), "claim")
    names = {one.name for one in judged}
    verdicts = f"{counted(len(judged), 'verdict')} on {len(names)} of {of_all}"
    return Claims(
        headline=headline(of_papers),
        counts=_counts(of_papers),
        summary=f"{verdicts}. Rules of verdicts: version {LEDGER}.",
        groups=[(name, _bar(found), found) for name, found in _by_paper(judged).items()],
        not_run=by_reason(others, lambda one: f"{one.says} ({one.claim.source})"),
    )


def _counts(judged: list[Judgement]) -> dict[str, int]:
    """Return how many judgements have each verdict, the best first; one with a word for itself."""
    order = FROM_WORST[::-1]
    counts = Counter((order.index(one.verdict), one.verdict + one.word) for one in judged)
    return {verdict: counts[place, verdict] for place, verdict in sorted(counts)}


def _by_paper(judged: list[Judgement]) -> dict[str, list[Judgement]]:
    """Return the verdicts by paper, those on questions of ours last."""
    judgements_of: dict[str, list[Judgement]] = {}
    for one in sorted(judged, key=lambda one: one.claim.is_question):
        name = "Our questions" if one.claim.is_question else one.claim.source.split()[0]
        judgements_of.setdefault(name, []).append(one)
    return judgements_of


def _bar(group: list[Judgement]) -> Bar:
    """Return the one scale on which each difference of a group, ours or the paper's, has its place."""
    sizes = [size for one in group for size in (one.difference, one.size, one.margin) if size]
    return Bar(max(map(abs, sizes), default=1.0))
