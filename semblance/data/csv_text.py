"""Tables as text: CSV as RFC 4180 has it, and lines with tabs between their fields.

Each record knows the line it starts at. The csv module of the standard library is not used: its
limits are global to the process, its errors name the line where a record ends, and it takes a lone
carriage return for a line end.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from semblance.data.text import read_lines, read_records, refuse_mark
from semblance.errors import InputError, at

# The longest record, in characters: an unbalanced quote swallows all that follows it, and must not
# swallow the memory too.
MAX_RECORD = 1 << 21
HEADER = "keep the release's header"


def read_csv(
    path: Path | str, columns: Sequence[str], delimiter: str = ","
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each record's first line and its fields by column name.

    The header must name ``columns`` once each and may name more. Line breaks in quotes come back as
    ``\\n``; empty lines between records are skipped. A record of the wrong number of fields, an
    unbalanced or misplaced quote, or more than MAX_RECORD characters raise InputError with the line
    that the record starts at.
    """
    records = _quoted_records(path)
    line, first = next(records, (1, None))
    if first is None:
        raise InputError(at(path, 1), "no header", f"the first line must name {', '.join(columns)}")
    header = _split(first, delimiter, at(path, line))
    _check_header(header, columns, at(path, line))
    for line, record in records:
        fields = _split(record, delimiter, at(path, line))
        if len(fields) != len(header):
            problem = f"fields: {len(fields)}, and {len(header)} in the header"
            advice = "quote fields that contain a delimiter or a line break"
            raise InputError(at(path, line), problem, advice)
        yield line, dict(zip(header, fields, strict=True))


def read_tabs(
    path: Path | str, *counts: int, header: Sequence[str] = ()
) -> Iterator[tuple[int, list[str]]]:
    """Yield each line's number and its fields between tabs; quotes are plain characters.

    A line must have one of the ``counts`` of fields. ``header``: what the first line must hold.
    """
    rows = read_records(path)
    if header and next(rows, (1, ""))[1].split("\t") != list(header):
        raise InputError(at(path, 1), f"the header is not {' '.join(header)}", HEADER)
    return _fields(rows, counts, " or ".join(map(str, counts)), path)


def read_tab_table(
    path: Path | str, columns: Sequence[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each line's number and its fields by column name; quotes are plain characters.

    The header must name ``columns`` once each and may name more. A line may lack fields after the
    last of ``columns``.
    """
    rows = read_records(path)
    header = next(rows, (1, ""))[1].split("\t")
    _check_header(header, columns, at(path, 1))
    least = 1 + max(header.index(name) for name in columns)
    counts = range(least, len(header) + 1)
    for line, fields in _fields(rows, counts, f"{least} to {len(header)}", path):
        yield line, dict(zip(header, fields, strict=False))


def _fields(
    rows: Iterable[tuple[int, str]], counts: Collection[int], expected: str, path: Path | str
) -> Iterator[tuple[int, list[str]]]:
    for line, text in rows:
        fields = text.split("\t")
        if len(fields) not in counts:
            raise InputError(at(path, line), f"columns: {len(fields)}, expected {expected}")
        yield line, fields


def _check_header(header: list[str], columns: Sequence[str], where: str) -> None:
    times = Counter(header)
    missing = [name for name in columns if name not in times]
    if missing:
        advice = f"the header is {', '.join(header[:50])}"[:200]
        raise InputError(where, f"no column {', '.join(missing)}", advice)
    repeated = sorted(name for name, count in times.items() if count > 1)
    if repeated:
        names = ", ".join(repeated[:50])
        raise InputError(where, f"column {names:.200} stands twice", "rename one")


def _quoted_records(path: Path | str) -> Iterator[tuple[int, str]]:
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
            start, size, quotes = line, 0, 0
        parts.append(text)
        size += len(text) + 1
        quotes += text.count('"')
        if size > MAX_RECORD:
            problem = f"a record of more than {MAX_RECORD} characters"
            raise InputError(at(path, start), problem, "look for an unbalanced quote")
        if quotes % 2 == 0:
            yield start, "\n".join(parts)
            parts = []
    if parts:
        problem = "an unbalanced quote: the record never ends"
        raise InputError(at(path, start), problem, 'double each " inside a quoted field')


def _split(record: str, delimiter: str, where: str) -> list[str]:
    """Split a record into its fields; InputError if its quotes are misplaced."""
    if '"' not in record:
        return record.split(delimiter)
    end = re.escape(delimiter)
    field = re.compile(rf'(?:"([^"]*(?:""[^"]*)*)"|([^"{end}]*))({end}|\Z)')
    fields = []
    position = 0
    while match := field.match(record, position):
        quoted, bare, ended_by = match.groups()
        if quoted is None:
            fields.append(bare)
        else:
            fields.append(quoted.replace('""', '"'))
        if not ended_by:  # the end of the record
            return fields
        position = match.end()
    problem = "a quote is unbalanced or stands inside an unquoted field"
    raise InputError(where, problem, 'quote the whole field and double each " in it')
