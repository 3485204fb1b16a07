"""SimCSE's numbers as typed in: what its tables print more than once agrees, or a slip says so."""

import pytest

from semblance.reporting.layouts import LAYOUTS
from semblance.reporting.published import read_published

PUBLISHED = read_published()
ENTRIES = [entry for entry in PUBLISHED.entries if entry.paper == "simcse"]
SLIPS = [slip for slip in PUBLISHED.slips if slip.paper == "simcse"]
WITH_SUBSETS = ("sts12", "sts13", "sts14", "sts15", "sts16")
TEST_ITEMS = {"sst2": 1821, "trec": 500, "mrpc": 1725}  # the other four tasks are cross-validated


def value(name, column):
    return PUBLISHED.row(f"simcse/{name}")[column].value


def test_one_model_of_simcse_has_one_value_on_sts_b_dev_in_all_tables():
    unsupervised = {
        *("1/None (unsup. SimCSE)", "2/Unsupervised SimCSE, one encoder", "3/p=0.1"),
        *("4/Unsup. SimCSE (1m), full", "6/[CLS] w/ MLP (train), unsup."),
    }
    supervised = {
        *("4/SNLI+MNLI entailment + hard neg., full", "6/[CLS] w/ MLP, sup."),
        *("7/Contradiction (α=1.0)", "D1/τ=0.05", "D2/w/o MLM"),
    }
    entailment = {"4/SNLI+MNLI entailment (314k), full", "7/N/A"}
    delete_one = {"1/Delete one word", "2/Delete one word, one encoder"}
    models = ((unsupervised, 82.5), (supervised, 86.2), (entailment, 84.9), (delete_one, 75.9))
    for rows, printed in models:
        assert {value(row, "stsb-dev") for row in rows} == {printed}


@pytest.mark.parametrize(
    "name, same",
    [
        ("C1/BERT-base-flow (NLI)", "5/BERT-base-flow"),
        ("C1/BERT-base-whitening (NLI)", "5/BERT-base-whitening"),
        ("C1/SBERT-base-flow (NLI)", "5/SBERT-base-flow"),
        ("C1/SBERT-base-whitening (NLI)", "5/SBERT-base-whitening"),
        ("B2/BERT-base-whitening (NLI, all)", "5/BERT-base-whitening"),
        ("B2/BERT-base-whitening (target, all)", "C1/BERT-base-whitening (target)"),
    ],
)
def test_averages_that_simcse_prints_twice_agree(name, same):
    assert value(name, "Average") == value(same, "Average")


def test_sts_b_and_sick_have_one_value_under_all_aggregations_but_in_rows_that_are_quoted():
    names = ("BERT-base first-last", "BERT-base-whitening", "unsup-BERT-base", "sup-BERT-base")
    other = {"BERT-base-whitening": "BERT-base-whitening (NLI)"}  # in Table B.3
    joined = {other.get(name, name): name for name in names}
    unequal = {
        row
        for row, same in joined.items()
        for task in ("stsb", "sickr")
        if value(f"B3/{row}", task) != value(f"5/{same}", task)
    }
    quoted = {e.row for e in PUBLISHED.entries if e.table == "B3" and e.quoted}
    assert unequal == quoted == {"BERT-base first-last", "BERT-base-whitening (NLI)"}


@pytest.mark.parametrize(
    "ours, best_before, gain",
    [
        ("unsup-BERT-base", "CT-BERT-base", "4.2"),
        ("sup-BERT-base", "CT-SBERT-base", "2.2"),
    ],
)
def test_the_gains_of_simcses_abstract_are_those_of_table_5(ours, best_before, gain):
    difference = value(f"5/{ours}", "Average") - value(f"5/{best_before}", "Average")
    assert f"{difference:.1f}" == gain


def is_share(percentage, items):
    """Tell whether a percentage with two decimals is the share of a whole number of items."""
    nearest = round(percentage * items / 100)
    return f"{100 * nearest / items:.2f}" == f"{percentage:.2f}"


def test_rows_of_transfer_tasks_are_shares_of_the_test_sets_except_where_a_slip_says():
    no_shares = set()
    for name in {entry.name for entry in ENTRIES if entry.table == "E1"}:
        row = PUBLISHED.row(name)
        if not all(is_share(row[task].value, size) for task, size in TEST_ITEMS.items()):
            no_shares.add(name.removeprefix("simcse/E1/"))
    quoted = {entry.row for entry in ENTRIES if entry.table == "E1" and entry.quoted}
    assert no_shares - quoted == {s.row for s in SLIPS if s.table == "E1"}
    assert is_share(69.45, TEST_ITEMS["mrpc"])


def test_the_numbers_that_slips_of_simcse_quote_are_those_of_the_tables():
    rows = [entry for entry in ENTRIES if entry.name.startswith("simcse/2/Next")]
    assert max(entry.value for entry in rows if "one encoder" in entry.row) == 67.4
    assert value("B2/SBERT-base (all)", "Average") == 74.85
    row = "sup-BERT-base"
    gaps = [abs(value(f"B3/{row}", task) - value(f"5/{row}", task)) for task in WITH_SUBSETS]
    assert sorted(gaps) == pytest.approx([0, 1.07, 1.61, 3.18, 4.40])
    assert gaps[WITH_SUBSETS.index("sts14")] == 0


def test_tables_on_sts_b_dev_have_the_column_and_the_measure_of_the_layout_dev():
    (task,) = LAYOUTS["dev"].tasks
    dev = [entry for entry in ENTRIES if entry.column == task]
    assert {entry.table for entry in dev} == {"1", "2", "3", "4", "6", "7", "D1", "D2"}
    measures = {(entry.protocol, entry.metric, entry.aggregation) for entry in dev}
    assert measures == {("senteval", "spearman", "all")}
