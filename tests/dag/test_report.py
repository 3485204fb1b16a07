"""The report of a run: made once from its files, honest about what is missing, and sound in a browser."""

import csv
import json
import re
import shutil
from pathlib import Path

import pytest

from semblance.provenance import ROOT
from semblance.statistics.verdicts import CANNOT, NOT_RUN
from tests.browser import HOSTILE, SIZES, Opened, running
from tests.dag.tiny import CONFIG, Project
from tests.scripts.flags import start

pytestmark = pytest.mark.dag
MOST_BYTES = 800_000  # of the demo's report, which has as many tables; a half are its images
LONG = 10_000 * "x"
PRINTED = (1032, 703)  # pixels of A4 across without its margins of 12 mm
RIGHT_EDGES = """() => [...document.querySelectorAll("main table, main svg, main img, main p, main pre")]
  .filter(part => part.checkVisibility())
  .map(part => ({text: part.textContent.slice(0, 60),
                 right: Math.round(part.getBoundingClientRect().right)}))"""


@pytest.fixture(scope="module")
def page(finished) -> Path:
    return finished.folder / "results/report.html"


def make_report(project: Project) -> Path:
    """Make the report of a project's run anew; return its place."""
    project.python("semblance", "report", "--output", "results")
    return project.folder / "results/report.html"


# --- what it is made of ---------------------------------------------------------------------------


def test_a_run_ends_with_its_report_and_the_report_is_small(page):
    assert 0 < page.stat().st_size < MOST_BYTES


def test_the_same_files_give_the_same_page(project):
    before = (project.folder / "results/report.html").read_bytes()
    assert make_report(project).read_bytes() == before
    assert (project.folder / "results/tables/records/report.json").is_file()


def test_the_report_may_be_asked_for_from_another_folder(project, tmp_path):
    page = project.folder / "results/report.html"
    of_version = re.compile("<dd>semblance[^<]*")  # the launcher here is the checkout's
    before = of_version.sub("", page.read_text())
    page.unlink()
    link = tmp_path / ".r"
    link.symlink_to(project.folder / "results")
    start("report", "--output", str(link), cwd=tmp_path).wait()
    assert of_version.sub("", page.read_text()) == before


def test_each_mean_of_the_page_stands_in_the_tables_and_hand_made_data_have_no_verdict(
    finished, page
):
    text = page.read_text(encoding="utf-8")
    tables = finished.folder / "results/tables"
    with (tables / "claims.csv").open(newline="") as stream:
        lines = list(csv.DictReader(stream))
    assert any(line["verdict"] not in (NOT_RUN, CANNOT) for line in lines)
    assert 'class="verdict ' not in text and "says “reproduced”" not in text
    means = set()
    for path in sorted((tables / "json").glob("*.json")):
        for row in json.loads(path.read_text())["rows"]:
            means |= {
                f"{cell['mean']:z.2f}".replace("-", "−")
                for column, cell in row["cells"].items()
                if cell["mean"] is not None and not column.startswith("seed ")
            }
    shown = set(re.findall(r'<td class="n">(−?[\d.]+)<span class="mark">', text))
    assert means and shown == means


def test_a_run_that_is_not_finished_has_a_report_that_says_so(project):
    [scores, *_] = sorted((project.folder / "results/scores/sts/nli").glob("*/*/seed-*"))
    shutil.rmtree(scores)
    (project.folder / "results/tables/records/rcl_table1a.json").unlink()
    text = make_report(project).read_text(encoding="utf-8")
    assert "Not finished: " in text and "INCOMPLETE" in text
    # The page is another one than its record says, so the next run makes it anew.
    assert not (project.folder / "results/tables/records/report.json").exists()
    assert "report" in project.planned()


def test_a_folder_without_a_run_is_refused_in_one_line(finished, tmp_path):
    done = finished.python("semblance", "report", "--output", str(tmp_path), check=False)
    assert done.returncode != 0 and "Traceback" not in done.stderr
    assert "no run has noted its start here" in done.stderr


# --- in a browser ---------------------------------------------------------------------------------


browser = pytest.fixture(scope="module")(running)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=["wide", "phone"])
def test_the_page_asks_for_nothing_complains_of_nothing_and_fits(browser, page, size, scheme):
    with Opened(browser, page, size, scheme) as opened:
        opened.unfold()
        assert opened.fits()
        assert opened.requests == [page.as_uri()]
        assert opened.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_passes_the_checks_of_accessibility(browser, page, scheme):
    with Opened(browser, page, scheme=scheme) as opened:
        opened.unfold()
        assert opened.hurdles() == []


def test_the_claims_lie_above_the_fold(browser):
    with Opened(browser, ROOT / "docs/runs/2026-11-27-rcl-gpu/report.html") as opened:
        top = opened.page.locator("table.claims tbody tr").first.bounding_box()["y"]
        assert top < SIZES[0][1] / 2


def test_a_row_unfolds_by_keyboard_and_without_any_script(browser, page):
    with Opened(browser, page, scripts=False) as opened:
        row = opened.page.locator("#table-rcl_table1a + .box details").first
        assert not row.locator(".inside").is_visible()
        row.locator("summary").focus()
        opened.page.keyboard.press("Enter")
        assert row.locator(".inside").is_visible()
        assert re.search(r"semblance explain rcl_table1a .+ --output results", row.inner_text())


def test_every_link_within_the_page_leads_somewhere(page):
    text = page.read_text(encoding="utf-8")
    names = set(re.findall(r'\bid="([^"]+)"', text))
    links = re.findall(r'href="([^"]+)"', text)
    inside = [link[1:] for link in links if link.startswith("#")]
    assert inside and set(inside) <= names
    others = [link for link in links if not link.startswith("#")]
    assert all(link.startswith(("https://", "http://", "data:,")) for link in others)


def test_a_hostile_name_changes_nothing_but_its_own_cell(browser, project):
    noted = project.folder / "results/logs/config.json"
    config = json.loads(noted.read_text())
    config["bases"]["tiny"]["label"] = HOSTILE
    noted.write_text(json.dumps(config))
    [found] = (project.folder / "results/figures").glob("simcse_table8.csv")
    with found.open("a", newline="") as stream:
        csv.writer(stream).writerow(["none", "tiny", "start", 0, HOSTILE, 1, 0.5, HOSTILE + LONG])
    path = make_report(project)
    with Opened(browser, path, SIZES[1]) as opened:
        assert opened.page.title().startswith("Semblance report")
        assert opened.requests == [path.as_uri()] and opened.complaints == []
        assert opened.page.locator("main script").count() == 0
        drawn = "main img[src^='data:image/svg+xml']"
        assert opened.page.locator("main img").count() == opened.page.locator(drawn).count()
        assert opened.fits()
        assert opened.page.locator("bdi", has_text="document.title='taken'").count() > 0


def test_the_page_prints_as_a_pdf_and_no_part_is_cut_off_at_the_paper_s_edge(
    browser, page, tmp_path
):
    with Opened(browser, page, PRINTED) as opened:
        opened.page.pdf(path=tmp_path / "report.pdf", prefer_css_page_size=True)
        opened.page.emulate_media(media="print")
        parts = opened.page.evaluate(RIGHT_EDGES)
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    assert len(parts) > 10
    beyond = [part for part in parts if part["right"] > PRINTED[0]]
    assert beyond == []


def test_snakemakes_own_report_opens_with_every_result(browser, finished, tmp_path):
    path = tmp_path / "snakemake.html"
    finished.snakemake("--report", str(path))
    with Opened(browser, path) as opened:
        shown = opened.page.get_by_text
        shown("Tables", exact=True).first.click()
        for name in CONFIG["tables"]:
            is_there = (finished.folder / f"results/tables/{name}.csv").exists()
            assert shown(name, exact=True).count() == int(is_there)
        assert opened.requests == [path.as_uri()]


def test_a_damaged_record_of_a_model_costs_the_page_only_what_it_says(project):
    records = sorted((project.folder / "results/models/nli").rglob("record.json"))
    for number, path in enumerate(records):
        record = json.loads(path.read_text())
        damage = [("settings", [1]), ("inputs", None), ("seconds", "x")][number % 3]
        path.write_text(json.dumps(record | dict([damage])))
    text = make_report(project).read_text(encoding="utf-8")
    assert 'id="table-rcl_table1a"' in text
