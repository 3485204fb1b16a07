"""A server whose answers take a stated time, for tests: ``python -m … SECONDS [HEAD_SECONDS]``."""

import sys
import time
from pathlib import Path
from types import SimpleNamespace

from semblance_faq.answer.answerer import Answer, Answered
from semblance_faq.answer.bank import FaqEntry
from semblance_faq.serve import server
from semblance_faq.serve.app import Service
from semblance_faq.serve.server import HOST, listen, serve

ENTRY = FaqEntry("1", "How?", "So.")


class SlowAnswerer:
    """Gives one answer to everything."""

    stored = SimpleNamespace(entries=(ENTRY,), folder=Path("nowhere"))

    def __init__(self, seconds: float):
        self.seconds = seconds

    def ask(self, question: str, count: int = 5) -> Answered:
        """Answer after the stated time."""
        time.sleep(self.seconds)
        answer = Answer(1, ENTRY.id, ENTRY.question, ENTRY.answer, 1.0, ENTRY.question, "question")
        return Answered(question, (answer,), None, 0.0, "vectors")


def main() -> None:
    if len(sys.argv) > 2:
        server.HEAD_SECONDS = float(sys.argv[2])
    service = Service(SlowAnswerer(float(sys.argv[1])), None, "FAQ")
    listening = listen(0)
    port = listening.getsockname()[1]
    serve(service, listening, lambda: print(f"{HOST}:{port}", flush=True))


if __name__ == "__main__":
    main()
