"""Tables as text: CSV, and lines with tabs between their fields; each record knows its line."""

import csv
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from semblance.errors import InputError, at
from semblance.lines import read_lines, read_records

LONGEST = 1 << 21  # characters of a field; the csv module by itself reads no more than 2^17
HEADER = "keep the release's header"


def read_csv(
    path: Path | str, columns: Sequence[str], delimiter: str = ","
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each record's first line and its fields by column name.

    The header must name ``columns`` once each and may name more. Line breaks in quotes come back as
    ``\\n``; empty lines between records are skipped. A record of the wrong number of fields and an
    unbalanced quote raise InputError with the line that the record starts at.
    """
    csv.field_size_limit(LONGEST)
    # A lone carriage return is white space here; the csv module would refuse it.
    lines = (text.replace("\r", " ") + "\n" for _, text in read_lines(path))
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    header: list[str] = []
    line = 1
    try:
        for fields in reader:
            start, line = line, reader.line_num + 1
            if fields and not header:
                header = fields
                _check_header(header, columns, at(path, start))
            elif fields:
                _check_count(fields, header, at(path, start))
                yield start, dict(zip(header, fields, strict=True))
    except csv.Error as error:
        problem = f"a quote is unbalanced or misplaced: {error}"
        raise InputError(at(path, line), problem, 'double each " inside a quoted field') from None
    if not header:
        raise InputError(at(path, 1), "no header", f"the first line must name {', '.join(columns)}")


def _check_count(fields: list[str], header: list[str], where: str) -> None:
    if len(fields) != len(header):
        problem = f"fields: {len(fields)}, and {len(header)} in the header"
        advice = "quote fields that contain a delimiter or a line break"
        raise InputError(where, problem, advice)


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
    missing = [name for name in columns if name not in header]
    if missing:
        advice = f"the header is {', '.join(header)}"[:200]
        raise InputError(where, f"no column {', '.join(missing)}", advice)
    repeated = [name for name, count in Counter(header).items() if count > 1]
    if repeated:
        raise InputError(where, f"column {repeated[0]:.200} stands twice", "rename one")
