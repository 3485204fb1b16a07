"""How a script begins and ends: as the one writer of its record, and with one clear line."""

import contextlib
import os
import resource
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from semblance.errors import BAD_INPUT, InputError, NoGpu, OutOfTime, is_memory, is_transient
from semblance.locks import Busy, exclusive, name_for
from semblance.provenance import PACKAGES

NO_ANSWER = 3  # of a FAQ, to one question at least
RUN_FAILED = 4  # of a command that runs the workflow and judges its results: there are none
TRY_AGAIN = os.EX_TEMPFAIL  # 75
INTERRUPTED = 130
CLOSED = 141  # as a shell tells of a program that SIGPIPE has ended
CONTINUE = "then start again: it goes on from the last good state"
# Bytes of address space: the libraries of a training take 0.8 GB. With less, some of them wait for
# ever, or end the process by themselves.
LEAST_SPACE = 1 << 30


def guard_imports() -> None:
    """Let a script that cannot even import its libraries end with one line, too.

    A package calls this before it imports a script, whose ``main`` ``run`` guards.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < LEAST_SPACE:
        space = f"the address space is limited to {limit >> 20:,} MB"
        advice = f"allow at least {LEAST_SPACE >> 20:,} MB (ulimit -v)"
        _exit(f"{space}, too little for the libraries; {advice}", TRY_AGAIN)
    sys.excepthook = _end


def _end(kind: type, error: BaseException, trace: TracebackType | None) -> None:
    """End the process for an error that nobody caught, such as one of an import."""
    ending = _ending(error)
    if ending is None:
        sys.__excepthook__(kind, error, trace)
        return
    line, status = ending
    _print(line)
    sys.stderr.flush()
    os._exit(status)  # an exception in a hook would not set the status


def run(main: Callable[[], None]) -> None:
    """Run a script's main; an error that a user can mend becomes one line and an exit status.

    Status 2: the input must be corrected. Status 75: the machine had no memory, no space, no time
    left or no GPU; the same command may succeed later, and goes on from the last good state.
    Nothing here starts it again: Snakemake does, as often as `retries` allows. Inside a Slurm job
    one more line names the node.

    A script that writes a record waits while another process writes it, such as a job that
    outlived its controller.
    """
    try:
        _run_as_only_writer(main, record_of(sys.argv[1:]))
        sys.stdout.flush()
    except KeyboardInterrupt:
        _exit("interrupted", INTERRUPTED)
    except BrokenPipeError:  # without a word: the reader, such as ``head``, has read enough
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # or Python complains when it writes the rest
        sys.exit(CLOSED)
    except Exception as error:
        ending = _ending(error)
        if ending is None:
            _print_node()
            raise
        _exit(*ending)


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


def _ending(error: BaseException) -> tuple[str, int] | None:
    """Return what is wrong and what to do, in one line, and the exit status.

    None for a mistake of the program itself, and for what is no error, such as an interrupt.
    """
    if not isinstance(error, Exception):
        return None
    if isinstance(error, ModuleNotFoundError) and error.name:
        top = error.name.partition(".")[0]
        if top not in PACKAGES and top not in sys.stdlib_module_names:
            advice = "the extra 'run' of the package has all that commands need"
            return f"{error.name} is not installed; {advice}", BAD_INPUT
    if isinstance(error, InputError):
        return str(error), BAD_INPUT
    if isinstance(error, (OutOfTime, NoGpu)):
        return str(error), TRY_AGAIN
    line = (str(error).strip() or type(error).__name__).splitlines()[0]
    if isinstance(error, OSError) and error.filename and error.strerror:
        line = f"{error.filename}: {error.strerror}"
    if "cuda out of memory" in line.lower():
        advice = "a training needs less with micro_batch or precision: bf16, and starts anew then"
        return f"out of GPU memory ({line}); {advice}", TRY_AGAIN
    if is_memory(error):
        return f"out of memory ({line}); ask for more, {CONTINUE}", TRY_AGAIN
    if isinstance(error, Busy):
        return f"{line}, {CONTINUE}", TRY_AGAIN
    if is_transient(error):
        return f"{line}; make room or mend the disk, {CONTINUE}", TRY_AGAIN
    return (line, BAD_INPUT) if isinstance(error, OSError) else None


def _exit(line: str, status: int) -> None:
    _print(line)
    sys.exit(status)


def _print(line: str) -> None:
    print(f"error: {line}", file=sys.stderr)
    _print_node()


def _print_node() -> None:
    job = os.environ.get("SLURM_JOB_ID")
    if job:
        node = os.environ.get("SLURMD_NODENAME") or socket.gethostname()
        print(f"node {node}, Slurm job {job}", file=sys.stderr)
