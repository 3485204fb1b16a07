"""One number of several seeds, made in every way: by hand, and of a kept run."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from semblance.audit.kept import laid_out
from semblance.counts import interval, signed
from semblance.figures.selections import SELECTIONS, rows, selection_rows
from semblance.provenance import ROOT
from semblance.statistics.significance import ALPHA, shift_interval
from tests.unit.figures.test_specifications import SEEDS, shown

WAYS = ["mean of all seeds", "mean of the best 3", "best seed"]


def test_each_way_takes_its_number_of_both_sides():
    found = {row["choices"]: row for row in selection_rows(shown())}
    # The control has 70 with each seed, ours 71 and the noise: of its best three .01, .01, .02.
    expected = dict(zip(WAYS, (1.0, 1 + 0.04 / 3, 1.02), strict=True))
    for way, difference in expected.items():
        assert found[f"by {way} · kept"]["difference"] == pytest.approx(difference)
    # Of three rows one lies below 0; of all 64 ways to swap seeds only none reaches the median.
    assert {(row["holds"], row["of"], row["p_joint"]) for row in found.values()} == {(6, 9, 1 / 64)}


def test_a_seed_alone_has_no_interval_and_five_seeds_have_none():
    [*alone] = [row for row in selection_rows(shown(), True) if "seed 2" in row["choices"]]
    assert [row["difference"] for row in alone] == pytest.approx([0.99, 0.39, -0.21])
    assert all(row["low"] is None for row in alone)
    few = selection_rows(shown(SEEDS[:5]))
    assert {(row["low"], row["holds"], row["p_joint"]) for row in few} == {(None, None, None)}


def test_rows_of_other_seeds_have_no_joint_p():
    table = shown()
    first, kept, *others = table.rows
    cell = kept.cells["Average"]
    few = replace(cell, values={}, partial=dict(list(cell.values.items())[1:]))
    other = replace(kept, cells=kept.cells | {"Average": few})
    found = selection_rows(replace(table, rows=(first, other, *others)))
    assert {row["p_joint"] for row in found} == {None} and len(found) == 9
    assert {row["n"] for row in found} == {5, 6}


def test_a_table_without_a_trained_control_has_no_readings():
    table = shown()
    alone = replace(table, rows=tuple(replace(row, control="") for row in table.rows))
    assert selection_rows(alone) == []


def test_the_interval_of_six_mean_differences_reaches_from_the_smallest_to_the_largest():
    """With .05 of 64 swaps a shift is rejected where none, or all, alone reach what is left."""
    ours, theirs = np.array([3.0, 5, 4, 9, 7, 8]), np.array([1.0, 1, 2, 3, 2, 1])
    ends = shift_interval(ours, theirs, lambda scores: scores.mean(axis=-1))
    assert ends == pytest.approx((min(ours - theirs), max(ours - theirs)), abs=1e-6)


@pytest.mark.parametrize("gap", [0.0, 1.0])
@pytest.mark.parametrize("number", SELECTIONS.values())
def test_the_interval_of_seeds_that_do_not_differ_is_their_difference(number, gap):
    theirs = np.full(7, 70.0)
    assert shift_interval(theirs + gap, theirs, number) == pytest.approx((gap, gap), abs=1e-6)


def best_three(scores):
    return np.sort(scores)[..., -3:].mean(axis=-1)


def share(ours, theirs, shift) -> float:
    """The share of the swaps that leave a difference as large as the one that is seen, by a loop."""
    reached = []
    for swap in itertools.product((False, True), repeat=len(ours)):
        pairs = [
            (b, a) if s else (a, b) for a, b, s in zip(ours - shift, theirs, swap, strict=True)
        ]
        one, other = zip(*pairs, strict=True)
        reached.append(abs(sum(sorted(one)[-3:]) - sum(sorted(other)[-3:])) / 3)
    return np.mean(np.round(reached, 9) >= round(reached[0], 9))


@pytest.mark.parametrize("seed", range(4))
def test_an_interval_ends_where_a_loop_over_swaps_rejects_a_shift(seed):
    rng = np.random.default_rng(seed)
    ours, theirs = rng.normal(1, 1, 7), rng.normal(0, 1, 7)
    low, high = shift_interval(ours, theirs, best_three)
    for end, outwards in ((low, -1e-6), (high, 1e-6)):
        assert share(ours, theirs, end - outwards) > ALPHA >= share(ours, theirs, end + outwards)
    moved = shift_interval(ours + 5, theirs, best_three)
    assert moved == pytest.approx((low + 5, high + 5), abs=1e-6)


def test_the_page_on_seeds_has_the_numbers_of_the_kept_run():
    text = (ROOT / "docs/what-a-seed-is-worth.md").read_text(encoding="utf-8")
    with laid_out(ROOT / "docs/runs/2026-11-27-ssimcse-cpu") as chain:
        found = list(rows(chain.root / "tables/json/ssimcse_table1.json"))
    for label in ("S-SimCSE w/o sd", "S-SimCSE w/ sd"):
        of_row = [row for row in found if row["label"] == label]
        cells = (f"{signed(r['difference'])} {interval(r['low'], r['high'])}" for r in of_row)
        assert f"| {label} | {' | '.join(cells)} |" in text
