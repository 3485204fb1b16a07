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

BAD_INPUT, TRY_AGAIN, INTERRUPTED = 2, os.EX_TEMPFAIL, 130
GO_ON = "then start again: it goes on from the last good state"


def run(main: Callable[[], None]) -> None:
    """Run a script's main; what a user can mend becomes one line and an exit status.

    Status 2: the input must be corrected. Status 75: the machine ran out of something, time included,
    so the same command may succeed later, and goes on from the last good state. Inside a Slurm job
    one more line names the node.
    """
    try:
        main()
    except InputError as error:
        _leave(str(error), BAD_INPUT)
    except KeyboardInterrupt:
        _leave("interrupted", INTERRUPTED)
    except OutOfTime as error:
        _leave(str(error), TRY_AGAIN)
    except Exception as error:
        if is_memory(error):
            _leave(
                f"out of memory ({_told(error)}); ask for more, or lower batch_size, {GO_ON}",
                TRY_AGAIN,
            )
        if isinstance(error, Busy):
            _leave(f"{_told(error)}, {GO_ON}", TRY_AGAIN)
        if is_passing(error):
            _leave(f"{_told(error)}; make room or mend the disk, {GO_ON}", TRY_AGAIN)
        if isinstance(error, OSError):
            _leave(_told(error), BAD_INPUT)
        _tell_node()
        raise


def _told(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _leave(line: str, status: int) -> None:
    print(f"error: {line}", file=sys.stderr)
    _tell_node()
    sys.exit(status)


def _tell_node() -> None:
    if job := os.environ.get("SLURM_JOB_ID"):
        print(
            f"node {os.environ.get('SLURMD_NODENAME') or socket.gethostname()}, Slurm job {job}",
            file=sys.stderr,
        )


def preparation(description: str) -> argparse.ArgumentParser:
    """Return the flags that the prepare scripts share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--settings", required=True, help="JSON: this corpus's slice of the config")
    parser.add_argument("--manifest", required=True, help="the manifest (YAML)")
    parser.add_argument("--data", required=True, help="folder of the raw data")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument(
        "--output", required=True, help="the record to write; the data lie beside it"
    )
    return parser


def reading(description: str) -> argparse.ArgumentParser:
    """Return the flags that the scripts share which read with a model: ``embed`` and the evaluations."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--model", required=True, help="record of the model")
    parser.add_argument("--threads", type=int, default=1, help="threads")
    parser.add_argument("--gpus", type=int, default=0, help="1: use a GPU where there is one")
    parser.add_argument(
        "--precision", choices=get_args(Precision), default="fp32", help="of the encoder"
    )
    parser.add_argument(
        "--matmul",
        choices=get_args(Matmul),
        default="highest",
        help="of fp32 matrix products",
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
        help="steps between step checkpoints; 0: by minutes",
    )
    parser.add_argument(
        "--stop-at",
        type=float,
        metavar="EPOCH",
        help="save and leave with status 75 before this time "
        "(seconds since 1970); the next start goes on",
    )
    parser.add_argument("--jobs-per-gpu", type=int, default=1, help="jobs that may share one GPU")
    parser.add_argument(
        "--output",
        type=Path,
        required=True,
        help="the record to write; model/ and dev.csv lie beside it",
    )
    return parser
