"""A FAQ in an Excel workbook, read by openpyxl row by row.

The table is on the first visible sheet that has its columns, within the first rows. Values of
formulas are read, not formulas; hidden rows are read; a cell that is merged over several rows has
its value in each of them.
"""

import warnings
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from xml.etree.ElementTree import iterparse

from openpyxl import load_workbook
from openpyxl.utils import get_column_letter
from openpyxl.utils.cell import coordinate_to_tuple, range_boundaries

from semblance.errors import InputError, at, is_transient
from semblance.files import open_regular
from semblance_faq.read import cells
from semblance_faq.read.columns import Columns
from semblance_faq.read.findings import MERGED, ROUNDED, Findings, listed

MOST_FILE = 1 << 26  # bytes of a workbook
MOST_UNPACKED = 1 << 28  # bytes of its parts; a sheet formatted to Excel's last row has 40 MB
HEADER_WITHIN = 20  # rows; a title and some notes may stand above a table
MOST_COLUMNS = 1000
OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # also what holds a workbook with a password
PASSWORD = "EncryptedPackage".encode("utf-16-le")
Row = tuple[int, dict[str, str]]


@dataclass
class SheetFacts:
    """What openpyxl does not tell when it reads row by row; rows and columns count from 1."""

    last_row: int = 0  # the last one with a value
    last_column: int = 0
    merged: list[str] = field(default_factory=list)  # ranges such as B2:B4
    unfinished: set[tuple[int, int]] = field(default_factory=set)  # formulas without a value


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
    with zipfile.ZipFile(stream) as box:
        if sum(part.file_size for part in box.infolist()) > MOST_UNPACKED:
            problem = f"more than {MOST_UNPACKED:,} bytes unpacked"
            advice = "copy the table alone into a new workbook and save that"
            raise InputError(path, problem, advice)
        book = load_workbook(stream, read_only=True, data_only=True, keep_links=False)
        visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        facts = {sheet.title: _facts(box, sheet._worksheet_path) for sheet in visible}
    sheet, header, names = _find_table(visible, facts, path, columns)
    places = columns.choose(names, at(path, header))
    sentence = f"sheet {sheet.title!r}, its header in row {header}"
    others = [other.title for other in book.worksheets if other is not sheet]
    if others:
        sentence += f"; sheets that are not read: {listed(others)}"
    findings.note(path, sentence)
    columns.note(path, names, places, findings)
    table = _Table(path, sheet, facts[sheet.title], findings)
    return list(table.rows(header, places))


def _facts(box: zipfile.ZipFile, part: str) -> SheetFacts:
    """Look a sheet through, row by row in little memory."""
    facts = SheetFacts()
    row = 0
    with box.open(part) as stream:
        events = iterparse(stream, ("start", "end"))
        for event, element in events:
            name = element.tag.rpartition("}")[2]
            if event == "start":
                if name == "sheetData":
                    data = element
                continue
            if name == "row":
                before, row = row, int(element.get("r", row + 1))
                if row <= before:
                    raise ValueError(f"row {row} stands behind row {before}")
                _note_cells(element, row, facts)
                data.clear()  # the rows that are done
            elif name == "mergeCell":
                facts.merged.append(element.get("ref", ""))
    return facts


def _note_cells(row: Any, number: int, found: SheetFacts) -> None:
    """Note the last filled cell of a row, and its formulas without a value."""
    column = 0
    for cell in row:
        column += 1
        if "r" in cell.attrib:
            column = coordinate_to_tuple(cell.get("r"))[1]
        parts = {part.tag.rpartition("}")[2]: part for part in cell}
        text = "".join(parts["is"].itertext()) if "is" in parts else ""
        if "v" in parts:
            text += parts["v"].text or ""
        is_empty_text = "v" in parts and cell.get("t") == "str"
        is_unfinished = "f" in parts and not text.strip() and not is_empty_text
        if is_unfinished:
            found.unfinished.add((number, column))
        if text.strip() or is_unfinished:
            found.last_row = number
            found.last_column = max(found.last_column, column)


def _find_table(
    sheets: Sequence[Any], facts: dict[str, SheetFacts], path: Path | str, columns: Columns
) -> tuple[Any, int, list[str]]:
    """Return the first sheet with the columns, the row of its header, and the header.

    Of a workbook without one: the first filled row, for the error that names its columns.
    """
    first = None
    for sheet in sheets:
        size = facts[sheet.title]
        if not size.last_row:
            continue
        if size.last_column > MOST_COLUMNS:
            last = get_column_letter(size.last_column)
            problem = f"sheet {sheet.title!r} has values up to column {last}"
            raise InputError(path, problem, f"a table has at most {MOST_COLUMNS:,} columns")
        sheet.reset_dimensions()  # the size that a sheet states may be wrong
        most = min(size.last_row, HEADER_WITHIN)
        rows = sheet.iter_rows(min_row=1, max_row=most, min_col=1, max_col=size.last_column)
        for number, row in enumerate(rows, 1):
            names = [cells.text_of(cell) for cell in row]
            if columns.fit(names):
                return sheet, number, names
            if first is None and any(name.strip() for name in names):
                first = (sheet, number, names)
    if first is None:
        raise InputError(path, "no visible sheet has a value", "is it the right file?")
    return first


class _Table:
    """The rows of a sheet below its header."""

    def __init__(self, path: Path | str, sheet: Any, facts: SheetFacts, findings: Findings):
        self.path = path
        self.sheet = sheet
        self.facts = facts
        self.findings = findings
        self.starts: dict[tuple[int, int], int] = {}  # row and column -> that of the merged value
        for reference in facts.merged:
            column, top, _, bottom = range_boundaries(reference)
            last = min(bottom, facts.last_row)
            self.starts |= {(row, column): top for row in range(top + 1, last + 1)}

    def rows(self, header: int, places: dict[str, int]) -> Iterator[Row]:
        """Yield the number of each row and its texts; the value of merged cells in each row."""
        last = self.facts.last_row
        if last <= header:
            return
        first = header + 1
        width = max(places.values()) + 1
        values: dict[tuple[int, int], str] = {}
        cells = self.sheet.iter_rows(min_row=first, max_row=last, min_col=1, max_col=width)
        for number, row in enumerate(cells, first):
            texts = {}
            is_merged = False
            for role, place in places.items():
                column = place + 1
                own = self._text(row[place], number, column)
                values[number, column] = own
                merged = values.get((self.starts.get((number, column)), column), "")
                texts[role] = own or merged
                is_merged = is_merged or (not own and bool(merged))
            self._note(number, [row[place] for place in places.values()], is_merged)
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

    def _note(self, row: int, used: Sequence[Any], is_merged: bool) -> None:
        if is_merged:
            self.findings.add(MERGED, self.path, row)
        if any(map(cells.is_rounded, used)):
            self.findings.add(ROUNDED, self.path, row)
