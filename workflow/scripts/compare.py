"""Compare sets of scores that were made anywhere: is A better than B, or do they not differ?

Each set is a file, CSV or JSON, with the columns item and score, and if there are any task, seed and
cluster (items of one cluster are drawn together). With a column gold, a task's score is Spearman's
correlation of score and gold. A table with a row for each model is a set for each. Read as they are:
results of MTEB (tasks are the items), samples_*.jsonl of lm-evaluation-harness, trec_eval -q,
ir_measures -q, SimCSE's log. Higher is better, unless you say --lower-is-better.

Scores are paired by item, and by seed where the sets have the same seeds. The interval decides. It is
over other items, and over other seeds where there are several. Of two sets each task has a line, of
more the first set is set beside each other one; the intervals of these lines hold together with 95 %.
Scores between -1 and 1 are shown as points (100 times). docs/statistics.md explains each figure.

Exit status 0: there is an answer. 2: the sets cannot be compared; one line says why.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from semblance.counts import counted, interval, rounded, signed, text_table
from semblance.errors import InputError
from semblance.files import rows_csv, write_text
from semblance.reporting.compared import FEWEST, Difference, compare
from semblance.reporting.score_files import ScoreSet, read_sets
from workflow.scripts import cli
from workflow.terminal import painter

# Words of a column's name of which lower is mostly better, and which are asked about.
LOWER = re.compile(
    r"(?<![a-z])(loss|nll|error|[wct]er|perplexity|r?mse|mae|rank|(run)?time|latency)(?![a-z])",
    re.IGNORECASE,
)


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance compare", __doc__)
    flags.add_argument("sets", nargs="+", metavar="SCORES", help="two files or folders, or more")
    flags.add_argument("--score", default="", metavar="NAME", help="the column of the scores")
    flags.add_argument("--item", default="", metavar="NAME", help="the column of the items")
    flags.add_argument(
        "--lower-is-better",
        action=argparse.BooleanOptionalAction,
        help="of a loss, an error, a time; a column with such a name asks for one of the two",
    )
    flags.add_argument("--margin", type=float, default=0.5, help="what counts as equal (.5)")
    flags.add_argument("--json", action="store_true", help="print everything as JSON, unrounded")
    flags.add_argument("--csv", metavar="FILE", help="write the differences to FILE, unrounded")
    return flags


def main(argv: list[str] | None = None) -> None:
    args = parser().parse_args(argv)
    if args.lower_is_better is None and LOWER.search(args.score):
        advice = "say --lower-is-better, or --no-lower-is-better"
        raise InputError(f"--score {args.score}", "is lower better, or higher", advice)
    if not 0 < args.margin < float("inf"):
        raise InputError("--margin", f"{args.margin} is no margin", "give a number above 0")
    sets = [one for path in args.sets for one in read_sets(path, args.score, args.item)]
    if len(sets) < 2:
        raise InputError("semblance compare", "one set of scores", "name two or more")
    if len({one.name for one in sets}) < len(sets):
        for one in sets:
            one.name = one.place
    lower = bool(args.lower_is_better)
    differences = compare(sets, args.margin, lower_is_better=lower)
    rows = [asdict(one) for one in differences]
    notes = [f"{one.name}: {note}" for one in sets for note in one.notes] + list(other_data(sets))
    if args.csv:
        write_text(Path(args.csv), rows_csv(rows[0], rows))
    stated = {"differences": rows, "margin": args.margin, "lower_is_better": lower, "notes": notes}
    if args.json:
        print(json.dumps(stated))
        return
    said = answer(differences) + "; lower is better" * lower
    print(painter(sys.stdout)(said, "bold"), *notes, "", sep="\n")
    print(*lines_of(differences), sep="\n")


def other_data(sets: Sequence[ScoreSet]) -> Iterator[str]:
    """Say which tasks of MTEB were run on other data than in the first set."""
    first = sets[0]
    for other in sets[1:]:
        tasks = first.revisions.keys() & other.revisions.keys()
        odd = sorted(task for task in tasks if first.revisions[task] != other.revisions[task])
        if odd:
            said = " and ".join(f"{one.revisions[odd[0]]:.60}" for one in (first, other))
            yield f"other data in {other.name} than in {first.name}: {', '.join(odd)}: {said}"


def answer(differences: Sequence[Difference]) -> str:
    """Return the answer as one line."""
    last = differences[-1]
    others = {one.b for one in differences}
    if len(others) > 1:
        verdicts = Counter(one.verdict for one in differences)
        counts = ", ".join(f"{word} {of}" for word, of in verdicts.items())
        return f"{last.a} beside {len(others)} others: {counts}"
    points = " points" if last.points else ""
    sure = f"{signed(last.value)}{points} {interval(last.low, last.high)}".rstrip()
    equal = f"{last.a} and {last.b} do not differ (within ±{last.margin:g}): {sure}"
    if max(last.a_seeds, last.b_seeds) == 1:
        equal += "; nothing is said of other seeds"
    return {
        "better": f"{last.a} is better than {last.b}: {sure}",
        "worse": f"{last.a} is worse than {last.b}: {sure}",
        "no difference": equal,
        "undecided": f"undecided: {last.a} less {last.b} is {sure}; these scores would show a"
        f" difference of {rounded(last.detectable)} in 80 % of the cases",
        "no verdict": f"no verdict: {last.a} less {last.b} is {sure} on {counted(last.items, 'item')};"
        f" it takes {FEWEST} of each task, whose differences vary",
    }[last.verdict]


def lines_of(differences: Sequence[Difference]) -> list[str]:
    """Return a table: a line for each task of two sets, or for each set but the first."""
    several = len({one.b for one in differences}) > 1
    first = differences[0]
    lines = [["", first.a, "the other" if several else first.b, "difference [95 %]", "verdict"]]
    for one in differences:
        shown = f"{signed(one.value)} {interval(one.low, one.high)}"
        means = [rounded(mean) for mean in (one.a_mean, one.b_mean)]
        lines.append([one.b if several else one.column, *means, shown, one.verdict])
    return text_table(lines)
