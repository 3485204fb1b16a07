"""A row that shows the method with the highest mean dev score; test scores take no part."""

import pytest
from pytest import approx

from semblance.reporting.build import best_on_dev
from semblance.reporting.table import from_json, to_json
from tests.unit.reporting.example_scores import FAQ, of_fold, record, row, runs, table

TWO, FOUR = "rcl-2", "rcl-4"
LABELS = {TWO: "2 regulators", FOUR: "4 regulators", "rcl-8": "8 regulators"}
LOW, HIGH = (0.7, 0.8), (0.8, 0.9)


@pytest.mark.parametrize(
    "scores, best",
    [
        ({"a": [0.9, 0.1], "b": [0.6, 0.6], "c": [0.5, 0.5]}, "b"),  # means .5, .6, .5
        ({"a": [0.5, 0.7], "b": [0.7, 0.5]}, "a"),  # the first of equals
        ({"b": [0.7, 0.5], "a": [0.5, 0.7]}, "b"),
        ({"a": [0.5, None], "b": [0.9, 0.9]}, None),  # the missing score might be the best
    ],
)
def test_the_highest_mean_over_the_seeds_is_taken(scores, best):
    assert best_on_dev(scores) == best


def of_method(method, dev, test):
    """Scores of two seeds: their dev score, and one value on both tests."""
    of_dev = [
        record(method=method, seed=seed, task="stsb-dev", value=value)
        for seed, value in enumerate(dev, 1)
    ]
    return of_dev + runs(method, {1: (test, test), 2: (test, test)})


def chosen(seeds=(1, 2), paper=FOUR):
    """Settings of a row that chooses between two methods."""
    choose = {"candidates": [TWO, FOUR], "labels": LABELS, "paper": paper}
    return row("chosen", seeds, choose=choose)


def built(two, four, **given):
    """A table of such a row, from the dev scores of both candidates: each has one test score."""
    scores = of_method(TWO, two, 0.6) + of_method(FOUR, four, 0.9)
    return table({"RCL": chosen(**given)}, scores)


def test_a_row_shows_the_test_scores_of_the_candidate_that_is_best_on_dev():
    shown = built(HIGH, LOW)
    (found,) = shown.rows
    assert found.chosen == {"nli/1": TWO, "nli/2": TWO}  # the other one is better on the tests
    assert found.cells["Average"].values == {"1": approx(60), "2": approx(60)}
    assert found.trained("nli", 1) == TWO and found.method == "chosen"
    assert from_json(to_json(shown)) == shown


@pytest.mark.parametrize(
    "two, four, given, note",
    [
        (
            HIGH,
            LOW,
            {},
            "“2 regulators” on nli (seed 1, 2). The paper's choice is another: “4 regulators”.",
        ),
        (LOW, HIGH, {}, "“4 regulators” on nli (seed 1, 2). This is the paper's choice, too."),
        (
            HIGH,
            LOW,
            {"paper": "rcl-8"},
            "The paper's choice, “8 regulators”, is no candidate here.",
        ),
        (HIGH, LOW, {"seeds": (1,)}, "the highest dev score of its one seed"),
    ],
)
def test_the_note_names_the_choice_and_that_of_the_paper(two, four, given, note):
    assert any(note in found for found in built(two, four, **given).notes)


def test_a_row_is_missing_if_a_candidate_has_no_dev_score():
    (found,) = built(HIGH, (0.7,)).rows
    assert found.cells["Average"].mean is None and found.missing == ("nli/tiny/rcl-4/seed-2",)
    assert found.chosen == {"nli/2": TWO}  # seed 1 would choose by the missing score of seed 2


def test_a_seed_takes_no_part_in_the_choice_that_it_is_tested_on():
    (found,) = built((0.9, 0.1), (0.5, 0.5)).rows
    assert found.chosen == {"nli/1": FOUR, "nli/2": TWO}
    assert found.cells["Average"].values == {"1": approx(90), "2": approx(60)}


def test_a_single_seed_chooses_by_its_own_dev_score():
    assert built((0.9,), (0.5,), seeds=(1,)).rows[0].chosen == {"nli/1": TWO}


def of_both(method, seed, fold, dev, test):
    """Scores on one fold of a bank: those of its dev questions, and of its test part."""
    of_dev = of_fold(method, seed, fold, dev, "dev", aggregation="dev")
    return of_dev + of_fold(method, seed, fold, test)


def test_each_fold_of_a_bank_is_chosen_for_by_its_own_dev_questions():
    scores = []
    for seed in (1, 2):
        scores += of_both(TWO, seed, 0, dev=0.9, test=0.1) + of_both(FOUR, seed, 0, 0.8, 0.2)
        scores += of_both(TWO, seed, 1, dev=0.3, test=0.4) + of_both(FOUR, seed, 1, 0.4, 0.6)
    shown = table({"RCL": chosen()}, scores, protocols=["pairs"], **FAQ)
    (found,) = shown.rows
    best = {"bank-0": TWO, "bank-1": FOUR}
    assert found.chosen == {f"{fold}/{seed}": best[fold] for fold in best for seed in (1, 2)}
    mean = 100 * (0.1 + 0.6) / 2  # of the two folds, each with its own choice
    assert found.cells["map"].values == {"1": approx(mean), "2": approx(mean)}
    note = "“2 regulators” on bank-0 (seed 1, 2); “4 regulators” on bank-1 (seed 1, 2)."
    assert any(note in found for found in shown.notes)


def test_the_dev_layout_of_a_bank_shows_the_map_of_its_dev_questions():
    scores = []
    for fold, dev in ((0, 0.5), (1, 0.7)):
        for seed in (1, 2):
            scores += of_both(TWO, seed, fold, dev, test=0.9)
            scores += of_both(FOUR, seed, fold, dev + 0.1, test=0.9)
    rows = {"2": (TWO, (1, 2)), "chosen": chosen()}
    shown = table(rows, scores, **FAQ | {"layout": "faq-dev"})
    assert shown.columns == ("map",)
    assert [row.cells["map"].mean for row in shown.rows] == [approx(60), approx(70)]
