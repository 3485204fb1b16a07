"""The cells recomputed from the runs: a new shape of table is checked without one more line of code."""

from dataclasses import replace

import pytest

from semblance.audit.cells import _check_differences
from semblance.audit.findings import CELLS
from semblance.audit.verify import verify
from semblance.reporting.layouts import LAYOUTS, Layout
from tests.unit.audit.tampering import shown
from tests.unit.reporting import example_scores

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


@pytest.fixture(scope="module")
def finished(extended):
    """A finished folder with a table of each of two new layouts."""
    results, add_tables = extended
    with pytest.MonkeyPatch.context() as patched:
        for layout in (ON_TASKS, ON_FOLDS):
            patched.setitem(LAYOUTS, layout.name, layout)
        add_tables({f"t_{of.name}": (of.name, ["simcse", "rcl"]) for of in (ON_TASKS, ON_FOLDS)})
        yield results


def test_a_table_of_a_new_layout_holds_and_its_named_columns_are_resampled(finished, untouched):
    before = verify(untouched)
    found = verify(finished, bootstrap=True)
    assert found.problems == []
    # t_sixth: 2 rows of sts12, stsb, all, top2 and of 3 single seeds; t_seventh: 2 rows x 2 protocols
    # of acc@3, map, both; of each row its main column and its line of the CSV; of each CSV its number of lines
    cells = 2 * (4 + 3) + 4 * 3
    # a contrast or none of sts12, stsb, all and of each cell of t_seventh
    contrasts = 2 * 3 + 4 * 3
    of_means = 2  # of each row of t_sixth its average by the mean of subsets
    made = found.checked[CELLS] - before.checked[CELLS]
    assert made == cells + 2 * (2 + 4) + 2 + contrasts + of_means
    drawn = {"t_sixth": ["sts12", "stsb", "all"], "t_seventh": ["acc@3", "map"]}
    for table, columns in drawn.items():
        contrasts = {c: cell.contrast for c, cell in shown(finished, table).rows[-1].cells.items()}
        with_p = [c for c, contrast in contrasts.items() if contrast and contrast.p_bootstrap]
        assert with_p == columns


def test_each_seed_of_a_trained_row_is_tested_against_an_untrained_control():
    scores = example_scores.runs("whitening", {0: (0.60, 0.62)})
    scores += example_scores.runs("simcse", {1: (0.70, 0.80), 2: (0.71, 0.83), 3: (0.75, 0.82)})
    rows = {"Whitening": ("whitening", (0,)), "SimCSE": ("simcse", (1, 2, 3))}
    made = example_scores.table(rows, scores, control="Whitening")
    frame = {
        (row.label, row.protocol): {name: dict(cell.values) for name, cell in row.cells.items()}
        for row in made.rows
    }

    def wrong(shown) -> list[str]:
        texts = []
        _check_differences(shown, "sts12", frame, lambda holds, what: holds or texts.append(what))
        return texts

    assert wrong(made) == []
    [at] = [n for n, row in enumerate(made.rows) if row.cells["sts12"].contrast]
    cell = made.rows[at].cells["sts12"]
    forged = replace(cell, contrast=replace(cell.contrast, p=cell.contrast.p + 1e-6))
    others = [*made.rows]
    others[at] = replace(others[at], cells=others[at].cells | {"sts12": forged})
    assert len(wrong(replace(made, rows=tuple(others)))) == 1
