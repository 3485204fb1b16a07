"""The heading of a table, and the command that a row unfolds to."""

import shlex
from dataclasses import replace
from types import SimpleNamespace

import pytest

from semblance.reporting.table import Contrast
from workflow.report import tables
from workflow.scripts import explain


def differing(points: float, p: float) -> Contrast:
    return Contrast(points, points - 0.1, points + 0.1, p_holm=p)


@pytest.mark.parametrize(
    "contrasts, finding",
    [
        ({"start": None}, "No row is tested against a control"),
        ({"one seed": Contrast(0.5)}, "No row is tested against a control"),
        ({"A": differing(0.2, 0.3)}, "“A” is not shown to differ from its control"),
        (
            {label: differing(0.2, 0.3) for label in "AB"},
            "None of 2 rows is shown to differ from its control",
        ),
        ({"A": differing(0.2, 0.001), "B": None}, "Above the control: “A”"),
        (
            {**dict.fromkeys("ABCDE", differing(0.2, 0.01)), "F": differing(-2.0, 0.049)},
            "Above the control: “A”, “B”, “C”, “D”, “E”. Below the control: “F”",
        ),
    ],
)
def test_the_heading_of_a_table_names_the_rows_that_differ_from_their_control(contrasts, finding):
    assert tables._tested(contrasts)["finding"] == finding


def test_a_difference_within_the_margin_makes_no_heading():
    contrasts = {label: differing(0.01, 0.001) for label in "AB"}
    contrasts["A"] = replace(contrasts["A"], p_equivalence=0.02)
    assert tables._tested(contrasts)["finding"] == "Above the control: “B”"


def test_the_rows_that_are_tested_and_differ_are_counted():
    contrasts = {"A": differing(0.2, 0.001), "B": differing(-1.0, 0.01), "C": differing(1.0, 0.06)}
    assert tables._tested(contrasts).items() >= {"tested": 3, "above": 1, "below": 1}.items()


def test_the_command_that_explains_a_row_is_one_that_explain_reads():
    facts = SimpleNamespace(incomplete={}, outline=SimpleNamespace(out="my results"))
    printed = tables._explain_command(facts, "t", SimpleNamespace(layout="dev"), "RCL [raw]")
    program, command, *words = shlex.split(printed)
    args = explain.parser().parse_args(words)
    assert (program, command, args.name, args.row) == ("semblance", "explain", "t", "RCL [raw]")
    assert (args.column, str(args.output)) == ("STS-B dev", "my results")
