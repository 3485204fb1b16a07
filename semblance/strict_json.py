"""JSON read strictly: each key once, finite numbers, and text that a UTF-8 file can hold.

Standard library only: Snakemake imports it at each start.
"""

import json
import math
import re
from collections.abc import Iterable
from itertools import chain
from typing import Any

# Characters that a string of JSON or YAML can express but no text file of ours can hold.
UNWRITABLE = re.compile("[\0\ud800-\udfff]")
DEEPEST = 100  # lists and objects inside each other; Python's own limit depends on the caller


def parse_strict(text: str) -> Any:
    """Return the value of a JSON text.

    Raises ValueError for text that is not JSON (json.JSONDecodeError, which knows the line), a key
    that stands twice, a number that is not finite, an integer of more than 4,300 digits, a NUL or
    half a surrogate pair in a text, and more than DEEPEST lists and objects inside each other.
    """
    try:
        value = json.loads(
            text,
            parse_float=_parse_float,
            parse_constant=_parse_float,
            object_pairs_hook=_build_object,
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None
    # Most texts have few brackets and no escapes, and need no walk.
    if text.count("[") + text.count("{") > DEEPEST or "\\u" in text or UNWRITABLE.search(text):
        _check(value)
    return value


def _parse_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text:.40} is not a finite number")
    return value


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise ValueError(f"key {key!r:.80} stands twice")
        values[key] = value
    return values


def _check(value: Any) -> None:
    """Raise ValueError for a text that cannot be written and for more than DEEPEST levels."""
    level = [value]
    for _ in range(DEEPEST + 1):
        for text in level:
            if isinstance(text, str) and UNWRITABLE.search(text):
                raise ValueError(f"a NUL or half a surrogate pair in {text!a:.80}")
        level = [inner for outer in level for inner in _parts(outer)]
    if level:
        raise ValueError("nested too deeply")


def _parts(value: Any) -> Iterable:
    if isinstance(value, dict):
        return chain(value, value.values())
    if isinstance(value, list):
        return value
    return ()
