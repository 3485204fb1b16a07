"""What an own FAQ of 500 entries costs: its training and its first answer.

The file is made of real sentences (NLI's): a question is one, and an answer joins four. So its texts
are as long as those of a FAQ, while its scores mean nothing.
"""

import argparse
import contextlib
import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

from benchmarks.workload import FOLDER, ROOT, Workload

ENTRIES = 500
OF_ANSWER = 4  # sentences
PAUSE = 1.0  # seconds between two looks at the memory, each of which stops the processes
COMMAND = (sys.executable, "-m", "semblance", "faq")


def rows(args: argparse.Namespace) -> Iterator[list[str]]:
    """Yield what `faq train` and `faq ask` take."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER, prefix="own-faq-") as name:
        work = Path(name)  # a new one each time: a finished run costs nothing
        file, output = work / "faq.csv", work / "trained"
        write_faq(file, Workload(FOLDER).sentences("nli"), ENTRIES)
        train = [*COMMAND, "train", str(file), "--output", str(output)]
        seconds, memory = watch(train, (0, 1), work)  # shown to be better, and not shown
        yield ["`faq train`, minutes", f"{seconds / 60:.1f}"]
        yield ["its memory in all processes at the peak, MB", f"{memory:,.0f}"]
        disk = sum(path.stat().st_size for path in work.rglob("*") if path.is_file())
        yield ["its disk, MB", f"{disk / 2**20:,.0f}"]
        ask = [*COMMAND, "ask", "--model", str(output), "How do I begin?"]
        first, _ = watch(ask, (0, 3), work)
        yield ["`faq ask` from its start to its end, seconds", f"{first:.2f}"]


def write_faq(path: Path, sentences: Sequence[str], entries: int) -> None:
    """Write a FAQ of so many entries, each of sentences of its own."""
    size = 1 + OF_ANSWER
    if len(sentences) < size * entries:
        raise ValueError(f"{entries} entries need {size * entries} sentences, not {len(sentences)}")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question", "answer"])
        for start in range(0, size * entries, size):
            question, *answer = sentences[start : start + size]
            writer.writerow([question, " ".join(answer)])


def watch(command: Sequence[str], endings: Sequence[int], folder: Path) -> tuple[float, float]:
    """Run a command in a folder; return its seconds, and the MB of all its processes at the peak.

    Raises CalledProcessError for an exit status not in ``endings``.
    """
    start, peak = time.perf_counter(), 0.0
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, cwd=folder, env=environment, **quiet)
    while process.poll() is None:
        peak = max(peak, memory_of(process.pid))
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PAUSE)
    if process.returncode not in endings:
        raise subprocess.CalledProcessError(process.returncode, command)
    return time.perf_counter() - start, peak


def memory_of(pid: int) -> float:
    """Return the MB that a process and its children hold; what they share counts once."""
    held = 0
    try:
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            held += process.memory_full_info().pss
    except psutil.NoSuchProcess:  # one has just ended: the next look counts
        pass
    return held / 2**20
