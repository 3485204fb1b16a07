"""The rows of a user's file, whatever its format: its name says which.

CSV may be of any hand: comma, semicolon, tab or bar, in any encoding of Windows, with empty rows.
"""

import contextlib
import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from semblance.data.text import refuse_mark, refuse_traces, shows_nothing
from semblance.errors import InputError, at
from semblance.files import open_regular
from semblance.lines import read_lines
from semblance.strict_json import parse_strict
from semblance_faq.read.columns import Columns
from semblance_faq.read.findings import Finding, Findings
from semblance_faq.read.text import FORMATS, MOST, read_text

Row = tuple[int, dict[str, Any]]
Reader = Callable[[Path | str, Columns, Findings], Iterator[Row]]
DELIMITED = (".csv", ".tsv")
PLAIN = (".txt", ".tab")  # may be a table, or lines of text to a reader of those
JSON_FILES = (".json", ".jsonl", ".ndjson")
WORKBOOKS = (".xlsx", ".xlsm")
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
STATED = re.compile(r"sep=(.)\s*", re.IGNORECASE)  # a first line that Excel reads
QUOTES = 'quote the whole field and double each " in it'
BREAK = re.compile(r"(?<!\\)\||[\n\r\v]")  # between the queries of a cell
BULLET = re.compile(r"^\s*[-–*•·▪◦‣]\s+")
ITEM_NUMBER = re.compile(r"^\s*\d{1,2}[.)]\s+")
JSON_START = re.compile(rb'(\xef\xbb\xbf)?\s*(\[\s*)?\{\s*"')  # an object, or an array of them
SIGNATURES = (b"PK\3\4", b"\xd0\xcf\x11\xe0")  # of workbooks, of today and of before 2007


def read_table(path: Path | str, columns: Columns, findings: Findings) -> Iterator[Row]:
    """Yield the line of each row that is not empty, and its values by what they hold.

    A value is text; of JSON any value, and None where the key is missing. A row is empty if nothing
    stands in the columns that are read; it is counted.
    """
    for line, values in _reader(path)(path, columns, findings):
        texts = [value for value in values.values() if value not in (None, [])]
        if all(isinstance(text, str) and shows_nothing(text) for text in texts):
            findings.add(Finding.EMPTY, path, line)
        else:
            yield line, values


def split_queries(text: str) -> list[str]:
    r"""Return the queries of a cell, one a line or with bars between; ``\|`` is a bar of a query.

    A mark of a list before a query goes; a number does if each query has one.
    """
    parts = [BULLET.sub("", part) for part in BREAK.split(text) if part.strip()]
    if len(parts) > 1 and all(map(ITEM_NUMBER.match, parts)):
        parts = [ITEM_NUMBER.sub("", part) for part in parts]
    return [part.replace(r"\|", "|") for part in parts]


def is_table(path: Path | str) -> bool:
    """Tell by its name or its first bytes whether a file has a format with columns."""
    return _suffix(path) in (*DELIMITED, *JSON_FILES, *WORKBOOKS) or bool(
        JSON_START.match(_start(path))
    )


def _suffix(path: Path | str) -> str:
    return Path(str(path).removesuffix(".gz")).suffix.lower()


def _reader(path: Path | str) -> Reader:
    suffix = _suffix(path)
    start = _start(path)
    if suffix in WORKBOOKS or suffix != ".ods" and start.startswith(SIGNATURES):
        from semblance_faq.read.sheets import read_workbook  # few files need openpyxl

        return read_workbook
    if suffix in JSON_FILES or JSON_START.match(start):
        return _read_json
    if suffix in (*DELIMITED, *PLAIN):
        return read_delimited
    advice = "name the file after its format, such as .tsv for tabs; .csv and .jsonl may be .gz"
    if suffix in (".xls", ".ods"):
        advice = "open it in Excel or LibreOffice and save it as .xlsx"
    raise InputError(path, f"no table that can be read, which is {FORMATS}", advice)


def _start(path: Path | str) -> bytes:
    """Return the first bytes of a file, which may be called by another format's name."""
    with contextlib.suppress(FileNotFoundError), open_regular(path) as stream:
        return stream.read(64)
    return b""


def read_delimited(
    path: Path | str, columns: Columns, findings: Findings
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each record's first line and its fields by what they hold; an empty one has none.

    Notes encoding, delimiter and columns. Fields beyond the header may be there if they are blank.
    Raises InputError with the line that a record starts at.
    """
    csv.field_size_limit(MOST)  # a page with a picture inside is one field
    # A lone carriage return ends a line of a field; the csv module would refuse it.
    text = read_text(path, findings)
    if "\n" not in text:  # line ends of old Macs
        text = text.replace("\r", "\n")
    lines = text.replace("\r", "\v").split("\n")
    start = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    stated = STATED.fullmatch("".join(lines[start : start + 1]))
    if stated:
        start += 1
        delimiter = stated[1]
    else:
        delimiter = _delimiter(lines[start:], columns)
    records = _records(lines, start, delimiter, path)
    line, names = next(((line, names) for line, names in records if names), (1, None))
    if names is None:
        needed = ", ".join(columns.needed)
        raise InputError(at(path, 1), "no header", f"the first line must name {needed}")
    places = columns.choose(names, at(path, line))
    findings.note(path, f"delimiter: {DELIMITERS.get(delimiter, repr(delimiter))}")
    columns.note(path, names, places, findings)
    for line, fields in records:
        surplus = any(field.strip() for field in fields[len(names) :])
        if fields and (len(fields) < len(names) or surplus):
            problem = f"fields: {len(fields)}, and {len(names)} in the header"
            advice = "quote fields that contain a delimiter or a line break"
            raise InputError(at(path, line), problem, advice)
        yield line, {role: fields[place] for role, place in places.items() if fields}


def _records(
    lines: Sequence[str], start: int, delimiter: str, path: Path | str
) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line of each record from line ``start`` on, and its fields; none if blank."""
    wanted = lines[start:]
    if not lines[-1]:  # behind the last line end
        wanted = lines[start:-1]
    reader = csv.reader((line + "\n" for line in wanted), delimiter=delimiter, strict=True)
    line = start + 1
    try:
        for fields in reader:
            first = lines[line - 1]
            refuse_mark(first, path, line)
            if not first.strip():
                fields = []
            yield line, fields
            line = start + reader.line_num + 1
    except csv.Error as error:
        problem = "a quote is unbalanced or stands inside an unquoted field"
        if "expected after" not in str(error):  # it swallows all that follows it
            problem = "an unbalanced quote: the record never ends"
        raise InputError(at(path, line), problem, QUOTES) from None


def _delimiter(lines: Sequence[str], columns: Columns) -> str:
    """Return the delimiter that makes a header with all that is needed.

    Without one, the delimiter that makes the most columns, for the error that names them.
    """
    widths = {}
    for delimiter in DELIMITERS:
        try:
            names = next(
                csv.reader((line + "\n" for line in lines), delimiter=delimiter, strict=True)
            )
        except (csv.Error, StopIteration):
            continue
        if columns.fit(names):
            return delimiter
        widths[delimiter] = len(names)
    return max(widths, key=widths.__getitem__, default=",")


def _read_json(path: Path | str, columns: Columns, findings: Findings) -> Iterator[Row]:
    """Yield the rows of JSON; the keys of all of them together are the columns.

    A blank line is an empty row, as in CSV. A row of an array has the number of its entry.
    """
    lines = list(read_lines(path))
    rows = _of_array(path, "\n".join(text for _, text in lines), columns)
    if rows:
        findings.note(path, "a JSON array: rows are its entries, and not lines")
    rows = rows or [(line, _object(text, path, line)) for line, text in lines]
    first = next((line for line, row in rows if row), None)
    if first is None:
        return
    names = _keys(row for _, row in rows)
    places = columns.choose(names, at(path, first))
    columns.note(path, names, places, findings)
    for line, row in rows:
        yield line, {role: row.get(names[place]) for role, place in places.items()}


def _object(text: str, path: Path | str, line: int) -> dict[str, Any]:
    """Return the object on a line, without a key if it is blank."""
    refuse_traces(text, path, line)
    try:
        value = parse_strict(text) if text.strip() else {}
        if not isinstance(value, dict):
            raise ValueError(f"a JSON {type(value).__name__}, not an object")
    except ValueError as error:
        problem = f"not a JSON object as expected: {error}"
        raise InputError(at(path, line), problem, "one object a line") from None
    return value


def _of_array(path: Path | str, text: str, columns: Columns) -> list[Row]:
    """Return the numbered entries of an array, also of one in an object; none of JSON lines."""
    if _suffix(path) != ".json" and not text.startswith("["):
        return []
    try:
        value = parse_strict(text)
    except ValueError as error:
        if getattr(error, "msg", "") == "Extra data":
            return []
        where = at(path, getattr(error, "lineno", 1))
        raise InputError(where, f"not JSON: {error}", "mend it there") from None
    if isinstance(value, dict):
        lists = [each for each in value.values() if isinstance(each, list) and each]
        value = next((each for each in lists if columns.fit(_keys(each))), [value])
    entries = value if isinstance(value, list) else [value]
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict):
            problem = f"entry {number} is no JSON object: {entry!r:.40}"
            raise InputError(at(path, number), problem, 'write [{"question": …, "answer": …}, …]')
    return list(enumerate(entries, 1))


def _keys(entries: Iterable[Any]) -> list[str]:
    """Return the keys of all entries that have some."""
    return list(dict.fromkeys(key for each in entries if isinstance(each, dict) for key in each))
