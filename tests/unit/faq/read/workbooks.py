"""Workbooks for the tests of the readers."""

from pathlib import Path

from openpyxl import Workbook

HEADER = ["question", "answer", "id", "queries"]


def save(path: Path, *rows: list, change=lambda book: None) -> Path:
    """Write a workbook with one sheet of rows, changed before it is saved."""
    book = Workbook()
    for row in rows:
        book.active.append(row)
    change(book)
    book.save(path)
    return path
