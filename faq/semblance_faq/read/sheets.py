"""A FAQ in an Excel workbook, read by openpyxl, each cell as the sheet shows it.

The table is on the first visible sheet that has its columns, within the first rows. Values of
formulas are read, not formulas; hidden rows are read; a cell that is merged over several rows has
its value in each of them. A date is written in one way, 2024-05-31: how a sheet shows it depends on
the machine that shows it.
"""

import datetime
import re
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any, BinaryIO

from openpyxl import load_workbook
from openpyxl.cell.read_only import EmptyCell, ReadOnlyCell
from openpyxl.utils import get_column_letter, range_boundaries

from semblance.errors import InputError, at, is_transient
from semblance.files import open_regular
from semblance_faq.read.columns import Columns
from semblance_faq.read.findings import MERGED, ROUNDED, Findings, listed

MOST_FILE = 1 << 26  # bytes of a workbook
MOST_UNPACKED = 1 << 28  # bytes of its parts; a sheet formatted to Excel's last row has 40 MB
HEADER_WITHIN = 20  # rows; a title and some notes may stand above a table
OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # also what holds a workbook with a password
PASSWORD = "EncryptedPackage".encode("utf-16-le")
# 000, 0.00, #,##0.00, 0%: what can be shown without knowing the country.
FIXED = re.compile(r"(#,##)?(0+)(?:\.(0+))?(%?)(?:_.)*")
MOST_DIGITS = 15  # that Excel keeps of a number
LARGEST_FIXED = 10**MOST_DIGITS
Row = tuple[int, dict[str, str]]


def read_workbook(path: Path | str, columns: Columns, findings: Findings) -> Iterator[Row]:
    """Yield each row's number, and its texts by what they hold.

    Notes the sheet and the columns. Raises InputError, with the row where there is one, for what is
    no workbook or too large, one with a password, for a cell that shows an error, and for a formula
    without a value.
    """
    try:
        with open_regular(path, MOST_FILE) as stream, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of extensions, such as data validation
            _refuse_old(stream, path)
            rows = _read(stream, path, columns, findings)
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(path, "no such file", "check the path") from None
    except Exception as error:  # openpyxl raises errors of any kind for a damaged workbook
        if is_transient(error):
            raise
        problem = f"cannot be read as an Excel workbook: {type(error).__name__}: {error}"
        raise InputError(path, problem, "open it in Excel and save it again as .xlsx") from None
    yield from rows


def _refuse_old(stream: BinaryIO, path: Path | str) -> None:
    if stream.read(len(OLD_EXCEL)) == OLD_EXCEL:
        if PASSWORD in stream.read():
            raise InputError(path, "has a password", "save it in Excel without one")
        raise InputError(path, "an Excel file of before 2007 (.xls)", "save it in Excel as .xlsx")
    stream.seek(0)


def _read(stream: BinaryIO, path: Path | str, columns: Columns, findings: Findings) -> list[Row]:
    """Return the rows of the table, from a book of values and one of formulas, row by row."""
    with zipfile.ZipFile(stream) as box:
        if sum(part.file_size for part in box.infolist()) > MOST_UNPACKED:
            advice = "copy the table alone into a new workbook and save that"
            raise InputError(path, f"more than {MOST_UNPACKED:,} bytes unpacked", advice)
    books = [
        load_workbook(stream, read_only=True, data_only=of_values, keep_links=False)
        for of_values in (True, False)
    ]
    for sheet in (sheet for book in books for sheet in book.worksheets):
        sheet.reset_dimensions()  # the size that a sheet states may be wrong
    values, formulas = books
    sheet, header, names = _find_table(values.worksheets, path, columns)
    places = columns.choose(names, at(path, header))
    sentence = f"sheet {sheet.title!r}, its header in row {header}"
    others = [other.title for other in values.worksheets if other is not sheet]
    if others:
        sentence += f"; sheets that are not read: {listed(others)}"
    findings.note(path, sentence)
    columns.note(path, names, places, findings)
    return list(_rows(path, sheet, formulas[sheet.title], (header, places), findings))


def _find_table(
    sheets: Sequence[Any], path: Path | str, columns: Columns
) -> tuple[Any, int, list[str]]:
    """Return the first visible sheet with the columns, the row of its header, and the header.

    Of a workbook without one: the first filled row, for the error that names its columns.
    """
    first = None
    for sheet in sheets:
        if sheet.sheet_state != "visible":
            continue
        for number, row in enumerate(sheet.iter_rows(min_row=1, max_row=HEADER_WITHIN), 1):
            names = [text_of(cell) for cell in row]
            if columns.fit(names):
                return sheet, number, names
            if first is None and any(name.strip() for name in names):
                first = (sheet, number, names)
    if first is None:
        raise InputError(path, "no visible sheet has a value", "is it the right file?")
    return first


def _rows(
    path: Path | str,
    sheet: Any,
    formulas: Any,
    table: tuple[int, dict[str, int]],
    findings: Findings,
) -> Iterator[Row]:
    """Yield the number of each row below the header and its texts; merged values in each row."""
    header, places = table
    last = 0  # with a value; a sheet may be formatted far beyond
    for number, row in enumerate(formulas.iter_rows(min_row=1), 1):
        if any(text_of(cell).strip() for cell in row):
            last = number
    if last <= header:
        return
    starts = _merged_over(sheet, last)
    values: dict[tuple[int, int], str] = {}  # of the cells, by row and column
    part = {"min_row": header + 1, "max_row": last, "max_col": max(places.values()) + 1}
    pairs = zip(sheet.iter_rows(**part), formulas.iter_rows(**part), strict=True)
    for number, (row, of_formulas) in enumerate(pairs, header + 1):
        texts = {}
        is_merged = False
        for role, place in places.items():
            where = number, place + 1
            own = _text(row[place], of_formulas[place], at(path, number), where)
            merged = values.get(starts.get(where, where), "")
            texts[role] = values[where] = own or merged
            is_merged = is_merged or (not own and bool(merged))
        if is_merged:
            findings.add(MERGED, path, number)
        if any(is_rounded(row[place]) for place in places.values()):
            findings.add(ROUNDED, path, number)
        yield number, texts


def _merged_over(sheet: Any, last: int) -> dict[tuple[int, int], tuple[int, int]]:
    """Return by the row and column of a merged cell those of the cell that has its value.

    openpyxl does not tell these where it reads row by row. Only the first column of a range counts.
    """
    with sheet._get_source() as stream:
        areas = re.findall(rb'<(?:\w+:)?mergeCell [^>]*?ref="([A-Z0-9:]+)"', stream.read())
    starts = {}
    for area in areas:
        column, top, _, bottom = range_boundaries(area.decode())
        for row in range(top + 1, min(bottom, last) + 1):
            starts[row, column] = top, column
    return starts


def _text(cell: Any, formula: Any, where: str, place: tuple[int, int]) -> str:
    """Return the text of a cell; InputError for one that shows an error or has no value yet."""
    row, column = place
    name = f"cell {get_column_letter(column)}{row}"
    if cell.data_type == "e":
        problem = f"{name} shows the error {cell.value}"
        raise InputError(where, problem, "mend its formula, or write the text")
    is_empty = cell.value is None and cell.data_type != "str"  # the value may be an empty text
    if is_empty and formula.data_type == "f":
        problem = f"{name} has a formula without a value"
        raise InputError(where, problem, "open the file in Excel and save it")
    return text_of(cell)


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
    form = ",f" if thousands else "f"
    return format(shown, form).zfill(width) + percent
