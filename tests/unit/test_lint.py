"""What ``make lint`` makes of the output of ``snakemake --lint``."""

import pytest

from workflow.lint import complaints

PYTHON = "    * Shell command directly uses variable PYTHON from outside of the rule:"
DATA = "    * Param data is a prefix of input or output file but hardcoded:"
ACCEPTED = f"Lints for rule a (line 4, a.smk):\n{PYTHON}\n      It is recommended.\n\n{DATA}\n"


def test_accepted_findings_are_no_complaint():
    assert complaints(ACCEPTED) == []


def test_any_other_finding_is_a_complaint_with_its_place():
    other = "Lints for rule b (line 9, a.smk):\n    * No log directive defined:\n      Without it\n"
    assert complaints(ACCEPTED + other) == ["rule b (line 9, a.smk): No log directive defined"]


@pytest.mark.parametrize("name", ["OUT", "PYTHONPATH"])
def test_a_variable_is_accepted_by_its_whole_name_only(name):
    other = f"Lints for rule b (line 9, a.smk):\n{PYTHON.replace('PYTHON', name)}\n"
    assert len(complaints(ACCEPTED + other)) == 1


def test_output_of_a_crash_is_a_complaint():
    assert complaints(ACCEPTED + "WorkflowError: no config\n") == ["WorkflowError: no config"]


def test_an_accepted_finding_that_no_longer_occurs_is_a_complaint():
    [only] = complaints("\n".join(ACCEPTED.splitlines()[:3]))
    assert only.startswith("workflow/lint.py accepts what does not occur: Param")
