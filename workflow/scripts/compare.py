"""Compare sets of scores that were made anywhere: is A better than B, or do they not differ?

Each set is a file, CSV or JSON lines, with the columns item and score, and if there are any task, seed
and cluster (items of one cluster are drawn together). With a column gold, a task's score is Spearman's
correlation of score and gold. Or it is a folder: results of MTEB (its tasks are the items), or
samples_*.jsonl of lm-evaluation-harness.

Scores are paired by item, and by seed where the sets have the same seeds. The interval decides. It is
over other items, and over other seeds where there are several. Of two sets each task has a line, of
more the first set is set beside each other one; the intervals of these lines hold together with 95 %.
Scores between -1 and 1 are shown as points (100 times). docs/statistics.md explains each figure.

Exit status 0: there is an answer. 2: the sets cannot be compared; one line says why.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from semblance.counts import interval, rounded, signed, text_table
from semblance.data.score_files import ScoreSet, read_set
from semblance.errors import InputError
from semblance.files import rows_csv, write_text
from semblance.reporting.compared import Compared, compare
from workflow.scripts import cli
from workflow.scripts.endings import run
from workflow.terminal import painter

MARGIN = 0.5  # as that of a table


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance compare", __doc__)
    flags.add_argument(
        "sets", nargs="+", metavar="SCORES", help="a file or folder of scores; two or more"
    )
    flags.add_argument("--score", default="score", metavar="NAME", help="the column of the scores")
    flags.add_argument(
        "--item", metavar="NAME", help="the column of the items (default: item, doc_id …)"
    )
    flags.add_argument(
        "--margin", type=float, default=MARGIN, help="what counts as equal (default: %(default)s)"
    )
    flags.add_argument("--json", action="store_true", help="print everything as JSON, unrounded")
    flags.add_argument("--csv", metavar="FILE", help="write the differences to FILE, unrounded")
    return flags


def main(argv: list[str] | None = None) -> None:
    args = parser().parse_args(argv)
    if len(args.sets) < 2:
        raise InputError("semblance compare", "one set of scores", "name two or more")
    if not 0 < args.margin < float("inf"):
        raise InputError("--margin", f"{args.margin} is no margin", "give a number above 0")
    sets = [read_set(path, args.item, args.score) for path in args.sets]
    if len({one.name for one in sets}) < len(sets):
        for one in sets:
            one.name = one.place
    compared = compare(sets, args.margin)
    rows = list(rows_of(compared))
    notes = list(other_data(sets))
    if args.csv:
        write_text(Path(args.csv), rows_csv(rows[0], rows))
    if args.json:
        print(json.dumps({"differences": rows, "margin": compared.margin, "notes": notes}))
        return
    print(painter(sys.stdout)(answer(compared), "bold"))
    print(*notes, sep="\n", end="\n" if notes else "")
    print()
    print(*lines_of(rows), sep="\n")


def other_data(sets: Sequence[ScoreSet]) -> Iterator[str]:
    """Say which tasks of MTEB were run on other data than in the first set."""
    first = sets[0]
    for other in sets[1:]:
        tasks = first.revisions.keys() & other.revisions.keys()
        odd = sorted(task for task in tasks if first.revisions[task] != other.revisions[task])
        if odd:
            said = " and ".join(f"{one.revisions[odd[0]]:.60}" for one in (first, other))
            yield f"other data in {other.name} than in {first.name}: {', '.join(odd)}: {said}"


def rows_of(compared: Compared) -> Iterator[dict]:
    """Yield each difference as a row of a CSV: one a task, or of several sets one a set."""
    for (column, j), one in compared.differences().items():
        values = {"a_mean": compared.mean(0, column), "b_mean": compared.mean(j, column)}
        names = {"column": column, "a": compared.names[0], "b": compared.names[j]}
        seeds = {"a_seeds": len(compared.seeds[0]), "b_seeds": len(compared.seeds[j])}
        units = {"items": compared.columns[column].units}
        yield names | values | asdict(one) | seeds | units | {"margin": compared.margin}


def answer(compared: Compared) -> str:
    """Return the answer as one line."""
    a, *others = compared.names
    differences = compared.differences()
    if len(others) > 1:
        verdicts = Counter(one.verdict for one in differences.values())
        counts = ", ".join(f"{word} {of}" for word, of in verdicts.items())
        return f"{a} beside {len(others)} others: {counts}"
    one, (b,) = differences[compared.main, 1], others
    sure = f"{signed(one.value)}{' points' * (compared.factor != 1)} {interval(one.low, one.high)}"
    fixed = "" if max(map(len, compared.seeds)) > 1 else "; nothing is said of other seeds"
    return {
        "better": f"{a} is better than {b}: {sure}",
        "worse": f"{a} is worse than {b}: {sure}",
        "no difference": f"{a} and {b} do not differ (within ±{compared.margin:g}): {sure}{fixed}",
        "undecided": f"undecided: {a} less {b} is {sure}; these scores would show a difference"
        f" of {rounded(one.detectable)} in 80 % of the cases",
    }[one.verdict]


def lines_of(rows: Sequence[dict]) -> list[str]:
    """Return a table: a line for each task of two sets, or for each set but the first."""
    several = len({row["b"] for row in rows}) > 1
    lines = [["", rows[0]["a"], "the other" if several else rows[0]["b"]]]
    lines[0] += ["difference [95 %]", "verdict"]
    for row in rows:
        means = [rounded(row[name]) for name in ("a_mean", "b_mean")]
        difference = f"{signed(row['value'])} {interval(row['low'], row['high'])}"
        lines.append([row["b" if several else "column"], *means, difference, row["verdict"]])
    return text_table(lines)


if __name__ == "__main__":
    run(main)
