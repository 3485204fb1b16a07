"""The small chart of dev scores that a row of a table unfolds to."""

from collections.abc import Iterable
from dataclasses import dataclass

from workflow.report import numbers
from workflow.report.facts import Model

CURVE_WIDTH = 220
CURVE_HEIGHT = 60
MOST_CURVES = 40  # lines in one small chart


@dataclass(frozen=True)
class Curves:
    """The dev scores along the trainings of a row, as points of lines in a small chart."""

    lines: tuple[str, ...]
    lowest: str
    highest: str
    last_step: int
    left_out: int = 0


def curves(models: Iterable[Model]) -> Curves | None:
    """Return a small chart of the dev scores of some trainings; None where none has two points."""
    lines = [model.curve for model in models]
    lines = [line for line in lines if len(line) > 1]
    if not lines:
        return None
    values = [value for line in lines for _, value in line]
    last = max(step for line in lines for step, _ in line)
    low = min(values)
    high = max(values)
    height = (high - low) or 1.0
    drawn = []
    for line in lines[:MOST_CURVES]:
        places = [
            f"{CURVE_WIDTH * step / last:.0f},{CURVE_HEIGHT * (1 - (value - low) / height):.0f}"
            for step, value in line
        ]
        drawn.append(" ".join(places))
    return Curves(
        lines=tuple(drawn),
        lowest=numbers.plain(100 * low),
        highest=numbers.plain(100 * high),
        last_step=last,
        left_out=len(lines) - len(drawn),
    )
