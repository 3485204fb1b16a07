"""Ask ``semblance faq serve`` 50 questions a second for a minute, and stop it in between.

python -m benchmarks.serving --model my-faq
python -m benchmarks.serving --model my-faq --rate 50 --seconds 60 --stop-after 45

Each question is the question of an entry, on a connection of its own, and is sent at its time whether
or not those before it are answered. A question counts as refused if the server took no connection any
more, and as lost if it took the connection and gave no whole answer. Exit status 1 if one was lost.
"""

import argparse
import asyncio
import itertools
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.workload import ROOT
from semblance.answering.entries import read_entries
from semblance.answering.folder import ENTRIES

PATIENCE = 60.0  # seconds for one answer
PERCENTILES = (50, 95, 99, 100)
LOST = "lost"
REFUSED = "refused"


@dataclass(frozen=True)
class Outcome:
    """How one question ended: an HTTP status, refused or lost; seconds from when it was due."""

    end: str
    seconds: float


def main() -> None:
    args = arguments()
    questions = [entry.question for entry in read_entries(args.model / ENTRIES)]
    process, port = start(args.model)
    try:
        began = time.monotonic()
        outcomes = asyncio.run(ask_all(args, port, questions, process))
        status = process.wait(timeout=PATIENCE)
    finally:
        process.kill()
    print(report(outcomes, time.monotonic() - began, status))
    if status or any(outcome.end == LOST for outcome in outcomes):
        sys.exit(1)


def arguments() -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, required=True, help="folder of a trained FAQ")
    parser.add_argument("--rate", type=float, default=50.0, help="questions a second")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to ask")
    parser.add_argument(
        "--stop-after",
        type=float,
        help="stop the server after so many seconds; default: at the end",
    )
    return parser.parse_args()


def start(model: Path) -> tuple[subprocess.Popen, int]:
    """Start the server; return its process and its port."""
    command = [sys.executable, "-m", "semblance", "faq", "serve", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--model", str(model.resolve())],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    line = process.stdout.readline()
    if not line:
        sys.exit("error: the server did not start; run semblance faq serve to see why")
    return process, int(line.strip().rstrip("/").rpartition(":")[2])


async def ask_all(
    args: argparse.Namespace, port: int, questions: list[str], process: subprocess.Popen
) -> list[Outcome]:
    """Send each question at its time, stop the server at its own, and wait for all answers."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    stop_after = args.stop_after or args.seconds
    loop.call_later(stop_after, process.send_signal, signal.SIGTERM)
    asked = []
    supply = itertools.cycle(questions)
    for number in range(int(args.rate * args.seconds)):
        due = began + number / args.rate
        await asyncio.sleep(max(0.0, due - loop.time()))
        asked.append(asyncio.create_task(ask(port, next(supply), due)))
    return await asyncio.gather(*asked)


async def ask(port: int, question: str, due: float) -> Outcome:
    """Ask one question and read its whole answer."""
    loop = asyncio.get_running_loop()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return Outcome(REFUSED, loop.time() - due)
    try:
        writer.write(request(question))
        content = await asyncio.wait_for(reader.read(), PATIENCE)
        return Outcome(end_of(content), loop.time() - due)
    except (OSError, TimeoutError):
        return Outcome(LOST, loop.time() - due)
    finally:
        writer.close()


def request(question: str) -> bytes:
    """Return a whole HTTP request."""
    body = json.dumps({"question": question}).encode()
    head = (
        "POST /api/ask HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def end_of(content: bytes) -> str:
    """Return the status of an answer that is whole, or else that it was lost."""
    head, _, body = content.partition(b"\r\n\r\n")
    try:
        json.loads(body)
        return head.split()[1].decode()
    except (ValueError, IndexError):
        return LOST


def report(outcomes: list[Outcome], seconds: float, status: int) -> str:
    """Return the figures as lines."""
    ends = Counter(outcome.end for outcome in outcomes)
    counts = ", ".join(f"{count} × {end}" for end, count in sorted(ends.items()))
    lines = [f"{len(outcomes)} questions in {seconds:.0f} s: {counts}; exit status {status}"]
    answered = [outcome.seconds for outcome in outcomes if outcome.end == "200"]
    if answered:
        found = np.percentile(answered, PERCENTILES) * 1000
        pairs = zip(PERCENTILES, found, strict=True)
        lines.append("ms to the answer: " + ", ".join(f"p{p} {value:.0f}" for p, value in pairs))
    return "\n".join(lines)


if __name__ == "__main__":
    main()
