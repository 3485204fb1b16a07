"""Readers of text files that know the line they are at and stop at the first malformed one.

Files are strict UTF-8, plain or gzip (by the suffix ``.gz``); a byte order mark is dropped at the
file's start only. Only ``\\n`` and ``\\r\\n`` end a line: a lone ``\\r``, U+2028 and their like are
text. Nothing is ever taken for a missing value: "null" and "NA" are words.
"""

import gzip
import json
import re
import xml.etree.ElementTree as ElementTree
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.parsers import expat

from semblance.errors import InputError, at

BOM = b"\xef\xbb\xbf"
# The longest record of a CSV file, in characters: an unbalanced quote swallows all that follows it,
# and must not swallow the memory too.
MAX_RECORD = 1 << 24
MAX_LINE = 1 << 26  # bytes; a few kilobytes of gzip can hold a line that no memory can
# Characters a JSON string can express but no text file of ours can hold.
UNWRITABLE = re.compile("[\0\ud800-\udfff]")


def normalise(text: str) -> str:
    """Collapse each run of white space (Unicode's notion) to one blank and strip the ends."""
    return " ".join(text.split())


def filled(value: object, name: str, path: Path | str, line: int) -> str:
    """Return a field's text, normalised; one that is missing, empty or no text raises InputError."""
    if not isinstance(value, str):
        raise InputError(at(path, line), f"{name} is {'missing' if value is None else 'not text'}")
    if not (text := normalise(value)):
        raise InputError(at(path, line), f"{name} is empty", "fill it in or remove the row")
    return text


def read_lines(path: Path | str) -> Iterator[tuple[int, str]]:
    """Yield each line's number, from 1, and its text without the line end.

    Invalid UTF-8, a NUL, a missing file and a truncated or broken gzip file raise InputError.
    """
    line = 0
    try:
        with (gzip.open if str(path).endswith(".gz") else open)(path, "rb") as file:
            for line, raw in enumerate(iter(lambda: file.readline(MAX_LINE + 1), b""), 1):
                if len(raw) > MAX_LINE:
                    raise InputError(
                        at(path, line), f"a line of more than {MAX_LINE} bytes", "check the file"
                    )
                yield line, _decode(raw.removeprefix(BOM) if line == 1 else raw, path, line)
        if line == 0 and str(path).endswith(".gz") and Path(path).stat().st_size == 0:
            raise EOFError("no gzip data at all")
    except FileNotFoundError:
        raise InputError(path, "no such file", "check the path or download it") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(at(path, line + 1), f"broken gzip: {error}", "fetch it again") from None
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror or error}") from None


def _decode(raw: bytes, path: Path | str, line: int) -> str:
    """Decode one line strictly and take off its end."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            at(path, line),
            f"not UTF-8: {error.reason} at byte {error.start}",
            "convert the file to UTF-8",
        ) from None
    if "\0" in text:
        raise InputError(
            at(path, line), "contains a NUL character", "the file is damaged or not text"
        )
    return text[:-2] if text.endswith("\r\n") else text.removesuffix("\n")


def read_rows(path: Path | str) -> Iterator[tuple[int, str]]:
    """Yield like ``read_lines``, one record a line.

    A blank line that is not the file's last raises InputError; so do the traces of another way to end
    lines or of files joined in one: a lone carriage return, a byte order mark at the start of a line.
    """
    blank = None
    for line, text in read_lines(path):
        if blank is not None:
            raise InputError(at(path, blank), "blank line", "remove it")
        refuse_traces(text, path, line)
        if text.strip():
            yield line, text
        else:
            blank = line


def refuse_traces(text: str, path: Path | str, line: int) -> None:
    """Raise InputError for a record with a lone carriage return, or one that starts with a byte order mark."""
    if "\r" in text:
        raise InputError(at(path, line), "a lone carriage return", r"end lines by \n or \r\n")
    refuse_mark(text, path, line)


def refuse_mark(text: str, path: Path | str, line: int) -> None:
    """Raise InputError for a record that starts with a byte order mark: that of the file is not part of it."""
    if text.startswith("\ufeff"):
        raise InputError(
            at(path, line), "a byte order mark inside the file", "remove it; were files joined?"
        )


def read_csv(
    path: Path | str, columns: Sequence[str], delimiter: str = ","
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each record's first line and its fields by column name, as RFC 4180 has it.

    The header must name ``columns`` once each and may name more. Line breaks in quotes come back as
    ``\\n``; empty lines between records are skipped. A record of the wrong number of fields, an
    unbalanced or misplaced quote, or more than MAX_RECORD characters raise InputError with the line
    that the record starts at. (The csv module's limits are global to the process, its errors
    name the line where a record ends, and it takes a lone ``\\r`` for a line end.)
    """
    header: list[str] | None = None
    for line, record in _records(path):
        fields = _split(record, delimiter)
        if fields is None:
            raise InputError(
                at(path, line),
                "a quote is unbalanced or stands inside an unquoted field",
                'quote the whole field and double each " in it',
            )
        if header is None:
            header = fields
            _check_header(header, columns, path, line)
        elif len(fields) != len(header):
            raise InputError(
                at(path, line),
                f"{len(fields)} fields, the header has {len(header)}",
                "quote fields that contain a delimiter or a line break",
            )
        else:
            yield line, dict(zip(header, fields, strict=True))
    if header is None:
        raise InputError(at(path, 1), "no header", f"the first line must name {', '.join(columns)}")


def _records(path: Path | str) -> Iterator[tuple[int, str]]:
    """Join lines until quotes are balanced, which is where a record of RFC 4180 ends."""
    start, parts, size, is_open = 0, [], 0, False
    for line, text in read_lines(path):
        if not parts and not text:
            continue
        start = start if parts else line
        if not parts:
            refuse_mark(text, path, line)
        parts.append(text)
        size += len(text) + 1
        is_open ^= text.count('"') % 2 == 1
        if size > MAX_RECORD:
            raise InputError(
                at(path, start),
                f"a record of more than {MAX_RECORD} characters",
                "look for an unbalanced quote",
            )
        if not is_open:
            yield start, "\n".join(parts)
            parts, size = [], 0
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
    fields, position, more = [], 0, True
    while more:
        match = field.match(record, position)
        if match is None:
            return None
        quoted, bare, ended_by = match.groups()
        fields.append(bare if quoted is None else quoted.replace('""', '"'))
        position, more = match.end(), bool(ended_by)
    return fields


def _check_header(header: list[str], columns: Sequence[str], path: Path | str, line: int) -> None:
    missing = [name for name in columns if name not in header]
    if missing:
        raise InputError(
            at(path, line),
            f"no column {', '.join(missing)}",
            f"the header is {', '.join(header)}"[:200],
        )
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise InputError(at(path, line), f"column {', '.join(twice)} stands twice", "rename one")


def read_json_lines(path: Path | str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each line's number and the JSON object on it.

    Anything but an object, a key that stands twice, NaN and infinities, and strings that no UTF-8
    file can hold (a NUL, half a surrogate pair) raise InputError; so does a blank line, unless last.
    """
    for line, text in read_rows(path):
        try:
            value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
            if not isinstance(value, dict):
                raise ValueError(f"a JSON {type(value).__name__}, not an object")
        except (ValueError, RecursionError) as error:
            raise InputError(
                at(path, line), f"not a JSON object as expected: {error}", "one object a line"
            ) from None
        yield line, value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object, refusing a key that stands twice and text that cannot be written back."""
    for key, value in pairs:
        for text in (key, *(value if isinstance(value, list) else [value])):
            if isinstance(text, str) and UNWRITABLE.search(text):
                raise ValueError(f"a NUL or half a surrogate pair in {key!a}")
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [key for key, _ in pairs]
        raise ValueError(f"key {next(k for k in names if names.count(k) > 1)!r} stands twice")
    return result


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


class XmlElement(ElementTree.Element):
    """An element that knows the line it starts at; its tag is lower-cased."""

    line: int = 0


def read_xml(path: Path | str) -> XmlElement:
    """Parse an XML file and return its root, refusing document types and entity declarations.

    Tags are lower-cased, for the releases' readmes and files differ in case. The encoding is UTF-8,
    whatever the declaration says.
    """
    builder = ElementTree.TreeBuilder(element_factory=XmlElement)
    parser = expat.ParserCreate("UTF-8")

    def start(tag: str, attributes: dict[str, str]) -> None:
        builder.start(tag.lower(), attributes).line = parser.CurrentLineNumber

    def refuse(*_: Any) -> None:
        raise InputError(
            at(path, parser.CurrentLineNumber),
            "a document type or entity declaration",
            "remove it: entities can read files and exhaust memory",
        )

    parser.StartElementHandler, parser.CharacterDataHandler = start, builder.data
    parser.EndElementHandler = lambda tag: builder.end(tag.lower())
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    try:
        for _, text in read_lines(path):  # a lone \r would shift expat's count of lines
            parser.Parse(text.replace("\r", " ").encode() + b"\n", False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise InputError(
            at(path, error.lineno),
            f"not well-formed XML: {expat.ErrorString(error.code)}",
            "fetch it again",
        ) from None
    return builder.close()
