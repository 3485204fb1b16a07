"""The verdicts on the papers' claims, as CSV (unrounded) and as a page to read."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import astuple
from typing import get_args

from semblance.counts import counted, signed
from semblance.files import rows_csv
from semblance.reporting.formats import escape_markdown, markdown_line
from semblance.reporting.judgement import Judgement
from semblance.statistics.verdicts import CANNOT, NOT_RUN, Family

LEDGER = 7  # the version of the rules of verdicts; docs/decisions.md dates each change
# The columns of the CSV: those of the claim, of the judgement, of our sum, of that by the mean.
OF_CLAIM = ("claim", "says", "source", "expects", "table", "column", "rows", "rivals")
OF_JUDGEMENT = tuple(
    "reading size margin verdict others_say stand_in seeds_needed floor why base corpus protocol against n".split()
)
OF_TOTAL = tuple(
    "missing far test difference low high p p_holm items seeds_low seeds_high p_exact sd".split()
)
OF_MEAN = ("by_mean", "by_mean_low", "by_mean_high", "by_mean_word")
HEADER = [
    "| claim | paper | ours [95 % interval] | n | verdict | on | source |",
    "| --- | ---: | ---: | ---: | --- | --- | --- |",
]
# What the interval decides: of a paper's difference by where it lies, of no difference, of a question.
RULES = {
    "above": "Above 0: “reproduced”, it holds the paper's size; “smaller than "
    "claimed”, it ends below that size; “far smaller than claimed”, it lies within the margin, which is "
    "at most half of that size; “larger than claimed”, it begins beyond that size and the margin.",
    "both": "With 0 in it: “no difference”, it lies within the margin; “undecided”, it is wider.",
    "below": "Below 0: “a little the other way”, it lies within the margin; “contradicted”, beyond it; "
    "“the other way”, partly.",
    "none": "“reproduced”, within the margin; “contradicted”, beyond it.",
    "question": "“yes” (above 0), “no” (below it), “equal” (0 in it, within the margin) or “open”.",
}
READING = (
    f"Rules of verdicts, version {LEDGER}. Each claim is a difference of rows of one of our tables, in "
    "points, written so that it is above 0 where the claim is right; ours is paired by seed, and its "
    "interval is over other seeds and, unless the line says that the test items are held fixed, over "
    "other test items (docs/statistics.md says how). Beside a line on an average of STS tasks stands "
    "the same sum by the mean of each task's subsets. No "
    "paper prints a size by that mean: the claim's size stands for both. “stand-in”: with "
    "other data or models than the "
    "paper's, so that the verdict is on ours and not on the paper. Each verdict stands for itself: it "
    "errs with 2.5 % on either side, and of many some will.\n\n**Verdicts** on a "
    f"paper's claim, by that interval. {RULES['above']} {RULES['both']} {RULES['below']} "
    "Nothing is within a margin with fewer than three seeds. Of a claim that there is no difference, "
    f"or no gain: {RULES['none']} “open, seed N is far”: a "
    "seed lies far from the others, and up to five seeds cannot tell luck from failure; with more the "
    "exact test decides. “below no training”: on a stand-in, a row without a training is above all "
    "trained ones. A claim about every rival, or about so many of several columns, is decided by the "
    "worst of those that must hold, and each end of its interval is corrected for their number; so is "
    "that of a claim which is judged under both forms of Eq. 2, for two.\n\n"
    "**Words beside a verdict** say where the sum and that by the mean of subsets part: “between "
    "subsets”, the difference of the two has an interval without 0; “open by "
    "mean”, it has not, but the mean does not show the same. "
    "“cannot be asked here”: this run lacks what the claim is about. “not run”: a table or a value is "
    f"missing. Questions of ours, which nobody claimed, are answered {RULES['question']}"
)


def claims_csv(judgements: list[Judgement]) -> str:
    """Return one line a judgement, unrounded; empty: does not apply."""
    return rows_csv((*OF_CLAIM, *OF_JUDGEMENT, *OF_TOTAL, *OF_MEAN), map(claim_row, judgements))


def claim_row(found: Judgement) -> dict[str, object]:
    """Return the line of a judgement by its columns; what does not apply is None or left out."""
    claim, total = found.claim, found.total
    row = {name: getattr(found, name) for name in OF_JUDGEMENT}
    row |= {name: getattr(found, name) for name in ("difference", "low", "high", "p", "p_holm")}
    row |= {"far": " ".join(found.far), "items": bool(total and total.of_both)}
    if total:
        row |= {"missing": " ".join(total.missing), "test": total.test, "p_exact": total.p_exact}
    if total and total.estimate:
        low, high = found.among.interval(total.estimate)
        row |= {"seeds_low": float(low), "seeds_high": float(high), "sd": found.sd}
    if found.by_mean:
        row |= zip(OF_MEAN, astuple(found.by_mean), strict=True)
    return row | {
        "claim": found.name,
        "says": found.says,
        "source": claim.source,
        "expects": claim.kind,
        "table": claim.table,
        "column": found.column,
        "rows": " ".join(f"{term.weight:+g}*{name}" for name, term in claim.rows.items()),
        "rivals": " ".join(claim.rivals),
    }


def claims_markdown(judgements: list[Judgement]) -> str:
    """Return a summary, how to read the page, and each claim: first those that have a verdict."""
    judged = [found for found in judgements if found.is_judged]
    counts = Counter(of_stand_in(found, found.verdict + found.word) for found in judged)
    summary = ", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items()))
    without = len(judgements) - len(judged)
    text = f"{counted(len(judged), 'verdict')}: {summary or 'none'}. {without} have none."
    of_papers = [found for found in judged if not found.claim.is_question]
    parts = ["# The papers' claims", *filter(None, [headline(of_papers)]), text, READING]
    questions = [found for found in judged if found.claim.is_question]
    for titles, group in (([], of_papers), (["## Questions of ours"], questions)):
        if group:
            parts += [*titles, "\n".join([*HEADER, *map(_claim_line, group)])]
    for title, verdict in (("Cannot be asked here", CANNOT), ("Not run", NOT_RUN)):
        reasons = by_reason((one for one in judgements if one.verdict == verdict), _claim_and_place)
        if reasons:
            lines = [f"- {escape_markdown(why)}: {'; '.join(of)}." for why, of in reasons.items()]
            parts += [f"## {title}", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def headline(judged: list[Judgement]) -> str:
    """Return what to take home of the verdicts on the papers' claims; empty without any."""
    if not judged:
        return ""
    number = of_families(judged)["reproduced"]
    said = f"{number or 'None'} of {counted(len(judged), 'verdict')} on the papers' claims"
    stand_ins = sum(judgement.stand_in for judgement in judged)
    every = "all" if stand_ins == len(judged) else str(stand_ins)
    where = f", {every} on other models or data than the papers'" if stand_ins else ""
    return f"{said} {'say' if number > 1 else 'says'} “reproduced”{where}."


def of_families(judged: Iterable[Judgement]) -> dict[Family, int]:
    """Return how many verdicts each family has, the best first."""
    counts = Counter(judgement.family for judgement in judged)
    return {family: counts[family] for family in get_args(Family)}


def by_reason(
    judgements: Iterable[Judgement], text: Callable[[Judgement], str]
) -> dict[str, list[str]]:
    """Return for each reason the claims that have no verdict by it, each once."""
    reasons: dict[str, dict[str, None]] = {}
    for one in judgements:
        reasons.setdefault(one.why, {})[text(one)] = None
    return {why: list(claims) for why, claims in reasons.items()}


def _claim_and_place(found: Judgement) -> str:
    """Return what is claimed and where, with the paper's size if it prints one."""
    where = ", ".join(filter(None, (found.claim.source, signed(found.size))))
    return escape_markdown(f"{found.says} ({where})")


def _claim_line(found: Judgement) -> str:
    cells = [
        found.says,
        signed(found.size),
        f"{signed(found.difference, found.digits)} {found.interval}".strip(),
        str(found.n or ""),
        "; ".join([of_stand_in(found, found.shown_verdict), *found.remarks]),
        f"{found.claim.table}: {found.base}, {found.corpus}, {found.protocol}",
        found.claim.source + (f": “{found.claim.quote}”" if found.claim.quote else ""),
    ]
    return markdown_line(cells)


def of_stand_in(found: Judgement, verdict: str) -> str:
    """Return a verdict, marked where it is on a stand-in."""
    return f"stand-in: {verdict}" if found.stand_in else verdict
