"""docs/rules.svg shows the rules of the workflow and the order in which they run."""

import re

from tests.shipped import merged
from tests.unit.planning.test_config import ROOT
from workflow.planning.config import load
from workflow.planning.plan import Plan
from workflow.planning.stages import STAGES
from workflow.scripts import draw_rules as rulegraph

PICTURE = (ROOT / "docs/rules.svg").read_text()
TITLES = re.findall(r"<title>(.+?)</title>", PICTURE)
ARROWS = {tuple(title.split("&#45;&gt;")) for title in TITLES if "&gt;" in title}


def reachable(edges: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return every pair of rules of which one leads to the other, directly or through others."""
    found = set(edges)
    while longer := {(a, d) for a, b in found for c, d in edges if b == c} - found:
        found |= longer
    return found


def test_the_picture_shows_every_rule_and_no_other():
    names = set()
    for file in (ROOT / "workflow/rules").glob("*.smk"):
        names |= set(re.findall(r"^rule (\w+):", file.read_text(), re.MULTILINE))
    names -= {"sources"}  # it makes no file, so no job leads to it or from it
    shown = {title for title in TITLES if re.fullmatch(r"\w+", title)} - {"rules"}
    assert shown == names | {"download"}, "run `make rulegraph`"  # one rule for each data set


def test_the_arrows_of_the_picture_lead_as_the_jobs_of_the_plans_do():
    plans = [Plan(load(merged(*names))) for names in rulegraph.CONFIGS]
    assert reachable(ARROWS) == reachable(rulegraph.edges(plans)), "run `make rulegraph`"


def test_a_rule_is_drawn_in_the_colour_of_its_work():
    drawn = rulegraph.dot([Plan(load(merged("config.yaml")))])
    for name, stage in STAGES.items():
        assert f'{name} [fillcolor="{rulegraph.COLOURS[stage.work]}"];' in drawn
