"""docs/rules.svg shows the rules that config.yaml runs, as `make rulegraph` draws them."""

import re

from semblance.provenance import ROOT
from tests.shipped import merged
from workflow.planning.config import load
from workflow.planning.plan import Plan
from workflow.planning.stages import jobs


def test_the_picture_shows_every_rule_that_runs_and_no_other():
    picture = (ROOT / "docs/rules.svg").read_text()
    shown = set(re.findall(r">(\w+)</text>", picture))
    stages = {job.stage for job in jobs(Plan(load(merged("config.yaml"))))}
    # A data set has a download of its own, and the target `all` none of a stage's jobs.
    assert shown == stages - {"download"} | {"all"}, "run `make rulegraph`"
