"""The simulation of the tests: it reads the measured spread, and errs as the tests do."""

import math

import numpy as np
import pytest

from semblance.reporting.build import build
from semblance.reporting.simulation import (
    RUNS,
    Measured,
    _simulated,
    failing,
    measure,
    simulate,
)
from semblance.reporting.simulation_page import simulation_csv, simulation_markdown
from tests.unit.reporting.example_scores import csv_lines, frame, runs, spec

A = {1: (0.70, 0.70), 2: (0.72, 0.72), 3: (0.71, 0.71)}  # averages 70, 72, 71
B = {1: (0.71, 0.71), 2: (0.735, 0.735), 3: (0.73, 0.73)}  # 71, 73.5, 73
ROWS = {"a": ("a", (1, 2, 3)), "b": ("b", (1, 2, 3))}
FIVE = Measured("t", 8, 5, 0.5, sd=0.1, sd_ours=0.2, sd_control=0.2, item_error=0.05)
SLACK = 3 * math.sqrt(0.05 * 0.95 / RUNS)


def table(rows=ROWS, **given):
    return build(spec(rows, control="a", **given), frame(runs("a", A) + runs("b", B)))


def test_the_spread_is_that_of_the_rows_and_their_differences():
    found = measure(table())
    assert (found.rows, found.n, found.margin) == (1, 3, 0.5)
    assert found.sd == pytest.approx(np.std([1.0, 1.5, 2.0], ddof=1))
    assert found.sd_ours == pytest.approx(np.std([71, 73.5, 73], ddof=1))
    assert found.sd_control == pytest.approx(1.0)
    assert found.correlation == pytest.approx(np.corrcoef([70, 72, 71], [71, 73.5, 73])[0, 1])
    assert found.item_error is None


def test_a_table_without_paired_rows_is_left_out():
    assert simulate([table({"a": ("a", (1,)), "b": ("b", (1,))})]) == []
    assert simulate([build(spec(ROWS), frame(runs("a", A) + runs("b", B)))]) == []
    assert "nothing was simulated" in simulation_markdown([])


def test_the_paired_tests_err_as_they_say_and_the_one_with_fixed_seeds_does_not():
    rates = {one.test: one for one in _simulated(FIVE).rates}
    assert rates["paired t"].error == pytest.approx(0.05, abs=SLACK)
    assert rates["sign flips, exact"].error == 0  # the smallest p of five pairs is .0625
    assert rates["bootstrap of seeds and items"].error_items <= 0.05 + SLACK
    assert rates["bootstrap of items, seeds fixed"].error_items > 0.1
    # With independent seeds Welch would keep 5 %; with pairs it loses power instead.
    assert rates["Welch t, pairs ignored"].error < 0.01


def test_power_equivalence_and_false_stars_are_counted():
    found = _simulated(FIVE)
    assert found.equal > 0.95 and found.equal_wrongly == pytest.approx(0.025, abs=SLACK)
    without, corrected = found.false_stars
    assert without > 0.08 and corrected <= 0.05 + SLACK
    assert {one.test: one.power for one in found.rates}["paired t"] > 0.99


@pytest.mark.parametrize("side, better", [("row", 0.729), ("control", 0.001)])
def test_of_three_sure_seeds_of_which_some_fail_on_one_side_the_rates_are_binomial(side, better):
    """One in ten loses 2 points and the others gain .2, which .01 of noise does not reach.

    Of no failing seed (.729) the interval lies at ±.2, of three (.001) at ∓1.8; of one or two it is
    wide, and holds 0. That seed is far from the others, so that the verdict is open there as well.
    """
    gaps = np.random.default_rng(1).normal(0, 0.01, (RUNS, 3))
    found = {one.test: one for one in failing(gaps, 0.5, np.random.default_rng(2))}
    for judge in ("paired t", "verdict"):
        rates = found[f"seeds of the {side} fail: {judge}"]
        assert rates.better == pytest.approx(better, abs=4 * math.sqrt(0.2 / RUNS))
        assert rates.error == pytest.approx(0.73, abs=4 * math.sqrt(0.2 / RUNS))


def test_where_the_noise_is_large_the_row_that_fails_is_called_better_too_often():
    gaps = np.random.default_rng(1).normal(0, 0.3, (RUNS, 5))
    found = {one.test: one for one in failing(gaps, 0.4, np.random.default_rng(2))}
    assert found["seeds of the row fail: paired t"].better > 0.05
    assert found["seeds of the control fail: paired t"].better < 0.025 + SLACK


def test_the_same_tables_give_the_same_text():
    found = simulate([table()])
    assert simulation_csv(found) == simulation_csv(simulate([table()]))
    lines = csv_lines(simulation_csv(found))
    tests = ["paired t", "sign flips, exact", "Welch t, pairs ignored"]
    tests += [
        f"seeds of the {side} fail: {judge}"
        for side in ("row", "control")
        for judge in ("paired t", "verdict")
    ]
    assert [line["test"] for line in lines] == tests
    assert {line["error_items"] for line in lines} == {""}  # no predictions, no items
