"""Compare sets of scores that were made anywhere: is A better than B, or do they not differ?

Each set is a file, CSV or JSON lines, with the columns item and score, and if there are any task, seed
and cluster (items of one cluster are drawn together). With a column gold, a task's score is Spearman's
correlation of score and gold. Or it is a folder: results of MTEB (its tasks are the items), or
samples_*.jsonl of lm-evaluation-harness.

Scores are paired by item, and by seed where the sets have the same seeds. The interval is over other
items, and over other seeds where there are several. Scores between -1 and 1 are shown as points (100
times). docs/statistics.md explains each figure.

Exit status 0: there is an answer. 2: the sets cannot be compared; one line says why.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from semblance.counts import interval, rounded, signed, text_table
from semblance.data.score_files import read_set
from semblance.errors import InputError
from semblance.files import rows_csv, write_text
from semblance.reporting.compared import AVERAGE, Compared, Difference, compare
from semblance.score_sets import ScoreSet
from semblance.statistics.significance import ALPHA
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
    flags.add_argument("--figure", metavar="FILE", help="draw the differences into FILE, as SVG")
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
    if args.figure:
        _draw(Path(args.figure), rows)
    if args.json:
        ranks = [one._asdict() for one in compared.ranks()]
        said = {"differences": rows, "ranks": ranks, "margin": compared.margin, "notes": notes}
        print(json.dumps(said))
        return
    print(painter(sys.stdout)(verdict(compared), "bold"))
    print(*notes, sep="\n", end="\n" if notes else "")
    print()
    print("\n".join(lines_of(compared)))


def other_data(sets: Sequence[ScoreSet]) -> Iterator[str]:
    """Say which tasks of MTEB were run on other data than in the first set."""
    first = sets[0]
    for other in sets[1:]:
        tasks = first.revisions.keys() & other.revisions.keys()
        odd = sorted(task for task in tasks if first.revisions[task] != other.revisions[task])
        if odd:
            said = " and ".join(f"{one.revisions[odd[0]]:.60}" for one in (first, other))
            yield f"other data in {other.name} than in {first.name}: {', '.join(odd)}: {said}"


def rows_of(found: Compared) -> Iterator[dict]:
    """Yield each difference as a row of a CSV: the columns of two sets, or the pairs of more."""
    if len(found.names) == 2:
        differences = {(name, 0, 1): one for name, one in found.by_column().items()}
    else:
        differences = {(found.main, *pair): one for pair, one in found.by_pair().items()}
    for (column, i, j), one in differences.items():
        values = {"a_mean": found.mean(i, column), "b_mean": found.mean(j, column)}
        names = {"column": column, "a": found.names[i], "b": found.names[j]}
        seeds = {"a_seeds": len(found.seeds[i]), "b_seeds": len(found.seeds[j])}
        units = {"items": found.columns[column].units}
        yield names | values | asdict(one) | seeds | units | {"margin": found.margin}


def verdict(found: Compared) -> str:
    """Return the answer as one line."""
    unit = " points" if found.factor != 1 else ""
    if len(found.names) == 2:
        one = found.by_column()[found.main]
        a, b = found.names
        fixed = "" if max(map(len, found.seeds)) > 1 else "; nothing is said of other seeds"
        sure = f"{signed(one.value)}{unit} {interval(one.low, one.high)}"
        return {
            "better": f"{a} is better than {b}: {sure}",
            "worse": f"{a} is worse than {b}: {sure}",
            "no difference": f"{a} and {b} do not differ (within ±{found.margin:g}): {sure}{fixed}",
            "undecided": f"undecided: {a} less {b} is {sure}; these scores would show a difference "
            f"of {rounded(one.detectable)} in 80 % of the cases",
        }[one.verdict]
    pairs = found.by_pair()
    shown = sum(one.p_holm < ALPHA for one in pairs.values())
    best, *others = found.ranks()
    words = f"{shown} of {len(pairs)} pairs differ (p < .05, corrected by Holm)"
    if all(other.first > best.last for other in others):
        return f"{best.name} is the best of {len(found.names)}; {words}"
    return f"which of {len(found.names)} is the best is open; {words}"


def lines_of(found: Compared) -> list[str]:
    """Return a table: the tasks of two sets, or the ranks of more."""
    if len(found.names) == 2:
        lines = [["", *found.names, "difference [95 %]", "p", "p (Holm)", "verdict"]]
        lines += [_line(found, name, one) for name, one in found.by_column().items()]
    else:
        lines = [["", found.main, "rank"]]
        for one in found.ranks():
            rank = str(one.first) if one.first == one.last else f"{one.first} to {one.last}"
            lines.append([one.name, rounded(one.mean), rank])
    return text_table(lines)


def _line(found: Compared, name: str, one: Difference) -> list[str]:
    means = [rounded(found.mean(i, name)) for i in (0, 1)]
    corrected = "" if name == AVERAGE else _p(one.p_holm)
    difference = f"{signed(one.value)} {interval(one.low, one.high)}"
    return [name, *means, difference, _p(one.p), corrected, one.verdict]


def _p(value: float) -> str:
    return "< .0001" if value < 0.0001 else f"{value:.4f}".removeprefix("0")


def _draw(path: Path, rows: list[dict]) -> None:
    """Draw each difference as a line of a forest plot: the tasks of two sets, the pairs of more."""
    from semblance.drawing import svg_text
    from semblance.figures import contrasts  # slow to import

    of_two = len({(row["a"], row["b"]) for row in rows}) == 1
    nothing = {"table": "", "protocol": ""} | dict.fromkeys(("seed", "published", "low", "high"))
    drawn = [
        {
            **nothing,
            "title": f"{row['a']} and {row['b']}" if of_two else "each pair of sets",
            "label": row["column"] if of_two else f"{row['a']} and {row['b']}",
            "control": row["b"] if of_two else "the other",
            "column": "score" if of_two else row["column"],
            "margin": row["margin"],
            "difference": row["value"],
            "bootstrap_low": row["low"],
            "bootstrap_high": row["high"],
        }
        for row in rows
    ]
    write_text(path, svg_text(contrasts.draw_panels(drawn)))


if __name__ == "__main__":
    run(main)
