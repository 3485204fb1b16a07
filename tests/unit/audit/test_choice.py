"""`verify` chooses again on dev from the recomputed scores, and finds a row that shows another."""

from dataclasses import replace

import pytest

from semblance.audit.findings import CELLS, FORMS
from semblance.audit.verify import verify
from tests.unit.audit.tampering import change_table, failed, shown, texts
from tests.unit.audit.test_explain import tree
from tests.unit.reporting import example_results

METHODS = ["simcse", "rcl", "chosen"]


@pytest.fixture(scope="module")
def finished(extended):
    """A finished folder with two tables whose last row chooses on dev."""
    results, add_tables = extended
    add_tables({"t_chosen": ("sts", METHODS), "t_chosen_on_folds": ("faq", METHODS)})
    return results


def test_rows_that_choose_on_dev_hold(finished):
    assert verify(finished, bootstrap=True).problems == []
    rows = shown(finished, "t_chosen").rows
    others = {row.method: row.cells["Average"].values for row in rows}
    for seed, value in rows[-1].cells["Average"].values.items():
        assert value == others[rows[-1].chosen[f"nli/{seed}"]][seed]
    of_folds = shown(finished, "t_chosen_on_folds").rows[-1]
    places = {f"bank-{fold}/{seed}" for fold in (0, 1) for seed in of_folds.seeds}
    assert of_folds.chosen.keys() == places


def test_explain_names_the_choice_and_follows_it_to_its_predictions(finished):
    chosen = shown(finished, "t_chosen").rows[-1].chosen
    top = tree(finished, "t_chosen", "chosen", "Average")
    assert top["facts"]["chosen"] == chosen
    *seeds, _ = top["sources"]  # the last is the table's record
    for seed, node in enumerate(seeds, 1):
        (predictions,) = node["sources"]
        assert f"/nli/tiny/{chosen[f'nli/{seed}']}/seed-{seed}/" in predictions["record"]


def test_a_choice_that_another_candidate_surpasses_is_found(results):
    wrong = {}
    for table, place in {"t_chosen": "nli/1", "t_chosen_on_folds": "bank-1/2"}.items():
        right = shown(results, table).rows[-1].chosen[place]
        [wrong[table, place]] = {"simcse", "rcl"} - {right}
        choice = {place: wrong[table, place]}

        def choose_wrongly(before, choice=choice):
            chosen = [replace(r, chosen=r.chosen | choice) if r.choose else r for r in before.rows]
            return replace(before, rows=tuple(chosen))

        change_table(results, table, choose_wrongly)
    example_results.compare(results)
    found = verify(results)
    assert failed(found) == {CELLS, FORMS}
    for (table, place), method in wrong.items():
        problems = texts(found, results / f"tables/json/{table}.json")
        assert any(f"{method} is chosen on {place}" in what for what in problems)
