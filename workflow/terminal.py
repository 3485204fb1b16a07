"""Colours, on a terminal alone. The environment variable NO_COLOR switches them off."""

import os
from collections.abc import Callable
from typing import TextIO

CODES = {"bold": "1", "red": "31", "green": "32", "yellow": "33"}
Paint = Callable[[str, str], str]  # a text and the name of a colour -> the text in this colour


def painter(stream: TextIO) -> Paint:
    """Return a function that colours a text for a stream; for a file or a pipe it changes nothing."""
    # https://no-color.org
    is_unwanted = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    if stream.isatty() and not is_unwanted:
        return lambda text, colour: f"\033[{CODES[colour]}m{text}\033[0m"
    return lambda text, colour: text
