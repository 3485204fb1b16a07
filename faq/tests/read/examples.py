"""Workbooks for the tests of the readers, and what a reader has found in a file, as numbers."""

import re
import zipfile
from pathlib import Path

from openpyxl import Workbook

from semblance.data.faq import Faq

SHEET = "xl/worksheets/sheet1.xml"
HEADER = ["question", "answer", "id", "queries"]


def save(path: Path, *rows: list, change=lambda book: None) -> Path:
    """Write a workbook with one sheet of rows, changed before it is saved."""
    book = Workbook()
    for row in rows:
        book.active.append(row)
    change(book)
    book.save(path)
    return path


def rewrite(path: Path, old: str, new: str) -> Path:
    """Change the XML of the sheet of a workbook; of all of it where ``old`` is empty."""
    with zipfile.ZipFile(path) as box:
        parts = {name: box.read(name) for name in box.namelist()}
    assert old.encode() in parts[SHEET]
    parts[SHEET] = parts[SHEET].replace(old.encode(), new.encode()) if old else new.encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as box:
        for name, content in parts.items():
            box.writestr(name, content)
    return path


def places(faq: Faq, kind: str) -> list[tuple[int, int]]:
    """Return each line with a finding of a kind, and the earlier line that it is like or 0."""
    found = []
    for line in faq.reading.lines:
        if f": {kind}: " not in line:
            continue
        words = line.rpartition("): line ")[2].split(", ")
        for first, last, like in re.findall(
            r"(\d+)(?: to (\d+))?(?: \(as (\d+)\))?", " ".join(words)
        ):
            found += [
                (number, int(like or 0)) for number in range(int(first), int(last or first) + 1)
            ]
    return found
