"""A program that notes what it is, and then does what its first argument says."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np


def main() -> None:
    action, note = sys.argv[1:3]
    facts = {
        "arguments": sys.argv[3:],
        "folder": os.getcwd(),
        "variable": os.environ.get("OF_THE_USER"),
        "parent": os.getppid(),
        "pid": os.getpid(),
        "drawn": [random.random(), float(np.random.rand())],
        "input": sys.stdin.read() if action == "read" else "",
    }
    if action == "start-another":
        facts["started"] = subprocess.Popen(["sleep", "60"]).pid
    Path(f"{note}.part").write_text(json.dumps(facts))
    os.rename(f"{note}.part", note)
    print("to the output", flush=True)
    print("to the errors", file=sys.stderr)
    match action:
        case "wait" | "start-another":
            time.sleep(60)
        # in a child of the server, which was itself started with other arguments
        case "wait-in-a-child" if sys.orig_argv[-4:-3] != ["tests.unit.run.trials.job"]:
            time.sleep(60)
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "fail":
            raise RuntimeError("a mistake of the program")
        case "end":
            sys.exit(int(sys.argv[3]))
        case "compute":
            compute()


def compute() -> None:
    import torch

    torch.set_num_threads(2)
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(500, 500, generator=generator)
    print(float((x @ x).exp().sum()), torch.get_num_threads())


if __name__ == "__main__":
    from workflow.scripts.endings import run

    run(main)
