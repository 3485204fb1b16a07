"""How the page prints numbers: rounded once, with real minus signs."""

from semblance.reporting.judging import Judgement

MINUS = "−"


def signed(value: float | None, digits: int = 2) -> str:
    """Return a difference with its sign; empty for none."""
    if value is None:
        return ""
    return with_minus(f"{value:+z.{digits}f}")


def rounded(value: float | None, digits: int = 2) -> str:
    """Return a value; empty for none."""
    if value is None:
        return ""
    return with_minus(f"{value:z.{digits}f}")


def interval(found: Judgement) -> str:
    """Return the limits of a claim's interval; empty where there is none."""
    if found.low is None or found.high is None:
        return ""
    return f"[{signed(found.low, found.digits)}, {signed(found.high, found.digits)}]"


def with_minus(text: str) -> str:
    """Return a text with real minus signs."""
    return text.replace("-", MINUS)
