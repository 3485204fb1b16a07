"""`verify` chooses again on dev from the recomputed scores, and finds a row that shows another."""

import shutil
from dataclasses import replace

import pytest

from semblance.audit.findings import CELLS, FORMS
from semblance.audit.verify import verify
from semblance.reporting.table import from_json
from tests.unit.audit.test_explain import tree
from tests.unit.audit.test_verify import change_table, failed, texts
from tests.unit.reporting import example_results

TABLES = {
    "t_chosen": ("sts", ["simcse", "rcl", "chosen"]),
    "t_chosen_on_folds": ("faq", ["simcse", "rcl", "chosen"]),
}


@pytest.fixture
def results(untouched, tmp_path, monkeypatch):
    """A finished folder with two tables whose last row chooses on dev."""
    for name, rows in TABLES.items():
        monkeypatch.setitem(example_results.TABLES, name, rows)
    shutil.copytree(untouched.parent, tmp_path / "copy")
    folder = tmp_path / "copy" / "results"
    for name in TABLES:
        example_results.render(folder, name)
    example_results.compare(folder)
    return folder


def shown(results, table):
    return from_json((results / f"tables/json/{table}.json").read_text())


def test_rows_that_choose_on_dev_hold(results):
    assert verify(results, bootstrap=True).problems == []
    row = shown(results, "t_chosen").rows[-1]
    others = {r.method: r.cells["Average"].values for r in shown(results, "t_chosen").rows}
    for seed, value in row.cells["Average"].values.items():
        assert value == others[row.chosen[f"nli/{seed}"]][seed]
    of_folds = shown(results, "t_chosen_on_folds").rows[-1]
    places = {f"bank-{fold}/{seed}" for fold in (0, 1) for seed in of_folds.seeds}
    assert of_folds.chosen.keys() == places


def test_explain_names_the_choice_and_follows_it_to_its_predictions(results):
    chosen = shown(results, "t_chosen").rows[-1].chosen
    top = tree(results, "t_chosen", "chosen", "Average")
    assert top["facts"]["chosen"] == chosen
    for seed, node in zip(
        (1, 2, 3), top["sources"][:-1], strict=False
    ):  # the last: the table's record
        (predictions,) = node["sources"]
        assert f"/nli/tiny/{chosen[f'nli/{seed}']}/seed-{seed}/" in predictions["record"]


def test_a_choice_that_another_candidate_surpasses_is_found(results):
    wrong = {}
    for table, place in {"t_chosen": "nli/1", "t_chosen_on_folds": "bank-1/2"}.items():
        right = shown(results, table).rows[-1].chosen[place]
        [wrong[table, place]] = {"simcse", "rcl"} - {right}
        choice = {place: wrong[table, place]}

        def choose_wrongly(before, choice=choice):
            rows = [
                r if r.choose is None else replace(r, chosen=r.chosen | choice) for r in before.rows
            ]
            return replace(before, rows=tuple(rows))

        change_table(results, table, choose_wrongly)
    example_results.compare(results)
    found = verify(results)
    assert failed(found) == {CELLS, FORMS}
    for (table, place), method in wrong.items():
        told = texts(found, results / f"tables/json/{table}.json")
        assert any(f"{method} is chosen on {place}" in what for what in told)
