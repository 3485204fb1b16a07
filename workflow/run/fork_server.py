"""One process that has loaded the libraries, of which the jobs of a run on this machine are children.

Python, torch and the stages' modules take a job 1.5 s of processor time to load, a child 10 ms.
Each job's program (``workflow.fork_client``) sends what it was started with and its open files.
The server computes nothing and has one thread: threads do not survive a fork, and a child of a
process that has computed in parallel waits for them for ever.
"""

import atexit
import contextlib
import ctypes
import gc
import importlib
import os
import random
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, NoReturn

from semblance.provenance import ROOT, environment
from workflow.fork_client import FILES, HANDED_ON, SERVER

FEWEST = 5  # jobs for which a server is worth its start
PATIENCE = 10.0  # seconds for a program that has connected to say what it wants
TASKS = Path("/proc/self/task")
LIBC = ctypes.CDLL(None)
SET_DEATH_SIGNAL = 1  # of prctl
# Libraries that stages with a model load only where they use them.
LATER = (
    *("pandas", "pyarrow.parquet", "scipy.stats", "sklearn.model_selection", "tokenizers"),
    *("tensorboard.summary.writer.record_writer", "tensorboard.compat.proto.event_pb2"),
)
# torch's own number of threads is set in each child. Arrow's allocator would start a thread.
ONE_THREAD = {
    **dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"),
    **dict.fromkeys(("OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"),
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
# Variables that Snakemake and the shell give each job. All others are those of the server.
OF_A_JOB = {
    *ONE_THREAD,
    *("GOTO_NUM_THREADS", "TMPDIR", "TMP", "TEMPDIR", "TEMP", "PYTHONPATH"),
    *("PWD", "OLDPWD", "SHLVL", "_", SERVER),
}
_started: list[subprocess.Popen] = []  # kept: a server ends when its pipe is closed


def start(rules: Iterable[str], log: Path) -> subprocess.Popen | None:
    """Start the server of this process's jobs; it ends with this process. None where none can run.

    ``rules`` are names of the programs whose modules are loaded. Raises OSError where there is no
    place for the socket or the log.
    """
    if not hasattr(os, "pidfd_open"):  # not Linux
        return None
    # Only this user may enter the folder. It is not in the output folder: a disk of the network has
    # no sockets, and a long path none either.
    folder = tempfile.mkdtemp(prefix="semblance-")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.path.join(folder, "socket"))
    listener.listen(1024)  # programs wait here while the server loads the libraries
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    with log.open("w") as output, listener:
        server = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__, folder, str(listener.fileno()), *sorted(rules)],
            pass_fds=[listener.fileno()],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            env={**os.environ, "PYTHONPATH": path, **ONE_THREAD},
            start_new_session=True,  # an interrupt of the terminal is for the jobs' programs
        )
    _started.append(server)
    os.environ[SERVER] = os.path.join(folder, "socket")
    return server


class Request(NamedTuple):
    """What a program was started with: its module and arguments, its folder, variables and files."""

    program: socket.socket
    files: list[int]
    folder: bytes
    arguments: list[str]
    variables: dict[bytes, bytes]


class Job(NamedTuple):
    """A running child and the program that waits for it; ``end`` is readable when it has ended."""

    pid: int
    end: int
    program: socket.socket


def main() -> None:
    """Serve until the controller, whose pipe is the standard input, is gone."""
    folder, number, *rules = sys.argv[1:]
    given = dict(os.environb)
    listener = socket.socket(fileno=int(number))
    load_programs(rules)
    request = fork_children(listener, given)
    if request is None:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        become(request, {name: os.environb[name] for name in os.environb if name not in given})
        work(request.arguments[0])


def load_programs(rules: Iterable[str]) -> None:
    """Import what the programs need, for all children at once."""
    programs = [name for name in rules if Path(ROOT, "workflow/scripts", f"{name}.py").exists()]
    for program in programs:
        importlib.import_module(f"workflow.scripts.{program}")
    if "torch" in sys.modules:
        for name in LATER:
            importlib.import_module(name)
    environment()  # it reads the versions of the libraries, which each record names
    gc.collect()
    gc.freeze()  # or each child's collector would copy all pages


def fork_children(listener: socket.socket, given: Mapping[bytes, bytes]) -> Request | None:
    """Fork a child for each request; return its request in a child, and None at the end.

    ``given`` are the variables that this process was started with; libraries have set more.
    """
    server = os.getpid()
    with selectors.DefaultSelector() as selector:
        selector.register(sys.stdin.fileno(), selectors.EVENT_READ)
        selector.register(listener, selectors.EVENT_READ)
        jobs = 0
        while jobs or listener.fileno() >= 0:
            for key, _ in selector.select():
                job = key.data
                if key.fileobj is listener:
                    request = receive(listener, given)
                    if request is None:
                        continue
                    pid = os.fork()
                    if not pid:
                        LIBC.prctl(SET_DEATH_SIGNAL, signal.SIGKILL)
                        if os.getppid() != server:
                            os._exit(1)
                        for other in list(selector.get_map().values()):
                            if isinstance(other.fileobj, socket.socket):
                                other.fileobj.close()
                            else:
                                os.close(other.fd)
                        return request
                    watch(selector, request, pid)
                    jobs += 1
                elif job is None:  # the controller has ended
                    selector.unregister(key.fileobj)
                    selector.unregister(listener)
                    listener.close()
                elif key.fileobj is job.program:
                    obey(selector, job)
                else:
                    answer(selector, job)
                    jobs -= 1
    return None


def receive(listener: socket.socket, given: Mapping[bytes, bytes]) -> Request | None:
    """Return what a program asks for; None if it must start by itself."""
    program, _ = listener.accept()
    program.settimeout(PATIENCE)
    files: list[int] = []
    try:
        length, files, _, _ = socket.recv_fds(program, 8, len(FILES))
        words = receive_all(program, int.from_bytes(length, "big")).split(b"\0")
        program.settimeout(None)
        end = 2 + int(words[1])
        arguments = list(map(os.fsdecode, words[2:end]))
        variables = dict(word.split(b"=", 1) for word in words[end:])
        request = Request(program, files, words[0], arguments, variables)
        if len(files) == len(FILES) and is_fit(request.variables, given):
            return request
    except (EOFError, OSError) as error:
        print(error, flush=True)
    for file in files:
        os.close(file)
    program.close()
    return None


def receive_all(program: socket.socket, length: int) -> bytes:
    """Return so many bytes, and leave what follows: a signal may."""
    content = b""
    while len(content) < length:
        more = program.recv(length - len(content))
        if not more:
            raise EOFError("the program is gone")
        content += more
    return content


def is_fit(variables: Mapping[bytes, bytes], given: Mapping[bytes, bytes]) -> bool:
    """Return whether a child here would be what the program would be by itself."""
    if len(list(TASKS.iterdir())) > 1:
        print("more than one thread", flush=True)
        return False
    names = [name for name in {**variables, **given} if variables.get(name) != given.get(name)]
    others = sorted(set(map(os.fsdecode, names)) - OF_A_JOB)
    if others:
        print("other variables:", *others, flush=True)
    return not others


def watch(selector: selectors.BaseSelector, request: Request, pid: int) -> None:
    """Let the loop hear of the end of a child, of its program's end, and of signals to it."""
    os.setpgid(pid, pid)
    job = Job(pid, os.pidfd_open(pid), request.program)
    selector.register(job.end, selectors.EVENT_READ, job)
    selector.register(job.program, selectors.EVENT_READ, job)
    for file in request.files:
        os.close(file)


def obey(selector: selectors.BaseSelector, job: Job) -> None:
    """Hand a signal on to a child and all that it has started; kill it if its program is gone."""
    try:
        numbers = job.program.recv(64)
    except OSError:
        numbers = b""
    for number in numbers or [signal.SIGKILL]:
        os.killpg(job.pid, number)  # it is not waited for yet: no other process has its number
    if not numbers:
        selector.unregister(job.program)


def answer(selector: selectors.BaseSelector, job: Job) -> None:
    """Tell a program how its child has ended."""
    _, status = os.waitpid(job.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    selector.unregister(job.end)
    os.close(job.end)
    if job.program in selector.get_map():
        selector.unregister(job.program)
    with job.program as program, contextlib.suppress(OSError):  # it may be gone
        program.send(code.to_bytes(4, "big", signed=True))


def become(request: Request, of_libraries: Mapping[bytes, bytes]) -> None:
    """Make this child what the program was started as."""
    os.setpgid(0, 0)
    request.program.close()
    for number, file in enumerate(request.files):
        os.dup2(file, number)
        os.close(file)
    for number in HANDED_ON:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(request.folder)
    os.environb.clear()
    os.environb.update({**of_libraries, **request.variables})
    os.environ.update(ONE_THREAD)
    del os.environ[SERVER]
    tempfile.tempdir = None  # found anew
    random.seed()
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()
    name, *arguments = request.arguments
    sys.argv = [name, *arguments]


def work(name: str) -> NoReturn:
    """Run the program ``name`` and end.

    An interpreter that ends clears up: it would touch, and so copy, all pages of the libraries, in
    0.3 s.
    """
    from workflow.scripts.endings import run

    status = 0
    try:
        run(importlib.import_module(name).main)
    except SystemExit as end:
        status = int(end.code or 0)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
