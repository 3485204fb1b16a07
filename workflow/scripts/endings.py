"""How a script begins and ends: as the one writer of its record, and with one clear line."""

import contextlib
import os
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

from semblance.errors import InputError, OutOfTime, is_memory, is_passing
from semblance.locks import Busy, exclusive, name_for

BAD_INPUT = 2
TRY_AGAIN = os.EX_TEMPFAIL  # 75
INTERRUPTED = 130
CONTINUE = "then start again: it goes on from the last good state"


def run(main: Callable[[], None]) -> None:
    """Run a script's main; an error that a user can mend becomes one line and an exit status.

    Status 2: the input must be corrected. Status 75: the machine had no memory, no space or no
    time left; the same command may succeed later, and goes on from the last good state. Inside a
    Slurm job one more line names the node.

    A script that writes a record waits while another process writes it, such as a job that
    outlived its controller.
    """
    try:
        _run_as_only_writer(main, record_of(sys.argv[1:]))
    except KeyboardInterrupt:
        _exit("interrupted", INTERRUPTED)
    except Exception as error:
        status = _status(error)
        if status is None:
            _print_node()
            raise
        _exit(_message(error), status)


def record_of(arguments: list[str]) -> Path | None:
    """Return the record that a stage writes: the file of ``--record``, or else of ``--output``.

    None for a program that writes no record.
    """
    for flag in ("--record", "--output"):
        if flag in arguments[:-1]:
            path = Path(arguments[arguments.index(flag) + 1])
            if path.suffix == ".json":
                return path
    return None


def _run_as_only_writer(main: Callable[[], None], record: Path | None) -> None:
    if record is None:
        main()
        return
    with exclusive(record.parent, name_for(record), wait=True):
        started = time.monotonic()
        main()
        seconds = time.monotonic() - started
    with contextlib.suppress(OSError):  # the reader of this line may be gone
        print(f"made {record} in {seconds:.1f} s", file=sys.stderr)


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
