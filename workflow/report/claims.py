"""The papers' claims beside our verdicts: the first section of the page."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from semblance.counts import counted
from semblance.reporting.claims_page import LEDGER
from semblance.reporting.judging import Judgement
from semblance.reporting.verdicts import CANNOT, NOT_RUN, Verdict
from workflow.report import numbers

SIGNS: dict[
    Verdict, str
] = {  # a verdict is told by its words and by a shape, never by colour alone
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
    """Places on a small bar: our difference and interval, 0, the paper's size, the margin."""

    zero: float
    value: float
    low: float | None = None
    high: float | None = None
    size: float | None = None
    margin: tuple[float, float] | None = None
    beyond_low: bool = False
    beyond_high: bool = False
    value_beyond: bool = False  # then neither our difference nor the size has a place of its own
    size_beyond: bool = False


@dataclass(frozen=True)
class ClaimLine:
    """One claim as it is printed."""

    says: str
    source: str
    size: str
    difference: str
    interval: str
    n: int
    verdict: Verdict
    sign: str
    stand_in: bool
    remark: str
    place: str
    bar: Bar | None


@dataclass(frozen=True)
class NotRun:
    """Claims that have no verdict for one reason."""

    why: str
    claims: tuple[str, ...]


@dataclass(frozen=True)
class Claims:
    """The section: a summary, the claims with a verdict, and those without."""

    summary: str
    lines: list[ClaimLine]
    not_run: list[NotRun]


def section(judgements: Iterable[Judgement]) -> Claims:
    """Return the section of these verdicts: those on the papers' claims, then our questions."""
    judgements = list(judgements)
    judged = [found for found in judgements if found.verdict not in WITHOUT]
    return Claims(
        summary=_summed_up(judgements, judged),
        lines=[_claim_line(found) for found in sorted(judged, key=_is_question)],
        not_run=_not_run(judgements),
    )


def _is_question(found: Judgement) -> bool:
    return found.claim.is_question


def _summed_up(judgements: list[Judgement], judged: list[Judgement]) -> str:
    counts = Counter(found.verdict for found in judged)
    told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in SIGNS if counts[verdict])
    names = {found.name for found in judgements}
    decided = {found.name for found in judged}
    text = f"{counted(len(names), 'claim')}: {counted(len(judged), 'verdict')}"
    if told:
        text += f" ({told})"
    text += f", {len(names - decided)} without. Rules of verdicts: version {LEDGER}."
    stand_ins = sum(found.stand_in for found in judged)
    if stand_ins:
        text += f" {stand_ins} of the verdicts are on stand-ins, and not on the papers."
    return text


def _claim_line(found: Judgement) -> ClaimLine:
    return ClaimLine(
        says=found.says,
        source=found.claim.source,
        size=numbers.signed(found.size),
        difference=numbers.signed(found.difference, found.digits),
        interval=numbers.interval(found.low, found.high, found.digits),
        n=found.n,
        verdict=found.verdict,
        sign=SIGNS[found.verdict],
        stand_in=found.stand_in,
        remark="; ".join(found.remarks),
        place=f"{found.claim.table}: {found.base}, {found.corpus}, {found.protocol}",
        bar=_bar(found),
    )


def _bar(found: Judgement) -> Bar | None:
    """Return the bar of a verdict; None where there is no difference, or nothing to scale it by."""
    if found.difference is None:
        return None
    expects_none = found.claim.expects != "difference"
    if expects_none or not found.size:
        if not found.margin:
            return None
        scale = _Scale(CENTRE, MARGIN / found.margin)
    else:
        scale = _Scale(ZERO, (SIZE - ZERO) / abs(found.size))
    return Bar(
        zero=scale.zero,
        value=scale.place(found.difference),
        low=scale.place_or_none(found.low),
        high=scale.place_or_none(found.high),
        size=scale.place_or_none(found.size),
        margin=scale.margin(found.margin),
        beyond_low=scale.is_below(found.difference if found.low is None else found.low),
        beyond_high=scale.is_above(found.difference if found.high is None else found.high),
        value_beyond=scale.is_below(found.difference) or scale.is_above(found.difference),
        size_beyond=scale.is_below(found.size) or scale.is_above(found.size),
    )


@dataclass(frozen=True)
class _Scale:
    """Where a difference lies on a bar, whose unit differs from claim to claim."""

    zero: float
    unit: float

    def place(self, value: float) -> float:
        return round(min(max(self._exact(value), EDGE), WIDTH - EDGE), 1)

    def place_or_none(self, value: float | None) -> float | None:
        if value is None:
            return None
        return self.place(value)

    def margin(self, value: float | None) -> tuple[float, float] | None:
        if not value:
            return None
        return self.place(-value), self.place(value)

    def is_below(self, value: float | None) -> bool:
        return value is not None and self._exact(value) < EDGE

    def is_above(self, value: float | None) -> bool:
        return value is not None and self._exact(value) > WIDTH - EDGE

    def _exact(self, value: float) -> float:
        return self.zero + self.unit * value


def _not_run(judgements: Iterable[Judgement]) -> list[NotRun]:
    by_reason: dict[str, list[str]] = {}
    for found in judgements:
        if found.verdict in WITHOUT:
            text = f"{found.says} ({found.claim.source})"
            by_reason.setdefault(found.why, []).append(text)
    return [NotRun(why, tuple(dict.fromkeys(claims))) for why, claims in by_reason.items()]
