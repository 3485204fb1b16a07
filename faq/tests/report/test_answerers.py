"""The section of a report that shows what each answerer says of itself."""

from types import SimpleNamespace

import pytest

from semblance.provenance import write_record
from semblance_faq.extends.report import answerers, files
from tests.unit.report.test_claims import judgement
from workflow.report import claims
from workflow.report.compose import Section, first_sections, render


def outline(names):
    return SimpleNamespace(others={"answerers": names})


@pytest.fixture
def facts(tmp_path):
    """A results folder with the answerer "mine"; "later" is not built yet."""
    folder = tmp_path / "answerers/mine"
    folder.mkdir(parents=True)
    (folder / "summary.md").write_text("# mine: 2 entries\n\n- VERDICT: <b>better</b> than BM25.\n")
    listed = ["summary.md"]
    write_record(folder / "record.json", "build_answerer", outputs=listed, started=0.0)
    return SimpleNamespace(out=tmp_path, outline=outline(["mine", "later"]))


def page(facts):
    part = Section("answerers", "Your FAQ", "The models that answer", answerers(facts))
    return render(title="t", subtitle="s", warnings=[], made_with=[], parts=[part])


def test_the_summary_stands_on_the_page_escaped(facts):
    text = page(facts)
    assert "VERDICT: &lt;b&gt;better&lt;/b&gt; than BM25." in text and "<b>better</b>" not in text


def test_an_answerer_that_is_not_built_is_named(facts):
    assert "Not there yet: later." in page(facts)


def test_a_summary_that_is_not_as_its_record_says_is_not_shown(facts):
    (facts.out / "answerers/mine/summary.md").write_text("# mine\n\n- VERDICT: best of all.\n")
    text = page(facts)
    assert "best of all" not in text and "Not there yet: mine, later." in text


def test_the_record_of_a_report_names_the_files_that_the_section_shows(facts):
    names = [path for path, _ in files(facts) if "/mine/" in path]
    below = [path.removeprefix(f"{facts.out}/") for path in names]
    assert below == ["answerers/mine/summary.md"]


@pytest.mark.parametrize(
    ("verdict", "answering", "sections"),
    [
        ("reproduced", {}, ["claims"]),
        ("reproduced", {"mine": {}}, ["claims", "answerers"]),
        ("not run", {"mine": {}}, ["answerers"]),
        ("not run", {}, ["claims"]),
    ],
)
def test_the_report_of_an_own_faq_alone_begins_with_its_answerers(
    facts, verdict, answering, sections
):
    facts.outline = outline(answering)
    reproduced = claims.section([judgement(verdict=verdict)])
    assert [section.name for section in first_sections(facts, reproduced)] == sections
