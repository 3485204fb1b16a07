"""The one kind of error a user is meant to read: where, what is wrong, what to do."""


class InputError(Exception):
    """Bad input, told in one line.

    ``where`` is ``file``, ``file:line`` or a config key; ``advice`` says what to do about it.
    Scripts print it without a traceback and exit with status 2.
    """

    def __init__(self, where: object, problem: str, advice: str = ""):
        self.where, self.problem, self.advice = str(where), problem, advice
        super().__init__(f"{where}: {problem}" + (f"; {advice}" if advice else ""))


def at(path: object, line: int | None = None) -> str:
    """Return ``path:line``, the form editors and terminals turn into a link."""
    return f"{path}:{line}" if line is not None else str(path)
