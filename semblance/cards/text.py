"""Text of others in a card: it can neither end its line nor mean anything to Markdown or HTML."""

import re

SIGNS = re.compile(r"[\\`*_\[\]<>|~&#]")
LONGEST = 300  # characters of one text


def literal(value: object) -> str:
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
    """Return the lines of a Markdown table; the cells are text, whatever signs they hold."""
    lines = [list(header), ["---"] * len(header)]
    lines += [[literal(cell) for cell in row] for row in rows]
    return [f"| {' | '.join(cells)} |" for cells in lines]
