"""Text of others in a card: it can neither end its line nor mean anything to Markdown or HTML."""

import re
from collections.abc import Sequence

SIGNS = re.compile(r"[\\`*_\[\]<>|~&#]")
LONGEST = 300  # characters that are shown of one text


def plain(value: object) -> str:
    """Return a value as one line that a card shows literally."""
    return SIGNS.sub(lambda sign: f"\\{sign[0]}", one_line(value))


def one_line(value: object) -> str:
    """Return a value as one line of printable text, of at most LONGEST characters."""
    printable = "".join(c if c.isprintable() else " " for c in str(value))
    words = " ".join(printable.split())
    if len(words) > LONGEST:
        return words[:LONGEST] + "…"
    return words


def table(header: tuple[str, ...], rows: list[tuple]) -> list[str]:
    """Return the lines of a Markdown table; the cells are shown literally."""
    lines = [_line(header), _line(["---"] * len(header))]
    for row in rows:
        lines.append(_line([plain(cell) for cell in row]))
    return lines


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
