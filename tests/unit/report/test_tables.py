"""What a row of a table unfolds to: the settings that differ from the row above, and commands."""

import shlex
from types import SimpleNamespace

from workflow.planning.plan import Run
from workflow.report import tables
from workflow.report.facts import Facts
from workflow.scripts import explain

RUN = Run("nli", "tiny", "rcl-2", 1)


def changes(above: dict, here: dict) -> list:
    """Return what differs between two rows of one corpus and base, with these settings."""
    made = object.__new__(Facts)
    made.training = lambda row: (RUN, {"settings": row.settings})
    rows = [SimpleNamespace(corpus="nli", base="tiny", settings=given) for given in (above, here)]
    return tables._changes(made, *rows)


def test_the_settings_that_differ_from_the_row_above_are_named_by_their_dotted_names():
    above = {"loss": "contrastive", "dropout": {"attention": 0.1, "hidden": None}, "seed": 1}
    here = {"loss": "regulators", "dropout": {"attention": 0.1, "hidden": 0.2}, "seed": 2}
    assert changes(above, here) == [
        ("loss", "contrastive", "regulators"),
        ("dropout.hidden", "null", "0.2"),
    ]
    assert changes({"scale": 20.0}, {"phi": 0.01}) == [("scale", "20.0", "–"), ("phi", "–", "0.01")]


def test_a_row_without_a_training_differs_in_no_setting():
    assert changes({}, {"phi": 0.01}) == [] == changes({"phi": 0.01}, {})


def test_the_command_that_explains_a_row_is_one_that_explain_reads():
    facts = SimpleNamespace(incomplete={}, plan=SimpleNamespace(out="my results"))
    printed = tables._explain_command(facts, "t", SimpleNamespace(layout="dev"), "RCL [raw]")
    program, command, *words = shlex.split(printed)
    args = explain.parser().parse_args(words)
    assert (program, command, args.name, args.row) == ("semblance", "explain", "t", "RCL [raw]")
    assert (args.column, str(args.output)) == ("STS-B dev", "my results")
