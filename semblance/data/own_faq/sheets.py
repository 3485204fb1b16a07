"""A FAQ in an Excel workbook, read by openpyxl row by row.

The table is on the first visible sheet that has its columns, within the first rows. Values of
formulas are read, not formulas; hidden rows are read; a cell that is merged over several rows has
its value in each of them.
"""

import re
import warnings
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from openpyxl.reader.excel import ExcelReader
from openpyxl.utils import get_column_letter

from semblance.data.own_faq import cells
from semblance.data.own_faq.columns import Columns, tell
from semblance.data.own_faq.findings import DATES, HIDDEN, MERGED, ROUNDED, Findings, listed
from semblance.data.own_faq.parts import MOST_FILE, Parts, SheetFacts, column_number
from semblance.errors import InputError, at, is_passing
from semblance.files import open_regular

HEADER_WITHIN = 20  # rows; a title and some notes may stand above a table
MOST_COLUMNS = 1000
OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # also what holds a workbook with a password
PASSWORD = "EncryptedPackage".encode("utf-16-le")
RANGE = re.compile(r"([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})")
Row = tuple[int, dict[str, str]]


def read_workbook(path: Path | str, columns: Columns, findings: Findings) -> Iterator[Row]:
    """Yield each row's number, and its texts by what they hold.

    Notes the sheet and the columns. Raises InputError, with the row where there is one, for what is
    no workbook, one with a password or beyond the bounds of ``parts``, for a cell that shows an
    error, and for a formula without a value.
    """
    try:
        with open_regular(path, MOST_FILE) as stream:
            _refuse_old(stream, path)
            rows = _read(stream, path, columns, findings)
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(path, "no such file", "check the path") from None
    except Exception as error:  # openpyxl raises errors of any kind for a damaged workbook
        if is_passing(error):
            raise
        problem = f"cannot be read as an Excel workbook: {type(error).__name__}: {error}"
        raise InputError(path, problem, "open it in Excel and save it again as .xlsx") from None
    yield from rows


def _refuse_old(stream: BinaryIO, path: Path | str) -> None:
    content = stream.read(len(OLD_EXCEL))
    if content == OLD_EXCEL:
        if PASSWORD in stream.read():
            raise InputError(path, "has a password", "save it in Excel without one")
        raise InputError(path, "an Excel file of before 2007 (.xls)", "save it in Excel as .xlsx")
    stream.seek(0)


def _read(stream: BinaryIO, path: Path | str, columns: Columns, findings: Findings) -> list[Row]:
    with warnings.catch_warnings():  # of extensions, such as data validation, that do not matter
        warnings.simplefilter("ignore")
        parts = Parts(stream, path)  # first: it refuses too long a list of parts
        reader = ExcelReader(stream, read_only=True, data_only=True, keep_links=False)
        reader.archive = parts
        reader.read()
        sheet, header, names = _find_table(reader.wb, parts, path, columns)
        chosen = columns.choose(names, at(path, header))
        _tell_sheet(reader.wb, sheet, header, path, findings)
        tell(path, names, chosen, findings)
        table = _Table(path, sheet, parts.facts[sheet._worksheet_path], findings)
        return list(table.rows(header, chosen))


def _find_table(
    book: Any, parts: Parts, path: Path | str, columns: Columns
) -> tuple[Any, int, list[str]]:
    """Return the first visible sheet with the columns, the row of its header, and the header.

    Of a workbook without one: the first filled row, for the error that names its columns.
    """
    first = None
    for sheet in book.worksheets:
        facts = parts.facts[sheet._worksheet_path]
        if sheet.sheet_state != "visible" or not facts.last_row:
            continue
        if facts.last_column > MOST_COLUMNS:
            last = get_column_letter(facts.last_column)
            problem = f"sheet {sheet.title!r} has values up to column {last}"
            raise InputError(path, problem, f"a table has at most {MOST_COLUMNS:,} columns")
        for row, names in _first_rows(sheet, facts):
            if columns.fit(names):
                return sheet, row, names
            if first is None and any(name.strip() for name in names):
                first = (sheet, row, names)
    if first is None:
        raise InputError(path, "no visible sheet has a value", "is it the right file?")
    return first


def _first_rows(sheet: Any, facts: SheetFacts) -> Iterator[tuple[int, list[str]]]:
    sheet.reset_dimensions()  # the size that a sheet states may be wrong
    last = min(facts.last_row, HEADER_WITHIN)
    rows = sheet.iter_rows(min_row=1, max_row=last, min_col=1, max_col=facts.last_column)
    for number, row in enumerate(rows, 1):
        yield number, [cells.text_of(cell) for cell in row]


def _tell_sheet(book: Any, sheet: Any, header: int, path: Path | str, findings: Findings) -> None:
    sentence = f"sheet {sheet.title!r}, its header in row {header}"
    others = [other.title for other in book.worksheets if other is not sheet]
    if others:
        sentence += f"; sheets that are not read: {listed(others)}"
    findings.note(path, sentence)


class _Table:
    """The rows of a sheet below its header."""

    def __init__(self, path: Path | str, sheet: Any, facts: SheetFacts, findings: Findings):
        self.path = path
        self.sheet = sheet
        self.facts = facts
        self.findings = findings

    def rows(self, header: int, chosen: dict[str, int]) -> Iterator[Row]:
        """Yield the number of each row and its texts; the value of merged cells in each row."""
        places = list(chosen.values())
        low = min(places) + 1
        merged = {place: _Merged(self.facts, place + 1) for place in places}
        found = self.sheet.iter_rows(
            min_row=header + 1,
            max_row=self.facts.last_row,
            min_col=low,
            max_col=max(places) + 1,
        )
        if self.facts.last_row <= header:
            return
        for number, row in enumerate(found, header + 1):
            used = {role: row[place + 1 - low] for role, place in chosen.items()}
            texts = {
                role: merged[place].text(number, self._text(used[role], number, place + 1))
                for role, place in chosen.items()
            }
            self._tell(number, list(used.values()), any(m.is_inside for m in merged.values()))
            yield number, texts

    def _text(self, cell: Any, row: int, column: int) -> str:
        place = f"{get_column_letter(column)}{row}"
        if cell.data_type == "e":
            problem = f"cell {place} shows the error {cell.value}"
            raise InputError(at(self.path, row), problem, "mend its formula, or write the text")
        if cell.value is None and (row, column) in self.facts.unfinished:
            problem = f"cell {place} has a formula without a value"
            raise InputError(at(self.path, row), problem, "open the file in Excel and save it")
        return cells.text_of(cell)

    def _tell(self, row: int, used: Sequence[Any], is_merged: bool) -> None:
        if row in self.facts.hidden:
            self.findings.add(HIDDEN, self.path, row)
        if is_merged:
            self.findings.add(MERGED, self.path, row)
        if any(map(cells.is_date, used)):
            self.findings.add(DATES, self.path, row)
        if any(map(cells.is_rounded, used)):
            self.findings.add(ROUNDED, self.path, row)


class _Merged:
    """The merged cells of one column: those that begin in it and span several rows."""

    def __init__(self, facts: SheetFacts, column: int):
        spans = []
        for reference in facts.merged:
            match = RANGE.fullmatch(reference)
            if match and column_number(match[1]) == column and int(match[2]) < int(match[4]):
                spans.append((int(match[2]), int(match[4])))
        self.spans = sorted(spans)
        self.starts = [start for start, _ in self.spans]
        self.value = ""
        self.is_inside = False  # whether the last row got its value from the one above

    def text(self, row: int, own: str) -> str:
        """Return the text of a row: its own, or below the first row of merged cells their value."""
        self.is_inside = False
        place = bisect_right(self.starts, row) - 1
        if place < 0 or row > self.spans[place][1]:
            return own
        if row == self.spans[place][0]:
            self.value = own
        self.is_inside = row > self.spans[place][0] and not own and bool(self.value)
        return own or self.value
