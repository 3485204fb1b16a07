"""The rows of a user's file, whatever its format: its name says which.

CSV may be of any hand: comma, semicolon, tab or bar, in any encoding of Windows, with empty rows.
"""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from semblance.data.text import refuse_mark, refuse_traces, shows_nothing
from semblance.errors import InputError, at
from semblance.lines import read_lines
from semblance.strict_json import parse_strict
from semblance_faq.read.columns import Columns
from semblance_faq.read.findings import EMPTY, Findings
from semblance_faq.read.text import FORMATS, MOST, read_text

Row = tuple[int, dict[str, Any]]
Reader = Callable[[Path | str, Columns, Findings], Iterator[Row]]
DELIMITED = (".csv", ".tsv")
PLAIN = (".txt", ".tab")  # may be a table, or lines of text to a reader of those
JSON_LINES = (".jsonl", ".ndjson")
WORKBOOKS = (".xlsx", ".xlsm")
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
STATED = re.compile(r"sep=(.)\s*", re.IGNORECASE)  # a first line that Excel reads
QUOTES = 'quote the whole field and double each " in it'
BAR = re.compile(r"(?<!\\)\|")


def read_table(path: Path | str, columns: Columns, findings: Findings) -> Iterator[Row]:
    """Yield the line of each row that is not empty, and its values by what they hold.

    A value is text, but ``queries`` is a list of texts; of JSON lines any value, and None where the
    key is missing. A row is empty if nothing stands in the columns that are read; it is counted.
    """
    reader = _reader(path)
    for line, values in reader(path, columns, findings):
        if reader is not _read_json and "queries" in values:
            values["queries"] = split_queries(values["queries"])
        texts = [value for value in values.values() if value not in (None, [])]
        if all(isinstance(text, str) and shows_nothing(text) for text in texts):
            findings.add(EMPTY, path, line)
        else:
            yield line, values


def split_queries(text: str) -> list[str]:
    r"""Return the queries of a cell, which bars separate; ``\|`` is a bar of a query."""
    parts = BAR.split(text)
    return [part.replace(r"\|", "|") for part in parts if part.strip()]


def is_table(path: Path | str) -> bool:
    """Tell whether the name of a file is that of a format with columns."""
    return _suffix(path) in (*DELIMITED, *JSON_LINES, *WORKBOOKS)


def _suffix(path: Path | str) -> str:
    return Path(str(path).removesuffix(".gz")).suffix.lower()


def _reader(path: Path | str) -> Reader:
    suffix = _suffix(path)
    if suffix in (*DELIMITED, *PLAIN):
        return read_delimited
    if suffix in JSON_LINES:
        return _read_json
    if suffix in WORKBOOKS and not str(path).endswith(".gz"):
        from semblance_faq.read.sheets import read_workbook  # few files need openpyxl

        return read_workbook
    advice = "name the file after its format, such as .tsv for tabs; .csv and .jsonl may be .gz"
    if suffix in (".xls", ".ods"):
        advice = "open it in Excel or LibreOffice and save it as .xlsx"
    raise InputError(path, f"no table that can be read, which is {FORMATS}", advice)


def read_delimited(
    path: Path | str, columns: Columns, findings: Findings
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each record's first line and its fields by what they hold; an empty one has none.

    Notes encoding, delimiter and columns. Fields beyond the header may be there if they are blank.
    Raises InputError with the line that a record starts at.
    """
    csv.field_size_limit(MOST)  # a page with a picture inside is one field
    # A lone carriage return is white space here; the csv module would refuse it.
    text = read_text(path, findings)
    if "\n" not in text:  # line ends of old Macs
        text = text.replace("\r", "\n")
    lines = text.replace("\r", " ").split("\n")
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
    """Yield the rows of JSON lines; the keys of all of them together are the columns.

    A blank line is an empty row, as in CSV.
    """
    rows: list[Row] = []
    for line, text in read_lines(path):
        refuse_traces(text, path, line)
        try:
            value = parse_strict(text) if text.strip() else {}
            if not isinstance(value, dict):
                raise ValueError(f"a JSON {type(value).__name__}, not an object")
        except ValueError as error:
            problem = f"not a JSON object as expected: {error}"
            raise InputError(at(path, line), problem, "one object a line") from None
        rows.append((line, value))
    first = next((line for line, row in rows if row), None)
    if first is None:
        return
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    places = columns.choose(names, at(path, first))
    columns.note(path, names, places, findings)
    for line, row in rows:
        yield line, {role: row.get(names[place]) for role, place in places.items()}
