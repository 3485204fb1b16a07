"""Score a model on the STS tasks under every protocol: why is my number not the paper's?

FOLDER is a model of sentence-transformers or transformers, or a trained model of a run. One line of
the table is one protocol: a pooling (a star marks the folder's own), the form of the texts (as
SentEval has them, or raw: as released), and how the subsets of a task become one number: over all
pairs together, or the mean of the subsets, plain or weighted by size. The papers print the average of
seven tasks for `senteval`, `all` and Spearman.

Nothing is downloaded: --data says where the data are, and tasks that are not there are named.

Exit status 0: there is a table. 2: the folder, the data or a file of pairs cannot be used; one line
says why.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from semblance.errors import InputError
from semblance.files import write_text
from workflow.score import data as score_data
from workflow.scripts.endings import run
from workflow.terminal import painter

if TYPE_CHECKING:
    from semblance.evaluation.protocols import Reading, Row
    from semblance.models.found import FoundModel

METRICS = ("spearman", "pearson")


def parser() -> argparse.ArgumentParser:
    """Return the flags."""
    flags = argparse.ArgumentParser(
        prog="semblance score",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    flags.add_argument("folder", metavar="FOLDER", help="the folder of a model")
    flags.add_argument(
        "--data",
        default=score_data.DOWNLOADS,
        help="a folder of downloads, a mirror, or the output folder of a run "
        f"(default: {score_data.DOWNLOADS})",
    )
    flags.add_argument("--tasks", nargs="+", metavar="TASK", help="these tasks alone, such as stsb")
    flags.add_argument(
        "--pairs",
        nargs="+",
        default=[],
        metavar="FILE",
        help="your own scored pairs (CSV, Excel, JSON lines), each file one more task",
    )
    flags.add_argument("--prompt", metavar="NAME", help="a prompt that the folder declares")
    flags.add_argument("--max-length", type=int, metavar="TOKENS", help="other than the folder's")
    flags.add_argument("--metric", choices=METRICS, default=METRICS[0], help="of the table shown")
    flags.add_argument(
        "--number", type=float, help="a printed average: show the protocols nearest to it"
    )
    flags.add_argument("--threads", type=int, default=os.cpu_count(), help="default: all cores")
    flags.add_argument("--json", action="store_true", help="print every score as JSON")
    flags.add_argument("--csv", metavar="FILE", help="write every score to FILE, unrounded")
    return flags


def main(argv: list[str] | None = None) -> None:
    """Find the data, score the model task by task, and print the table."""
    args = parser().parse_args(argv)
    if not 1 <= args.threads <= 1024:
        raise InputError("--threads", f"{args.threads} threads", "give a number from 1 to 1024")
    source = score_data.find(args.data)
    found = score_data.look(source, args.tasks, args.pairs)
    scored = _score_sets(args, found)
    if args.json:
        _show_json(scored, found)
    else:
        _show(args, scored, found)


class Scored(NamedTuple):
    """The scores of all tasks, the model, and how its texts were read."""

    rows: "list[Row]"
    model: "FoundModel"
    how: "Reading"

    @property
    def tasks(self) -> list[str]:
        """The tasks, in the order in which they were scored."""
        return list(dict.fromkeys(row["task"] for row in self.rows))


def _score_sets(args: argparse.Namespace, found: score_data.Found) -> Scored:
    """Score the model on each set; write the CSV, if it is asked for."""
    from semblance.evaluation import protocol_table as shown
    from semblance.evaluation.protocols import (
        EveryPooling,
        Reading,
        averages,
        check_length,
        score_task,
    )
    from semblance.models.compute import set_up
    from semblance.models.found import read_found

    model = read_found(score_data.model_folder(args.folder))
    length = check_length(args.max_length or model.max_length)
    how = Reading(model.find_prompt(args.prompt), length)
    sets = found.pairs()
    pooled = EveryPooling(model, set_up(args.threads, score_data.gpus(), "highest"))
    rows = []
    for name, pairs in sets.items():
        started = time.monotonic()
        rows += score_task(pooled, pairs, how)
        seconds = time.monotonic() - started
        print(f"{name}: {len(pairs):,} pairs, {seconds:.0f} s", file=sys.stderr)
    scored = Scored(rows, model, how)
    if args.csv:
        write_text(Path(args.csv), shown.csv_text([*rows, *averages(rows, scored.tasks)]))
    return scored


def _show_json(scored: Scored, found: score_data.Found) -> None:
    from semblance.evaluation import protocol_table as shown
    from semblance.evaluation.protocols import averages

    rows, model, how = scored
    read = {"prompt": how.prompt, "max_length": how.max_length, "data": str(found.raw.folder)}
    rows = [*rows, *averages(rows, scored.tasks)]
    print(json.dumps(shown.as_object(model, read, found.missing, rows), ensure_ascii=False))


def _show(args: argparse.Namespace, scored: Scored, found: score_data.Found) -> None:
    """Print the table, what is missing and, if a number is given, the protocols nearest to it."""
    from semblance.evaluation import protocol_table as shown
    from semblance.evaluation.protocols import averages

    rows, model, how = scored
    tasks = scored.tasks
    rows = [*rows, *averages(rows, tasks)]
    paint = painter(sys.stdout)
    print(shown.headline(model, how.prompt, how.max_length))
    of_metric = [row for row in rows if row["metric"] == args.metric]
    print(shown.table_text(of_metric, tasks, lambda line: paint(line, "bold")))
    for name, why in found.missing.items():
        print(f"missing: {name}: {why}")
    if args.number is not None:
        task = shown.AVERAGE if len(tasks) > 1 else tasks[0]
        print(shown.nearest_text(shown.nearest(rows, args.number, task), args.number))


if __name__ == "__main__":
    run(main)
