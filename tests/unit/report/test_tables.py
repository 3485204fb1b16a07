"""What a row of a table unfolds to: dev curves, and the settings that differ from the row above."""

import shlex
from types import SimpleNamespace

import pytest

from semblance import layout
from workflow.planning.plan import Run
from workflow.report import tables
from workflow.report.facts import Facts, TrainedModel
from workflow.report.tables import CURVE_HEIGHT, CURVE_WIDTH, MOST_CURVES, SHORT
from workflow.scripts import explain

RUN = Run("nli", "tiny", "rcl-2", 1)
HALF = f"{CURVE_WIDTH // 2},{CURVE_HEIGHT // 2}"
END = f"{CURVE_WIDTH},0"
BEGIN = f"0,{CURVE_HEIGHT}"


def model(*points: tuple[int, float], **record) -> TrainedModel:
    curve = [{"step": step, "dev": dev} for step, dev in points]
    return TrainedModel(RUN, {"training": {"curve": curve}, **record})


@pytest.mark.parametrize(
    ("trainings", "lines"),
    [
        ([((0, 0.5), (50, 0.75), (100, 1.0))], [f"{BEGIN} {HALF} {END}"]),
        # Two trainings share their scale.
        ([((0, 0.0), (10, 0.5)), ((0, 0.0), (20, 1.0))], [f"{BEGIN} {HALF}", f"{BEGIN} {END}"]),
        ([((0, 0.5), (10, 0.5))], [f"{BEGIN} {CURVE_WIDTH},{CURVE_HEIGHT}"]),  # flat: at the bottom
    ],
)
def test_a_curve_reaches_from_the_lowest_to_the_highest_score_and_to_the_last_step(
    trainings, lines
):
    assert tables._curves([model(*points) for points in trainings])["lines"] == lines


def test_a_chart_names_its_limits_and_counts_the_trainings_that_it_leaves_out():
    found = tables._curves([model((0, 0.5), (100, 1.0))] * (MOST_CURVES + 3))
    assert (found["lowest"], found["highest"], found["last_step"]) == ("50.00", "100.00", 100)
    assert (len(found["lines"]), found["left_out"]) == (MOST_CURVES, 3)
    assert tables._curves([model((0, 0.5)), model()]) == {}  # less than two scores


def changes(above: dict, here: dict) -> list:
    """Return what differs between two rows of one corpus and base, with these settings."""
    made = object.__new__(Facts)
    made.models_of = lambda row: [TrainedModel(RUN, {"settings": row.settings})]
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


def test_a_model_is_named_with_the_beginnings_of_its_digests():
    digest = "0123456789abcdef" * 4
    inputs = [{"role": name, "digest": digest} for name in ("corpus", "regulators/x")]
    source = tables._made_from(model(inputs=inputs, outputs={layout.WEIGHTS: digest}, code=digest))
    assert source["weights"] == digest[:SHORT]
    assert source["inputs"] == [("corpus", digest[:SHORT]), ("code", digest[:SHORT])]


def test_the_command_that_explains_a_row_is_one_that_explain_reads():
    facts = SimpleNamespace(incomplete={}, plan=SimpleNamespace(out="my results"))
    printed = tables._explain_command(facts, "t", SimpleNamespace(layout="dev"), "RCL [raw]")
    program, command, *words = shlex.split(printed)
    args = explain.parser().parse_args(words)
    assert (program, command, args.name, args.row) == ("semblance", "explain", "t", "RCL [raw]")
    assert (args.column, str(args.output)) == ("STS-B dev", "my results")
