"""A stage's program on this machine: a child of the run's fork server does its work.

`python -m workflow.scripts.NAME` comes here first. Where no server answers, it goes on by itself.
"""

import os
import signal
import socket
import sys

SERVER = "SEMBLANCE_FORK_SERVER"  # the socket of the run's server, set by the controller
HANDED_ON = tuple(getattr(signal, f"SIG{name}") for name in "HUP INT QUIT TERM USR1 USR2".split())
FILES = (0, 1, 2)  # which the child takes over


def run_forked() -> None:
    """Let the run's server do the work of this program, and end as its child ends.

    Returns where there is no server, where it refuses, or where it dies, and its child with it.
    """
    if sys.argv[0] != "-m" or SERVER not in os.environ:
        return
    received: list[int] = []
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.connect(os.environ[SERVER])
            _hand_over(server)
            for number in HANDED_ON:
                signal.signal(number, lambda number, _: _hand_on(server, number, received))
            answer = server.recv(4)
    except OSError:
        answer = b""
    for number in HANDED_ON:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if answer:
        _end_as(int.from_bytes(answer, "big", signed=True))
    if received:
        _end_as(-received[0])


def _hand_on(server: socket.socket, number: int, received: list[int]) -> None:
    received.append(number)
    server.send(bytes([number]))


def _hand_over(server: socket.socket) -> None:
    """Send module, arguments, folder and variables: their total length, then all, with NUL between."""
    module = sys.orig_argv[sys.orig_argv.index("-m") + 1]
    arguments = [module, *sys.argv[1:]]
    variables = [name + b"=" + value for name, value in os.environb.items()]
    words = [os.getcwdb(), b"%d" % len(arguments), *map(os.fsencode, arguments), *variables]
    message = b"\0".join(words)
    socket.send_fds(server, [len(message).to_bytes(8, "big")], FILES)
    server.sendall(message)


def _end_as(status: int) -> None:
    """End with an exit status; a negative one names the signal that has ended the child."""
    if status < 0:
        os.kill(os.getpid(), -status)
    os._exit(status % 256)
