"""The outcome on one page: its numbers are those of the kept runs."""

import re

from semblance.provenance import ROOT

PAGE = ROOT / "docs/summary.md"
DIFFERENCE = re.compile(r"([+−]?\d*\.\d+) \[(.+?), (.+?)\]")


def test_each_difference_of_the_summary_stands_among_the_verdicts_of_its_run():
    found = 0
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if numbers := DIFFERENCE.search(line):
            [run] = re.findall(r"\(runs/([\w-]+)/\)", line)
            verdicts = (ROOT / "docs/runs" / run / "claims.md").read_text(encoding="utf-8")
            value, *ends = (
                re.sub(r"^([+−]?)\.", r"\g<1>0.", number) for number in numbers.groups()
            )
            value = value if value[0] in "+−" else f"+{value}"
            assert f"{value} [{', '.join(ends)}]" in verdicts
            found += 1
    assert found >= 3
