"""Sides of a comparison that take turns, each in a process of its own: none changes another's torch or memory.

    python -m benchmarks.side '{"work": "train", "who": "ours", …}'

Reads a line, does one slice of the work, prints its seconds; until the input ends.
"""

import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TypeVar

import psutil

from benchmarks.workload import Task

T = TypeVar("T")
MODULES = {
    "train": "benchmarks.training",
    "encode": "benchmarks.reading",
    "sts": "benchmarks.reading",
    "peak": "benchmarks.limits",
}
# Of the processors' time in a round, by the host of a virtual machine or by other programs.
TAKEN = 0.03
DISTURBED: list[float] = []  # the share that others took, of each round that counts all the same


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


def peers(task: Task) -> dict[str, Task]:
    """Return a task for us, for sentence-transformers as it comes, and for a tuned one."""
    theirs = replace(task, who="theirs")
    return {
        "ours": replace(task, who="ours"),
        "theirs": theirs,
        "tuned": replace(theirs, tuned=True),
    }


def side_by_side(rounds: int, tasks: Mapping[str, Task]) -> dict[str, list[float]]:
    """Let each side have its turn, ``rounds`` times, another one first each time.

    Returns the seconds of each turn of each side.
    """
    names = list(tasks)
    running = {name: Side(task) for name, task in tasks.items()}

    def turn(number: int) -> dict[str, float]:
        """Let each side do a slice."""
        first = number % len(names)
        seen = {name: running[name].slice() for name in names[first:] + names[:first]}
        task = tasks[names[0]]
        what = (task.work, task.base, task.objective, task.corpus, task.precision)
        print(*what, *(f"{name} {seen[name]:#.3g} s" for name in names), file=sys.stderr)
        return seen

    try:
        for side in running.values():
            side.slice()  # to warm up
        turns = undisturbed(rounds, turn, list(running.values()))
    finally:
        for side in running.values():
            side.close()
    return {name: [turn[name] for turn in turns] for name in names}


def undisturbed(rounds: int, turn: Callable[[int], T], sides: Sequence[Side]) -> list[T]:
    """Return what ``turn``, given its number, finds in some rounds.

    A round in which others took more than ``TAKEN`` of the processors' time is measured again, as
    long as there are no more lost rounds than wanted ones; after that it goes into ``DISTURBED``.
    """
    turns: list[T] = []
    lost = 0
    while len(turns) < rounds:
        before = taken(sides)
        start = time.monotonic()
        found = turn(len(turns) + lost)
        share = (taken(sides) - before) / ((time.monotonic() - start) * (os.cpu_count() or 1))
        once_more = share > TAKEN and lost < rounds
        if once_more:
            lost += 1
        else:
            turns.append(found)
            DISTURBED.extend([share] if share > TAKEN else [])
        note = ", once more" if once_more else ""
        print(f"... {len(turns)}/{rounds}, {share:.0%} taken by others{note}", file=sys.stderr)
    return turns


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
    """Return a line on the rounds that were measured although others took their time, if any."""
    if not DISTURBED:
        return ""
    most = f"others took up to {max(DISTURBED):.0%} of the time"
    return f"\n{len(DISTURBED)} rounds disturbed: {most}.\n"


def main() -> None:
    task = Task(**json.loads(sys.argv[1]))
    if task.who == "ours":  # how long waiting threads spin, as in the stages' programs
        importlib.import_module("workflow.scripts")
    work = importlib.import_module(MODULES[task.work]).make(task)
    for _ in sys.stdin:
        print(f"\nseconds {work()}", flush=True)


if __name__ == "__main__":
    main()
