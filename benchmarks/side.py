"""One side of a comparison, in a process of its own, so that neither changes the other's torch or memory.

    python -m benchmarks.side '{"work": "train", "who": "ours", …}'

Reads a line, does one slice of the work, prints its seconds; until the input ends.
"""

import importlib
import json
import os
import subprocess
import sys
from typing import Any

TIMES = {
    "train": "benchmarks.training",
    "encode": "benchmarks.reading",
    "sts": "benchmarks.reading",
    "peak": "benchmarks.limits",
}


class Side:
    """A side that runs elsewhere; ``slice`` returns the seconds of one slice of its work."""

    def __init__(self, **options: Any):
        self.options = options
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.side", json.dumps(options)],
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
        raise RuntimeError(f"{self.options}: failed with status {self.process.wait()}")

    def close(self) -> None:
        """End the process."""
        self.process.stdin.close()
        self.process.wait()


def main() -> None:
    options = json.loads(sys.argv[1])
    work = importlib.import_module(TIMES[options["work"]]).make(**options)
    for _ in sys.stdin:
        print(f"\nseconds {work()}", flush=True)


if __name__ == "__main__":
    main()
