"""The errors that a user reads, and what the machine, not the input, is to blame for."""

import errno

BAD_INPUT = 2  # the exit status of a start whose input must be corrected
# Numbers of errors of the machine: a full or failing disk, too little memory, too many open files.
# The same command may succeed later, or on another machine.
PASSING = frozenset(
    {
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EIO,
        errno.ENOMEM,
        errno.EAGAIN,
        errno.EMFILE,
        errno.ENFILE,
        errno.ESTALE,
    }
)
MEMORY = (  # words of the errors with which libraries say that memory or threads ran out
    "allocate memory",
    "out of memory",
    "malloc of size",
    "failed to map segment",
    "resource temporarily unavailable",
    "can't start new thread",
)
LONGEST = 1000  # characters of a part that are shown: it may quote a field of megabytes


class InputError(Exception):
    """An error in the input that the user can correct; its text is one line.

    ``where`` is ``file``, ``file:line`` or a config key; ``advice`` says what to do about it.
    Scripts print it without a traceback and exit with status 2. Line breaks and terminal codes in
    text that it quotes are shown escaped.
    """

    def __init__(self, where: object, problem: str, advice: str = ""):
        self.where = str(where)
        self.problem = problem
        self.advice = advice
        text = f"{_escaped(where)}: {_escaped(problem)}"
        if advice:
            text += f"; {_escaped(advice)}"
        super().__init__(text)


class OutOfTime(Exception):
    """The time limit of a batch system is near and the state is saved; the next start continues.

    Scripts exit with status 75.
    """


class NoGpu(Exception):
    """A job of a scheduler has no GPU that it can use, though the config asks for one.

    Scripts exit with status 75.
    """


def _escaped(text: object) -> str:
    """Return a text of at most LONGEST characters and without control characters."""
    shown = str(text)
    if len(shown) > LONGEST:
        shown = shown[:LONGEST] + "…"
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in shown)


def at(path: object, line: int | None = None) -> str:
    """Return ``path:line``, which editors and terminals turn into a link; without a line the path."""
    if line is None:
        return str(path)
    return f"{path}:{line}"


def is_memory(error: BaseException) -> bool:
    """Tell whether an error says that memory or threads ran out.

    torch and Arrow have no class for it, so the words decide.
    """
    text = str(error).lower()
    return isinstance(error, MemoryError) or any(words in text for words in MEMORY)


def is_transient(error: BaseException) -> bool:
    """Tell whether the machine caused an error: a full or failing disk, too little memory."""
    return getattr(error, "errno", None) in PASSING or is_memory(error)
