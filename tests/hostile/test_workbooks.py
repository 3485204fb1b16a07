"""Workbooks that stand for much, or lie: refused in one line, within the bounds of all readers."""

import random
import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook

from semblance.data.banks.own import read_own
from semblance.data.own_faq import parts
from semblance.errors import InputError
from tests.hostile.bounds import bounded
from tests.hostile.test_bounds import KINDS, put

SHEET = "xl/worksheets/sheet1.xml"
START = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
END = "</sheetData></worksheet>"


def text_cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


HEADER = f'<row r="1">{text_cell("A1", "question")}{text_cell("B1", "answer")}</row>'
ENTRY = f'<row r="2">{text_cell("A2", "q")}{text_cell("B2", "a")}</row>'
TABLE = HEADER + ENTRY


def workbook(path: Path, sheet: str, part: str = SHEET) -> Path:
    """Write a sound workbook with the XML of one part in place of its own."""
    plain = path.with_name("plain.xlsx")
    book = Workbook()
    book.active.append(["question", "answer"])
    book.save(plain)
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as box:
        for name in source.namelist():
            box.writestr(name, sheet if name == part else source.read(name))
    return path


def test_the_sound_sheet_of_these_tests_is_read(tmp_path):
    faq = read_own(workbook(tmp_path / "f.xlsx", START + TABLE + END))
    assert [(pair.question, pair.answer) for pair in faq.pairs] == [("q", "a")]


LIES = {
    "a document type": f"<!DOCTYPE x [<!ENTITY a 'b'>]>{START}{TABLE}{END}",
    "rows in another order": f"{START}{HEADER}<row r='9'/><row r='3'/>{END}",
    "a row twice": START + TABLE + ENTRY + END,
    "a row beyond the last": f"{START}{TABLE}<row r='1048577'/>{END}",
    "a row of no number": f"{START}{TABLE}<row r='x'/>{END}",
    "a row of endless digits": f"{START}{TABLE}<row r='{'9' * 5000}'/>{END}",
    "a cell of no place": f"{START}{TABLE}<row r='3'><c r='?'><v>1</v></c></row>{END}",
    "a column beyond all": f"{START}{TABLE}<row r='3'><c r='ZZZ3'><v>1</v></c></row>{END}",
    "a text that is not there": f"{START}{TABLE}<row r='3'><c r='A3' t='s'><v>7</v></c></row>{END}",
    "no number": f"{START}{TABLE}<row r='3'><c r='A3'><v>x</v></c></row>{END}",
    "a style that is not there": f"{START}{TABLE}<row r='3'><c r='A3' s='99'><v>1</v></c></row>{END}",
    "no end": START + TABLE,
    "nothing": "",
    "no XML": "question,answer",
    "a merge that spans all": f"{START}{HEADER}</sheetData><mergeCells><mergeCell ref='A1:XFD9999999'/>"
    "</mergeCells></worksheet>",
    "deep nesting": START + "<a>" * 50_000,
}


@pytest.mark.parametrize("name", LIES)
def test_a_sheet_that_lies_is_refused_in_one_line(name, tmp_path):
    path = workbook(tmp_path / "f.xlsx", LIES[name])
    with bounded(), pytest.raises(InputError) as caught:
        read_own(path)
    assert str(caught.value).startswith(f"{path}:") and "\n" not in str(caught.value)


BOMBS = {  # name: (the limit that is lowered, what the sheet holds then)
    "cells": ("MAX_ELEMENTS", 5000, TABLE + "<row><c/></row>" * 5000),
    "cells of one row": ("MAX_BETWEEN", 1000, f"{TABLE}<row>{'<c/>' * 1001}</row>"),
    "merged cells": ("MAX_BETWEEN", 1000, TABLE + "<mergeCell ref='A1:A2'/>" * 1001),
    "a text": ("MAX_TEXT", 10_000, f"{TABLE}<row><c><v>{'x' * 10_001}</v></c></row>"),
    "a tag": ("MAX_TOKEN", 100_000, f"{TABLE}<row spans='{'1' * 300_000}'/>"),
    "a part": ("MOST_PART", 10_000, TABLE + " " * 10_000),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_sheet_that_stands_for_much_is_refused(name, tmp_path, monkeypatch):
    limit, most, rows = BOMBS[name]
    monkeypatch.setattr(parts, limit, most)
    path = workbook(tmp_path / "f.xlsx", START + rows + END)
    with (
        bounded(),
        pytest.raises(InputError, match=rf"more than {most:,} .*; copy the table alone"),
    ):
        read_own(path)


@pytest.mark.parametrize("part", ["xl/styles.xml", "xl/workbook.xml", "[Content_Types].xml"])
def test_a_part_that_is_read_whole_is_bounded(part, tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "MOST_WHOLE", 20_000)
    path = workbook(tmp_path / "f.xlsx", "<x>" + "<a/>" * 10_000 + "</x>", part)
    with bounded(), pytest.raises(InputError, match="more than 20,000 bytes"):
        read_own(path)


@pytest.mark.long
def test_a_sheet_formatted_to_the_last_row_of_excel_is_read(tmp_path):
    rows = '<row><c s="0"/><c s="0"/></row>' * (parts.MAX_ROW - 2)
    path = workbook(tmp_path / "f.xlsx", START + TABLE + rows + END)
    with bounded(seconds=60):
        assert len(read_own(path).pairs) == 1


def test_a_list_of_parts_beyond_the_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "MOST_DIRECTORY", 1000)
    path = workbook(tmp_path / "f.xlsx", START + TABLE + END)
    with zipfile.ZipFile(path, "a") as box:
        for number in range(100):
            box.writestr(f"x{number}", "")
    with bounded(), pytest.raises(InputError, match="a list of parts of"):
        read_own(path)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_workbook_file_is_refused_at_once(kind, tmp_path):
    path = put(tmp_path / "f.xlsx", kind)
    with bounded(), pytest.raises(InputError) as caught:
        read_own(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_workbook_is_read_or_refused_in_one_line(seed, tmp_path):
    path = workbook(tmp_path / "f.xlsx", START + TABLE + END)
    content = bytearray(path.read_bytes())
    draw = random.Random(seed)
    for _ in range(1 + seed % 5):
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    if seed % 4 == 0:
        del content[draw.randrange(len(content)) :]
    path.write_bytes(content)
    with bounded():
        try:
            read_own(path)
        except InputError as error:
            assert str(error).startswith(str(path)) and "\n" not in str(error)
