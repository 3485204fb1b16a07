"""What an own FAQ of 500 entries costs: its training, its first answer, and each answer of a session.

python -m benchmarks --only faq
python -m benchmarks.own_faq --file my.csv

The file is made of real sentences (NLI's): a question is one, and an answer joins four. So its texts
are as long as those of a FAQ, while its scores mean nothing.
"""

import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

from benchmarks import answering, serving
from benchmarks.workload import FOLDER, ROOT, Cost, Workload, command_line
from semblance_faq.answer.folder import answerer_folder

ENTRIES = 500
OF_ANSWER = 4  # sentences
QUESTION = "How do I begin?"
PAUSE = 0.1  # seconds between two looks at the memory
COMMAND = (sys.executable, "-m", "semblance", "faq")
LOAD = serving.Load(rate=50, seconds=60, stop_after=45)
ENDINGS = (0, 1)  # of faq train: shown to be better, and not shown


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--file", type=Path, help="a FAQ; default: one of made-up entries")
    args = parser.parse_args()
    print(measure(args.file))


def measure(file: Path | None = None) -> str:
    """Train on a file, ask and serve its answerer; return the lines of a Markdown list."""
    place = ROOT / FOLDER
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place, prefix="own-faq-") as name:
        work = Path(name)  # a new one each time: a finished run costs nothing
        if file is None:
            file = work / "faq.csv"
            write_faq(file, Workload(place).sentences("nli"), ENTRIES)
        return "".join(f"- {line}\n" for line in _lines(file.resolve(), work))


def _lines(file: Path, work: Path) -> Iterator[str]:
    output = work / "trained"
    train = watch([*COMMAND, "train", str(file), "--output", str(output)], ENDINGS, work)
    yield (
        f"`faq train`: {train.seconds / 60:.1f} minutes, {train.megabytes:,.0f} MB of memory in all "
        f"processes at the peak, {megabytes_of(work):,.0f} MB of disk"
    )
    model = answerer_folder(output)
    first = watch([*COMMAND, "ask", "--model", str(model), "--all", QUESTION], (0, 3), work)
    yield f"`faq ask`, from its start to its end with one answer: {first.seconds:.2f} s"
    for entries, ranking, found in answering.timed(model, answering.LIMITS, questions=100):
        yield f"an answer in a session, {entries:,} entries, {ranking}: {answering.line(found)}"
    yield serving.report(serving.serve(model, LOAD)).replace("\n", "; ")


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


def watch(command: Sequence[str], endings: Sequence[int], folder: Path) -> Cost:
    """Run a command in a folder to its end and add up the memory of all its processes.

    Raises CalledProcessError for an exit status not in ``endings``.
    """
    start = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, memory_of(process.pid))
        time.sleep(PAUSE)
    seconds = time.perf_counter() - start
    if process.returncode not in endings:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Cost(seconds, peak)


def memory_of(pid: int) -> float:
    """Return the MB that a process and its children hold; what they share counts once."""
    found = 0
    try:
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            found += process.memory_full_info().pss
    except psutil.NoSuchProcess:  # one has just ended: the next look counts
        pass
    return found / 2**20


def megabytes_of(folder: Path) -> float:
    """Return the MB of the files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20


if __name__ == "__main__":
    main()
