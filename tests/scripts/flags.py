"""Command lines of the programs, for tests."""

import json
from typing import Any


def flags(**given: Any) -> list[str]:
    """Return a flag for each keyword: a dict as JSON, a list as several words."""
    words = []
    for name, value in given.items():
        words.append(f"--{name.replace('_', '-')}")
        if isinstance(value, dict):
            value = json.dumps(value)
        words += map(str, value) if isinstance(value, list) else [str(value)]
    return words
