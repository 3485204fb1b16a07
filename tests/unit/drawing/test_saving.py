"""Drawings as files and inside pages: the same bytes, well-formed, without any request."""

import csv
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import matplotlib
import pytest

from semblance.drawing.inline import inline_svg
from semblance.drawing.saving import (
    DrawingSettings,
    Named,
    draw_csv,
    draw_rows,
    png_bytes,
    svg_text,
)
from semblance.drawing.style import THEME
from semblance.drawing.text import MOST, clean
from semblance.errors import InputError
from semblance.named_modules import ROOT
from semblance.provenance import canonical, input_digests, read_sealed, write_record
from tests.scripts.flags import flags
from tests.unit.drawing.example_rows import METHOD, ROWS
from workflow.scripts import draw_figure

SVG = "{http://www.w3.org/2000/svg}"
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
def test_an_inline_drawing_is_well_formed_asks_for_nothing_and_has_the_colours_of_its_page(
    kind, tmp_path
):
    whole = drawn(tmp_path, kind)
    text = inline_svg(whole, "fig-1", "A <title> & more", "What it shows")
    root = ET.fromstring(text)
    assert root.tag == f"{SVG}svg" and root.get("role") == "img"
    assert not text.startswith("<?xml") and "<!" not in text and "metadata" not in text
    assert root.find(f"{SVG}title").text == "A <title> & more"
    assert root.find(f"{SVG}desc").text == "What it shows"
    assert "width" not in root.attrib and re.search(r"max-width:\d+px", root.get("style"))
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(set(ids)) == len(ids) and all(name.startswith("fig-1-") for name in ids)
    assert "class=" not in text  # so that two drawings of one page share no name
    targets = re.findall(r'(?:href="|url\()([^")]+)', text)
    assert targets and {target.lstrip("#") for target in targets} <= set(ids)
    assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert len(text) < 0.8 * len(whole)
    assert "var(--ink, #1b1b1b)" in text and "var(--paper, #ffffff)" in text
    bare = re.sub(r"var\(--[a-z0-9-]+, #[0-9a-f]{6}\)", "", text)
    assert not any(colour in bare for colour in THEME.values())


def test_an_inline_drawing_shows_the_same_texts_and_as_many_marks(tmp_path):
    svg = drawn(tmp_path, "contrasts")
    texts, marks = [], []
    for root in map(ET.fromstring, (svg, inline_svg(svg, "f", "t", "d"))):
        texts.append([element.text for element in root.iter(f"{SVG}text")])
        marks.append(len(list(root.iter(f"{SVG}use"))))
    assert texts[0] == texts[1] and len(texts[0]) > 5
    assert marks[0] == marks[1] > 5


def test_what_is_no_svg_is_refused():
    with pytest.raises(InputError, match="no SVG"):
        inline_svg("<svg", "f", "t", "d")


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
    ET.fromstring(inline_svg(svg, "f", label, label))


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
