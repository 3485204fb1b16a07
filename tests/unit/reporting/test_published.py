"""The papers' numbers as typed in, and their known errors."""

import math
from collections import Counter

import pytest
import yaml
from pytest import approx

from semblance.errors import InputError
from semblance.names import WITH_SUBSETS
from semblance.reporting.layouts import LAYOUTS
from semblance.reporting.published import PAPERS, read_published

PUBLISHED = read_published()
OF_S_SIMCSE = {entry.name for entry in PUBLISHED.entries if entry.paper == "s-simcse"}
TASKS = ("sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sickr")
TRANSFER = ("mr", "cr", "subj", "mpqa", "sst2", "trec", "mrpc")


def value(name, column="Average"):
    return PUBLISHED.row(name)[column].value


def numbers_of(paper):
    """Return how many numbers each table of a paper has."""
    return Counter(entry.table for entry in PUBLISHED.entries if entry.paper == paper)


def test_every_number_of_the_papers_is_there():
    assert numbers_of("rcl") == {
        **dict.fromkeys(("1a", "1b", "3"), 4 * 8),
        **dict.fromkeys(("2a", "2b"), 4 * 4),
        "4": 6,
        "5": 5 * 8,
    }
    assert numbers_of("s-simcse") == {"1": 9 * 2}
    assert numbers_of("simcse") == {
        "1": 11,
        "2": 4 * 2,
        "3": 8,
        "4": 1 + 7 * 2 + 2 + 1,  # unsupervised; sources, sample and full; hard negatives; § 4
        "5": (12 + 11) * 8,
        "6": 4 * 2,
        "7": 5,
        "B2": 6 * 8,
        "B3": 12 * 8,
        "C1": 8 * 8,
        "D1": 6,
        "D2": 4 * 2,
        "E1": (11 + 10) * 8,
    }


WITH_AVERAGE = {entry.name for entry in PUBLISHED.entries if entry.column in ("sts12", "mr")}


@pytest.mark.parametrize("name", sorted(WITH_AVERAGE))
def test_printed_averages_are_the_means_of_their_printed_tasks(name):
    row = PUBLISHED.row(name)
    slip = sum(
        abs(s.printed - s.recomputed)
        for s in PUBLISHED.slips
        if f"{s.paper}/{s.table}/{s.row}" == name and s.printed is not None
    )
    if row["Average"].quoted:
        return  # of others, who may have rounded otherwise
    tasks = [column for column in row if column != "Average"]
    assert tuple(tasks) in (TASKS, TRANSFER)
    mean = math.fsum(row[task].value for task in tasks) / len(tasks)
    assert abs(mean - row["Average"].value) <= 0.005 + slip
    assert (f"{mean:.2f}" == f"{row['Average'].value:.2f}") == (not slip)


@pytest.mark.parametrize(
    "name", ["SRoBERTa base", "DropHead (p=0.1)", "Attention dropout (p=0.1)", "RCL"]
)
def test_rows_printed_in_two_tables_agree(name):
    printed = {entry.name for entry in PUBLISHED.entries}
    rows = [f"rcl/{table}/{name}" for table in ("1a", "1b", "3", "5")]
    values = [[e.value for e in PUBLISHED.row(row).values()] for row in rows if row in printed]
    assert len(values) > 1 and all(found == values[0] for found in values)


def test_the_regulators_of_rcl_begin_and_end_at_rows_of_its_table_3():
    assert value("rcl/4/8 regulators") == value("rcl/3/RCL")
    assert value("rcl/4/0 regulators") == value("rcl/3/SRoBERTa base")


def fits(row, divisor):
    """Tell whether three values can have a row's mean m, maximum M and ± as sd with this divisor.

    The other two values have the mean m - (M - m) / 2: the sum of squares is least where both are
    equal, and largest where one equals M.
    """
    m, largest, printed = row["top3"].value, row["max"].value, row["top3"].sd
    rounding = 0.005
    least_gap = largest - m - 2 * rounding
    most_gap = largest - m + 2 * rounding
    least = math.sqrt(1.5 * least_gap**2 / divisor)
    most = math.sqrt(6 * most_gap**2 / divisor)
    return least <= printed + rounding and printed - rounding <= most


def spreads_that_fit(divisor):
    return {name for name in OF_S_SIMCSE if fits(PUBLISHED.row(name), divisor)}


def test_only_the_row_listed_as_a_slip_has_an_impossible_spread():
    slips = [s for s in PUBLISHED.slips if s.paper == "s-simcse" and s.row]
    impossible = OF_S_SIMCSE - spreads_that_fit(2) - spreads_that_fit(3)
    assert impossible == {f"{s.paper}/{s.table}/{s.row}" for s in slips}


def test_eight_spreads_of_s_simcse_fit_a_population_sd_and_four_no_sample_sd():
    assert len(OF_S_SIMCSE) == 9 and len(spreads_that_fit(3)) == 8
    no_sample_sd = {name.removeprefix("s-simcse/1/") for name in OF_S_SIMCSE - spreads_that_fit(2)}
    ours = {"S-SimCSE-BERT-base w/o sd", "S-SimCSE-BERT-base w/ sd"}
    assert no_sample_sd == ours | {"SimCSE-BERT-base", "SimCSE-BERT-large"}


def test_each_slip_names_a_place_and_a_row_that_is_printed():
    for slip in PUBLISHED.slips:
        assert slip.place or slip.table
        if slip.row:
            assert PUBLISHED.row(f"{slip.paper}/{slip.table}/{slip.row}")


def test_the_numbers_that_slips_quote_are_those_of_the_tables():
    ours, theirs = "s-simcse/1/S-SimCSE-BERT-base w/ sd", "s-simcse/1/SimCSE-BERT-base"
    assert value(ours, "top3") - value(theirs, "top3") == approx(0.93)
    assert value(ours, "max") - value(theirs, "max") == approx(1.17)
    assert value("rcl/4/10 regulators") > value("rcl/4/8 regulators")
    dropout = "Attention dropout (p=0.1)"
    assert value("rcl/3/RCL", "stsb") < value(f"rcl/3/{dropout}", "stsb")
    for table, most in (("2a", 1.8), ("2b", 0.7)):
        rows = [value(f"rcl/{table}/{row}", "map") for row in ("RCL", dropout)]
        assert max(rows) - value(f"rcl/{table}/SRoBERTa base", "map") < most


def test_marks_are_read_apart_from_their_numbers():
    entry = PUBLISHED.row("rcl/3/RCL")["sts12"]
    assert (entry.mark, entry.value) == ("*", 76.15)
    assert PUBLISHED.row("rcl/3/RCL")["stsb"].mark == ""


def written(tmp_path, **sheet):
    """Write a file of one paper, table and row."""
    table = {"title": "t", "protocol": "pairs", "columns": ["a"], "rows": {"r": [1.0]}}
    tables = {"ours": {"printed": {"1": table | sheet}}}
    path = tmp_path / "p.yaml"
    path.write_text(yaml.safe_dump({"paper": {"name": "p", "title": "P"}, "tables": tables}))
    return path


def test_a_number_has_the_measure_of_its_row_or_column_and_else_that_of_its_table(tmp_path):
    path = written(
        tmp_path,
        columns=["a", "b"],
        rows={"r": [1.0, 2.0], "s": [3.0, 4.0]},
        metric="spearman",
        aggregation="all",
        measured={"s": {"aggregation": "wmean"}, "b": {"metric": "accuracy", "aggregation": ""}},
    )
    found = {
        (e.row, e.column): (e.protocol, e.metric, e.aggregation)
        for e in read_published([path]).entries
    }
    assert found == {
        ("r", "a"): ("pairs", "spearman", "all"),
        ("r", "b"): ("pairs", "accuracy", ""),
        ("s", "a"): ("pairs", "spearman", "wmean"),
        ("s", "b"): ("pairs", "accuracy", ""),
    }


@pytest.mark.parametrize(
    "sheet, problem",
    [
        ({"quoted": {"lost": "x"}}, "the table has no row 'lost'"),
        (
            {"measured": {"lost": {"metric": "f1"}}},
            "p/1.measured: the table has no row or column 'lost'",
        ),
        ({"rows": {"r": []}}, "p/1/r: 0 values for 1 columns"),
        ({"rows": {"r": ["1_0"]}}, "p/1/r: a: '1_0' is not a number"),
        ({"rows": {"r": [math.nan]}}, "no plain value: Out of range"),
        ({"rows": {"r": "1.0"}}, r"tables\.1\.rows\.r: '1.0' should be"),
        (
            {"columns": ["a", "a_sd"], "rows": {"r": [1, "n/a"]}},
            "p/1/r: a_sd: 'n/a' is not a number",
        ),
        ({"rows": None}, r"tables\.1\.rows: None should be"),
    ],
)
def test_what_is_said_of_a_table_that_it_does_not_have_is_refused(tmp_path, sheet, problem):
    path = written(tmp_path, **sheet)
    with pytest.raises(InputError, match=rf"\A{path}[.:].*{problem}"):
        read_published([path])


# --- SimCSE: what its tables print more than once agrees, or a slip says so ---

ENTRIES = [entry for entry in PUBLISHED.entries if entry.paper == "simcse"]
SLIPS = [slip for slip in PUBLISHED.slips if slip.paper == "simcse"]
TEST_ITEMS = {"sst2": 1821, "trec": 500, "mrpc": 1725}  # the other four tasks are cross-validated


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
        assert {value(f"simcse/{row}", "stsb-dev") for row in rows} == {printed}


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
    assert value(f"simcse/{name}", "Average") == value(f"simcse/{same}", "Average")


def test_sts_b_and_sick_have_one_value_under_all_aggregations_but_in_rows_that_are_quoted():
    names = ("BERT-base first-last", "BERT-base-whitening", "unsup-BERT-base", "sup-BERT-base")
    other = {"BERT-base-whitening": "BERT-base-whitening (NLI)"}  # in Table B.3
    joined = {other.get(name, name): name for name in names}
    unequal = {
        row
        for row, same in joined.items()
        for task in ("stsb", "sickr")
        if value(f"simcse/B3/{row}", task) != value(f"simcse/5/{same}", task)
    }
    quoted = {e.row for e in PUBLISHED.entries if e.table == "B3" and e.quoted}
    assert unequal == {"BERT-base first-last", "BERT-base-whitening (NLI)"} < quoted


def test_the_whitening_of_sbert_is_of_first_last_states():
    """Su et al. name this pooling; of tasks without subsets SimCSE prints the same values."""
    rows = ("B3/SBERT-base-whitening (target)", "C1/SBERT-base-whitening (target)")
    for task in ("stsb", "sickr"):
        assert value(f"simcse/{rows[0]}", task) == value(f"simcse/{rows[1]}", task)
    own = {f"{n}-whitening" for n in ("BERT-base", "RoBERTa-base", "SBERT-base", "SRoBERTa-base")}
    paper = yaml.safe_load((PAPERS[0].parent / "simcse.yaml").read_text(encoding="utf-8"))
    published = paper["tables"]["simcse_table5"]["published"]
    bases = {key.split("/")[0] for key, row in published.items() if row.split("/")[-1] in own}
    assert len(bases) == 4 and all(base.endswith("first-last") for base in bases)


@pytest.mark.parametrize(
    "ours, best_before, gain",
    [
        ("unsup-BERT-base", "CT-BERT-base", "4.2"),
        ("sup-BERT-base", "CT-SBERT-base", "2.2"),
    ],
)
def test_the_gains_of_simcses_abstract_are_those_of_table_5(ours, best_before, gain):
    difference = value(f"simcse/5/{ours}", "Average") - value(f"simcse/5/{best_before}", "Average")
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
    slips = {s.row for s in SLIPS if s.table == "E1"}
    assert no_shares - quoted == slips - quoted and slips <= no_shares
    assert is_share(69.45, TEST_ITEMS["mrpc"])


def test_the_numbers_that_slips_of_simcse_quote_are_those_of_the_tables():
    rows = [entry for entry in ENTRIES if entry.name.startswith("simcse/2/Next")]
    assert max(entry.value for entry in rows if "one encoder" in entry.row) == 67.4
    assert value("simcse/B2/SBERT-base (all)", "Average") == 74.85
    row = "sup-BERT-base"
    gaps = [
        abs(value(f"simcse/B3/{row}", task) - value(f"simcse/5/{row}", task))
        for task in WITH_SUBSETS
    ]
    assert sorted(gaps) == approx([0, 1.07, 1.61, 3.18, 4.40])
    assert gaps[WITH_SUBSETS.index("sts14")] == 0


def test_tables_on_sts_b_dev_have_the_column_and_the_measure_of_the_layout_dev():
    (task,) = LAYOUTS["dev"].tasks
    dev = [entry for entry in ENTRIES if entry.column == task]
    assert {entry.table for entry in dev} == {"1", "2", "3", "4", "6", "7", "D1", "D2"}
    measures = {(entry.protocol, entry.metric, entry.aggregation) for entry in dev}
    assert measures == {("senteval", "spearman", "all")}
