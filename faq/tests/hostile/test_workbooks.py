"""Workbooks that stand for much, or lie: refused in one line, within the bounds of all readers."""

import random
from pathlib import Path

import pytest

from faq.tests.read.examples import rewrite, save
from semblance_faq.read import sheets
from semblance_faq.read.faq import read_own
from tests.hostile.bounds import refusal, survives

START = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
END = "</sheetData></worksheet>"


def text_cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


HEADER = f'<row r="1">{text_cell("A1", "question")}{text_cell("B1", "answer")}</row>'
ENTRY = f'<row r="2">{text_cell("A2", "q")}{text_cell("B2", "a")}</row>'
TABLE = HEADER + ENTRY


def workbook(path: Path, sheet: str) -> Path:
    """Write a sound workbook with other XML in place of its sheet."""
    return rewrite(save(path, ["question", "answer"]), "", sheet)


def with_row(row: str) -> str:
    """Return the sheet with one more row."""
    return START + TABLE + row + END


MERGE = '</sheetData><mergeCells><mergeCell ref="A1:XFD9999999"/></mergeCells></worksheet>'
LIES = {
    "rows in another order": f"{START}{HEADER}<row r='9'/><row r='3'/>{END}",
    "a row of endless digits": with_row(f"<row r='{'9' * 5000}'/>"),
    "a text that is not there": with_row("<row r='3'><c r='A3' t='s'><v>7</v></c></row>"),
    "a style that is not there": with_row("<row r='3'><c r='A3' s='99'><v>1</v></c></row>"),
    "no end": START + TABLE,
    "no XML": "question,answer",
    "a merge that spans all": START + HEADER + MERGE,
    "deep nesting": START + "<a>" * 50_000,
}


@pytest.mark.parametrize("name", LIES)
def test_a_sheet_that_lies_is_refused_in_one_line(name, tmp_path):
    path = workbook(tmp_path / "f.xlsx", LIES[name])
    assert refusal(read_own, path).startswith(f"{path}:")


def test_a_workbook_that_unpacks_to_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sheets, "MOST_UNPACKED", 20_000)
    path = workbook(tmp_path / "f.xlsx", START + TABLE + " " * 20_000 + END)
    assert "more than 20,000 bytes unpacked; copy the table" in refusal(read_own, path)


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_workbook_is_read_or_refused_in_one_line(seed, tmp_path):
    path = workbook(tmp_path / "f.xlsx", with_row(""))
    content = bytearray(path.read_bytes())
    draw = random.Random(seed)
    for _ in range(1 + seed % 5):
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    if seed % 4 == 0:
        del content[draw.randrange(len(content)) :]
    path.write_bytes(content)
    message = survives(read_own, path)
    assert not message or message.startswith(str(path))
