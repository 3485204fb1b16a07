"""Sides of a comparison that take turns, each in a process of its own: none changes another's torch or memory.

    python -m benchmarks.side '{"work": "training", "who": "ours", …}'

Reads a line, does one slice of the work, prints its seconds; until the input ends.
"""

import importlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import psutil

from benchmarks.workload import Task

# Of the processors' time in each round, the share that the machine's host or other programs took.
DISTURBED: list[float] = []
MOST = 0.03  # that is not worth a word
BESIDE = ("ours, s", "sentence-transformers, s", "ratio", "ratio to the tuned peer")


class Side:
    """A side that runs elsewhere; ``slice`` returns the seconds of one slice of its work."""

    def __init__(self, task: Task):
        self.task = task
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.side", json.dumps(asdict(task))],
            text=True,
            bufsize=1,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "TOKENIZERS_PARALLELISM": "true", "HF_HUB_OFFLINE": "1"},
        )

    def slice(self) -> float:
        """Do one slice; RuntimeError if the process has failed."""
        self.process.stdin.write("go\n")
        for line in self.process.stdout:
            if line.startswith("seconds "):
                return float(line.split()[1])
        raise RuntimeError(f"{self.task}: failed with status {self.process.wait()}")

    def close(self) -> None:
        """End the process."""
        self.process.stdin.close()
        self.process.wait()


def side_by_side(rounds: int, task: Task) -> dict[str, list[float]]:
    """Let us, sentence-transformers as it comes, and a tuned one do a task ``rounds`` times.

    They take turns, another one first each time. Returns the seconds of each turn of each side.
    """
    theirs = replace(task, who="theirs")
    tasks = {"ours": task, "theirs": theirs, "tuned": replace(theirs, tuned=True)}
    names = list(tasks)
    running = {name: Side(tasks[name]) for name in names}
    seconds: dict[str, list[float]] = {name: [] for name in names}
    try:
        for side in running.values():
            side.slice()  # to warm up
        for number in range(rounds):
            first = number % len(names)
            before, start = taken(running.values()), time.monotonic()
            for name in names[first:] + names[:first]:
                seconds[name].append(running[name].slice())
            processors = (time.monotonic() - start) * (os.cpu_count() or 1)
            DISTURBED.append((taken(running.values()) - before) / processors)
            what = (task.work, task.base, task.objective, task.corpus, task.precision)
            print(*what, *(f"{name} {seconds[name][-1]:#.3g} s" for name in names), file=sys.stderr)
    finally:
        for side in running.values():
            side.close()
    return seconds


def taken(sides: Iterable[Side]) -> float:
    """Return the seconds of all processors that the machine's host withheld or other programs used.

    0 where the system does not tell.
    """
    if not psutil.LINUX:
        return 0.0
    machine = psutil.cpu_times()
    busy = machine.user + machine.nice + machine.system
    busy += machine.irq + machine.softirq + machine.steal
    for pid in (os.getpid(), *(side.process.pid for side in sides)):
        own = psutil.Process(pid).cpu_times()  # of all threads of the process
        busy -= own.user + own.system
    return busy


def disturbance() -> str:
    """Return a line on the rounds of which others took their time, if any."""
    shares = [share for share in DISTURBED if share > MOST]
    return f"\n{len(shares)} rounds disturbed, by up to {max(shares):.0%}.\n" if shares else ""


# --- cells ----------------------------------------------------------------------------------------


def beside(seconds: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the cells of BESIDE: a ratio says turn by turn how many times faster ours was."""
    ours = seconds["ours"]
    ratios = {
        peer: [b / a for a, b in zip(ours, seconds[peer], strict=True)]
        for peer in ("theirs", "tuned")
    }
    return [spread(ours), spread(seconds["theirs"]), *map(spread, ratios.values())]


def spread(values: Sequence[float]) -> str:
    """Return the median, the least and the most, with three digits: a GPU's step takes hundredths."""
    middle, least, most = statistics.median(values), min(values), max(values)
    return f"{middle:#.3g} ({least:#.3g} to {most:#.3g})"


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def main() -> None:
    task = Task(**json.loads(sys.argv[1]))
    if task.who == "ours":  # how long waiting threads spin, as in the stages' programs
        importlib.import_module("workflow.scripts")
    work = importlib.import_module(f"benchmarks.{task.work}").make(task)
    for _ in sys.stdin:
        print(f"\nseconds {work()}", flush=True)


if __name__ == "__main__":
    main()
