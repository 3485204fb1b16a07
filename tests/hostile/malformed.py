"""The malformed corpus: every sample of ``formats`` damaged in every way that applies to it.

What a format has to bear (a byte order mark at the start, Windows' line ends) is in ``oddities``,
which must read like the plain sample.
"""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.hostile.formats import FORMATS, Format

BOM = "\ufeff".encode()
BYTES = {  # what takes a place inside the last line
    "a NUL": b"\0",
    "a lone continuation byte": b"\x80",
    "a truncated character": b"\xe2\x82",
    "an overlong slash": b"\xc0\xaf",
    "an overlong NUL": b"\xe0\x80\x80",
    "a surrogate": b"\xed\xa0\x80",
    "a surrogate pair": b"\xed\xa0\xbd\xed\xb8\x80",
    "beyond Unicode": b"\xf4\x90\x80\x80",
    "Latin-1": b"caf\xe9 ",
    "no UTF-8 byte": b"\xff",
}
PAGE = b"<!DOCTYPE html>\n<html><head><title>404</title></head>\n<body>Not found</body></html>\n"


@dataclass(frozen=True)
class Case:
    """Damaged files of a format; the error must name ``target`` and a line in ``lines``."""

    format: Format
    damage: str
    content: bytes
    target: str
    lines: range = range(1, 1000)

    def __str__(self) -> str:
        return f"{self.format.name}: {self.damage}"

    def write(self, folder: Path) -> Path:
        """Write the files into a new folder and return it."""
        folder.mkdir(parents=True)
        for name, text in self.format.files.items():
            (folder / name).write_bytes(text.encode())
        (folder / self.format.target).unlink()
        (folder / self.target).write_bytes(self.content)
        return folder


def cases() -> list[Case]:
    """Return every case of the text formats."""
    return [
        case for form in FORMATS for group in (_rows, _bytes, _whole, _gzip) for case in group(form)
    ]


def _rows(form: Format) -> Iterator[Case]:
    for name, (line, text) in form.rows.items():
        lines = form.sample.splitlines()
        line -= name == "blank"  # at the end of a file it would be harmless
        lines[line - 1] = text
        # An XML tag that is never closed is found where the document ends.
        found = range(line, 1000) if form.kind == "xml" else range(line, line + 1)
        yield Case(form, name, ("\n".join(lines) + "\n").encode(), form.target, found)


def _bytes(form: Format) -> Iterator[Case]:
    *before, last = form.sample.encode().splitlines()
    line = len(before) + 1
    for name, odd in BYTES.items():
        content = b"\n".join([*before, last[:1] + odd + last[1:], b""])
        yield Case(form, name, content, form.target, range(line, line + 1))


def _whole(form: Format) -> Iterator[Case]:
    plain = form.sample.encode()
    *before, last = plain.splitlines()
    damaged = {
        "empty": b"",
        "only a byte order mark": BOM,
        "UTF-32": form.sample.encode("utf-32"),
        "random bytes": bytes(range(256)) * 4,
        "zeros": bytes(100),
        "compressed, but not named so": gzip.compress(plain, mtime=0),
    }
    if not form.encodings:  # else it is among the oddities
        damaged["UTF-16"] = form.sample.encode("utf-16")
    if form.kind != "txt":  # to which it is text like any other; only a digest can tell
        damaged["a page of HTML"] = PAGE
    if form.kind != "xml":  # to XML a return ends a line, and a mark between elements is text
        if form.name != "own csv":  # of old Macs: read
            damaged["returns for line ends"] = plain.replace(b"\n", b"\r")
        damaged |= {
            "a byte order mark inside": b"\n".join([*before, BOM + last, b""]),
            "two marks at the start": BOM + BOM + plain,
        }
    if form.kind in ("jsonl", "tsv", "txt"):
        damaged["a return inside a line"] = b"\n".join([*before, last[:1] + b"\r" + last[1:], b""])
    if form.kind == "xml":
        damaged |= {
            "truncated": plain[:-12],
            "a second document": plain + plain,
            "nested deeply": b"<a>" * 50_000,
        }
    for name, content in damaged.items():
        yield Case(form, name, content, form.target)


def _gzip(form: Format) -> Iterator[Case]:
    if form.kind not in ("csv", "jsonl") or len(form.files) > 1:
        return
    packed = gzip.compress(form.sample.encode(), mtime=0)
    changed = bytearray(packed)
    changed[-6] ^= 1  # in the checksum
    for name, content in {
        "truncated": packed[:-10],
        "not compressed": form.sample.encode(),
        "with rubbish behind": packed + b"rubbish",
        "of another checksum": bytes(changed),
        "empty": b"",
        "of nothing": gzip.compress(b""),
        "of no UTF-8": gzip.compress(b"\xff\xfe"),
        "a header alone": packed[:10],
    }.items():
        yield Case(form, f"gzip {name}", content, form.target + ".gz")


def oddities(form: Format) -> dict[str, bytes]:
    """Return what a format has to bear: other bytes, the same meaning."""
    plain = form.sample.encode()
    odd = {
        "Windows' line ends": plain.replace(b"\n", b"\r\n"),
        "no line end at the end": plain.rstrip(b"\n"),
        "a byte order mark at the start": BOM + plain,
    }
    if form.encodings:
        odd["UTF-16"] = form.sample.encode("utf-16")
    if form.kind == "xml":
        odd |= {
            "another encoding's name": plain.replace(b'"1.0"?>', b'"1.0" encoding="latin-1"?>'),
            "returns for line ends": plain.replace(b"\n", b"\r"),
            "tags in capitals": plain.replace(b"qapair", b"QAPair"),
            "a comment": plain.rstrip() + b"<!-- x -->\n",
            "a mark between elements": plain.replace(b"</question>", b"</question>" + BOM),
        }
    return odd
