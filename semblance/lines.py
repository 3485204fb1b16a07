"""Lines of text files, which know their numbers. Reading stops at the first malformed line.

Files are UTF-8, or Latin-1 where their reader says so, plain or gzip (by the suffix ``.gz``); a byte
order mark is dropped at the file's start only. Only ``\\n`` and ``\\r\\n`` end a line: a lone ``\\r``,
U+2028 and similar characters are text. No word stands for a missing value: "null" and "NA" are words.
"""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal

from semblance.errors import InputError, at
from semblance.files import open_regular
from semblance.strict_json import parse_strict

BOM = b"\xef\xbb\xbf"
Encoding = Literal["utf-8", "latin-1"]


def read_lines(path: Path | str, encoding: Encoding = "utf-8") -> Iterator[tuple[int, str]]:
    """Yield each line's number, from 1, and its text without the line end.

    Another encoding, a missing file, what is no regular file, and a broken gzip file raise InputError.
    """
    line = 0
    try:
        with open_regular(path) as packed:
            file: BinaryIO = packed
            if str(path).endswith(".gz"):
                file = gzip.GzipFile(fileobj=packed)
            for line, raw in enumerate(file, 1):
                if line == 1:
                    raw = raw.removeprefix(BOM)
                yield line, raw.decode(encoding).removesuffix("\n").removesuffix("\r")
    except FileNotFoundError:
        raise InputError(path, "no such file", "check the path or download it") from None
    except UnicodeDecodeError as error:
        problem = f"not UTF-8: {error.reason} at byte {error.start}"
        raise InputError(at(path, line), problem, "convert the file to UTF-8") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(at(path, line + 1), f"broken gzip: {error}", "fetch it again") from None
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror or error}") from None


def read_records(path: Path | str, encoding: Encoding = "utf-8") -> Iterator[tuple[int, str]]:
    """Yield like ``read_lines``; InputError for a blank line, unless it is the file's last."""
    blank = None
    for line, text in read_lines(path, encoding):
        if blank is not None:
            raise InputError(at(path, blank), "blank line", "remove it")
        if text.strip():
            yield line, text
        else:
            blank = line


def read_json_lines(path: Path | str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each line's number and the JSON object on it.

    Raises InputError for anything but an object, a key that stands twice, NaN and infinities, and
    strings that no UTF-8 file can hold (a NUL, half a surrogate pair); also for a blank line, unless
    it is the last.
    """
    for line, text in read_records(path):
        try:
            value = parse_strict(text)
            if not isinstance(value, dict):
                raise ValueError(f"a JSON {type(value).__name__}, not an object")
        except ValueError as error:
            problem = f"not a JSON object as expected: {error}"
            raise InputError(at(path, line), problem, "one object a line") from None
        yield line, value
