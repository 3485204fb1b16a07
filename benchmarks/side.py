"""Sides of a comparison that take turns, each in a process of its own: none changes another's torch or memory.

    python -m benchmarks.side '{"work": "training", …}'

Reads a line, does one slice of the work, prints the number that it measured (seconds, if nothing
else is said); until the input ends.
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
from importlib.util import find_spec

import psutil

from benchmarks.workload import Task

# Of the processors' time in each round, the share that the machine's host or other programs took.
DISTURBED: list[float] = []
MOST = 0.03  # that is not worth a word
PEERS = ("plain", "tuned", "flash")  # what Task says of them
BESIDE = ("ours, s", "sentence-transformers, s", *(f"ratio to the {peer} peer" for peer in PEERS))


class Side:
    """A side that runs elsewhere; ``slice`` returns what one slice of its work measured."""

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
        self.begin()
        return self.end()

    def begin(self) -> None:
        """Let it do a slice, and do not wait."""
        self.process.stdin.write("go\n")

    def end(self) -> float:
        """Wait until the slice is done; RuntimeError if the process has failed."""
        for line in self.process.stdout:
            if line.startswith("measured "):
                return float(line.split()[1])
        raise RuntimeError(f"{self.task}: failed with status {self.process.wait()}")

    def close(self) -> None:
        """End the process."""
        self.process.stdin.close()
        self.process.wait()


def side_by_side(rounds: int, task: Task) -> dict[str, list[float]]:
    """Let us and each peer do a task ``rounds`` times.

    They take turns, another one first each time. Returns the seconds of each turn of each side.
    """
    names = ["ours", *peers_here(task)]
    running = {name: Side(replace(task, side=name)) for name in names}
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
            turns = (f"{name} {seconds[name][-1]:#.3g} s" for name in names)
            print(*what, *turns, file=sys.stderr)
    finally:
        for side in running.values():
            side.close()
    return seconds


def peers_here(task: Task) -> tuple[str, ...]:
    """Return the peers that can do a task here; flash attention knows no fp32."""
    has_flash = task.gpus and task.precision == "bf16" and find_spec("flash_attn")
    return PEERS if has_flash else PEERS[:-1]


def at_a_time(task: Task, count: int) -> list[float]:
    """Let ``count`` processes do one slice of a task at the same time; return what each measured."""
    sides = [Side(task) for _ in range(count)]
    try:
        for step in (Side.begin, Side.end, Side.begin):  # the first slice of all warms up
            for side in sides:
                step(side)
        return [side.end() for side in sides]
    finally:
        for side in sides:
            side.close()


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
    cells = [spread(ours), spread(seconds["plain"])]
    for peer in PEERS:
        turns = zip(ours, seconds.get(peer, ours), strict=True)
        cells.append(spread([b / a for a, b in turns]) if peer in seconds else "not here")
    return cells


def spread(values: Sequence[float]) -> str:
    """Return the median, the least and the most, with three digits: a GPU's step takes hundredths."""
    middle, least, most = statistics.median(values), min(values), max(values)
    return f"{middle:#.3g} ({least:#.3g} to {most:#.3g})"


def line(cells: Sequence[str]) -> str:
    """Return a line of a Markdown table."""
    return f"| {' | '.join(cells)} |\n"


def main() -> None:
    task = Task(**json.loads(sys.argv[1]))
    if task.side == "ours":  # how long waiting threads spin, as in the stages' programs
        importlib.import_module("workflow.scripts")
    work = importlib.import_module(f"benchmarks.{task.work}").make(task)
    for _ in sys.stdin:
        print(f"\nmeasured {work()}", flush=True)


if __name__ == "__main__":
    main()
