"""The papers' claims beside our verdicts: the first section of the page."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from semblance.counts import counted
from semblance.reporting.claims_page import LEDGER, by_reason, headline, of_families
from semblance.reporting.grids import NAMES
from semblance.reporting.judgement import Judgement
from semblance.statistics.verdicts import FROM_WORST, Family
from workflow.report.bars import Mark, Scale, scale_of

# Each verdict has a sign of its own, and one of five looks, which differ by fill, stripes and outline,
# not by colour alone: so they can be told apart in a grey print, too.
LOOKS: dict[str, tuple[str, str]] = {
    "reproduced": ("✓", "held"),
    "larger than claimed": ("↑", "held"),
    "smaller than claimed": ("↓", "less"),
    "far smaller than claimed": ("⇊", "less"),
    "no difference": ("=", "none"),
    "a little the other way": ("↙", "against"),
    "the other way": ("←", "against"),
    "contradicted": ("✗", "against"),
    "undecided": ("?", "open"),
    "yes": ("▲", "held"),
    "equal": ("≈", "none"),
    "no": ("▼", "against"),
    "open": ("○", "open"),
    "below no training": ("⊥", "open"),
    "cannot be asked here": ("∅", "open"),
    "not run": ("–", "open"),
}
PILLS: dict[Family, str] = {"reproduced": "held", "partly": "less", "no": "against", "open": "open"}
OF_QUESTIONS = "Our questions"
GAIN, MARGIN = "the paper's gain", "the margin"
# What a scale shows in its unit, whatever we have: none, the paper's gain; the margin on both sides.
ALWAYS = {GAIN: (-0.5, 1.5), MARGIN: (-1.5, 1.5)}


class Line(NamedTuple):
    """A verdict on one metric and one reading of a claim, and its bar, in the unit of its group.

    ``alike``: of other readings, whose intervals overlap with this one's: this verdict is the worst.
    """

    judgement: Judgement
    part: str
    mark: Mark | None
    margin: float
    alike: tuple[Judgement, ...] = ()


@dataclass(frozen=True)
class Group:
    """Claims whose differences are drawn in one unit; ``claims``: the lines of each."""

    name: str
    unit: str
    scale: Scale
    claims: list[list[Line]]


@dataclass(frozen=True)
class Claims:
    """The section: a summary, the claims with a verdict, and by reason what those without say."""

    headline: str
    finding: str
    counts: dict[Family, int]
    groups: list[Group]
    all_stand_ins: bool
    not_run: dict[str, list[str]]
    looks = LOOKS
    ledger = LEDGER


def section(judgements: Iterable[Judgement]) -> Claims:
    """Return the section of these verdicts: those on the papers' claims, then our questions."""
    judgements = list(judgements)
    judged = [one for one in judgements if one.is_judged]
    others = [one for one in judgements if not one.is_judged]
    of_papers = [one for one in judged if not one.claim.is_question]
    return Claims(
        headline=headline(of_papers),
        finding=_finding(judged, len({one.name for one in judgements})),
        counts=of_families(of_papers),
        groups=_groups(judged),
        all_stand_ins=all(one.stand_in for one in judged),
        not_run=by_reason(others, lambda one: f"{one.says} ({one.claim.source})"),
    )


def _finding(judged: list[Judgement], of: int) -> str:
    """Return the heading: the most frequent verdict."""
    if not of:
        return "No verdicts: these data are made by hand"
    if not judged:
        return f"None of {counted(of, 'claim')} has a verdict yet"
    counts = Counter(one.verdict for one in judged)
    most = max(counts.values())
    verdicts = " or ".join(f"“{verdict}”" for verdict in counts if counts[verdict] == most)
    names = len({one.name for one in judged})
    on = f"{counted(len(judged), 'verdict')}, on {names} of {counted(of, 'claim')},"
    return f"The most frequent of {on} is {verdicts}: {most}"


def _groups(judged: list[Judgement]) -> list[Group]:
    """Return the claims by paper and unit, our questions last."""
    groups: dict[tuple[str, str], dict[tuple, list[Line]]] = {}
    for one in sorted(judged, key=lambda one: one.claim.is_question):
        name = OF_QUESTIONS if one.claim.is_question else one.claim.source.split()[0]
        unit = GAIN if one.claim.expects == "difference" and one.size else MARGIN
        claims = groups.setdefault((name, unit), {})
        claim = (one.name, one.base, one.corpus, one.protocol)
        claims.setdefault(claim, []).append(_line(one, unit))
    groups = {key: {c: _joined(lines) for c, lines in of.items()} for key, of in groups.items()}
    shown = []
    for (name, unit), claims in groups.items():
        marks = [line.mark for lines in claims.values() for line in lines if line.mark]
        shown.append(Group(name, unit, scale_of(marks, ALWAYS[unit]), list(claims.values())))
    return shown


def _joined(lines: list[Line]) -> list[Line]:
    """Return the lines of a claim, those of readings whose intervals overlap as one."""
    joined: list[Line] = []
    for line in lines:
        last = joined[-1] if joined else None
        if last is None or not _is_alike(last.judgement, line.judgement):
            joined.append(line)
            continue
        worse, better = sorted(
            (last, line), key=lambda one: FROM_WORST.index(one.judgement.verdict)
        )
        part = f"{worse.part.removesuffix(' form')} and {better.judgement.reading} form"
        joined[-1] = worse._replace(part=part, alike=(*last.alike, better.judgement))
    return joined


def _is_alike(one: Judgement, other: Judgement) -> bool:
    """Tell whether two verdicts are on readings of one claim in a column, and their intervals overlap."""
    ends = (one.low, one.high, other.low, other.high)
    if one.column != other.column or not other.reading or None in ends:
        return False
    return max(one.low, other.low) <= min(one.high, other.high)


def _line(one: Judgement, unit: str) -> Line:
    """Return the line of a judgement: its numbers as multiples of the unit."""
    points = (one.size if unit == GAIN else one.margin) or 1.0
    mark = None
    if one.difference is not None:
        ends = (None if end is None else end / points for end in (one.low, one.high))
        mark = Mark(one.difference / points, *ends)
    part = NAMES.get(one.column, one.column)
    if one.claim.at_least:
        part = f"{one.claim.at_least} of {len(one.claim.columns)} tasks"
    if one.reading:
        part += f", {one.reading} form"
    return Line(one, part, mark, (one.margin or 0.0) / points)
