"""The papers' numbers as typed in, and the verdicts on ours."""

import math
from pathlib import Path

import pytest
import yaml

from semblance.errors import InputError
from semblance.reporting.build import build
from semblance.reporting.comparison import ledger
from semblance.reporting.published import (
    STAND_IN,
    Entry,
    Published,
    attach,
    compare,
    read_published,
)
from tests.unit.reporting.example_scores import frame, record, runs, spec

FILE = Path(__file__).parents[3] / "workflow" / "published.yaml"
PUBLISHED = read_published(FILE)
TASKS = ("sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sickr")
FEW = Published(
    (
        Entry("p", "1", "SimCSE", "sts12", 72.0, "senteval", "spearman", "all"),
        Entry("p", "1", "SimCSE", "Average", 70.0, "senteval", "spearman", "all"),
        Entry("p", "2", "lost", "Average", 70.0, "senteval", "spearman", "all"),
    ),
    {"p": "P", "p/1": "one", "p/2": "two"},
    (),
)


def rows_with_average():
    names = dict.fromkeys(e.name for e in PUBLISHED.entries if e.column == "sts12")
    return [(name, PUBLISHED.row(name)) for name in names]


def test_every_number_of_the_papers_is_there():
    # RCL 1a, 1b, 3: 4 rows of 8; 2a, 2b: 4 of 4; 4: 6 averages; 5: 5 of 8. S-SimCSE: 9 of 2. SimCSE: 6 of 8.
    assert len(PUBLISHED.entries) == 3 * 4 * 8 + 2 * 4 * 4 + 6 + 5 * 8 + 9 * 2 + 6 * 8


@pytest.mark.parametrize(
    "name, row", rows_with_average(), ids=lambda value: value if isinstance(value, str) else ""
)
def test_printed_averages_are_the_means_of_their_printed_tasks(name, row):
    slip = sum(
        abs(s.printed - s.recomputed)
        for s in PUBLISHED.slips
        if f"{s.paper}/{s.table}/{s.row}" == name and s.printed is not None
    )
    mean = math.fsum(row[task].value for task in TASKS) / len(TASKS)
    assert abs(mean - row["Average"].value) <= 0.005 + slip
    assert (f"{mean:.2f}" == f"{row['Average'].value:.2f}") == (not slip)


def test_rows_printed_in_two_tables_agree():
    for name in ("SRoBERTa base", "DropHead (p=0.1)", "Attention dropout (p=0.1)", "RCL"):
        tables = [
            t
            for t in ("1a", "1b", "3", "5")
            if any(e.name == f"rcl/{t}/{name}" for e in PUBLISHED.entries)
        ]
        values = [[e.value for e in PUBLISHED.row(f"rcl/{t}/{name}").values()] for t in tables]
        assert len(values) > 1 and all(v == values[0] for v in values)
    assert (
        PUBLISHED.row("rcl/4/8 regulators")["Average"].value
        == PUBLISHED.row("rcl/3/RCL")["Average"].value
    )
    assert (
        PUBLISHED.row("rcl/4/0 regulators")["Average"].value
        == PUBLISHED.row("rcl/3/SRoBERTa base")["Average"].value
    )


def test_only_the_row_listed_as_a_slip_has_an_impossible_spread():
    """Of three values with mean m and maximum M, the sample sd is at most √3 (M - m)."""
    impossible = {
        name
        for name in {e.name for e in PUBLISHED.entries if e.paper == "s-simcse"}
        for row in [PUBLISHED.row(name)]
        if row["top3"].sd - 0.005 > math.sqrt(3) * (row["max"].value - row["top3"].value + 0.01)
    }
    assert impossible == {
        f"{s.paper}/{s.table}/{s.row}" for s in PUBLISHED.slips if s.paper == "s-simcse"
    }


def test_marks_are_read_apart_from_their_numbers():
    entry = PUBLISHED.row("rcl/3/RCL")["sts12"]
    assert (entry.mark, entry.value) == ("*", 76.15)
    assert PUBLISHED.row("rcl/3/RCL")["stsb"].mark == ""


def written(tmp_path, **sheet):
    """Write a file of one paper, table and row, and what the paper used."""
    table = {"title": "t", "protocol": "pairs", "columns": ["a"], "rows": {"r": [1.0]}}
    used = {
        "bases": {"large": {"hub": "o/large", "pooling": "cls"}},
        "corpora": {"nli": [["nli-1"], ["nli-2"]]},
        "tests": {"sts": ["sts12"]},
        "methods": {"simcse": {"epochs": 1, "batch_size": 64}},
    }
    papers = {"p": {"title": "P", "tables": {"1": table | sheet}}}
    path = tmp_path / "p.yaml"
    path.write_text(yaml.safe_dump({"papers": papers, "known_slips": [], "used": used}))
    return path


def test_a_row_uses_what_it_says_itself_and_what_its_table_says_of_all_rows(tmp_path):
    uses = {"base": "large", "corpus": "nli", "tests": "sts", "settings": {"epochs": 2}}
    row = {"method": "simcse", "settings": {"batch_size": 32}}
    path = written(tmp_path, uses=uses, rows_use={"r": row})
    source = read_published(path).sources["p/1/r"]
    assert (source.base, source.corpus, source.method) == ("large", "nli", "simcse")
    assert source.tests == ("sts12",) and source.settings == {"epochs": 2, "batch_size": 32}


@pytest.mark.parametrize(
    "row, problem",
    [
        ({"method": "rcl"}, "p/1/r: method: no 'rcl' under `used`; known are simcse"),
        ({}, "p/1/r: method: is not stated"),
        ({"method": "simcse", "tests": "sick"}, "p/1/r: tests: no 'sick'"),
        ({"metod": "simcse"}, "metod"),
    ],
)
def test_a_row_that_uses_something_unknown_is_refused(tmp_path, row, problem):
    path = written(tmp_path, uses={"base": "large", "corpus": "nli"}, rows_use={"r": row})
    with pytest.raises(InputError, match=problem):
        read_published(path)


def test_a_source_of_a_row_that_is_not_printed_is_refused(tmp_path):
    with pytest.raises(InputError, match="the table has no row 'lost'"):
        read_published(written(tmp_path, rows_use={"lost": {}}))


@pytest.mark.parametrize("values", [[1.0], [1.0, "n/a"], [1.0, 2.0, 3.0]])
def test_a_malformed_row_stops_with_its_name(tmp_path, values):
    path = tmp_path / "p.yaml"
    table = {"title": "t", "protocol": "senteval", "columns": ["a", "b"], "rows": {"r": values}}
    path.write_text(
        yaml.safe_dump({"papers": {"p": {"title": "P", "tables": {"1": table}}}, "known_slips": []})
    )
    with pytest.raises(InputError, match="p/1/r"):
        read_published(path)


def ours(values, **given):
    rows = {
        "mine": {
            "corpus": "nli",
            "base": "tiny",
            "method": "simcse",
            "seeds": list(values),
            "published": "p/1/SimCSE",
            **given,
        }
    }
    return build(spec(rows), frame(runs("simcse", values)))


def verdicts(table, tolerance=0.5):
    return [record.verdict for record in compare([table], FEW, tolerance)]


@pytest.mark.parametrize(
    "score, verdict", [(0.7245, "within"), (0.7155, "within"), (0.7254, "above"), (0.71, "below")]
)
def test_a_single_seed_is_judged_by_the_tolerance(score, verdict):
    assert verdicts(ours({1: (score, 0.68)}))[0] == verdict


def test_the_spread_of_the_seeds_widens_the_tolerance():
    # sts12: 70 and 72 have mean 71 and sd √2: |−1| > 0.5, but <= 2 √2
    assert verdicts(ours({1: (0.70, 0.7), 2: (0.72, 0.7)}))[0] == "within"
    assert verdicts(ours({1: (0.709, 0.7), 2: (0.711, 0.7)}))[0] == "below"  # mean 71, 2 sd = .28


def test_a_published_cell_is_not_run_if_no_table_claims_it_or_its_score_is_missing():
    assert verdicts(ours({1: (0.72, 0.68)}))[2] == "not run"
    lost = build(
        spec(
            {
                "mine": {
                    "corpus": "nli",
                    "base": "tiny",
                    "method": "simcse",
                    "seeds": [1],
                    "published": "p/1/SimCSE",
                }
            }
        ),
        frame([record(task="sts13")]),
    )
    assert verdicts(lost) == ["not run"] * 3


def test_a_stand_in_has_a_verdict_and_reasons_and_no_difference():
    reasons = ("base tiny instead of large", "8 of 10 rows")
    table = ours({1: (0.72, 0.68)}, stand_in=list(reasons))
    assert verdicts(table)[:2] == [STAND_IN, STAND_IN]
    first, *_ = compare([table], FEW)
    assert first.reasons == reasons and first.difference is None and first.mean is not None


def test_a_stand_in_in_a_table_leaves_the_other_rows_comparable():
    common = {"corpus": "nli", "base": "tiny", "method": "simcse", "seeds": [1]}
    rows = {
        "small": {**common, "published": "p/1/SimCSE", "stand_in": ["8 of 10 rows"]},
        "whole": {**common, "published": "p/1/SimCSE"},
    }
    table = build(spec(rows), frame(runs("simcse", {1: (0.72, 0.68)})))
    found = [r for r in compare([table], FEW) if r.entry.column == "sts12"]
    assert [(r.label, r.verdict) for r in found] == [("small", STAND_IN), ("whole", "within")]


@pytest.mark.parametrize(
    "other", [{"protocols": ["raw"]}, {"metric": "pearson"}, {"aggregation": "mean"}]
)
def test_another_protocol_metric_or_aggregation_claims_nothing(other):
    change = {"protocol": "raw"} if "protocols" in other else other
    rows = {
        "mine": {
            "corpus": "nli",
            "base": "tiny",
            "method": "simcse",
            "seeds": [1],
            "published": "p/1/SimCSE",
        }
    }
    table = build(spec(rows, **other), frame(runs("simcse", {1: (0.72, 0.68)}, **change)))
    assert table.rows[0].cells["sts12"].mean == pytest.approx(72.0)
    assert verdicts(table) == ["not run"] * 3
    assert attach(table, FEW).rows[0].cells["sts12"].published is None


def test_the_published_value_stands_beside_ours():
    cell = attach(ours({1: (0.73, 0.68)}), FEW).rows[0].cells["sts12"]
    assert cell.published == 72.0 and cell.difference == pytest.approx(1.0)


def test_an_unknown_published_row_stops():
    rows = {
        "mine": {
            "corpus": "nli",
            "base": "tiny",
            "method": "simcse",
            "seeds": [1],
            "published": "p/9/x",
        }
    }
    with pytest.raises(InputError, match="p/9/x"):
        attach(build(spec(rows), frame([])), FEW)


def test_the_page_states_tolerance_verdicts_and_slips():
    page = ledger(
        compare([ours({1: (0.73, 0.68)})], PUBLISHED_AND_FEW, 0.5), PUBLISHED_AND_FEW, 0.5
    )
    assert "max(0.5, 2 sd" in page and "80.22" in page
    assert "| SimCSE | sts12 | 72.00 | 73.00 ± – | 1 | +1.00 | above | t, mine |" in page
    assert "Not run: lost (1 cells)." in page


def test_the_page_names_each_stand_in_once_and_shows_no_difference_for_it():
    table = ours({1: (0.73, 0.68)}, stand_in=["base tiny instead of large", "8 of 10 rows"])
    page = ledger(compare([table], FEW, 0.5), FEW, 0.5)
    line = "| SimCSE | sts12 | 72.00 | 73.00 ± – | 1 | – | stand-in, not comparable | t, mine |"
    assert line in page
    assert page.count("stand-in t, mine: base tiny instead of large; 8 of 10 rows") == 1


PUBLISHED_AND_FEW = Published(FEW.entries, FEW.titles, PUBLISHED.slips)
