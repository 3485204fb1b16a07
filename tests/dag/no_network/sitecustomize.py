"""Loaded by every Python that has this folder on its path: lets no call out, and notes who tried.

NETWORK_TRAP names a folder: `processes` gets the command line of each process, `calls` that of each attempt, `torch`
that of each that imports torch.
What a library does past Python (sockets of its own in C or Rust) is not seen here.
"""

import os
import socket
import sys

CALLS = {"socket.connect", "socket.sendto", "socket.sendmsg"}
QUESTIONS = {
    "socket.getaddrinfo",
    "socket.gethostbyname",
    "socket.gethostbyaddr",
    "socket.getnameinfo",
    "urllib.Request",
    "http.client.connect",
    "ftplib.connect",
    "smtplib.connect",
}


def note(file: str, *words: object) -> None:
    """Append one line, in one write, so that processes do not mix theirs."""
    line = " ".join(str(word).replace("\n", " ") for word in words) + "\n"
    with open(os.path.join(os.environ["NETWORK_TRAP"], file), "ab", buffering=0) as stream:
        stream.write(line.encode())


def refuse(event: str, arguments: tuple) -> None:
    """Note and refuse a call to another machine, or to this one other than by a file; note who imports torch."""
    if event == "import" and arguments[0].partition(".")[0] == "torch":
        note("torch", *sys.orig_argv)
    if event in QUESTIONS or event in CALLS and arguments[0].family != socket.AF_UNIX:
        note("calls", event, arguments[1:] if event in CALLS else arguments, *sys.orig_argv)
        raise RuntimeError(f"{event}: no network here")


if "NETWORK_TRAP" in os.environ:
    note("processes", *sys.orig_argv)
    sys.addaudithook(refuse)
