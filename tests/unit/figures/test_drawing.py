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


def test_another_process_with_other_settings_of_matplotlib_gives_the_same_bytes(tmp_path):
    path = written(tmp_path, "curve")
    (tmp_path / "matplotlibrc").write_text("font.size: 20\nlines.linewidth: 9\n")
    program = (
        "import sys; from semblance.drawing import draw_rows, read_rows, svg_text;"
        "rows = read_rows('curve', sys.argv[1]); assert 'matplotlib' not in sys.modules;"
        "sys.stdout.write(svg_text(draw_rows('curve', rows, {})));"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    environment = {"MATPLOTLIBRC": str(tmp_path), "PYTHONPATH": str(ROOT), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        env=environment | {"MPLCONFIGDIR": matplotlib.get_cachedir()},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == svg_text(draw_rows("curve", ROWS["curve"], {}))


def test_the_svg_has_neither_a_date_nor_a_version_and_its_text_is_text():
    text = drawn("singular_values")
    assert "dc:date" not in text and matplotlib.__version__ not in text
    assert ">Singular value, by size</text>" in text


@pytest.mark.parametrize("kind", sorted(ROWS))
def test_a_drawing_has_its_paper_behind_it_and_asks_for_nothing(kind):
    root = ET.fromstring(drawn(kind))
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
    shown = [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]
    assert any(clean(label)[:25].rstrip("…") in text for text in shown)
    assert max(map(len, shown)) <= 2 * MOST + 20


def test_a_label_is_cut_at_its_limit_and_has_no_characters_of_control():
    assert clean("x" * 10_000) == "x" * (MOST - 1) + "…"
    assert clean("\u202ea\nb\x00\t c") == "a b c"


def test_a_drawing_leaves_nothing_in_the_home_folder_nor_among_temporary_files(tmp_path):
    folders = {"HOME": tmp_path / "home", "TMPDIR": tmp_path / "temporary"}
    for folder in folders.values():
        folder.mkdir()
    program = (
        "from semblance.drawing import draw_rows, svg_text; svg_text(draw_rows('curve', [], {}))"
    )
    variables = {name: str(folder) for name, folder in folders.items()}
    variables["PATH"] = os.environ["PATH"]
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=variables, check=True)
    assert [file for folder in folders.values() for file in folder.rglob("*")] == []
