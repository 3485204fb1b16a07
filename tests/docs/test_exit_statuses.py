"""The exit statuses that the docs list are those with which programs end."""

import re

import pytest

from tests.dag.tiny import ROOT
from workflow.scripts import endings

FOUND = 1  # something wrong: the status of verify, explain, sources and fetch


@pytest.mark.parametrize("page", ["reliability", "SKILL"])
def test_each_status_is_listed_once_and_no_other(page: str):
    section = (ROOT / f"docs/{page}.md").read_text().split("# Exit statuses\n")[1].split("\n##")[0]
    listed = [int(status) for status in re.findall(r"^\| (\d+) \|", section, re.MULTILINE)]
    known = [
        endings.BAD_INPUT,
        endings.NO_ANSWER,
        endings.RUN_FAILED,
        endings.TRY_AGAIN,
        endings.INTERRUPTED,
        endings.CLOSED,
    ]
    assert listed == [0, FOUND, *known]
