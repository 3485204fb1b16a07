"""Workbooks for the tests of the readers."""

import zipfile
from pathlib import Path

from openpyxl import Workbook

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
