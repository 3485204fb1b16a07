"""Every error of a config at once, so that a user mends them all before the next start."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from semblance.errors import InputError

# What a check may meet in a config of another form than the schema's, which is told as such.
MISFIT = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def errors_of(checks: Iterable[Callable[[], None]], some_misfit: bool = False) -> list[InputError]:
    """Return the InputError of each check that raises one.

    ``some_misfit``: the config does not fit its schema somewhere, so a check may not run to its end.
    """
    passed_over: tuple[type[Exception], ...] = ()
    if some_misfit:
        passed_over = MISFIT
    errors = []
    for check in checks:
        try:
            check()
        except InputError as error:
            errors.append(error)
        except passed_over:
            continue
    return errors


def check_known(where: str, name: str, table: dict, kind: str) -> None:
    """Raise InputError, at ``config.where``, for a name that is not in ``table``."""
    if name not in table:
        known = ", ".join(sorted(table))
        raise InputError(f"config.{where}", f"there is no {kind} {name!r}", f"known are {known}")


def entries(config: dict, *path: str) -> Iterator[tuple[str, Any]]:
    """Yield name and value of each entry of a mapping; nothing where there is no mapping."""
    node: Any = config
    for key in path:
        node = node.get(key) if isinstance(node, dict) else None
    if isinstance(node, dict):
        yield from node.items()


def items(config: Any, key: str) -> Iterator[tuple[int, Any]]:
    """Yield number and value of each item of a list in a mapping; nothing where there is none."""
    if isinstance(config, dict) and isinstance(config.get(key), list):
        yield from enumerate(config[key])
