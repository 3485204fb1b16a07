"""Numbers as people read them: counts, times and sizes with their units, scores, intervals."""

from collections.abc import Sequence


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, which takes an s where the plural is not given."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {plural or noun + 's'}"


def duration(seconds: float) -> str:
    """Return a time with its unit."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def size(megabytes: float) -> str:
    """Return a size with its unit."""
    if megabytes < 1000:
        return f"{megabytes:.0f} MB"
    return f"{megabytes / 1000:,.1f} GB"


def padded(lines: Sequence[Sequence[str]], words: int = 1, least: int = 0) -> list[list[str]]:
    """Return the cells of a table in columns of one width, of ``least`` characters or more.

    The first ``words`` cells of a line stand to the left, the others, numbers, to the right.
    """
    widths = [max(least, *map(len, column)) for column in zip(*lines, strict=True)]
    return [
        [
            text.ljust(width) if place < words else text.rjust(width)
            for place, (text, width) in enumerate(zip(line, widths, strict=True))
        ]
        for line in lines
    ]


def text_table(lines: Sequence[Sequence[str | int]], words: int = 1) -> list[str]:
    """Return a table as lines for a terminal, its columns two spaces apart."""
    texts = [[f"{cell:,}" if isinstance(cell, int) else cell for cell in line] for line in lines]
    return ["  ".join(cells).rstrip() for cells in padded(texts, words)]


MINUS = "−"


def signed(value: float | None, digits: int = 2) -> str:
    """Return a difference with its sign; empty for none."""
    if value is None:
        return ""
    return _with_minus(f"{value:+z.{digits}f}")


def rounded(value: float | None, digits: int = 2) -> str:
    """Return a value; empty for none."""
    if value is None:
        return ""
    return _with_minus(f"{value:z.{digits}f}")


def interval(low: float | None, high: float | None, digits: int = 2) -> str:
    """Return the limits of an interval; empty where there is none."""
    if low is None or high is None:
        return ""
    return f"[{signed(low, digits)}, {signed(high, digits)}]"


def _with_minus(text: str) -> str:
    return text.replace("-", MINUS)
