"""A row that shows the method with the highest mean dev score; test scores take no part."""

import pytest

from semblance.reporting.build import build
from semblance.reporting.choice import best_on_dev
from semblance.reporting.table import from_json, to_json
from tests.unit.reporting.example_scores import frame, record, runs, spec

TWO, FOUR = "rcl-2", "rcl-4"
CHOOSE = {
    "candidates": [TWO, FOUR],
    "labels": {TWO: "2 regulators", FOUR: "4 regulators"},
    "paper": FOUR,
}
CHOSEN = {"corpus": "nli", "base": "tiny", "method": "chosen", "seeds": [1, 2], "choose": CHOOSE}


def test_the_highest_mean_over_the_seeds_is_taken():
    scores = {"a": [0.9, 0.1], "b": [0.6, 0.6], "c": [0.5, 0.5]}  # means .5, .6, .5
    assert best_on_dev(scores, scores.get) == "b"


def test_the_first_of_equal_candidates_is_taken():
    scores = {"a": [0.5, 0.7], "b": [0.7, 0.5]}
    assert best_on_dev(["a", "b"], scores.get) == "a"
    assert best_on_dev(["b", "a"], scores.get) == "b"


def test_a_missing_dev_score_leaves_no_choice():
    scores = {"a": [0.5, None], "b": [0.9, 0.9]}
    assert best_on_dev(scores, scores.get) is None


def of_method(method, dev, test):
    """Scores of two seeds: their dev score, and one value on both tests."""
    of_dev = [
        record(method=method, seed=seed, task="stsb-dev", value=value)
        for seed, value in enumerate(dev, 1)
    ]
    return of_dev + runs(method, {1: (test, test), 2: (test, test)})


def built(scores, **given):
    return build(spec({"RCL (chosen on dev)": CHOSEN}, **given), frame(scores))


def test_a_row_shows_the_test_scores_of_the_candidate_that_is_best_on_dev():
    scores = of_method(TWO, (0.8, 0.9), 0.6) + of_method(FOUR, (0.7, 0.8), 0.9)
    table = built(scores)
    (row,) = table.rows
    assert row.chosen == {
        "nli/1": TWO,
        "nli/2": TWO,
    }  # though the test scores of the other one are higher
    assert row.cells["Average"].values == {"1": pytest.approx(60), "2": pytest.approx(60)}
    assert row.trained("nli", 1) == TWO and row.method == "chosen"
    assert from_json(to_json(table)) == table


def test_the_note_names_the_choice_and_the_papers_where_it_is_another():
    low, high = (0.7, 0.8), (0.8, 0.9)
    other = built(of_method(TWO, high, 0.6) + of_method(FOUR, low, 0.6)).notes
    shown = "“2 regulators” on nli (seed 1, 2). The paper's choice is another: “4 reg"
    assert any(shown in note for note in other)
    same = built(of_method(TWO, low, 0.6) + of_method(FOUR, high, 0.6)).notes
    shown = "“4 regulators” on nli (seed 1, 2). This is the paper's choice, too."
    assert any(shown in note for note in same)


def test_a_choice_of_the_paper_that_is_no_candidate_is_told():
    labels = CHOOSE["labels"] | {"rcl-8": "8 regulators"}
    row = CHOSEN | {"choose": CHOOSE | {"paper": "rcl-8", "labels": labels}}
    scores = of_method(TWO, (0.8, 0.9), 0.6) + of_method(FOUR, (0.7, 0.8), 0.9)
    notes = build(spec({"RCL (chosen on dev)": row}), frame(scores)).notes
    assert any("The paper's choice, “8 regulators”, is no candidate here." in n for n in notes)


def test_a_row_is_missing_if_a_candidate_has_no_dev_score():
    scores = of_method(TWO, (0.8, 0.9), 0.6) + of_method(FOUR, (0.7,), 0.9)
    (row,) = built(scores).rows
    assert row.cells["Average"].mean is None and row.missing == ("nli/tiny/rcl-4/seed-2",)
    assert row.chosen == {"nli/2": TWO}  # seed 1 would choose by the missing score of seed 2


def test_a_seed_takes_no_part_in_the_choice_that_it_is_tested_on():
    scores = of_method(TWO, (0.9, 0.1), 0.6) + of_method(FOUR, (0.5, 0.5), 0.9)
    (row,) = built(scores).rows
    assert row.chosen == {"nli/1": FOUR, "nli/2": TWO}
    assert row.cells["Average"].values == {"1": pytest.approx(90), "2": pytest.approx(60)}


def test_a_single_seed_chooses_by_its_own_dev_score():
    scores = of_method(TWO, (0.9,), 0.6) + of_method(FOUR, (0.5,), 0.9)
    row = CHOSEN | {"seeds": [1]}
    table = build(spec({"chosen": row}), frame(scores))
    assert table.rows[0].chosen == {"nli/1": TWO}
    assert any("of its one seed" in note for note in table.notes)


def of_fold(method, fold, seed, dev, test):
    """Scores on one fold of a bank: MAP of its dev questions, and all metrics of its test part."""
    place = {"corpus": f"bank-{fold}", "fold": str(fold), "task": "bank"}
    run = place | {"method": method, "seed": seed}
    metrics = ("acc@1", "acc@3", "acc@5", "map")
    of_test = {"aggregation": "test", "protocol": "pairs", "value": test}
    of_dev = {"aggregation": "dev", "protocol": "dev", "value": dev}
    return [record(metric=m, **run, **of_test) for m in metrics] + [
        record(metric="map", **run, **of_dev)
    ]


def test_each_fold_of_a_bank_is_chosen_for_by_its_own_dev_questions():
    scores = []
    for seed in (1, 2):
        scores += of_fold(TWO, 0, seed, dev=0.9, test=0.1) + of_fold(FOUR, 0, seed, 0.8, 0.2)
        scores += of_fold(TWO, 1, seed, dev=0.3, test=0.4) + of_fold(FOUR, 1, seed, 0.4, 0.6)
    settings = {"layout": "faq", "dataset": "bank", "folds": 2, "tasks": [], "protocols": ["pairs"]}
    (row,) = built(scores, **settings).rows
    assert row.chosen == {
        f"bank-{fold}/{seed}": best for fold, best in ((0, TWO), (1, FOUR)) for seed in (1, 2)
    }
    mean = 100 * (0.1 + 0.6) / 2  # of the two folds, each with its own choice
    assert row.cells["map"].values == {"1": pytest.approx(mean), "2": pytest.approx(mean)}
    notes = built(scores, **settings).notes
    shown = "“2 regulators” on bank-0 (seed 1, 2); “4 regulators” on bank-1 (seed 1, 2)."
    assert any(shown in note for note in notes)


def test_the_dev_layout_of_a_bank_shows_the_map_of_its_dev_questions():
    scores = []
    for method, lift in ((TWO, 0.0), (FOUR, 0.1)):
        for seed in (1, 2):
            for fold, dev in ((0, 0.5), (1, 0.7)):
                scores += of_fold(method, fold, seed, dev + lift, test=0.9)
    rows = {"2": (TWO, (1, 2)), "chosen": CHOSEN}
    table = build(spec(rows, layout="faq-dev", dataset="bank", folds=2, tasks=[]), frame(scores))
    assert table.columns == ("map",)
    means = [row.cells["map"].mean for row in table.rows]
    assert means == [pytest.approx(60), pytest.approx(70)]
