"""The layouts of tables: one object for each, which the planning and the printing ask."""

import csv
import dataclasses
import io
import re
import subprocess
import sys

import pytest

from semblance.errors import InputError
from semblance.names import FAQ_METRICS
from semblance.provenance import ROOT
from semblance.reporting.build import build
from semblance.reporting.comparison import attach
from semblance.reporting.formats import csv_text, markdown
from semblance.reporting.layouts import LAYOUTS, Layout, find_layout
from semblance.reporting.published import Entry, Published
from semblance.reporting.table import Table, from_json, to_json
from tests.unit.reporting.example_scores import TASKS, frame, record, runs, spec
from workflow.planning.config import load
from workflow.planning.layers import laid_over
from workflow.planning.plan import Plan

SCORES = {1: (0.70, 0.80), 2: (0.76, 0.84), 3: (0.73, 0.79)}
ROWS = {"one": ("simcse", (1, 2, 3)), "two": ("rcl-8", (1, 2, 3))}
SIXTH = Layout(
    "best-two",
    part_columns=True,
    average_column="all",
    best_columns=(("top2", 2),),
    turned=True,
    footnote=("Own words on {folds} folds.",),
)


def lines_of(table: Table) -> list[str]:
    """Return the lines of a table's Markdown without what aligns its columns."""
    return [re.sub("-+", "-", re.sub(" +", " ", line)) for line in markdown(table).splitlines()]


@pytest.fixture
def sixth(monkeypatch):
    """Register one more layout, as an entry of LAYOUTS does."""
    monkeypatch.setitem(LAYOUTS, SIXTH.name, SIXTH)


def table(**given):
    return build(spec(ROWS, **given), frame(runs("simcse", SCORES) + runs("rcl-8", SCORES)))


def test_layouts_are_imported_without_the_heavy_libraries():
    program = (
        "import sys, semblance.reporting.layouts;"
        "print(sorted({'numpy', 'pandas', 'pyarrow', 'scipy', 'torch'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_an_unknown_layout_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="table t.layout: unknown layout 'pie'; known: sts, faq"):
        find_layout("pie", "table t.layout")
    text = to_json(table()).replace('"layout": "sts"', '"layout": "pie"')
    with pytest.raises(InputError, match="x.json: layout: unknown layout 'pie'"):
        from_json(text, "x.json")


def test_cells_stand_in_the_order_parts_average_best_seeds():
    # averages by hand: 75, 80, 76
    cells = SIXTH.cells({"1": {"a": 70, "b": 80}, "2": {"a": 76, "b": 84}, "3": {"a": 73, "b": 79}})
    assert list(cells) == ["a", "b", "all", "top2"]
    assert cells["all"] == {"1": 75, "2": 80, "3": 76}
    assert cells["top2"] == {"2": 80, "3": 76}


def test_a_missing_score_leaves_its_seed_without_a_value_and_no_seed_is_the_best():
    seeds = LAYOUTS["seeds"].cells({"1": {"a": 70, "b": None}, "2": {"a": 76, "b": 84}})
    assert seeds["mean"] == {"1": None, "2": 80} and seeds["seed 2"] == {"2": 80}
    assert seeds["top3"] == seeds["max"] == {} and seeds["seed 1"] == {"1": None}
    sts = LAYOUTS["sts"].cells({"1": {"a": 70, "b": None}, "2": {"a": 76, "b": 84}})
    assert sts == {
        "a": {"1": 70, "2": 76},
        "b": {"1": None, "2": 84},
        "Average": {"1": None, "2": 80},
    }


def test_of_seeds_that_tie_the_lower_number_stands_among_the_best():
    scores = {seed: {"a": 70.0} for seed in ("10", "9", "2", "1")}
    assert list(LAYOUTS["seeds"].cells(scores)["top3"]) == ["1", "2", "9"]


def test_only_a_layout_with_seed_columns_takes_a_name_for_that_of_a_seed():
    assert LAYOUTS["seeds"].is_of_one_seed("seed 1") and not LAYOUTS["sts"].is_of_one_seed("seed 1")


def test_spread_and_test_belong_to_columns_of_all_seeds_and_spread_to_several_best():
    seeds = LAYOUTS["seeds"]
    assert [seeds.has_test(c) for c in ("mean", "top3", "max", "seed 1")] == [1, 0, 0, 0]
    assert [seeds.has_spread(c) for c in ("mean", "top3", "max", "seed 1")] == [1, 1, 0, 0]


def test_a_sixth_layout_is_rendered_turned_with_the_paper_and_the_control_below(sixth):
    ours = table(layout="best-two", control="one")
    entries = tuple(
        Entry("p", "1", "r", c, v, "senteval") for c, v in (("sts12", 72.0), ("top2", 77.0))
    )
    rows = (ours.rows[0], dataclasses.replace(ours.rows[1], published="p/1/r"))
    printed = attach(dataclasses.replace(ours, rows=rows), Published(entries, {}, ()))
    # sts12: 70, 76, 73 have mean 73 and sd 3; sts13: 80, 84, 79 have mean 81 and sd √7 = 2.65;
    # averages 75, 80, 76 have mean 77 and sd √7; the best two, 80 and 76, have mean 78, sample sd √8
    # and population sd 2. The rows are equal, so their difference has no interval.
    assert [line for line in lines_of(printed) if line.startswith("|")] == [
        "| | one | two |",
        "| - | -: | -: |",
        "| n | 3 | 3 |",
        "| STS12 | 73.00 ± 3.00 | 73.00 ± 3.00 |",
        "| STS13 | 81.00 ± 2.65 | 81.00 ± 2.65 |",
        "| all | 77.00 ± 2.65 | 77.00 ± 2.65 |",
        "| top2 | 78.00 ± 2.83 (2.00) | 78.00 ± 2.83 (2.00) |",
        "| published (Δ) | | STS12 72.00 (+1.00), top2 77.00 (+1.00) |",
        "| difference [95 % interval] | | +0.00 |",
    ]
    assert "Own words on None folds." in ours.notes
    line = list(csv.DictReader(io.StringIO(csv_text(ours))))[1]
    assert line["layout"] == "best-two" and float(line["top2"]) == pytest.approx(78.0)
    assert (float(line["all_control_difference"]), line["all_p"]) == (0.0, "")  # equal rows
    assert "top2_p" not in line  # no test of chosen seeds
    assert float(line["top2_population_sd"]) == pytest.approx(2.0)
    assert from_json(to_json(ours)) == ours


def test_a_sixth_layout_is_planned_by_what_it_reads(sixth, monkeypatch):
    config = load(laid_over([ROOT / "config.yaml"]))
    for name in ("rcl_table2a", "rcl_table3"):
        table = config.tables[name]
        config.tables[name] = table.model_copy(update={"layout": "best-two"})
    asked = Plan(config).table_spec("rcl_table3")
    assert asked["layout"] == "best-two" and "sickr" in asked["tasks"] and "folds" not in asked
    on_banks = dataclasses.replace(SIXTH, metrics=FAQ_METRICS, tasks=())
    monkeypatch.setitem(LAYOUTS, "best-two", on_banks)
    asked = Plan(config).table_spec("rcl_table2a")
    assert (asked["dataset"], asked["tasks"], asked["protocols"][0]) == ("faqir", [], "pairs")


def test_labels_of_a_turned_table_may_be_any_text():
    """RCL prints "4 regulators", and a label may hold what Markdown or LaTeX reads."""
    rows = {"0 regulators": ("simcse", (1, 2, 3)), "φ = −0.01 | *": ("rcl-8", (1, 2, 3))}
    made = build(
        spec(rows, layout="regulators"), frame(runs("simcse", SCORES) + runs("rcl-8", SCORES))
    )
    assert r"| | 0 regulators | φ = −0.01 \| \* |" in lines_of(made)
    assert made.rows[1].control == "0 regulators"


@pytest.mark.parametrize(
    "name, metric, aggregation",
    [
        ("sts", "spearman", "all"),
        ("sts-mean", "spearman", "mean"),
        ("sts-wmean", "spearman", "wmean"),
        ("sts-pearson", "pearson", "all"),
    ],
)
def test_a_table_of_another_setting_shows_that_settings_scores_and_no_others(
    name, metric, aggregation
):
    settings = [("spearman", "all"), ("spearman", "mean"), ("spearman", "wmean")]
    settings += [("pearson", "all"), ("pearson", "mean"), ("pearson", "wmean")]
    records = []
    for number, (of, by) in enumerate(settings):
        for task, value in zip(TASKS, (0.25, 0.5), strict=True):
            given = {"metric": of, "aggregation": by, "value": value + number / 64}
            records.append(record(task=task, **given))
    table = build(spec({"A": ("simcse", [1])}, layout=name), frame(records))
    number = settings.index((metric, aggregation))
    first, second = 25 + 100 * number / 64, 50 + 100 * number / 64
    [row] = table.rows
    shown = {column: cell.mean for column, cell in row.cells.items()}
    assert shown == {TASKS[0]: first, TASKS[1]: second, "Average": (first + second) / 2}
    assert (table.metric, table.aggregation) == (metric, aggregation)
