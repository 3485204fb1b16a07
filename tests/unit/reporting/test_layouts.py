"""The layouts of tables: one object for each, which the planning and the printing ask."""

import dataclasses

import pytest
from pytest import approx

from semblance.errors import InputError
from semblance.names import FAQ_METRICS
from semblance.provenance import ROOT
from semblance.reporting.comparison import attach
from semblance.reporting.formats import table_csv
from semblance.reporting.layouts import LAYOUTS, Layout, find_layout
from semblance.reporting.published import Entry, Published
from semblance.reporting.table import from_json, to_json
from tests.unit.reporting import example_scores
from tests.unit.reporting.example_scores import FAQ, csv_lines, markdown_lines, of_fold, runs
from workflow.checks.load import load
from workflow.config.layers import laid_over
from workflow.planning.plan import Plan

SCORES = {1: (0.70, 0.80), 2: (0.76, 0.84), 3: (0.73, 0.79)}
SEEDS = LAYOUTS["seeds"]
SIXTH = Layout(
    "best-two",
    part_columns=True,
    average_column="all",
    best_columns=(("top2", 2),),
    turned=True,
    footnote=("Own words on {folds} folds.",),
)


@pytest.fixture
def sixth(monkeypatch):
    """Register one more layout, as an entry of LAYOUTS does."""
    monkeypatch.setitem(LAYOUTS, SIXTH.name, SIXTH)


def table(labels=("one", "two"), **given):
    methods = ("simcse", "rcl-8")
    rows = {label: (name, SCORES) for label, name in zip(labels, methods, strict=True)}
    return example_scores.table(rows, [r for m in methods for r in runs(m, SCORES)], **given)


def test_an_unknown_layout_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="table t.layout: unknown layout 'pie'; known: sts, faq"):
        find_layout("pie", "table t.layout")
    text = to_json(table()).replace('"layout": "sts"', '"layout": "pie"')
    with pytest.raises(InputError, match="x.json: layout: unknown layout 'pie'"):
        from_json(text, "x.json")
    with pytest.raises(InputError, match="x.json"):
        from_json("[1]", "x.json")


def test_the_dev_layout_of_a_bank_shows_the_map_of_its_dev_questions():
    scores = []
    for fold, dev in ((0, 0.5), (1, 0.7)):
        scores += of_fold("rcl-2", 1, fold, dev, "dev", aggregation="dev")
        scores += of_fold("rcl-2", 1, fold, 0.9)  # of its test part
    rows = {"2": ("rcl-2", (1,))}
    shown = example_scores.table(rows, scores, **FAQ | {"layout": "faq-dev"})
    assert shown.columns == ("map",)
    assert shown.rows[0].cells["map"].mean == approx(100 * (0.5 + 0.7) / 2)


def test_a_missing_score_leaves_its_seed_without_a_value_and_no_seed_is_the_best():
    scores = {"1": {"a": 70, "b": None}, "2": {"a": 76, "b": 84}}
    average = {"1": None, "2": 80}
    seeds = {"mean": average, "top3": {}, "max": {}, "seed 1": {"1": None}, "seed 2": {"2": 80}}
    assert SEEDS.cells(scores) == seeds
    parts = {"a": {"1": 70, "2": 76}, "b": {"1": None, "2": 84}}
    assert LAYOUTS["sts"].cells(scores) == parts | {"Average": average}


def test_of_seeds_that_tie_the_lower_number_stands_among_the_best():
    scores = {seed: {"a": 70.0} for seed in ("10", "9", "2", "1")}
    assert list(SEEDS.cells(scores)["top3"]) == ["1", "2", "9"]


@pytest.mark.parametrize(
    "column, of_one_seed, tested, with_spread",
    [
        ("mean", False, True, True),
        ("top3", False, False, True),
        ("max", False, False, False),
        ("seed 1", True, False, False),
    ],
)
def test_spread_and_test_belong_to_columns_of_all_seeds_and_spread_to_several_best(
    column, of_one_seed, tested, with_spread
):
    found = (SEEDS.is_of_one_seed(column), SEEDS.has_test(column), SEEDS.has_spread(column))
    assert found == (of_one_seed, tested, with_spread)
    assert not LAYOUTS["sts"].is_of_one_seed(column)


def test_a_sixth_layout_is_rendered_turned_with_the_paper_and_the_control_below(sixth):
    ours = table(layout="best-two", control="one")
    printed = (("sts12", 72.0), ("top2", 77.0))
    entries = tuple(Entry("p", "1", "r", column, v, "senteval") for column, v in printed)
    rows = (ours.rows[0], dataclasses.replace(ours.rows[1], published="p/1/r"))
    shown = attach(dataclasses.replace(ours, rows=rows), Published(entries))
    # sts12: 70, 76, 73 have mean 73 and sd 3; sts13: 80, 84, 79 have mean 81 and sd √7 = 2.65;
    # averages 75, 80, 76 have mean 77 and sd √7; the best two, 80 and 76, have mean 78, sample sd √8
    # and population sd 2. The rows are equal, so their difference has no interval.
    assert [line for line in markdown_lines(shown) if line.startswith("|")] == [
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
    line = csv_lines(table_csv(ours))[1]
    assert line["layout"] == "best-two" and float(line["top2"]) == approx(78.0)
    assert (float(line["all_control_difference"]), line["all_p"]) == (0.0, "")  # equal rows
    assert "top2_p" not in line  # no test of chosen seeds
    assert float(line["top2_population_sd"]) == approx(2.0)
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
    made = table(("0 regulators", "φ = −0.01 | *"), layout="regulators")
    assert r"| | 0 regulators | φ = −0.01 \| \* |" in markdown_lines(made)
    assert made.rows[1].control == "0 regulators"
