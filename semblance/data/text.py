"""Lines of text files, which know their numbers, and texts as they are compared.

Reading stops at the first malformed line.

A download is compared with its digest before it is read. So the readers check what a format or a
count shows, and guard against nothing else.

Files are UTF-8, or Latin-1 where their reader says so, plain or gzip (by the suffix ``.gz``); a byte
order mark is dropped at the file's start only. Only ``\\n`` and ``\\r\\n`` end a line: a lone ``\\r``,
U+2028 and similar characters are text. No word stands for a missing value: "null" and "NA" are words.
"""

import gzip
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeVar

import regex

from semblance.errors import InputError, at
from semblance.files import open_regular
from semblance.strict_json import parse_strict

BOM = b"\xef\xbb\xbf"
Encoding = Literal["utf-8", "latin-1"]
T = TypeVar("T")


def normalise(text: str) -> str:
    """Collapse each run of white space (Unicode's notion) to one blank and strip the ends."""
    return " ".join(text.split())


def filled(value: object, name: str, path: Path | str, line: int) -> str:
    """Return a field's text, normalised; InputError where it is missing, empty or no text."""
    if value is None:
        raise InputError(at(path, line), f"{name} is missing")
    if not isinstance(value, str):
        raise InputError(at(path, line), f"{name} is not text")
    text = normalise(value)
    if not text:
        raise InputError(at(path, line), f"{name} is empty", "fill it in or remove the row")
    return text


def at_least_one(found: Iterable[T], what: str, path: Path | str) -> Iterator[T]:
    """Yield all that is found in a file; InputError if it is nothing."""
    nothing = True
    for item in found:
        nothing = False
        yield item
    if nothing:
        raise InputError(at(path, 1), f"no {what}", "fetch the release again")


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


def refuse_traces(text: str, path: Path | str, line: int) -> None:
    """Raise InputError for a record with a lone carriage return or a byte order mark at its start."""
    if "\r" in text:
        raise InputError(at(path, line), "a lone carriage return", r"end lines by \n or \r\n")
    refuse_mark(text, path, line)


def refuse_mark(text: str, path: Path | str, line: int) -> None:
    """Raise InputError for a byte order mark at the start; the one of the file is gone by now."""
    if text.startswith("\ufeff"):
        problem = "a byte order mark inside the file"
        raise InputError(at(path, line), problem, "remove it; were files joined?")


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


FORMAT = regex.compile(r"\p{Cf}")  # characters that nobody sees, such as a zero-width space
# What is left of a text without its white space and punctuation. A mark of punctuation stays where
# it makes another word or number: C# and C, R&D and RD, .NET and net, 1.5 and 15, 5 % and 5.
LEFT = regex.compile(
    r"""[^\s\p{P}]+ | (?<=\d)[.,:/](?=\d) | (?<=\p{L})\# | (?<=\w)[&@](?=\w)
    | (?<!\S)[.-](?=\w) | (?<=\d\s?)[%‰]
    """,
    regex.VERBOSE,
)


def folded(text: str) -> str:
    """Return a text of one case, in one form (NFKC), without the characters that nobody sees."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", FORMAT.sub("", text))


def bare(text: str) -> str:
    """Return a folded text without white space, and without punctuation that no word needs.

    Texts alike become equal. A text that only holds such characters becomes empty.
    """
    return "".join(LEFT.findall(folded(text)))


def bare_or_whole(text: str) -> str:
    """Return the bare text, or the text itself where nothing is left of it."""
    return bare(text) or text


def shows_nothing(text: str) -> bool:
    """Tell whether a text holds nothing but white space and format characters."""
    return not FORMAT.sub("", text).strip()
