"""The cells recomputed from the runs: a new shape of table is checked without one more line of code."""

import shutil

import pytest

from semblance.audit.findings import CELLS, FORMS
from semblance.audit.verify import verify
from semblance.reporting.layouts import LAYOUTS, Layout
from semblance.reporting.table import from_json
from tests.unit.audit.test_verify import change_table, failed, shown_row, texts, with_cell
from tests.unit.reporting import example_results

ON_TASKS = Layout(
    "sixth",
    part_columns=True,
    average_column="all",
    best_columns=(("top2", 2),),
    seed_columns=True,
    resampling="items",
    turned=True,
)
ON_FOLDS = Layout(
    "seventh",
    metrics=("acc@3", "map"),
    tasks=(),
    aggregation="test",
    protocols=("pairs",),
    part_columns=True,
    average_column="both",
    resampling="queries",
)
NEW = {
    "t_sixth": ("sixth", ["simcse", "rcl"]),
    "t_seventh": ("seventh", ["simcse", "rcl"]),
}


@pytest.fixture
def results(untouched, tmp_path, monkeypatch):
    """A finished folder with a table of each of two new layouts."""
    for layout in (ON_TASKS, ON_FOLDS):
        monkeypatch.setitem(LAYOUTS, layout.name, layout)
    for name, rows in NEW.items():
        monkeypatch.setitem(example_results.TABLES, name, rows)
    shutil.copytree(untouched.parent, tmp_path / "copy")
    folder = tmp_path / "copy" / "results"
    for name in NEW:
        example_results.render(folder, name)
    example_results.compare(folder)
    return folder


def test_a_table_of_a_new_layout_holds(results, untouched):
    before = verify(untouched)
    found = verify(results, bootstrap=True)
    assert found.problems == []
    # t_sixth: 2 rows of sts12, stsb, all, top2 and of 3 single seeds; t_seventh: 2 rows x 2 protocols
    # of acc@3, map, both; of each row its columns
    cells = 2 * (4 + 3) + 4 * 3
    # a contrast or none of sts12, stsb, all and of each cell of t_seventh
    contrasts = 2 * 3 + 4 * 3
    assert found.checked[CELLS] - before.checked[CELLS] == cells + 2 + 4 + contrasts


def test_a_changed_cell_of_a_new_layout_is_found(results):
    changed = {"t_sixth": "top2", "t_seventh": "both"}
    for table, column in changed.items():
        values = shown_row(results, table, "rcl").cells[column].values
        values = {seed: value + 1e-6 for seed, value in values.items()}
        change_table(results, table, with_cell("rcl", column, values=values))
    example_results.compare(results)
    found = verify(results)
    assert failed(found) == {CELLS, FORMS}
    for table, column in changed.items():
        told = texts(found, results / f"tables/json/{table}.json")
        assert any(what.startswith(f"rcl, {column}: recomputed") for what in told)


def is_drawn(cell):
    return cell.contrast is not None and cell.contrast.p_bootstrap is not None


def test_the_bootstrap_tests_the_columns_that_the_new_layouts_name(results):
    tested = {}
    for table in NEW:
        row = from_json((results / f"tables/json/{table}.json").read_text()).rows[-1]
        tested[table] = [c for c, cell in row.cells.items() if is_drawn(cell)]
    assert tested == {"t_sixth": ["sts12", "stsb", "all"], "t_seventh": ["acc@3", "map"]}
