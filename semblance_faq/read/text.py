"""The text of a user's file: UTF-8, UTF-16 with its mark, or a Windows code page.

UTF-8 comes first and is strict. Only a file that is not UTF-8 is asked for its code page, and a
file that has UTF-8 in some lines and not in others is damaged, not of a code page.
"""

import gzip
import io
import zlib
from pathlib import Path

from semblance.data.text import BOM
from semblance.errors import InputError, at
from semblance.files import open_regular
from semblance_faq.read.code_pages import recognise
from semblance_faq.read.findings import Findings

MARKS_OF_UTF16 = (b"\xff\xfe", b"\xfe\xff")
MOST = 1 << 27  # bytes of a text, unpacked; it is read as a whole
SAMPLE = 1 << 18  # bytes that the code page is recognised by
# A line of a code page can be valid UTF-8 by accident, such as one with É and … side by side.
MOST_BY_ACCIDENT = 0.05
FORMATS = "CSV (.csv, .tsv), Excel (.xlsx) or JSON lines (.jsonl)"
# What stands at the start of a file of another format, and what its name must end in.
STARTS = {b"PK\x03\x04": ".xlsx", b"\x1f\x8b": ".gz"}
ADVICE = "save the file as UTF-8 (in Excel: CSV UTF-8)"


def read_text(path: Path | str, findings: Findings) -> str:
    r"""Return a file's text with ``\n`` as the only line end; note the encoding.

    Raises InputError, with the line where there is one, for a text whose encoding cannot be
    decided, for a NUL, broken gzip, and what is no file of at most MOST bytes.
    """
    content = _content(path)
    if content[:2] in MARKS_OF_UTF16:
        text = _decoded(content, "utf-16", path)
        findings.note(path, "text in UTF-16, by its byte order mark")
    else:
        try:
            text = content.decode("utf-8-sig")
            mark = ", with a byte order mark" * content.startswith(BOM)
            findings.note(path, f"text in UTF-8{mark}")
        except UnicodeDecodeError:
            text = _decoded(content, _code_page(content, path, findings), path)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        problem = "contains a NUL character"
        raise InputError(at(path, line), problem, "the file is damaged or not text")
    return text.replace("\r\n", "\n")


def _content(path: Path | str) -> bytes:
    try:
        with open_regular(path) as stream:
            if not str(path).endswith(".gz"):
                content = stream.read(MOST + 1)
                for mark, ending in STARTS.items():
                    if content.startswith(mark):
                        problem = f"the content is that of a file whose name ends in {ending}"
                        raise InputError(
                            at(path, 1), problem, f"rename it, or save it as {FORMATS}"
                        )
            else:
                content = gzip.GzipFile(fileobj=stream).read(MOST + 1)
                if not stream.tell():  # the gzip module takes it for an empty text
                    raise EOFError("no gzip data at all")
    except FileNotFoundError:
        raise InputError(path, "no such file", "check the path") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(at(path, 1), f"broken gzip: {error}", "pack it again") from None
    if len(content) > MOST:
        raise InputError(at(path, 1), f"more than {MOST:,} bytes of text", "split the file")
    return content


def _decoded(content: bytes, encoding: str, path: Path | str) -> str:
    """Return the text; InputError with line and byte where the encoding does not fit."""
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        before = content[: error.start].decode(encoding, "ignore")
        line = before.count("\n") + 1
        byte = error.start - content.rfind(b"\n", 0, error.start) - 1
        problem = f"neither UTF-8 nor {encoding}: byte {byte}"
        if encoding == "utf-16":
            problem = f"not UTF-16: {error.reason} at byte {error.start} of the file"
        raise InputError(at(path, line), problem, ADVICE) from None


def _code_page(content: bytes, path: Path | str, findings: Findings) -> str:
    """Return and note the code page of a file that is not UTF-8; InputError if none fits.

    The file is damaged where many lines, or most characters of the odd lines, are UTF-8.
    """
    utf8 = 0  # lines of UTF-8 with characters beyond ASCII
    odd = []  # the lines that are not UTF-8
    first = None  # the number of the first of them, and what is wrong with it
    inside = broken = 0  # in the odd lines: characters that are UTF-8, bytes that are not
    for number, raw in enumerate(io.BytesIO(content), 1):
        if raw.isascii():
            continue
        try:
            raw.decode()
            utf8 += 1
        except UnicodeDecodeError as error:
            first = first or (number, error)
            odd.append(raw.rstrip(b"\r\n"))
            valid = [c for c in raw.decode(errors="ignore") if not c.isascii()]
            inside += len(valid)
            broken += sum(byte > 127 for byte in raw) - len("".join(valid).encode())
    line, error = first
    problem = f"not UTF-8: {error.reason} at byte {error.start}"
    if utf8 > MOST_BY_ACCIDENT * len(odd) or inside >= broken:
        problem += ", though other places in the file are"
        raise InputError(at(path, line), problem, f"mend the line, or {ADVICE}")
    page = recognise(b"\n".join(odd)[:SAMPLE] + b"\n")
    if page is None:
        problem += ", and of no known code page of Windows"
        raise InputError(at(path, line), problem, ADVICE)
    sentence = f"text is not UTF-8 and is read as {page}, an encoding of Windows"
    shown = odd[0].decode(page, "replace")
    findings.note(path, f"{sentence}; please look at line {line}: {shown!r:.100}")
    return page
