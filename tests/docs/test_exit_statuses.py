"""The exit statuses that docs/reliability.md lists are those with which programs end."""

import re

from tests.dag.tiny import ROOT
from workflow.scripts import endings

PAGE = (ROOT / "docs/reliability.md").read_text()
FOUND = 1  # something wrong: the status of verify, explain, sources and fetch


def test_each_status_is_listed_once_and_no_other():
    [section] = re.findall(r"^### Exit statuses\n(.*?)^###", PAGE, re.MULTILINE | re.DOTALL)
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
