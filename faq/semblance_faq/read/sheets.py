"""A FAQ in an Excel workbook, read by openpyxl, each cell as the sheet shows it.

The table is on the first visible sheet that has its columns, within the first rows. Values of
formulas are read, not formulas; hidden rows are read; a cell that is merged over several rows has
its value in each of them. A hidden column is read
where no visible one holds the same. A date is written in one way, 2024-05-31: how a sheet shows it
depends on the machine that shows it.
"""

import datetime
import io
import re
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO

from openpyxl import load_workbook
from openpyxl.cell.read_only import EmptyCell, ReadOnlyCell
from openpyxl.utils import get_column_letter, range_boundaries

from semblance.errors import InputError, at, is_transient
from semblance.files import open_regular
from semblance_faq.read import formats
from semblance_faq.read.columns import Columns
from semblance_faq.read.findings import Finding, Findings, listed

MOST_FILE = 1 << 26  # bytes of a workbook
MOST_UNPACKED = 1 << 28  # bytes of its parts; a sheet formatted to Excel's last row has 40 MB
HEADER_WITHIN = 20  # rows; a title and some notes may stand above a table
OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # also what holds a workbook with a password
PASSWORD = "EncryptedPackage".encode("utf-16-le")
# The names of Strict Open XML (ISO 29500), such as .../spreadsheetml/main, and of what is usual.
STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
TRANSITIONAL = rb"http://schemas.openxmlformats.org/\1/2006/\2"
CARRIAGE_RETURN = re.compile("_x000D_\n?")  # how it stands in the file
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
            rows = _read(_transitional(stream, path), path, columns, findings)
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


def _transitional(stream: BinaryIO, path: Path | str) -> BinaryIO:
    """Return a workbook as openpyxl reads it: of Strict Open XML with the names of the other kind.

    InputError for one that unpacks to too much.
    """
    with zipfile.ZipFile(stream) as box:
        if sum(part.file_size for part in box.infolist()) > MOST_UNPACKED:
            advice = "copy the table alone into a new workbook and save that"
            raise InputError(path, f"more than {MOST_UNPACKED:,} bytes unpacked", advice)
        parts = [box.read(name) for name in box.namelist() if "workbook" in name]
        if not any(map(STRICT.search, parts)):
            return stream
        renamed = io.BytesIO()
        with zipfile.ZipFile(renamed, "w") as other:
            for name in box.namelist():
                other.writestr(name, STRICT.sub(TRANSITIONAL, box.read(name)))
    return renamed


def _read(stream: BinaryIO, path: Path | str, columns: Columns, findings: Findings) -> list[Row]:
    """Return the rows of the table, from a book of values and one of formulas, row by row."""
    books = [
        load_workbook(stream, read_only=True, data_only=of_values, keep_links=False)
        for of_values in (True, False)
    ]
    for sheet in (sheet for book in books for sheet in book.worksheets):
        sheet.reset_dimensions()  # the size that a sheet states may be wrong
    values, formulas = books
    sheet, header, names = _find_table(values.worksheets, path, columns)
    places = columns.choose(names, at(path, header), _hidden(sheet))
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
            findings.add(Finding.MERGED, path, number)
        for kind in {_loss(row[place]) for place in places.values()} - {None}:
            findings.add(kind, path, number)
        yield number, texts


def _merged_over(sheet: Any, last: int) -> dict[tuple[int, int], tuple[int, int]]:
    """Return by the row and column of a merged cell those of the cell that has its value.

    Only the first column of a range counts.
    """
    starts = {}
    for merged in _elements(sheet, "mergeCell"):
        column, top, _, bottom = range_boundaries(merged["ref"])
        for row in range(top + 1, min(bottom, last) + 1):
            starts[row, column] = top, column
    return starts


def _hidden(sheet: Any) -> set[int]:
    """Return the places of the hidden columns."""
    hidden: set[int] = set()
    for columns in _elements(sheet, "col"):
        if columns.get("hidden") in ("1", "true"):
            hidden.update(range(int(columns["min"]) - 1, int(columns["max"])))
    return hidden


def _elements(sheet: Any, name: str) -> list[dict[str, str]]:
    """Return the attributes of the elements of a name, which openpyxl leaves out row by row."""
    with sheet._get_source() as stream:
        found = re.findall(rf"<(?:\w+:)?{name} ([^>]*)>".encode(), stream.read())
    return [dict(re.findall(r'(\w+)="([^"]*)"', each.decode())) for each in found]


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
    value, shown = cell.value, _by_format(cell)
    if value is None:
        return ""
    if shown is not None:
        return shown
    if isinstance(value, (int, float)):
        return format(_exact(value), "f")  # never an exponent
    if isinstance(value, datetime.datetime):
        if value.time() == datetime.time():
            value = value.date()
        elif not re.search("[dy]", cell.number_format, re.IGNORECASE):
            value = value.time()  # of 36 hours as h:mm, which shows 12:00
    return str(value)


def _by_format(cell: ReadOnlyCell | EmptyCell) -> str | None:
    """Return what a cell shows by its number format; None for a date, or where it is not followed."""
    value, code = cell.value, cell.number_format or "General"
    if isinstance(value, str):
        return formats.of_text(CARRIAGE_RETURN.sub("\n", value), code)
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.timedelta):
        return formats.of_duration(value, code)
    if isinstance(value, (int, float)) and abs(value) < LARGEST_FIXED:
        return formats.of_number(_exact(value), code)
    return None


def _exact(value: int | float) -> Decimal:
    return Decimal(value if isinstance(value, int) else format(value, f".{MOST_DIGITS}g"))


def _loss(cell: ReadOnlyCell | EmptyCell) -> Finding | None:
    """Return what a cell shows and its text has not: of a date words, of a long number digits."""
    value = cell.value
    if isinstance(value, (datetime.date, datetime.time)):
        return Finding.FORMAT if formats.has_words(cell.number_format) else None
    if value is None or _by_format(cell) is not None:
        return None
    is_long = isinstance(value, (int, float)) and abs(value) >= LARGEST_FIXED
    return Finding.ROUNDED if is_long else Finding.FORMAT
