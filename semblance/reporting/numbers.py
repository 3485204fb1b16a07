"""How tables and pages print numbers for people: rounded once, with real minus signs."""

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
