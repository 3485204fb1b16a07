"""The text of a cell of an Excel sheet, as the sheet shows it.

A date is written in one way, 2024-05-31: how a sheet shows it depends on the machine that shows it.
"""

import datetime
import re
from decimal import ROUND_HALF_UP, Decimal

from openpyxl.cell.read_only import EmptyCell, ReadOnlyCell

# 000, 0.00, #,##0.00, 0%: what can be shown without knowing the country.
FIXED = re.compile(r"(#,##)?(0+)(?:\.(0+))?(%?)(?:_.)*")
MOST_DIGITS = 15  # that Excel keeps of a number
LARGEST_FIXED = 10**MOST_DIGITS


def text_of(cell: ReadOnlyCell | EmptyCell) -> str:
    """Return what a cell shows; an empty cell is an empty text."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, str):
        return value.replace("_x000D_", "\n")  # how a carriage return stands in the file
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, (int, float)):
        return _number(value, cell.number_format or "")
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        value = value.date()
    return str(value)


def is_rounded(cell: ReadOnlyCell | EmptyCell) -> bool:
    """Tell whether a number is so long that Excel may have lost its last digits."""
    value = cell.value
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and abs(value) >= LARGEST_FIXED


def _number(value: int | float, code: str) -> str:
    """Return a number by its format; of another format all digits, never an exponent."""
    exact = Decimal(format(value, f".{MOST_DIGITS}g"))
    if isinstance(value, int):
        exact = Decimal(value)
    match = FIXED.fullmatch(code.partition(";")[0])
    if match is None or not abs(exact) < LARGEST_FIXED:
        return format(exact, "f")
    thousands, whole, decimals, percent = match.groups()
    if percent:
        exact *= 100
    places = len(decimals or "")
    shown = exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    width = len(whole)
    if places:
        width += 1 + places
    form = "f"
    if thousands:
        form = ",f"
    return format(shown, form).zfill(width) + percent
