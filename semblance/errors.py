"""The one kind of error a user is meant to read: where, what is wrong, what to do."""

import errno

# What another start, later or elsewhere, can overcome: no room, a failing disk, too little memory.
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
MEMORY = (
    "allocate memory",
    "out of memory",
    "malloc of size",
    "resource temporarily unavailable",
    "can't start new thread",
)

LONGEST = 1000  # characters of each part that are shown: it may quote a field of megabytes


class InputError(Exception):
    """Bad input, told in one line.

    ``where`` is ``file``, ``file:line`` or a config key; ``advice`` says what to do about it.
    Scripts print it without a traceback and exit with status 2. What is quoted of the input can hold
    line breaks and terminal codes: they are shown escaped, so the text is one harmless line.
    """

    def __init__(self, where: object, problem: str, advice: str = ""):
        self.where, self.problem, self.advice = str(where), problem, advice
        super().__init__(
            f"{_shown(where)}: {_shown(problem)}" + (f"; {_shown(advice)}" if advice else "")
        )


class OutOfTime(Exception):
    """The time that a batch system gave is up and the state is saved: the next start goes on. Exit status 75."""


def _shown(text: object) -> str:
    text = str(text)
    text = text if len(text) <= LONGEST else text[:LONGEST] + "…"
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def at(path: object, line: int | None = None) -> str:
    """Return ``path:line``, the form editors and terminals turn into a link."""
    return f"{path}:{line}" if line is not None else str(path)


def is_memory(error: BaseException) -> bool:
    """Tell whether an error says that memory (or threads) ran out; torch and Arrow have no class for it."""
    return isinstance(error, MemoryError) or any(words in str(error).lower() for words in MEMORY)


def is_passing(error: BaseException) -> bool:
    """Tell whether an error is the machine's and not the input's: no room, a failing disk, no memory."""
    return getattr(error, "errno", None) in PASSING or is_memory(error)
