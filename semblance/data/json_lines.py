"""JSON lines: one object a line, strictly parsed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from semblance.data.text import UNWRITABLE, read_rows
from semblance.errors import InputError, at


def read_json_lines(path: Path | str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each line's number and the JSON object on it.

    Raises InputError for anything but an object, a key that stands twice, NaN and infinities, and
    strings that no UTF-8 file can hold (a NUL, half a surrogate pair); also for a blank line, unless
    it is the last.
    """
    for line, text in read_rows(path):
        try:
            value = json.loads(
                text, object_pairs_hook=_build_object, parse_constant=_refuse_constant
            )
            if not isinstance(value, dict):
                raise ValueError(f"a JSON {type(value).__name__}, not an object")
        except (ValueError, RecursionError) as error:
            raise InputError(
                at(path, line), f"not a JSON object as expected: {error}", "one object a line"
            ) from None
        yield line, value


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object; refuse a key that stands twice and text that cannot be written back."""
    values: dict[str, Any] = {}
    for key, value in pairs:
        if not _is_writable(key) or not _is_writable(value):
            raise ValueError(f"a NUL or half a surrogate pair in {key!a}")
    for key, value in pairs:
        if key in values:
            raise ValueError(f"key {key!r} stands twice")
        values[key] = value
    return values


def _is_writable(value: Any) -> bool:
    """Tell whether a text, or each text in a list, can be written to a text file."""
    if isinstance(value, list):
        return all(_is_writable(item) for item in value)
    return not (isinstance(value, str) and UNWRITABLE.search(value))


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
