"""docs/rules.svg shows the rules of the workflow."""

import re

from semblance.provenance import ROOT
from tests.shipped import merged
from workflow.planning.config import load
from workflow.planning.plan import Plan
from workflow.planning.stages import jobs


def test_the_picture_shows_each_rule_that_makes_a_file_and_no_other():
    shown = set(re.findall(r">([\w-]+)</text>", (ROOT / "docs/rules.svg").read_text()))
    rules = {"all"}
    for file in (ROOT / "workflow/rules").glob("*.smk"):
        rules |= set(re.findall(r"^rule (\w+):", file.read_text(), re.MULTILINE))
    stages = {job.stage for job in jobs(Plan(load(merged("config.yaml"))))} - {"download"}
    assert stages <= shown, "run `make rulegraph`"
    others = {rule for rule in shown if not rule.startswith("download")}  # one for each data set
    assert others <= rules, "run `make rulegraph`"
