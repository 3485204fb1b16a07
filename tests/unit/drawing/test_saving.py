"""Drawings as files: the same bytes, well-formed, legible on a page of any colour."""

import csv
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import matplotlib
import pytest

from semblance.drawing.saving import (
    DrawingSettings,
    Named,
    draw_csv,
    draw_rows,
    png_bytes,
    svg_text,
)
from semblance.drawing.style import PAPER
from semblance.drawing.text import MOST, clean
from semblance.errors import InputError
from semblance.named_modules import ROOT
from semblance.provenance import canonical, input_digests, read_sealed, write_record
from tests.scripts.flags import flags
from tests.unit.drawing.example_rows import METHOD, ROWS
from workflow.scripts import draw_figure

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
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(ROWS[kind][0]))
        writer.writeheader()
        writer.writerows(ROWS[kind])
    return path


def drawn(folder, kind: str) -> str:
    return svg_text(draw_csv(DrawingSettings(kind), written(folder, kind)))


@pytest.mark.parametrize("kind", sorted(ROWS))
def test_the_same_csv_gives_the_same_bytes(kind, tmp_path):
    figures = [draw_csv(DrawingSettings(kind), written(tmp_path, kind)) for _ in range(2)]
    first, second = [(svg_text(figure), png_bytes(figure)) for figure in figures]
    assert first == second
    assert first[1][:8] == b"\x89PNG\r\n\x1a\n"


def test_another_process_with_other_settings_of_matplotlib_gives_the_same_bytes(tmp_path):
    path = written(tmp_path, "singular_values")
    (tmp_path / "matplotlibrc").write_text("font.size: 20\nlines.linewidth: 9\n")
    program = (
        "import sys; from semblance.drawing import saving;"
        "figure = saving.draw_csv(saving.DrawingSettings('singular_values'), sys.argv[1]);"
        "sys.stdout.write(saving.svg_text(figure)); assert 'matplotlib.pyplot' not in sys.modules"
    )
    environment = {"MATPLOTLIBRC": str(tmp_path), "PYTHONPATH": str(ROOT), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        env=environment | {"MPLCONFIGDIR": matplotlib.get_cachedir()},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == drawn(tmp_path, "singular_values")


def test_the_svg_has_neither_a_date_nor_a_version_and_its_text_is_text(tmp_path):
    text = drawn(tmp_path, "singular_values")
    assert "dc:date" not in text and matplotlib.__version__ not in text
    assert ">Singular value, by size</text>" in text


@pytest.mark.parametrize("kind", sorted(ROWS))
def test_a_drawing_has_its_paper_behind_it_and_asks_for_nothing(kind, tmp_path):
    root = ET.fromstring(drawn(tmp_path, kind))
    paper = next(root.iter(f"{SVG}path"))
    width, height = (float(root.get(name).removesuffix("pt")) for name in ("width", "height"))
    numbers = [float(number) for number in re.findall(r"[\d.]+", paper.get("d"))]
    assert {width, height} <= set(numbers) and f"fill: {PAPER}" in paper.get("style")
    links = [element.get(HREF) for element in root.iter() if element.get(HREF)]
    assert links and all(link.startswith("#") for link in links)


@pytest.mark.parametrize("label", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("kind", ["singular_values", "alignment_uniformity", "cosine_densities"])
def test_a_hostile_label_is_shown_as_it_is_or_shortened(kind, label, tmp_path):
    row = ROWS[kind][0]
    settings = DrawingSettings(kind, (Named(row["corpus"], row["base"], row["method"], label),))
    svg = svg_text(draw_csv(settings, written(tmp_path, kind)))
    root = ET.fromstring(svg)
    shown = [element.text or "" for element in root.iter(f"{SVG}text")]
    start = clean(label)[:25].rstrip("…")
    assert any(start in text for text in shown)
    assert max(map(len, shown)) <= MOST + 20


@pytest.mark.parametrize("label", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_label_of_a_table_breaks_no_forest(label):
    row = METHOD | dict.fromkeys(("title", "label", "control", "column", "protocol"), label)
    ET.fromstring(svg_text(draw_rows("contrasts", [row], {})))


def test_a_label_is_cut_at_its_limit_with_an_ellipsis():
    assert clean("x" * 10_000) == "x" * (MOST - 1) + "…"
    assert clean("\u202ea\nb\x00\t c") == "a b c"


def test_the_script_writes_both_forms_and_a_record_of_them(tmp_path):
    folder = tmp_path / "figures"
    folder.mkdir()
    path = written(folder, "singular_values")
    data = folder / "records/singular_values.json"
    write_record(data, "collect_figure", outputs=["../singular_values.csv"], started=0.0)
    given = {
        "settings": canonical({"kind": "singular_values", "models": []}),
        "csv": path,
        "data": data,
    }
    given |= {form: folder / f"f.{form}" for form in ("svg", "png")}
    arguments = flags(**given, record=folder / "drawings/f.json")
    draw_figure.main(arguments)
    record = read_sealed(folder / "drawings/f.json")
    assert set(record["outputs"]) == {"../f.svg", "../f.png"}
    assert set(input_digests(record)) == {"../singular_values.csv"}
    path.write_text(path.read_text() + "\n")
    with pytest.raises(InputError, match="damaged"):
        draw_figure.main(arguments)


def test_a_kind_without_a_drawing_is_refused(tmp_path):
    with pytest.raises(InputError, match="there is no drawing of 'retrieval'"):
        draw_csv(DrawingSettings("retrieval"), tmp_path / "f.csv")


def test_a_drawing_leaves_nothing_in_the_home_folder_nor_among_temporary_files(tmp_path):
    places = {"HOME": tmp_path / "home", "TMPDIR": tmp_path / "temporary"}
    for place in places.values():
        place.mkdir()
    program = (
        "from semblance.drawing import saving, style\n"
        "figure = style.new_figure(3, 2)\n"
        "figure.text(0.5, 0.5, 'x')\n"
        "assert 'x' in saving.svg_text(figure)\n"
    )
    variables = {name: str(place) for name, place in places.items()} | {"PATH": os.environ["PATH"]}
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=variables, check=True)
    assert [found for place in places.values() for found in place.rglob("*")] == []
