"""Rows and their controls: which rows are compared, by which test, and what is marked."""

import math
import statistics
from dataclasses import replace

import pytest
from scipy import stats

from semblance.reporting.build import build
from semblance.reporting.contrasts import (
    ITEMS_ALONE,
    ONE_SAMPLE,
    PAIRED,
    UNPAIRED,
    weighted_sum,
)
from semblance.reporting.table import Contrast
from tests.unit.reporting.example_scores import frame, record, runs, spec

SIMCSE = {1: (0.70, 0.80), 2: (0.71, 0.83), 3: (0.75, 0.82)}
RCL = {1: (0.90, 0.79), 2: (0.92, 0.82), 3: (0.95, 0.84)}  # sts12: +20, 21, 20; sts13: -1, -1, +2
ROWS = {"SimCSE": ("simcse", (1, 2, 3)), "RCL": ("rcl-8", (1, 2, 3))}
START = [
    record(method="start", corpus="none", seed=0, task=task, value=value)
    for task, value in (("sts12", 0.60), ("sts13", 0.62))
]
SCORES = frame(START + runs("simcse", SIMCSE) + runs("rcl-8", RCL))


def contrast(table, label, column):
    return next(row for row in table.rows if row.label == label).cells[column].contrast


def test_rows_with_the_same_seeds_are_paired_by_seed():
    table = build(spec(ROWS, control="SimCSE"), SCORES)
    found = contrast(table, "RCL", "sts12")
    differences = [20, 21, 20]
    expected = stats.ttest_rel([90, 92, 95], [70, 71, 75])
    assert found.difference == pytest.approx(statistics.mean(differences))
    assert found.p == pytest.approx(expected.pvalue)
    ends = expected.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high))
    assert found.p_exact == pytest.approx(2 / 2**3)  # all three have one sign
    assert table.rows[1].test == PAIRED


def test_the_order_of_the_seeds_does_not_matter_to_pairs():
    rows = {"SimCSE": ("simcse", (3, 1, 2)), "RCL": ("rcl-8", (1, 2, 3))}
    turned = build(spec(rows, control="SimCSE"), SCORES)
    straight = build(spec(ROWS, control="SimCSE"), SCORES)
    assert turned.rows[1].test == PAIRED
    assert contrast(turned, "RCL", "sts12") == contrast(straight, "RCL", "sts12")


def test_rows_with_other_seeds_are_compared_by_welch_and_named_so():
    rows = {"SimCSE": ("simcse", (1, 2)), "RCL": ("rcl-8", (1, 2, 3))}
    table = build(spec(rows, control="SimCSE"), SCORES)
    found = contrast(table, "RCL", "sts12")
    expected = stats.ttest_ind([90, 92, 95], [70, 71], equal_var=False)
    assert found.p == pytest.approx(expected.pvalue)
    ends = expected.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high))
    assert found.p_exact == pytest.approx(1 / math.comb(5, 2))
    assert table.rows[1].test == UNPAIRED


def test_an_untrained_row_has_no_contrast_and_no_mark():
    rows = {"start": ("start", ()), **ROWS}
    table = build(spec(rows, control="SimCSE"), SCORES)
    start = table.rows[0]
    assert (start.control, start.test) == (None, "")
    assert all(cell.contrast is None and not cell.mark for cell in start.cells.values())


def test_a_lower_score_has_a_p_but_no_star():
    table = build(spec(ROWS, control="RCL"), SCORES)
    assert contrast(table, "SimCSE", "sts12").p_holm < 0.05
    assert table.rows[0].cells["sts12"].mark == ""


def many_rows(number):
    """A control and rows that are better by 2, 4 or 3 points with p = .036 by the paired test."""
    scores = runs("c", {1: (0.70, 0), 2: (0.70, 0), 3: (0.70, 0)})
    rows = {"c": ("c", (1, 2, 3))}
    for index in range(number):
        scores += runs(f"m{index}", {1: (0.72, 0), 2: (0.74, 0), 3: (0.73, 0)})
        rows[f"m{index}"] = (f"m{index}", (1, 2, 3))
    return build(spec(rows, control="c"), frame(scores))


@pytest.mark.parametrize("number, mark", [(1, "*"), (2, "_"), (3, "")])
def test_marks_follow_the_p_that_is_corrected_for_the_rows_of_the_column(number, mark):
    # differences 2, 4, 3: t = 3 / (1 / sqrt 3), p = .0353; times 2: .071; times 3: .106
    p = 2 * stats.t.sf(3 * math.sqrt(3), 2)
    assert 0.033 < p < 0.05
    table = many_rows(number)
    found = contrast(table, "m0", "sts12")
    assert found.p == pytest.approx(p) and found.p_holm == pytest.approx(number * p)
    assert table.rows[1].cells["sts12"].mark == mark


def test_the_columns_of_a_table_are_corrected_apart():
    table = build(spec(ROWS, control="SimCSE"), SCORES)
    for column in ("sts12", "sts13", "Average"):
        found = contrast(table, "RCL", column)
        assert found.p_holm == found.p  # one row is compared


def test_without_spread_or_with_one_seed_there_is_a_difference_and_no_p():
    same = {seed: (a + 0.2, b) for seed, (a, b) in SIMCSE.items()}
    scores = frame(runs("simcse", SIMCSE) + runs("rcl-8", same))
    found = contrast(build(spec(ROWS, control="SimCSE"), scores), "RCL", "sts12")
    assert found == Contrast(difference=pytest.approx(20))
    rows = {name: (method, (1,)) for name, (method, _) in ROWS.items()}
    found = contrast(build(spec(rows, control="SimCSE"), SCORES), "RCL", "sts12")
    assert found == Contrast(difference=pytest.approx(20))
    rows = {"SimCSE": ("simcse", (1,)), "RCL": ("rcl-8", (1, 2))}
    found = contrast(build(spec(rows, control="SimCSE"), SCORES), "RCL", "sts12")
    assert found == Contrast(difference=pytest.approx(21))


def test_a_missing_value_has_no_contrast():
    scores = frame(runs("simcse", SIMCSE) + runs("rcl-8", {1: RCL[1], 2: RCL[2]}))
    assert contrast(build(spec(ROWS, control="SimCSE"), scores), "RCL", "sts12") is None


def test_the_margin_of_a_table_decides_what_counts_as_equal():
    near = {1: (0.701, 0.8), 2: (0.712, 0.8), 3: (0.7515, 0.8)}  # sts12: +.1, .2, .15
    scores = frame(runs("simcse", SIMCSE) + runs("rcl-8", near))
    wide = contrast(build(spec(ROWS, control="SimCSE"), scores), "RCL", "sts12")
    assert wide.p_equivalence < 0.05  # ±.5 by default
    narrow = contrast(build(spec(ROWS, control="SimCSE", margin=0.1), scores), "RCL", "sts12")
    assert narrow.p_equivalence > 0.5


def test_columns_of_chosen_seeds_have_no_contrast():
    table = build(spec(ROWS, control="SimCSE", layout="seeds"), SCORES)
    row = table.rows[1].cells
    assert row["mean"].contrast is not None
    assert row["top3"].contrast is row["max"].contrast is row["seed 1"].contrast is None


def test_a_method_as_control_is_looked_up_on_each_rows_own_base():
    rows = {
        f"{base} {method}": {"corpus": "nli", "base": base, "method": method, "seeds": [1, 2, 3]}
        for base in ("small", "large")
        for method in ("simcse", "rcl-8")
    }
    scores = [
        r
        for base in ("small", "large")
        for method, values in (("simcse", SIMCSE), ("rcl-8", RCL))
        for r in runs(method, values, base=base)
    ]
    table = build(spec(rows, control="simcse"), frame(scores))
    assert [row.control for row in table.rows] == [None, "small simcse", None, "large simcse"]
    assert any("on the same base (“small simcse”, “large simcse”)" in note for note in table.notes)


def test_the_control_previous_is_the_trained_row_before():
    rows = {"0": ("start", ()), "2": ("simcse", (1, 2, 3)), "4": ("rcl-8", (1, 2, 3))}
    table = build(spec(rows, layout="regulators"), SCORES)
    assert [row.control for row in table.rows] == [None, None, "2"]
    assert table.columns == ("Average",)


@pytest.mark.parametrize(
    "rows, note",
    [
        ({"S": ("simcse", (1,)), "RCL": ("rcl-8", (1,))}, "No p for 1 pair of seeds"),
        ({"S": ("simcse", (1, 2, 3)), "RCL": ("rcl-8", (1, 2, 3))}, "below 0.2500"),  # 2 / 2^3
        ({"S": ("simcse", (1, 2)), "RCL": ("rcl-8", (1,))}, "No p for n = 1 against n = 2"),
        ({"S": ("simcse", (1, 2)), "RCL": ("rcl-8", (1, 2, 3))}, "below 0.1000"),  # 1 / C(5, 2)
    ],
)
def test_a_note_states_the_smallest_p_that_the_seeds_allow(rows, note):
    table = build(spec(rows, control=next(iter(rows))), SCORES)
    assert any(note in other for other in table.notes)


def test_the_notes_name_the_control_as_the_table_prints_it():
    """A reader of the table sees labels, and the settings name a method."""
    rows = {"Eq. 1 (p=0)": ROWS["SimCSE"], "RCL (8 regulators)": ROWS["RCL"]}
    table = build(spec(rows, control="simcse"), SCORES)
    assert any("from “Eq. 1 (p=0)”;" in note for note in table.notes)


def test_the_notes_say_what_is_corrected_and_what_could_have_been_shown():
    notes = " ".join(many_rows(2).notes)
    assert "Holm's method for the 2 comparisons of its column" in notes
    assert "within ±0.5 points" in notes
    average = [(2 / 2), (4 / 2), (3 / 2)]  # the other task is 0 on both sides
    error = statistics.stdev(average) / math.sqrt(3)
    # at 2 degrees of freedom, a shift of 5.65 standard errors passes 4.303 in 80 % of samples
    assert stats.nct.sf(stats.t.ppf(0.975, 2), 2, 5.6535) == pytest.approx(0.8, abs=1e-3)
    assert f"a difference of {5.6535 * error:.2f} points with 80 % power" in notes


def test_a_weighted_sum_is_taken_seed_by_seed():
    simcse, rcl = build(spec(ROWS, control="SimCSE"), SCORES).rows
    found = weighted_sum([(-0.5, simcse), (0.5, rcl)], "sts12")
    assert found.by_seed == pytest.approx({"1": 10.0, "2": 10.5, "3": 10.0})
    assert found.value == pytest.approx(30.5 / 3) and found.test == PAIRED
    assert weighted_sum([(1, simcse), (-1, rcl)], "no such column") is None


def test_an_untrained_row_is_a_constant():
    start, rcl = build(spec({"start": ("start", ()), "RCL": ROWS["RCL"]}), SCORES).rows
    found = weighted_sum([(1, rcl), (-1, start)], "sts12")
    assert found.by_seed == pytest.approx({"1": 30.0, "2": 32.0, "3": 35.0})
    assert found.test == ONE_SAMPLE


def test_a_sum_takes_the_seeds_that_all_rows_have_and_names_the_others():
    scores = frame(runs("simcse", SIMCSE) + runs("rcl-8", {1: RCL[1], 3: RCL[3]}))
    simcse, rcl = build(spec(ROWS, control="SimCSE"), scores).rows
    found = weighted_sum([(1, rcl), (-1, simcse)], "sts12")
    assert found.by_seed == pytest.approx({"1": 20.0, "3": 20.0})
    assert found.missing == ("2",)


def with_variances(rows, of_items):
    """Rows whose test items cause these variances, and no covariance."""
    items = {}
    for position, (row, variance) in enumerate(zip(rows, of_items, strict=True)):
        above = dict.fromkeys((other.label for other in rows[:position]), 0.0)
        items[row.label] = {"sts12": above | {row.label: variance}}
    return [replace(row, items=items[row.label]) for row in rows]


def test_the_interval_of_both_adds_what_the_items_cause():
    rows = with_variances(build(spec(ROWS, control="SimCSE"), SCORES).rows, (0.09, 0.16))
    found = weighted_sum([(1, rows[1]), (-1, rows[0])], "sts12")
    assert found.of_both.more == pytest.approx(0.5)  # √(.09 + .16)
    of_seeds = stats.t.ppf(0.975, 2) * statistics.stdev([20, 21, 20]) / math.sqrt(3)
    reach = math.hypot(of_seeds, stats.norm.ppf(0.975) * 0.5)
    assert found.of_both.interval() == pytest.approx((found.value - reach, found.value + reach))
    assert found.estimate.more == 0


def test_untrained_rows_have_an_interval_of_the_items_alone():
    rows = {"start": ("start", ()), "other": {"base": "big", "method": "start", "seeds": []}}
    more = [
        record(method="start", base="big", corpus="none", seed=0, task=task, value=0.7)
        for task in ("sts12", "sts13")
    ]
    table = build(spec(rows), frame([*START, *more]))
    start, other = with_variances(table.rows, (0.09, 0.16))
    found = weighted_sum([(1, other), (-1, start)], "sts12")
    assert (found.value, found.test, found.estimate) == (pytest.approx(10.0), ITEMS_ALONE, None)
    reach = stats.norm.ppf(0.975) * 0.5
    assert found.of_both.interval() == pytest.approx((10 - reach, 10 + reach))


def test_a_row_may_have_a_control_of_its_own():
    rows = {
        **ROWS,
        "other": {"base": "tiny", "corpus": "nli", "method": "rcl-8", "seeds": [1, 2, 3]},
    }
    rows["other"] |= {"control": "RCL"}
    table = build(spec(rows, control="SimCSE"), SCORES)
    assert [row.control for row in table.rows] == [None, "SimCSE", "RCL"]
