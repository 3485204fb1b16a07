"""What every script shares: one clear line for what went wrong, and the exit status."""

import argparse
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from semblance.errors import InputError, OutOfTime, is_memory, is_passing
from semblance.locks import Busy
from semblance.settings import Matmul, Precision

BAD_INPUT = 2
TRY_AGAIN = os.EX_TEMPFAIL  # 75
INTERRUPTED = 130
CONTINUE = "then start again: it goes on from the last good state"


def run(main: Callable[[], None]) -> None:
    """Run a script's main; an error that a user can mend becomes one line and an exit status.

    Status 2: the input must be corrected. Status 75: the machine had no memory, no space or no
    time left; the same command may succeed later, and goes on from the last good state. Inside a
    Slurm job one more line names the node.
    """
    try:
        main()
    except KeyboardInterrupt:
        _exit("interrupted", INTERRUPTED)
    except Exception as error:
        status = _status(error)
        if status is None:
            _print_node()
            raise
        _exit(_message(error), status)


def _status(error: Exception) -> int | None:
    """Return the exit status for an error; None for a mistake of the program itself."""
    if isinstance(error, InputError):
        return BAD_INPUT
    if isinstance(error, (OutOfTime, Busy)) or is_memory(error) or is_passing(error):
        return TRY_AGAIN
    if isinstance(error, OSError):
        return BAD_INPUT
    return None


def _message(error: Exception) -> str:
    """Return what is wrong and what to do, in one line."""
    if isinstance(error, (InputError, OutOfTime)):
        return str(error)
    line = _first_line(error)
    if is_memory(error):
        return f"out of memory ({line}); ask for more, or lower batch_size, {CONTINUE}"
    if isinstance(error, Busy):
        return f"{line}, {CONTINUE}"
    if is_passing(error):
        return f"{line}; make room or mend the disk, {CONTINUE}"
    return line


def _first_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0]


def _exit(line: str, status: int) -> None:
    print(f"error: {line}", file=sys.stderr)
    _print_node()
    sys.exit(status)


def _print_node() -> None:
    job = os.environ.get("SLURM_JOB_ID")
    if job:
        node = os.environ.get("SLURMD_NODENAME") or socket.gethostname()
        print(f"node {node}, Slurm job {job}", file=sys.stderr)


def preparation(description: str) -> argparse.ArgumentParser:
    """Return the flags that the prepare scripts share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--settings", required=True, help="JSON: the settings of this corpus")
    parser.add_argument("--manifest", required=True, help="the manifest (YAML)")
    parser.add_argument("--data", required=True, help="folder of the raw data")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument(
        "--output", required=True, help="the record to write; the data lie beside it"
    )
    return parser


def reading(description: str) -> argparse.ArgumentParser:
    """Return the flags that ``embed`` and the evaluations share: their models only read."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--model", required=True, help="record of the model")
    parser.add_argument("--threads", type=int, default=1, help="threads to compute with")
    parser.add_argument("--gpus", type=int, default=0, help="1: use a GPU if there is one")
    parser.add_argument(
        "--precision",
        choices=get_args(Precision),
        default="fp32",
        help="precision of the encoder",
    )
    parser.add_argument(
        "--matmul",
        choices=get_args(Matmul),
        default="highest",
        help="precision of fp32 matrix products",
    )
    parser.add_argument("--jobs-per-gpu", type=int, default=1, help="jobs that may share one GPU")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument(
        "--output", type=Path, required=True, help="the record to write; the data lie beside it"
    )
    return parser


def training(description: str) -> argparse.ArgumentParser:
    """Return the flags that the three training scripts share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--settings", required=True, help="JSON: the training's settings")
    parser.add_argument("--base", required=True, help="record of the model to start from")
    parser.add_argument("--corpus", required=True, help="record of the training corpus")
    parser.add_argument("--tokens", required=True, help="record of the corpus's tokens")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument(
        "--checkpoint-minutes", type=float, default=10.0, help="minutes between step checkpoints"
    )
    parser.add_argument(
        "--checkpoint-steps",
        type=int,
        default=0,
        help="steps between step checkpoints; 0: by minutes only",
    )
    parser.add_argument(
        "--stop-at",
        type=float,
        metavar="EPOCH",
        help="exit with status 75 before this time (seconds since 1970), after a checkpoint",
    )
    parser.add_argument("--jobs-per-gpu", type=int, default=1, help="jobs that may share one GPU")
    parser.add_argument(
        "--output",
        type=Path,
        required=True,
        help="the record to write; model/ and dev.csv lie beside it",
    )
    return parser
