"""The verdicts on the papers' claims, as CSV (unrounded) and as a page to read."""

import csv
import io
from collections import Counter

from semblance.counts import counted
from semblance.reporting.formats import escape_markdown
from semblance.reporting.judging import Judgement
from semblance.reporting.verdicts import NOT_RUN, UNDECIDED

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
    "n",
    "test",
    "difference",
    "low",
    "high",
    "p",
    "sd",
)
OF_CLAIM = ("claim", "says", "source", "expects", "table", "column", "rows")
HEADER = [
    "| claim | paper | ours [95 % interval] | n | verdict | on | source |",
    "| --- | ---: | ---: | ---: | --- | --- | --- |",
]
READING = (
    "Each claim is a difference of rows of one of our tables, in points, written so that it is above "
    "0 where the claim is right; ours is paired by seed, and docs/statistics.md says how. Verdicts: "
    "“reproduced”, the interval lies above 0 and does not end below the paper's size; “smaller than "
    "claimed”, it lies above 0 and ends below that size; “none within the margin”, it holds 0, and two "
    "one-sided tests show less than the margin, which is at most half of the paper's size; "
    "“contradicted”, it lies below 0; “undecided”, none of these, with the seeds that would decide "
    "it; “not run”, a table or a value is missing. Of a claim that there is no difference: "
    "“reproduced”, within the margin; “contradicted”, beyond it. “stand-in”: with other data or models "
    "than the paper's, so that the verdict is on ours and not on the paper. Each verdict stands for "
    "itself: it errs with 2.5 % on either side, and of many some will."
)


def claims_csv(judgements: list[Judgement]) -> str:
    """Return one line a judgement, values by ``repr``; empty: does not apply."""
    lines = [(*OF_CLAIM, *OF_JUDGEMENT)]
    for found in judgements:
        values = [getattr(found, name) for name in OF_JUDGEMENT]
        lines.append((*_of_claim(found), *("" if value is None else value for value in values)))
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(lines)
    return buffer.getvalue()


def _of_claim(found: Judgement) -> tuple[str, ...]:
    claim = found.claim
    rows = " ".join(f"{part.weight:+g}*{method}" for method, part in claim.rows.items())
    return (
        found.name,
        claim.says,
        claim.source,
        claim.expects,
        claim.table,
        claim.column,
        rows,
    )


def claims_markdown(judgements: list[Judgement]) -> str:
    """Return a summary, how to read the page, and each claim: first those that have a verdict."""
    counts = Counter(_shown_verdict(found) for found in judgements)
    summary = ", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items()))
    parts = ["# The papers' claims", f"{counted(len(judgements), 'verdict')}: {summary}.", READING]
    judged = [found for found in judgements if found.verdict != NOT_RUN]
    if judged:
        parts.append("\n".join([*HEADER, *map(_claim_line, judged)]))
    return "\n\n".join([*parts, *_not_run(judgements)]) + "\n"


def _not_run(judgements: list[Judgement]) -> list[str]:
    """Return a section that names, for each reason, the claims that have no verdict by it."""
    by_reason: dict[str, list[str]] = {}
    for found in judgements:
        if found.verdict == NOT_RUN:
            by_reason.setdefault(found.why, []).append(_claimed(found))
    if not by_reason:
        return []
    lines = [f"- {escape_markdown(why)}: {'; '.join(by_reason[why])}." for why in by_reason]
    return ["## Not run", "\n".join(lines)]


def _claimed(found: Judgement) -> str:
    """Return what is claimed and where, with the paper's size if it prints one."""
    size = ""
    if found.size is not None:
        size = f", {found.size:+z.2f}"
    return escape_markdown(f"{found.claim.says} ({found.claim.source}{size})")


def _claim_line(found: Judgement) -> str:
    cells = [
        found.claim.says,
        "" if found.size is None else f"{found.size:+z.2f}",
        _ours(found),
        str(found.n or ""),
        _shown_verdict(found) + _remark(found),
        _where(found),
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
    if found.stand_in and found.verdict != NOT_RUN:
        return f"stand-in: {found.verdict}"
    return found.verdict


def _remark(found: Judgement) -> str:
    """Return what stands behind a verdict: the seeds that it would take, or the reason."""
    if found.seeds_needed:
        return f" ({counted(found.seeds_needed, 'seed')} would decide)"
    if found.verdict == UNDECIDED and not found.why:
        return " (more than 10,000 seeds would decide)"
    if found.why:
        return f" ({found.why})"
    return ""


def _where(found: Judgement) -> str:
    if not found.base:
        return found.claim.table
    return f"{found.claim.table}: {found.base}, {found.corpus}, {found.protocol}"
