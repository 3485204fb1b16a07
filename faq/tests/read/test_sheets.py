"""A FAQ in an Excel workbook: the traps of sheets, rows and cells."""

import datetime
import re
import zipfile

import pytest
from openpyxl import Workbook

from faq.tests.read.examples import HEADER, places, rewrite, save
from semblance.errors import InputError
from semblance_faq.read.faq import read_own
from tests.unit.data.files import fails_at

NOT_FOLLOWED = ("0.00E+00", "# ?/?", '[>3]0" many"', 'h:mm "Uhr"', "[h]:mm:ss.0")


def answers(faq) -> list[str]:
    return [pair.answer for pair in faq.pairs]


def lines_of(faq, kind: str) -> list[int]:
    return [line for line, _ in places(faq, kind)]


def test_a_table_of_texts_comes_back_with_its_queries(tmp_path):
    path = save(tmp_path / "f.xlsx", HEADER, ["q", "a\nb", "k", "x|y"], ["r", " c ", None, None])
    faq = read_own(path)
    assert [(p.id, p.question, p.answer) for p in faq.pairs] == [
        ("k", "q", "a\nb"),
        ("3", "r", "c"),
    ]
    assert [(query.text, query.relevant) for query in faq.queries] == [("x", ("k",)), ("y", ("k",))]
    assert faq.name == "f"


@pytest.mark.parametrize(
    "value, code, shown",
    [
        (1_200_000_000_000_000, "General", "1200000000000000"),
        (1200, "0.00E+00", "1200"),
        (4915123456789, "General", "4915123456789"),
        (42, "General", "42"),
        (0.1 + 0.2, "General", "0.3"),
        (0.00001, "General", "0.00001"),
        (1234, "00000", "01234"),
        (2.5, "0", "3"),  # Excel rounds half away from zero
        (1234.5, "#,##0.00", "1,234.50"),
        (0.123, "0.0%", "12.3%"),
        (-1.5, "0.00", "-1.50"),
        (True, "General", "TRUE"),
        (datetime.date(2024, 5, 31), "dd.mm.yyyy", "2024-05-31"),
        (datetime.datetime(2024, 5, 31, 14, 30), "d.m.yy h:mm", "2024-05-31 14:30:00"),
        (datetime.time(14, 30), "h:mm", "14:30:00"),
        (1.5, "h:mm", "12:00:00"),
        (49.9, '"€"#,##0.00', "€49.90"),
        (-1234.5, "#,##0.00\\ [$€-407];[Red]\\-#,##0.00\\ [$€-407]", "-1,234.50 €"),
        (-5, "$#,##0.00_);($#,##0.00)", "($5.00)"),
        (0, '_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-', "-"),
        (14, '0 "days"', "14 days"),
        (301234567, "000-000-0000", "030-123-4567"),
        (1_500_000, '0.0,,"M"', "1.5M"),
        (0.5, "0.##", "0.5"),
        (12, 'General" pieces"', "12 pieces"),
        ("12", '"Room "@', "Room 12"),
        ("a_x000D_\nb", "@", "a\nb"),
        (datetime.timedelta(hours=36), "[h]:mm", "36:00"),
        (datetime.timedelta(minutes=90, seconds=5), '[mm]:ss" min"', "90:05 min"),
        (0.5, "# ?/?", "0.5"),
        (5, '[>3]0" many"', "5"),
        (datetime.time(14, 30), 'h:mm "Uhr"', "14:30:00"),
        (datetime.timedelta(hours=36), "[h]:mm:ss.0", "1 day, 12:00:00"),
    ],
)
def test_a_cell_is_read_as_it_is_shown_and_a_format_that_is_not_followed_is_named(
    value, code, shown, tmp_path
):
    def set_format(book: Workbook) -> None:
        book.active["B2"].number_format = code

    path = save(tmp_path / "f.xlsx", HEADER, ["q", value], change=set_format)
    faq = read_own(path)
    assert answers(faq) == [shown]
    assert lines_of(faq, "rows with another number format") == [2] * (code in NOT_FOLLOWED)


def test_strict_open_xml_is_read_and_so_is_a_workbook_that_is_called_csv(tmp_path):
    path = save(tmp_path / "f.xlsx", HEADER, ["q", "a"])
    usual = re.compile(rb"http://schemas.openxmlformats.org/(\w+)/2006/(main|relationships)")
    with zipfile.ZipFile(path) as box, zipfile.ZipFile(tmp_path / "f.csv", "w") as strict:
        for name in box.namelist():
            named = usual.sub(rb"http://purl.oclc.org/ooxml/\1/\2", box.read(name))
            strict.writestr(name, box.read(name) if "package/2006" in name else named)
    assert answers(read_own(tmp_path / "f.csv")) == answers(read_own(path)) == ["a"]


def test_of_a_hidden_and_a_visible_column_the_visible_one_is_read(tmp_path):
    def hide(book: Workbook) -> None:
        for name in "AC":
            book.active.column_dimensions[name].hidden = True

    header = ["question", "Frage", "id", "answer"]
    path = save(tmp_path / "f.xlsx", header, ["old", "new", "k", "a"], change=hide)
    [pair] = read_own(path).pairs
    assert (pair.question, pair.id) == ("new", "k")  # no visible column holds the ids


def test_rounded_numbers_are_reported(tmp_path):
    rows = (["q", 1], ["r", 1_234_567_890_123_456_789], ["s", 999_999_999_999_999])
    faq = read_own(save(tmp_path / "f.xlsx", HEADER, *rows))
    assert lines_of(faq, "rows with rounded numbers") == [3]  # 15 digits are exact


def test_the_first_visible_sheet_with_the_columns_is_read_and_reported(tmp_path):
    def add_sheets(book: Workbook) -> None:
        book.active.title = "Notes"
        hidden = book.create_sheet("Old")
        hidden.append(HEADER)
        hidden.append(["q", "old"])
        hidden.sheet_state = "hidden"
        for title in ("New", "Newer"):
            sheet = book.create_sheet(title)
            sheet.append(["Our FAQ, for the desk"])
            sheet.append([])
            sheet.append(["Frage ", "ANTWORT"])
            sheet.append(["q", title])

    path = save(tmp_path / "f.xlsx", ["what to do"], change=add_sheets)
    faq = read_own(path)
    assert answers(faq) == ["New"] and faq.pairs[0].id == "4"
    told = "sheet 'New', its header in row 3; sheets that are not read: 'Notes', 'Old', 'Newer'"
    assert f"{path}: {told}" in faq.reading.lines


def test_hidden_rows_are_read(tmp_path):
    def hide(book: Workbook) -> None:
        book.active.row_dimensions[3].hidden = True

    faq = read_own(save(tmp_path / "f.xlsx", HEADER, ["q", "a"], ["r", "b"], change=hide))
    assert answers(faq) == ["a", "b"]


def test_each_row_of_merged_cells_has_their_value(tmp_path):
    def merge(book: Workbook) -> None:
        book.active.merge_cells("B2:B4")
        book.active.merge_cells("A6:B6")  # of one row: a heading

    rows = (["q", "a"], ["r"], ["s"], ["t", "b"])
    faq = read_own(save(tmp_path / "f.xlsx", HEADER, *rows, change=merge))
    assert answers(faq) == ["a", "a", "a", "b"]
    assert lines_of(faq, "rows of merged cells") == [3, 4]


def test_empty_rows_are_skipped_and_those_below_the_last_value_are_not_counted(tmp_path):
    def format_far_below(book: Workbook) -> None:
        book.active.cell(5000, 1).number_format = "0.00"

    rows = (["q", "a"], [], [None, "  "], ["r", "b"])
    faq = read_own(save(tmp_path / "f.xlsx", HEADER, *rows, change=format_far_below))
    assert answers(faq) == ["a", "b"] and lines_of(faq, "empty rows") == [3, 4]


def test_a_size_that_the_sheet_states_wrongly_cuts_nothing(tmp_path):
    path = save(tmp_path / "f.xlsx", HEADER, ["q", "a"], ["r", "b"])
    rewrite(path, '<dimension ref="A1:D3"', '<dimension ref="A1:A1"')
    assert answers(read_own(path)) == ["a", "b"]


def test_the_value_of_a_formula_is_read_and_one_without_a_value_is_refused(tmp_path):
    path = save(tmp_path / "f.xlsx", HEADER, ["q", '="a"&"b"'])
    with fails_at(path, 2, "cell B2 has a formula without a value; open the file in Excel"):
        read_own(path)
    rewrite(path, '<c r="B2"><f>"a"&amp;"b"</f><v />', '<c r="B2" t="str"><f>x</f><v>ab</v>')
    assert answers(read_own(path)) == ["ab"]


OLD = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600)


@pytest.mark.parametrize(
    "content, words",
    [
        (OLD + "Workbook".encode("utf-16-le"), r"an Excel file of before 2007 \(.xls\)"),
        (OLD + "EncryptedPackage".encode("utf-16-le"), "has a password"),
        (b"question,answer\nq,a\n", "cannot be read as an Excel workbook"),
        (b"", "cannot be read as an Excel workbook"),
    ],
)
def test_what_is_no_open_workbook_is_refused_in_one_line(content, words, tmp_path):
    path = tmp_path / "f.xlsx"
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"\A{path}: {words}[^\n]*; [^\n]*\Z"):
        read_own(path)


REFUSED = [
    ([HEADER, ["q", "a"], ["r", None]], 3, "answer is empty"),
    ([HEADER, ["q", "a", "k"], ["r", "b", "k"]], 3, "id 'k' stands twice"),
    ([HEADER, ["q", "a"], ["r", "#REF!"]], 3, "cell B3 shows the error #REF!"),
    ([["Frage", "Q", "A"], ["q", "r", "a"]], 1, "two columns may hold the question"),
    ([[], ["what", "that"]], 2, "no column question"),
    ([HEADER], 1, "no question-answer pair"),
]


@pytest.mark.parametrize("rows, line, words", REFUSED)
def test_a_malformed_sheet_is_refused_in_one_line_with_its_row(rows, line, words, tmp_path):
    path = save(tmp_path / "f.xlsx", *rows)
    with fails_at(path, line, words):
        read_own(path)
