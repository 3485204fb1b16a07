"""How the page prints numbers: rounded once, with real minus signs."""

MINUS = "−"


def signed(value: float | None, digits: int = 2) -> str:
    """Return a difference with its sign; empty for none."""
    if value is None:
        return ""
    return _minus(f"{value:+z.{digits}f}")


def plain(value: float | None, digits: int = 2) -> str:
    """Return a value; empty for none."""
    if value is None:
        return ""
    return _minus(f"{value:z.{digits}f}")


def interval(low: float | None, high: float | None) -> str:
    """Return the limits of an interval; empty where there is none."""
    if low is None or high is None:
        return ""
    return f"[{signed(low)}, {signed(high)}]"


def probability(value: float | None) -> str:
    """Return a p-value."""
    if value is None:
        return ""
    if value < 0.0001:
        return "< .0001"
    return f"{value:.4f}".removeprefix("0")


def duration(seconds: float) -> str:
    """Return a time in the largest unit that fits."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def size(number: float) -> str:
    """Return a size in bytes."""
    if number < 1e6:
        return f"{number / 1e3:,.0f} kB"
    if number < 1e9:
        return f"{number / 1e6:,.0f} MB"
    return f"{number / 1e9:,.1f} GB"


def _minus(text: str) -> str:
    return text.replace("-", MINUS)
