"""The verdicts on the papers' claims, as CSV (unrounded) and as a page to read."""

import csv
import io
from collections import Counter

from semblance.counts import counted
from semblance.reporting.formats import escape_markdown
from semblance.reporting.judging import Judgement
from semblance.reporting.verdicts import CANNOT, NOT_RUN

LEDGER = 3  # the version of the rules of verdicts; docs/decisions.md dates each change
OF_JUDGEMENT = (  # the columns of the CSV behind the claim's own
    "size",
    "margin",
    "verdict",
    "stand_in",
    "seeds_needed",
    "why",
    "base",
    "corpus",
    "protocol",
    "against",
    "n",
    "missing",
    "far",
    "test",
    "difference",
    "low",
    "high",
    "p",
    "items",
    "seeds_low",
    "seeds_high",
    "p_exact",
    "sd",
)
OF_CLAIM = ("claim", "says", "source", "expects", "table", "column", "rows", "rivals")
HEADER = [
    "| claim | paper | ours [95 % interval] | n | verdict | on | source |",
    "| --- | ---: | ---: | ---: | --- | --- | --- |",
]
READING = (
    f"Rules of verdicts, version {LEDGER}. Each claim is a difference of rows of one of our tables, in "
    "points, written so that it is above 0 where the claim is right; ours is paired by seed, and its "
    "interval is over other seeds and, unless the line says that the test items are held fixed, over "
    "other test items (docs/statistics.md says how). Verdicts on a "
    "paper's claim: “none within the margin”, two one-sided tests show less than the margin, which is "
    "at most half of the paper's size, whatever the sign; “reproduced”, the interval lies above 0 and "
    "holds the paper's size; “smaller than claimed”, it lies above 0 and ends below that size; “larger "
    "than claimed”, it begins beyond that size and the margin; “contradicted”, it lies below 0; "
    "“undecided”, none of these. Of a claim that there is no difference, or no gain: “reproduced”, "
    "within the margin; “contradicted”, beyond it. A claim about every rival, or about so many of "
    "several columns, is decided by the worst of those that must hold, and each end of its interval is "
    "corrected for their number. "
    "“cannot be asked here”: this run lacks what the claim is about. “not run”: a table or a value is "
    "missing. Questions of ours, which nobody claimed, are answered “yes”, “no”, “equal” (within the "
    "margin) or “open”. “stand-in”: with other data or models than the paper's, so that the verdict is "
    "on ours and not on the paper. Each verdict stands for itself: it errs with 2.5 % on either side, "
    "and of many some will."
)


def claims_csv(judgements: list[Judgement]) -> str:
    """Return one line a judgement, values by ``repr``; empty: does not apply."""
    lines = [(*OF_CLAIM, *OF_JUDGEMENT)]
    for found in judgements:
        values = [_field(getattr(found, name)) for name in OF_JUDGEMENT]
        lines.append((*_of_claim(found), *values))
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(lines)
    return buffer.getvalue()


def _field(value: object) -> object:
    if isinstance(value, tuple):
        return " ".join(value)
    return "" if value is None else value


def _of_claim(found: Judgement) -> tuple[str, ...]:
    claim = found.claim
    rows = " ".join(f"{part.weight:+g}*{method}" for method, part in claim.rows.items())
    rivals = " ".join(claim.rivals)
    expects = "question" if claim.is_question else claim.expects
    return found.name, found.says, claim.source, expects, claim.table, found.column, rows, rivals


def claims_markdown(judgements: list[Judgement]) -> str:
    """Return a summary, how to read the page, and each claim: first those that have a verdict."""
    asked = [found for found in judgements if found.verdict not in (NOT_RUN, CANNOT)]
    counts = Counter(map(_shown_verdict, asked))
    summary = ", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items()))
    if not summary:
        summary = "none"
    text = f"{counted(len(asked), 'verdict')}: {summary}. {len(judgements) - len(asked)} have none."
    parts = ["# The papers' claims", text, READING]
    of_papers = [found for found in asked if not found.claim.is_question]
    questions = [found for found in asked if found.claim.is_question]
    for title, group in (("", of_papers), ("## Questions of ours", questions)):
        if group:
            parts += [title] if title else []
            parts.append("\n".join([*HEADER, *map(_claim_line, group)]))
    for title, verdict in (("Cannot be asked here", CANNOT), ("Not run", NOT_RUN)):
        parts += _without(title, [found for found in judgements if found.verdict == verdict])
    return "\n\n".join(parts) + "\n"


def _without(title: str, judgements: list[Judgement]) -> list[str]:
    """Return a section that names, for each reason, the claims that have no verdict by it."""
    by_reason: dict[str, dict[str, None]] = {}
    for found in judgements:
        by_reason.setdefault(found.why, {})[_claimed(found)] = None
    if not by_reason:
        return []
    lines = [f"- {escape_markdown(why)}: {'; '.join(claims)}." for why, claims in by_reason.items()]
    return [f"## {title}", "\n".join(lines)]


def _claimed(found: Judgement) -> str:
    """Return what is claimed and where, with the paper's size if it prints one."""
    size = "" if found.size is None else f", {found.size:+z.2f}"
    return escape_markdown(f"{found.says} ({found.claim.source}{size})")


def _claim_line(found: Judgement) -> str:
    cells = [
        found.says,
        "" if found.size is None else f"{found.size:+z.2f}",
        _ours(found),
        str(found.n or ""),
        "; ".join([_shown_verdict(found), *found.remarks]),
        f"{found.claim.table}: {found.base}, {found.corpus}, {found.protocol}",
        found.claim.source,
    ]
    return f"| {' | '.join(map(escape_markdown, cells))} |"


def _ours(found: Judgement) -> str:
    if found.difference is None:
        return ""
    shown = f"+z.{found.digits}f"
    if found.low is None:
        return f"{found.difference:{shown}}"
    return f"{found.difference:{shown}} [{found.low:{shown}}, {found.high:{shown}}]"


def _shown_verdict(found: Judgement) -> str:
    if found.stand_in:
        return f"stand-in: {found.verdict}"
    return found.verdict
