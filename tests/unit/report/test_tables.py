"""What a row of a table unfolds to: dev curves, and the settings that differ from the row above."""

from types import SimpleNamespace

from semblance import layout
from semblance.reporting.table import Choice
from workflow.planning.plan import Run
from workflow.report import tables
from workflow.report.curves import CURVE_HEIGHT, CURVE_WIDTH, MOST_CURVES, curves
from workflow.report.facts import Facts, Model
from workflow.report.tables import SHORT

RUN = Run("nli", "tiny", "rcl-2", 1)


def model(*points: tuple[int, float], **record) -> Model:
    curve = [{"step": step, "dev": dev} for step, dev in points]
    return Model(RUN, {"training": {"curve": curve}, **record})


def test_a_curve_reaches_from_its_lowest_to_its_highest_score_and_to_its_last_step():
    found = curves([model((0, 0.5), (50, 0.75), (100, 1.0))])
    assert found.lines == (
        f"0,{CURVE_HEIGHT} {CURVE_WIDTH // 2},{CURVE_HEIGHT // 2} {CURVE_WIDTH},0",
    )
    assert (found.lowest, found.highest, found.last_step) == ("50.00", "100.00", 100)


def test_curves_of_several_trainings_share_their_scale():
    found = curves([model((0, 0.0), (10, 0.5)), model((0, 0.0), (20, 1.0))])
    half = f"{CURVE_WIDTH // 2},{CURVE_HEIGHT // 2}"
    assert found.lines == (f"0,{CURVE_HEIGHT} {half}", f"0,{CURVE_HEIGHT} {CURVE_WIDTH},0")


def test_a_training_with_less_than_two_scores_has_no_curve():
    assert curves([]) is None
    assert curves([model((0, 0.5)), model()]) is None


def test_a_flat_curve_is_drawn_at_the_bottom():
    found = curves([model((0, 0.5), (10, 0.5))])
    assert found.lines == (f"0,{CURVE_HEIGHT} {CURVE_WIDTH},{CURVE_HEIGHT}",)


def test_of_many_trainings_the_first_are_drawn_and_the_others_counted():
    found = curves([model((0, 0.0), (1, 1.0))] * (MOST_CURVES + 3))
    assert (len(found.lines), found.left_out) == (MOST_CURVES, 3)


def facts(**settings: dict) -> Facts:
    """Return facts whose rows of a method have these settings."""
    made = object.__new__(Facts)
    made.models_of = lambda row: [Model(RUN, {"settings": settings[row.method]})]
    return made


def changes(above: dict, here: dict) -> tuple:
    made = facts(above=above, here=here)
    rows = [SimpleNamespace(method=name) for name in ("above", "here")]
    return tables._changes(*map(made.settings_of, rows))


def test_the_settings_that_differ_from_the_row_above_are_told_by_their_dotted_names():
    above = {"loss": "contrastive", "dropout": {"attention": 0.1, "hidden": None}, "seed": 1}
    here = {"loss": "regulators", "dropout": {"attention": 0.1, "hidden": 0.2}, "seed": 2}
    assert changes(above, here) == (
        ("loss", "contrastive", "regulators"),
        ("dropout.hidden", "null", "0.2"),
    )


def test_a_setting_that_only_one_row_has_is_told_with_a_dash():
    assert changes({"scale": 20.0}, {"phi": 0.01}) == (("scale", "20.0", "–"), ("phi", "–", "0.01"))


def test_a_row_without_a_training_differs_in_no_setting():
    assert changes({}, {"phi": 0.01}) == () == changes({"phi": 0.01}, {})


def test_a_model_is_named_with_the_beginnings_of_its_digests():
    digest = "0123456789abcdef" * 4
    made = model(
        inputs=[{"role": name, "digest": digest} for name in ("corpus", "regulators/x")],
        outputs={layout.WEIGHTS.rpartition("/")[2]: "x", layout.WEIGHTS: digest},
        code=digest,
    )
    source = tables._made_from(made)
    assert source.weights == digest[:SHORT]
    assert source.inputs == (("corpus", digest[:SHORT]), ("code", digest[:SHORT]))


def test_a_row_chosen_on_dev_names_its_candidate_on_each_fold():
    choose = Choice(("rcl-2", "rcl-4"), {"rcl-2": "2 regulators", "rcl-4": "4 regulators"})
    row = SimpleNamespace(choose=choose, chosen={"faq-0": "rcl-4", "faq-1": "rcl-2"})
    assert tables._choices(row) == (("faq-0", "4 regulators"), ("faq-1", "2 regulators"))


def test_a_row_that_chooses_nothing_names_no_candidate():
    assert tables._choices(SimpleNamespace(choose=None, chosen={})) == ()
