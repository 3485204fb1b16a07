"""CSV files as RFC 4180 has them; each record knows the line it starts at.

The csv module of the standard library is not used: its limits are global to the process, its errors
name the line where a record ends, and it takes a lone carriage return for a line end.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from semblance.data.text import read_lines, refuse_mark
from semblance.errors import InputError, at

# The longest record, in characters: an unbalanced quote swallows all that follows it, and must not
# swallow the memory too.
MAX_RECORD = 1 << 21


def read_csv(
    path: Path | str, columns: Sequence[str], delimiter: str = ","
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each record's first line and its fields by column name.

    The header must name ``columns`` once each and may name more. Line breaks in quotes come back as
    ``\\n``; empty lines between records are skipped. A record of the wrong number of fields, an
    unbalanced or misplaced quote, or more than MAX_RECORD characters raise InputError with the line
    that the record starts at.
    """
    records = _read_fields(path, delimiter)
    line, header = next(records, (1, None))
    if header is None:
        raise InputError(at(path, 1), "no header", f"the first line must name {', '.join(columns)}")
    _check_header(header, columns, path, line)
    for line, fields in records:
        if len(fields) != len(header):
            raise InputError(
                at(path, line),
                f"fields: {len(fields)}, and {len(header)} in the header",
                "quote fields that contain a delimiter or a line break",
            )
        yield line, dict(zip(header, fields, strict=True))


def _check_header(header: list[str], columns: Sequence[str], path: Path | str, line: int) -> None:
    times = Counter(header)
    missing = [name for name in columns if name not in times]
    if missing:
        raise InputError(
            at(path, line),
            f"no column {', '.join(missing)}",
            f"the header is {', '.join(header[:50])}"[:200],
        )
    repeated = sorted(name for name, count in times.items() if count > 1)
    if repeated:
        names = ", ".join(repeated[:50])
        raise InputError(at(path, line), f"column {names} stands twice", "rename one")


def _read_fields(path: Path | str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    for line, record in _read_records(path):
        fields = _split(record, delimiter)
        if fields is None:
            raise InputError(
                at(path, line),
                "a quote is unbalanced or stands inside an unquoted field",
                'quote the whole field and double each " in it',
            )
        yield line, fields


def _read_records(path: Path | str) -> Iterator[tuple[int, str]]:
    """Join lines until quotes are balanced, which is where a record of RFC 4180 ends."""
    start = 0
    parts: list[str] = []
    size = 0
    quotes = 0
    for line, text in read_lines(path):
        if not parts:
            if not text:
                continue
            refuse_mark(text, path, line)
            start = line
        parts.append(text)
        size += len(text) + 1
        quotes += text.count('"')
        if size > MAX_RECORD:
            raise InputError(
                at(path, start),
                f"a record of more than {MAX_RECORD} characters",
                "look for an unbalanced quote",
            )
        if quotes % 2 == 0:
            yield start, "\n".join(parts)
            parts = []
            size = 0
            quotes = 0
    if parts:
        raise InputError(
            at(path, start),
            "an unbalanced quote: the record never ends",
            'double each " inside a quoted field',
        )


def _split(record: str, delimiter: str) -> list[str] | None:
    """Split a record into its fields, or return None if its quotes are misplaced."""
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
