"""Ask ``semblance faq serve`` 50 questions a second for a minute, and stop it in between.

python -m benchmarks.serving --model my-faq
python -m benchmarks.serving --model my-faq --rate 50 --seconds 60 --stop-after 45

Each question is the question of an entry, on a connection of its own, and is sent at its time whether
or not those before it are answered. A question counts as refused if the server, told to stop, took no
connection any more, and as lost if it took the connection and gave no whole answer, or if it was not
told to stop. Exit status 1 if one was lost, or was answered by another status than 200. The asking
takes processor time, too, from the same cores as the server.
"""

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

from benchmarks.workload import ROOT, command_line, process_megabytes
from semblance_faq.answer.bank import read_entries
from semblance_faq.answer.folder import ENTRIES, answerer_folder

PATIENCE = 60.0  # seconds for one answer
PERCENTILES = (50, 95, 99, 99.9, 100)
ANSWERED = "200"
LOST = "lost"
REFUSED = "refused"


@dataclass
class Server:
    """The server's process, and its memory at its peak in MB, known once it was told to stop."""

    process: subprocess.Popen
    port: int
    peak: float = 0.0
    is_stopping: bool = False

    def stop(self) -> None:
        """Note the memory, and tell the server to stop."""
        self.peak = process_megabytes(self.process.pid, "VmHWM")
        self.is_stopping = True
        self.process.send_signal(signal.SIGTERM)


@dataclass(frozen=True)
class Outcome:
    """How one question ended: an HTTP status, refused or lost; seconds from when it was due."""

    end: str
    seconds: float


@dataclass(frozen=True)
class Load:
    """``rate`` questions a second, for so many seconds; the server is told to stop meanwhile, or then."""

    rate: float
    seconds: float
    stop_after: float | None = None


@dataclass(frozen=True)
class Served:
    """How each question ended, in how many seconds all did, the server's exit status and its peak in MB."""

    outcomes: list[Outcome]
    seconds: float
    status: int
    peak: float

    @property
    def failed(self) -> bool:
        """Tell whether a question was lost, or answered by another status than 200."""
        ends = {outcome.end for outcome in self.outcomes}
        return bool(self.status) or not ends <= {ANSWERED, REFUSED}


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--model", required=True, help="folder of a trained FAQ")
    parser.add_argument("--rate", type=float, default=50.0, help="questions a second")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to ask")
    stop = "stop the server after so many seconds; default: at the end"
    parser.add_argument("--stop-after", type=float, help=stop)
    args = parser.parse_args()
    found = serve(answerer_folder(args.model), Load(args.rate, args.seconds, args.stop_after))
    print(report(found))
    if found.failed:
        sys.exit(1)


def serve(model: Path, load: Load) -> Served:
    """Start a server, ask it the questions of its own entries, and stop it."""
    questions = [entry.question for entry in read_entries(model / ENTRIES)]
    server = start(model)
    try:
        began = time.monotonic()
        outcomes = asyncio.run(ask_all(load, server, questions))
        status = server.process.wait(timeout=PATIENCE)
        return Served(outcomes, time.monotonic() - began, status, server.peak)
    finally:
        server.process.kill()


def start(model: Path) -> Server:
    """Start the server and wait until it takes questions."""
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
    return Server(process, int(line.strip().rstrip("/").rpartition(":")[2]))


async def ask_all(load: Load, server: Server, questions: list[str]) -> list[Outcome]:
    """Send each question at its time, stop the server at its own, and wait for all answers."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    stop_after = load.seconds if load.stop_after is None else load.stop_after
    stopping = loop.call_later(stop_after, server.stop)
    asked = []
    supply = itertools.cycle(questions)
    for number in range(int(load.rate * load.seconds)):
        due = began + number / load.rate
        await asyncio.sleep(max(0.0, due - loop.time()))
        asked.append(asyncio.create_task(ask(server, next(supply), due)))
    outcomes = await asyncio.gather(*asked)
    if not server.is_stopping:  # all were answered before their time was over
        stopping.cancel()
        server.stop()
    return outcomes


async def ask(server: Server, question: str, due: float) -> Outcome:
    """Ask one question and read its whole answer."""
    loop = asyncio.get_running_loop()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    except OSError:
        return Outcome(REFUSED if server.is_stopping else LOST, loop.time() - due)
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


def report(found: Served) -> str:
    """Return the figures as lines."""
    ends = Counter(outcome.end for outcome in found.outcomes)
    counts = ", ".join(f"{count} × {end}" for end, count in sorted(ends.items()))
    asked = f"{len(found.outcomes)} questions in {found.seconds:.0f} s"
    lines = [f"{asked}: {counts}; exit status {found.status}"]
    answered = [outcome.seconds for outcome in found.outcomes if outcome.end == ANSWERED]
    if answered:
        values = np.percentile(answered, PERCENTILES) * 1000
        pairs = zip(PERCENTILES, values, strict=True)
        lines.append("ms to the answer: " + ", ".join(f"p{p} {value:.0f}" for p, value in pairs))
    lines.append(f"memory of the server at its peak: {found.peak:,.0f} MB")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
