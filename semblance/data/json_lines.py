"""JSON lines: one object a line, strictly parsed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from semblance.data.text import read_rows
from semblance.errors import InputError, at
from semblance.strict_json import parse_strict


def read_json_lines(path: Path | str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each line's number and the JSON object on it.

    Raises InputError for anything but an object, a key that stands twice, NaN and infinities, and
    strings that no UTF-8 file can hold (a NUL, half a surrogate pair); also for a blank line, unless
    it is the last.
    """
    for line, text in read_rows(path):
        try:
            value = parse_strict(text)
            if not isinstance(value, dict):
                raise ValueError(f"a JSON {type(value).__name__}, not an object")
        except ValueError as error:
            raise InputError(
                at(path, line), f"not a JSON object as expected: {error}", "one object a line"
            ) from None
        yield line, value
