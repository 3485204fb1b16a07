"""What README.md and docs/ take from other files is as it is there, at every marked place."""

import re
from pathlib import Path

import pytest

from semblance.fetch.manifest import load_manifest
from semblance.provenance import ROOT
from tests.shipped import merged
from workflow.checks.load import load
from workflow.config.methods import methods_of
from workflow.planning.plan import Plan
from workflow.planning.stages import jobs
from workflow.run.costs import Cost
from workflow.scripts import fill_docs as docs

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.fixture(scope="module")
def values() -> dict[str, str]:
    manifest = load_manifest(ROOT / "workflow/manifest.yaml")
    return docs.texts_of(Cost(load(merged("config.yaml")), manifest))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_marked_text_is_the_current_one(page: Path, values):
    text = page.read_text()
    assert docs.filled(text, values) == text, "run `make docs`"
    assert "\n<!-- count" not in text, "a comment at the start of a line ends its paragraph"


def test_the_trainings_are_those_that_the_tables_need(values):
    """Final models, the entropy models that they need, and an initial model for each fold."""
    plan = Plan(load(merged("config.yaml")))
    trained = set(methods_of(plan.config, "train"))
    runs = {each.run for each in plan.evaluations}
    final = {run for run in runs if run.method in trained}
    final |= {read for run in final for read in plan.regulators(run) if read.method in trained}
    entropy = {run for run in runs if run.method.startswith("entropy")}
    for run in final:
        entropy |= {read for read in plan.regulators(run) if read.method.startswith("entropy")}
    initial = {(corpus, base, seed) for corpus, base, _, seed in entropy if plan.is_faq(corpus)}
    assert values["final_models"] == f"{len(final):,}"
    assert values["entropy_models"] == f"{len(entropy):,}"
    assert values["initial_models"] == f"{len(initial):,}"
    curves = 4 * len(plan.config.seeds["figures"])  # of SimCSE's Figure 2
    assert values["curves"] == f"{curves:,}"
    assert values["trainings"] == f"{len(final) + len(entropy) + len(initial) + curves:,}"


def test_the_text_between_two_marks_is_replaced():
    page = "a <!-- count:jobs -->7<!-- /count --> b\n<!-- x -->\nold\n<!-- /x -->\n"
    wanted = page.replace("7", "1,388").replace("old", "new")
    assert docs.filled(page, {"jobs": "1,388", "x": "\nnew\n"}) == wanted


def test_the_readme_tells_no_count_outside_a_marked_place(values):
    text = docs.PLACE.sub("", (ROOT / "README.md").read_text())
    large = {text for text in values.values() if re.fullmatch(r"[\d,]{3,}", text)}
    assert large & set(re.findall(r"[\d,]*\d", text)) == set()


def test_the_picture_shows_every_rule_that_runs_and_no_other():
    picture = (ROOT / "docs/rules.svg").read_text()
    shown = set(re.findall(r">(\w+)</text>", picture))
    stages = {job.stage for job in jobs(Plan(load(merged("config.yaml"))))}
    # A data set has a download of its own, and the target `all` none of a stage's jobs.
    assert shown == stages - {"download"} | {"all"}, "run `make rulegraph`"
