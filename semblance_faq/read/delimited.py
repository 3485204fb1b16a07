"""CSV of any hand: comma, semicolon, tab or bar, in any encoding of Windows, with empty rows."""

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from semblance.data.text import refuse_mark
from semblance.errors import InputError, at
from semblance_faq.read.columns import Columns
from semblance_faq.read.findings import Findings
from semblance_faq.read.text import read_text

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
STATED = re.compile(r"sep=(.)\s*", re.IGNORECASE)  # a first line that Excel reads
QUOTES = 'quote the whole field and double each " in it'


def read_delimited(
    path: Path | str, columns: Columns, findings: Findings
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each record's first line and its fields by what they hold; an empty one has none.

    Notes encoding, delimiter and columns. Fields beyond the header may be there if they are blank.
    Raises InputError with the line that a record starts at.
    """
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
