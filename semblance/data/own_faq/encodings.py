"""The encoding of a user's text file: UTF-8, UTF-16 with its mark, or a Windows code page.

UTF-8 comes first and is strict. Only a file that is not UTF-8 is asked for its code page, and a
file that has UTF-8 in some lines and not in others is damaged, not of a code page.
"""

import contextlib
import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from semblance.data.own_faq.code_pages import recognise
from semblance.data.own_faq.findings import Findings
from semblance.data.text import BOM, read_lines
from semblance.errors import InputError, at
from semblance.files import open_regular

MARKS_OF_UTF16 = (b"\xff\xfe", b"\xfe\xff")
MOST_UTF16 = 1 << 25  # bytes of a text in UTF-16, which is decoded as a whole
SAMPLE = 1 << 18  # bytes that the code page is recognised by
# A line of a code page can be valid UTF-8 by accident, such as one with É and … side by side.
MOST_BY_ACCIDENT = 0.05
ADVICE = "save the file as UTF-8 (in Excel: CSV UTF-8)"


@dataclass
class Evidence:
    """What the lines of a file say about its encoding."""

    utf8: int = 0  # lines of UTF-8 with characters beyond ASCII
    other: int = 0  # lines that are not UTF-8
    inside: int = 0  # characters beyond ASCII that are UTF-8 in these lines
    broken: int = 0  # bytes beyond ASCII that are not
    line: int = 0  # the first of these lines, and what is wrong with it
    error: UnicodeDecodeError | None = None
    sample: bytes = b""

    @property
    def is_mixed(self) -> bool:
        """Tell whether so much is UTF-8 that the rest is damage and no code page."""
        return self.utf8 > MOST_BY_ACCIDENT * self.other or self.inside >= self.broken

    def add(self, line: int, raw: bytes) -> None:
        """Add a line with bytes beyond ASCII."""
        try:
            raw.decode()
            self.utf8 += 1
            return
        except UnicodeDecodeError as error:
            if self.error is None:
                self.line = line
                self.error = error
        kept = _beyond_ascii(raw.decode(errors="ignore"))
        self.other += 1
        self.inside += len(kept)
        self.broken += len(_beyond_ascii(raw.decode("latin-1"))) - len(kept.encode())
        if len(self.sample) < SAMPLE:
            self.sample += raw[:SAMPLE] + b"\n"


def decoded_lines(path: Path | str, findings: Findings) -> Iterator[tuple[int, str]]:
    """Yield each line's number, from 1, and its text without the line end; note the encoding.

    Raises InputError with line and byte for a file whose encoding cannot be decided, and as
    ``read_lines`` does.
    """
    start = _start(path)
    if start[:2] in MARKS_OF_UTF16:
        findings.note(path, "text in UTF-16, by its byte order mark")
        yield from _utf16_lines(path)
        return
    found = _evidence(path)
    if found.error is None:
        sentence = "text in UTF-8"
        if start == BOM:
            sentence += ", with a byte order mark"
        findings.note(path, sentence)
        yield from read_lines(path)
        return
    page = _code_page(found, path)
    shown = found.sample.partition(b"\n")[0].decode(page, "replace")
    sentence = f"text is not UTF-8 and is read as {page}, an encoding of Windows"
    findings.note(path, f"{sentence}; please look at line {found.line}: {shown!r:.100}")
    yield from _page_lines(path, page)


def _start(path: Path | str) -> bytes:
    """Return the first bytes of a text; of one that cannot be read none: its reader says why."""
    try:
        with _opened(path) as file:
            return file.read(len(BOM))
    except (OSError, EOFError, zlib.error):
        return b""


@contextlib.contextmanager
def _opened(path: Path | str) -> Iterator[BinaryIO]:
    with open_regular(path) as stream:
        if not str(path).endswith(".gz"):
            yield stream
            return
        with gzip.GzipFile(fileobj=stream) as unpacked:
            yield unpacked


def _beyond_ascii(text: str) -> str:
    return "".join(character for character in text if not character.isascii())


def _evidence(path: Path | str) -> Evidence:
    found = Evidence()
    for line, text in read_lines(path, "latin-1"):
        if not text.isascii():
            found.add(line, text.encode("latin-1"))
    return found


def _code_page(found: Evidence, path: Path | str) -> str:
    """Return the code page of a file that is not UTF-8; InputError if it cannot be decided."""
    where = at(path, found.line)
    problem = f"not UTF-8: {found.error.reason} at byte {found.error.start}"
    if found.is_mixed:
        problem += ", though other places in the file are"
        raise InputError(where, problem, f"mend the line, or {ADVICE}")
    page = recognise(found.sample)
    if page is None:
        raise InputError(where, f"{problem}, and of no known code page of Windows", ADVICE)
    return page


def _page_lines(path: Path | str, page: str) -> Iterator[tuple[int, str]]:
    for line, text in read_lines(path, "latin-1"):
        try:
            yield line, text.encode("latin-1").decode(page)
        except UnicodeDecodeError as error:
            problem = f"neither UTF-8 nor {page}: byte {error.start}"
            raise InputError(at(path, line), problem, ADVICE) from None


def _utf16_lines(path: Path | str) -> Iterator[tuple[int, str]]:
    text = _utf16(path)
    for line, shown in enumerate(io.StringIO(text, newline="\n"), 1):
        if "\0" in shown:
            raise InputError(at(path, line), "contains a NUL character", ADVICE)
        yield line, shown.removesuffix("\n").removesuffix("\r")


def _utf16(path: Path | str) -> str:
    """Return a whole text in UTF-16; InputError with line and byte where it is none."""
    try:
        with _opened(path) as file:
            content = file.read(MOST_UTF16 + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(at(path, 1), f"cannot be read: {error}", "save it again") from None
    if len(content) > MOST_UTF16:
        raise InputError(at(path, 1), f"more than {MOST_UTF16:,} bytes of UTF-16", ADVICE)
    try:
        return content.decode("utf-16")
    except UnicodeDecodeError as error:
        line = content[: error.start].decode("utf-16", "ignore").count("\n") + 1
        problem = f"not UTF-16: {error.reason} at byte {error.start} of the file"
        raise InputError(at(path, line), problem, ADVICE) from None
