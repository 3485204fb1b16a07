"""CSV of any hand: comma, semicolon, tab or bar, in any encoding of Windows, with empty rows.

``semblance.data.csv_text`` reads the strict files of the data sets; its limits hold here, too.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from semblance.data.csv_text import MAX_RECORD
from semblance.data.own_faq.columns import Columns, tell
from semblance.data.own_faq.encodings import decoded_lines
from semblance.data.own_faq.findings import Findings
from semblance.data.text import refuse_mark
from semblance.errors import InputError, at

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
STATED = re.compile(r"sep=(.)\s*", re.IGNORECASE)  # a first line that Excel reads
QUOTES = 'quote the whole field and double each " in it'


def read_delimited(
    path: Path | str, columns: Columns, findings: Findings
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each record's first line and its fields by what they hold; an empty one has none.

    Notes encoding, delimiter and columns. Raises InputError with the line as ``read_csv`` does, but
    fields beyond the header may be there if they are blank.
    """
    records = _records(path, findings)
    line, header, delimiter = _header(path, records, columns)
    names = _split(header, delimiter, path, line)
    chosen = columns.choose(names, at(path, line))
    findings.note(path, f"delimiter: {DELIMITERS.get(delimiter, repr(delimiter))}")
    tell(path, names, chosen, findings)
    for line, record in records:
        if not record.strip():
            yield line, {}
            continue
        fields = _split(record, delimiter, path, line)
        _check_width(fields, len(names), path, line)
        yield line, {role: fields[place] for role, place in chosen.items()}


def _header(
    path: Path | str, records: Iterator[tuple[int, str]], columns: Columns
) -> tuple[int, str, str]:
    """Return the line of the header, its text and the delimiter."""
    stated = None
    for line, record in records:
        found = STATED.fullmatch(record)
        if found and stated is None:
            stated = found[1]
        elif record.strip():
            return line, record, stated or _delimiter(record, columns, path, line)
    needed = ", ".join(columns.needed)
    raise InputError(at(path, 1), "no header", f"the first line must name {needed}")


def _delimiter(header: str, columns: Columns, path: Path | str, line: int) -> str:
    """Return the delimiter that makes a header with all that is needed.

    Without one, the delimiter that makes the most columns, for the error that names them.
    """
    split = {}
    for delimiter in DELIMITERS:
        fields = _fields(header, delimiter)
        if fields is not None:
            split[delimiter] = fields
    if not split:
        raise _unbalanced(path, line)
    for delimiter, fields in split.items():
        if columns.fit(fields):
            return delimiter
    return max(split, key=lambda delimiter: len(split[delimiter]))


def _records(path: Path | str, findings: Findings) -> Iterator[tuple[int, str]]:
    """Join lines until quotes are balanced; an empty line between records is a record, too."""
    start = 0
    parts: list[str] = []
    size = 0
    quotes = 0
    for line, text in decoded_lines(path, findings):
        if not parts:
            refuse_mark(text, path, line)
            start = line
        parts.append(text)
        size += len(text) + 1
        quotes += text.count('"')
        if size > MAX_RECORD:
            problem = f"a record of more than {MAX_RECORD} characters"
            raise InputError(at(path, start), problem, "look for an unbalanced quote")
        if quotes % 2 == 0:
            yield start, "\n".join(parts)
            parts = []
            size = 0
            quotes = 0
    if parts:
        problem = "an unbalanced quote: the record never ends"
        raise InputError(at(path, start), problem, QUOTES)


def _check_width(fields: list[str], width: int, path: Path | str, line: int) -> None:
    surplus = any(field.strip() for field in fields[width:])
    if len(fields) < width or surplus:
        problem = f"fields: {len(fields)}, and {width} in the header"
        advice = "quote fields that contain a delimiter or a line break"
        raise InputError(at(path, line), problem, advice)


def _split(record: str, delimiter: str, path: Path | str, line: int) -> list[str]:
    fields = _fields(record, delimiter)
    if fields is None:
        raise _unbalanced(path, line)
    return fields


def _unbalanced(path: Path | str, line: int) -> InputError:
    problem = "a quote is unbalanced or stands inside an unquoted field"
    return InputError(at(path, line), problem, QUOTES)


def _fields(record: str, delimiter: str) -> list[str] | None:
    """Return the fields of a record as RFC 4180 has them; None if its quotes are misplaced."""
    if '"' not in record:
        return record.split(delimiter)
    end = re.escape(delimiter)
    field = re.compile(rf'(?:"([^"]*(?:""[^"]*)*)"|([^"{end}]*))({end}|\Z)')
    fields = []
    position = 0
    while True:
        match = field.match(record, position)
        if match is None:
            return None
        quoted, bare, ended_by = match.groups()
        if quoted is None:
            fields.append(bare)
        else:
            fields.append(quoted.replace('""', '"'))
        if not ended_by:  # the end of the record
            return fields
        position = match.end()
