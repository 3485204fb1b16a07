"""The parts of an Excel workbook, each looked through within bounds before openpyxl reads it.

A workbook is a zip archive of XML parts. openpyxl holds whole rows and whole parts in memory,
however large they are; here a part is read once before, in blocks, and what no workbook of a person
has is refused. What openpyxl does not tell of a sheet when it reads it row by row is noted on the
way: the last filled row, hidden rows, merged cells, and formulas that have no value.
"""

import io
import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from xml.parsers import expat

from semblance.errors import InputError

MOST_FILE = 1 << 26  # bytes of a workbook
MOST_DIRECTORY = 1 << 20  # bytes of its list of parts
MOST_PART = 1 << 27  # bytes of one part, unpacked
MOST_WHOLE = 1 << 22  # bytes of a part that openpyxl reads as a whole, such as the styles
MAX_ELEMENTS = 5_000_000  # of one part; a sheet formatted down to Excel's last row has 4 million
MAX_BETWEEN = 100_000  # elements from one row to the next; Excel has 16,384 columns
MAX_ROW = 1_048_576  # Excel's last row
MAX_TEXT = 1 << 20  # characters of one cell; Excel allows 32,767
MAX_TOKEN = 1 << 20  # bytes of one tag, comment or instruction
BLOCK = 1 << 16
ADVICE = "copy the table alone into a new workbook and save that"
REFERENCE = re.compile(r"([A-Z]{1,3})[0-9]+")
YES = ("1", "true")


@dataclass
class SheetFacts:
    """What a look through a sheet has found; rows and columns count from 1."""

    last_row: int = 0  # the last one with a value
    last_column: int = 0
    hidden: set[int] = field(default_factory=set)
    merged: list[str] = field(default_factory=list)  # ranges such as B2:B4
    unfinished: set[tuple[int, int]] = field(default_factory=set)  # formulas without a value


class Parts(zipfile.ZipFile):
    """A workbook's archive, which looks a part through before it opens it; ``facts`` by part."""

    def __init__(self, stream: BinaryIO, path: Path | str):
        self.path = path
        self.facts: dict[str, SheetFacts] = {}
        super().__init__(_Directory(stream))

    def open(self, name: Any, *args: Any, **options: Any) -> Any:
        """Open a part; InputError for one that exceeds the bounds."""
        key = getattr(name, "filename", name)
        if key not in self.facts:
            if self.getinfo(key).file_size > MOST_PART:
                raise InputError(self.path, f"{key}: more than {MOST_PART:,} bytes", ADVICE)
            with super().open(name, *args, **options) as stream:
                self.facts[key] = _Look(self.path, key).through(stream)
        return super().open(name, *args, **options)

    def read(self, name: Any, pwd: bytes | None = None) -> bytes:
        """Return a whole part; InputError for one that is too large for it."""
        key = getattr(name, "filename", name)
        if self.getinfo(key).file_size > MOST_WHOLE:
            raise InputError(self.path, f"{key}: more than {MOST_WHOLE:,} bytes", ADVICE)
        return super().read(name, pwd)


class _Directory(io.BufferedReader):
    """A zip file; zipfile reads its list of members at once, however long the file says it is."""

    def read(self, size: int | None = -1) -> bytes:
        """Return up to ``size`` bytes; BadZipFile if it is more than any list of ours has."""
        if size is not None and size > MOST_DIRECTORY:
            raise zipfile.BadZipFile(f"a list of parts of {size:,} bytes")
        return super().read(size)


class _Look:
    """One look through a part, in blocks."""

    def __init__(self, path: Path | str, part: str):
        self.path = path
        self.part = part
        self.facts = SheetFacts()
        self.row = 0
        self.elements = 0
        self.between = 0
        self.reference = ""  # of the last cell that has one, and how many cells stand behind it
        self.behind = 0
        self.text = 0  # characters since the last tag
        self.is_text_cell = False
        self.has_formula = False
        self.has_value = False
        self.is_filled = False

    def through(self, stream: BinaryIO) -> SheetFacts:
        """Read the part to its end; InputError for what exceeds the bounds or is no XML."""
        parser = expat.ParserCreate(namespace_separator="}")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._refuse_declaration
        fed = 0
        try:
            while block := stream.read(BLOCK):
                parser.Parse(block, False)
                fed += len(block)
                if fed - parser.CurrentByteIndex > MAX_TOKEN:
                    raise self._error(f"a tag of more than {MAX_TOKEN:,} bytes")
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise self._error(f"not XML: {error}") from None
        return self.facts

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.elements += 1
        self.between += 1
        self.text = 0
        name = tag.rpartition("}")[2]
        if name in ("row", "si"):
            self.between = 0
        if self.elements > MAX_ELEMENTS:
            raise self._error(f"more than {MAX_ELEMENTS:,} cells and rows")
        if self.between > MAX_BETWEEN:
            raise self._error(f"more than {MAX_BETWEEN:,} elements in one row or list")
        if name == "row":
            self._start_row(attributes)
        elif name == "c":
            self._start_cell(attributes)
        elif name == "f":
            self.has_formula = True
        elif name in ("v", "t"):
            self.has_value = True
        elif name == "mergeCell":
            self.facts.merged.append(attributes.get("ref", ""))

    def _start_row(self, attributes: dict[str, str]) -> None:
        before = self.row
        number = attributes.get("r", str(before + 1))
        if not number.isascii() or not number.isdigit() or len(number) > 7:
            raise self._error(f"a row without a number: {number!r:.20}")
        self.row = int(number)
        if not before < self.row <= MAX_ROW:
            raise self._error(f"row {self.row} stands behind row {before}")
        self.reference = ""
        self.behind = 0
        if attributes.get("hidden") in YES:
            self.facts.hidden.add(self.row)

    def _start_cell(self, attributes: dict[str, str]) -> None:
        self.behind += 1
        if "r" in attributes:
            self.reference = attributes["r"]
            self.behind = 0
        self.is_text_cell = attributes.get("t") == "str"
        self.has_formula = False
        self.has_value = False
        self.is_filled = False

    def _end(self, tag: str) -> None:
        if tag.rpartition("}")[2] != "c":
            return
        if self.is_filled:
            self.facts.last_row = self.row
            self.facts.last_column = max(self.facts.last_column, self._column())
        elif self.has_formula and not (self.has_value and self.is_text_cell):
            self.facts.last_row = self.row
            self.facts.last_column = max(self.facts.last_column, self._column())
            self.facts.unfinished.add((self.row, self._column()))

    def _characters(self, text: str) -> None:
        self.text += len(text)
        if self.text > MAX_TEXT:
            raise self._error(f"a text of more than {MAX_TEXT:,} characters")
        if self.has_value and not text.isspace():
            self.is_filled = True

    def _column(self) -> int:
        if not self.reference:
            return self.behind
        match = REFERENCE.fullmatch(self.reference)
        if match is None:
            raise self._error(f"a cell without a place: {self.reference!r:.20}")
        return column_number(match[1]) + self.behind

    def _refuse_declaration(self, *_: Any) -> None:
        raise self._error("a document type declaration")

    def _error(self, problem: str) -> InputError:
        where = self.path
        if self.row:
            where = f"{self.path}:{self.row}"
        return InputError(where, f"{self.part}: {problem}", ADVICE)


def column_number(letters: str) -> int:
    """Return the number of a column, from 1: A is 1, AA is 27."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number
