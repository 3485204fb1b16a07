"""Drawings as files: the same bytes, well-formed, legible on a page of any colour."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import matplotlib
import pytest

from semblance.drawing import (
    MOST,
    PAPER,
    clean,
    draw_rows,
    png_bytes,
    read_rows,
    svg_text,
)
from semblance.files import rows_csv
from semblance.named_modules import ROOT
from tests.unit.figures.example_rows import METHOD, NAMES, ROWS

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
HOSTILE = [
    *("$x_2$ and $$", r"\frac{a_b}{", "<script>alert(1)</script>", "a & b > \"c\" 'd'"),
    *("\u202eright to left\u202c\u200f", "שלום", "\ud800\x00\x1b[31m\uffff"),
    *("x" * 10_000, "y " * 10_000, "", "\n"),
]


def written(folder, kind: str):
    """Write the example of a kind as CSV; return its path."""
    path = folder / f"{kind}.csv"
    path.write_text(rows_csv(ROWS[kind][0], ROWS[kind]))
    return path


def drawn(kind: str) -> str:
    return svg_text(draw_rows(kind, ROWS[kind], NAMES))


@pytest.mark.parametrize("kind", sorted(ROWS))
def test_the_csv_of_a_figure_gives_its_rows_and_the_same_bytes_each_time(kind, tmp_path):
    rows = read_rows(kind, written(tmp_path, kind))
    assert rows == ROWS[kind]
    assert svg_text(draw_rows(kind, rows, NAMES)) == drawn(kind)
    first, second = (png_bytes(draw_rows(kind, rows, NAMES)) for _ in range(2))
    assert first == second and first[:8] == b"\x89PNG\r\n\x1a\n"


def test_another_process_with_other_settings_gives_the_same_bytes_and_leaves_no_other_file(
    tmp_path,
):
    """Neither in the home folder nor among temporary files, where matplotlib lists its fonts."""
    path = written(tmp_path, "curve")
    (tmp_path / "matplotlibrc").write_text("font.size: 20\nlines.linewidth: 9\n")
    folders = {"HOME": tmp_path / "home", "TMPDIR": tmp_path / "temporary"}
    for folder in folders.values():
        folder.mkdir()
    program = (
        "import sys; from semblance.drawing import draw_rows, read_rows, svg_text;"
        "rows = read_rows('curve', sys.argv[1]); assert 'matplotlib' not in sys.modules;"
        "sys.stdout.write(svg_text(draw_rows('curve', rows, {})));"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    variables = {"MATPLOTLIBRC": tmp_path, "PATH": os.environ["PATH"], **folders}
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        env={name: str(value) for name, value in variables.items()},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == svg_text(draw_rows("curve", ROWS["curve"], {}))
    assert [file for folder in folders.values() for file in folder.rglob("*")] == []


@pytest.mark.parametrize("kind", sorted(ROWS))
def test_a_drawing_has_its_paper_behind_it_no_date_and_asks_for_nothing(kind):
    text = drawn(kind)
    assert "dc:date" not in text and matplotlib.__version__ not in text and "</text>" in text
    root = ET.fromstring(text)
    paper = next(root.iter(f"{SVG}path"))
    width, height = (float(root.get(name).removesuffix("pt")) for name in ("width", "height"))
    numbers = [float(number) for number in re.findall(r"[\d.]+", paper.get("d"))]
    assert {width, height} <= set(numbers) and f"fill: {PAPER}" in paper.get("style")
    links = [element.get(HREF) for element in root.iter() if element.get(HREF)]
    assert links and all(link.startswith("#") for link in links)


@pytest.mark.parametrize("label", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("kind", ["singular_values", "alignment_uniformity", "contrasts"])
def test_a_hostile_label_is_shown_as_it_is_or_shortened(kind, label):
    rows = ROWS[kind]
    if kind == "contrasts":  # its labels are those of a table
        rows = [METHOD | dict.fromkeys(("title", "label", "control", "column", "protocol"), label)]
    svg = svg_text(draw_rows(kind, rows, dict.fromkeys(NAMES, label)))
    shown, titles = (
        [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}{tag}")]
        for tag in ("text", "title")
    )
    assert any(clean(label)[:25].rstrip("…") in text for text in shown + titles)
    assert max(map(len, shown)) <= 2 * MOST + 20


def test_a_label_is_cut_at_its_limit_and_has_no_characters_of_control():
    assert clean("x" * 10_000) == "x" * (MOST - 1) + "…"
    assert clean("\u202ea\nb\x00\t c") == "a b c"
