"""Rows and their controls: which rows are compared, by which test, and what is marked."""

import math
import statistics

import pytest
from pytest import approx
from scipy import stats

from semblance.reporting.contrasts import PAIRED, UNPAIRED, weighted_sum
from semblance.reporting.table import Contrast
from tests.unit.reporting.example_scores import row, runs, table, untrained

SIMCSE = {1: (0.70, 0.80), 2: (0.71, 0.83), 3: (0.75, 0.82)}
RCL = {1: (0.90, 0.79), 2: (0.92, 0.82), 3: (0.95, 0.84)}  # sts12: +20, 21, 20; sts13: -1, -1, +2
THREE = (1, 2, 3)
ROWS = {"SimCSE": ("simcse", THREE), "RCL": ("rcl-8", THREE)}
START = {"start": ("start", ())}
SCORES = untrained(0.60, 0.62) + runs("simcse", SIMCSE) + runs("rcl-8", RCL)


def contrasted(rows=ROWS, scores=SCORES, control="SimCSE", **given):
    """A table of these rows, against SimCSE."""
    return table(rows, scores, control=control, **given)


def contrast(shown, label="RCL", column="sts12"):
    return next(row for row in shown.rows if row.label == label).cells[column].contrast


@pytest.mark.parametrize(
    "seeds, test, expected, p_exact",
    [
        # paired: all three differences have one sign
        (THREE, PAIRED, stats.ttest_rel([90, 92, 95], [70, 71, 75]), 2 / 2**3),
        ((3, 1, 2), PAIRED, stats.ttest_rel([90, 92, 95], [70, 71, 75]), 2 / 2**3),
        (
            (1, 2),
            UNPAIRED,
            stats.ttest_ind([90, 92, 95], [70, 71], equal_var=False),
            1 / math.comb(5, 2),
        ),
    ],
)
def test_rows_with_the_same_seeds_are_paired_and_others_are_compared_by_welch(
    seeds, test, expected, p_exact
):
    shown = contrasted({"SimCSE": ("simcse", seeds), "RCL": ROWS["RCL"]})
    found = contrast(shown)
    control = [100 * SIMCSE[seed][0] for seed in seeds]
    assert found.difference == approx((90 + 92 + 95) / 3 - statistics.mean(control))
    assert found.p == approx(expected.pvalue)
    ends = expected.confidence_interval(0.95)
    assert (found.low, found.high) == approx((ends.low, ends.high))
    assert found.p_exact == approx(p_exact) and shown.rows[1].test == test


def test_an_untrained_row_has_no_contrast_and_no_mark():
    start = contrasted({**START, **ROWS}).rows[0]
    assert (start.control, start.test) == (None, "")
    assert all(cell.contrast is None and not cell.mark for cell in start.cells.values())


def test_an_untrained_method_is_compared_with_no_trained_one_and_leaves_its_p_alone():
    bm25 = runs("bm25", {0: (0.80, 0.90)})
    rows = {"bm25": ("bm25", (0,)), **ROWS}
    found = table(rows, SCORES + bm25, control="simcse").rows
    alone = table(ROWS, SCORES, control="simcse").rows
    assert found[0].control is None and found[1:] == alone


def test_a_lower_score_has_a_p_but_no_star():
    shown = contrasted(control="RCL")
    assert contrast(shown, "SimCSE").p_holm < 0.05
    assert shown.rows[0].cells["sts12"].mark == ""


def many_rows(number):
    """A control and rows that are better by 2, 4 or 3 points with p = .036 by the paired test."""
    scores = runs("c", dict.fromkeys(THREE, (0.70, 0)))
    rows = {"c": ("c", THREE)}
    for label in (f"m{index}" for index in range(number)):
        scores += runs(label, {1: (0.72, 0), 2: (0.74, 0), 3: (0.73, 0)})
        rows[label] = (label, THREE)
    return contrasted(rows, scores, "c")


@pytest.mark.parametrize("number, mark", [(1, "*"), (2, "_"), (3, "")])
def test_marks_follow_the_p_that_is_corrected_for_the_rows_of_the_column(number, mark):
    # differences 2, 4, 3: t = 3 / (1 / sqrt 3), p = .0353; times 2: .071; times 3: .106
    p = 2 * stats.t.sf(3 * math.sqrt(3), 2)
    assert 0.033 < p < 0.05
    shown = many_rows(number)
    found = contrast(shown, "m0")
    assert found.p == approx(p) and found.p_holm == approx(number * p)
    assert shown.rows[1].cells["sts12"].mark == mark


def test_the_columns_of_a_table_are_corrected_apart():
    for column in ("sts12", "sts13", "Average"):
        found = contrast(contrasted(), column=column)
        assert found.p_holm == found.p  # one row is compared


EVEN = runs("simcse", SIMCSE) + runs("rcl-8", {s: (a + 0.2, b) for s, (a, b) in SIMCSE.items()})


@pytest.mark.parametrize(
    "simcse, rcl, scores, difference",
    [
        (THREE, THREE, EVEN, 20),  # no spread
        ((1,), (1,), SCORES, 20),
        ((1,), (1, 2), SCORES, 21),
    ],
)
def test_without_spread_or_with_one_seed_there_is_a_difference_and_no_p(
    simcse, rcl, scores, difference
):
    found = contrast(contrasted({"SimCSE": ("simcse", simcse), "RCL": ("rcl-8", rcl)}, scores))
    assert found == Contrast(difference=approx(difference))


def test_a_missing_value_has_no_contrast():
    scores = runs("simcse", SIMCSE) + runs("rcl-8", {1: RCL[1], 2: RCL[2]})
    assert contrast(contrasted(scores=scores)) is None


def test_the_margin_of_a_table_decides_what_counts_as_equal():
    near = {1: (0.701, 0.8), 2: (0.712, 0.8), 3: (0.7515, 0.8)}  # sts12: +.1, .2, .15
    scores = runs("simcse", SIMCSE) + runs("rcl-8", near)
    assert contrast(contrasted(scores=scores)).p_equivalence < 0.05  # ±.5 by default
    assert contrast(contrasted(scores=scores, margin=0.1)).p_equivalence > 0.5


def test_of_two_seeds_nothing_is_called_equal():
    near = {1: (0.701, 0.8), 2: (0.712, 0.8)}  # sts12: +.1 and .2
    scores = runs("simcse", {seed: SIMCSE[seed] for seed in near}) + runs("rcl-8", near)
    shown = contrasted({"SimCSE": ("simcse", (1, 2)), "RCL": ("rcl-8", (1, 2))}, scores)
    assert contrast(shown).p is not None and contrast(shown).p_equivalence == 1.0


def test_columns_of_chosen_seeds_have_no_contrast():
    cells = contrasted(layout="seeds").rows[1].cells
    assert cells["mean"].contrast is not None
    assert cells["top3"].contrast is cells["max"].contrast is cells["seed 1"].contrast is None


def test_a_method_as_control_is_looked_up_on_each_rows_own_base():
    rows, scores = {}, []
    for base in ("small", "large"):
        for method, values in (("simcse", SIMCSE), ("rcl-8", RCL)):
            rows[f"{base} {method}"] = row(method, THREE, base=base)
            scores += runs(method, values, base=base)
    shown = contrasted(rows, scores, "simcse")
    assert [row.control for row in shown.rows] == [None, "small simcse", None, "large simcse"]
    assert any("on the same base (“small simcse”, “large simcse”)" in note for note in shown.notes)


def test_the_control_previous_is_the_trained_row_before():
    shown = contrasted({**START, **ROWS}, control=None, layout="regulators")
    assert [row.control for row in shown.rows] == [None, None, "SimCSE"]
    assert shown.columns == ("Average",)


def test_a_row_may_have_a_control_of_its_own():
    shown = contrasted({**ROWS, "other": row("rcl-8", THREE, control="RCL")})
    assert [row.control for row in shown.rows] == [None, "SimCSE", "RCL"]


@pytest.mark.parametrize(
    "control, ours, note",
    [
        ((1,), (1,), "No p for 1 pair of seeds"),
        (THREE, THREE, "below 0.2500"),  # 2 / 2^3
        ((1, 2), (1,), "No p for n = 1 against n = 2"),
        ((1, 2), THREE, "below 0.1000"),  # 1 / C(5, 2)
    ],
)
def test_a_note_states_the_smallest_p_that_the_seeds_allow(control, ours, note):
    shown = contrasted({"SimCSE": ("simcse", control), "RCL": ("rcl-8", ours)})
    assert any(note in other for other in shown.notes)


def test_the_notes_say_what_is_corrected_and_what_could_have_been_shown():
    notes = " ".join(many_rows(2).notes)
    assert "Holm's method for the 2 comparisons of its column" in notes
    assert "within ±0.5 points" in notes
    average = [2 / 2, 4 / 2, 3 / 2]  # the other task is 0 on both sides
    error = statistics.stdev(average) / math.sqrt(3)
    # at 2 degrees of freedom, a shift of 5.65 standard errors passes 4.303 in 80 % of samples
    assert stats.nct.sf(stats.t.ppf(0.975, 2), 2, 5.6535) == approx(0.8, abs=1e-3)
    assert f"a difference of {5.6535 * error:.2f} points with 80 % power" in notes


def test_a_weighted_sum_is_taken_seed_by_seed():
    simcse, rcl = contrasted().rows
    found = weighted_sum([(-0.5, simcse), (0.5, rcl)], "sts12")
    assert found.by_seed == approx({"1": 10.0, "2": 10.5, "3": 10.0})
    assert found.value == approx(30.5 / 3) and found.test == PAIRED
    assert weighted_sum([(1, simcse), (-1, rcl)], "no such column") is None
