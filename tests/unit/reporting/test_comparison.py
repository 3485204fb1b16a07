"""The papers' values beside ours: in cells, as verdicts, and on the page."""

import dataclasses
from dataclasses import replace
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.reporting.build import build
from semblance.reporting.comparison import STAND_IN, attach, compare, ledger
from semblance.reporting.published import Entry, Published, read_published
from tests.unit.reporting.example_scores import frame, record, runs, spec

PUBLISHED = read_published(Path(__file__).parents[3] / "workflow" / "published.yaml")
FEW = Published(
    (
        Entry("p", "1", "SimCSE", "sts12", 72.0, "senteval", "spearman", "all"),
        Entry("p", "1", "SimCSE", "Average", 70.0, "senteval", "spearman", "all"),
        Entry("p", "2", "lost", "Average", 70.0, "senteval", "spearman", "all"),
    ),
    {"p": "P", "p/1": "one", "p/2": "two"},
    (),
)
PUBLISHED_AND_FEW = Published(FEW.entries, FEW.titles, PUBLISHED.slips)


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


def test_a_single_seed_leaves_the_comparison_open():
    assert verdicts(ours({1: (0.72, 0.68)}))[0] == "open"


@pytest.mark.parametrize(
    "scores, verdict",
    [
        # printed: 72; intervals of three seeds reach 1.69 sd (90 %) and 2.48 sd (95 %)
        ((0.720, 0.721, 0.722), "equal"),  # .1 ± .17
        ((0.710, 0.711, 0.712), "differs"),  # -.9 ± .25
        ((0.70, 0.71, 0.73), "open"),  # noise makes nothing equal: the sd is 1.5
    ],
)
def test_the_interval_of_our_mean_is_held_against_the_printed_number(scores, verdict):
    assert verdicts(ours(dict(enumerate(((s, 0.68) for s in scores), 1))))[0] == verdict


@pytest.mark.parametrize("score, verdict", [(0.7245, "equal"), (0.7254, "differs")])
def test_an_untrained_row_has_no_seeds_and_no_noise(score, verdict):
    row = {"method": "start", "corpus": "none", "seeds": [0], "published": "p/1/SimCSE"}
    scores = frame(
        [record(method="start", corpus="none", seed=0, task="sts12", value=score)]
        + [record(method="start", corpus="none", seed=0, task="sts13", value=0.68)]
    )
    assert verdicts(build(spec({"mine": {"base": "tiny", **row}}), scores))[0] == verdict


def test_the_noise_that_a_paper_prints_is_part_of_the_interval():
    """Our three seeds are .2 away, sure; the paper's mean of three has an error of .6 / √3 = .35."""
    table = ours({1: (0.7219, 0.68), 2: (0.7220, 0.68), 3: (0.7221, 0.68)})
    noisy = replace(FEW.entries[0], sd=0.6, runs=3)
    assert verdicts(table)[0] == "equal"
    with_noise = replace(FEW, entries=(noisy, *FEW.entries[1:]))
    assert compare([table], with_noise)[0].verdict == "open"


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
    assert [(r.label, r.verdict) for r in found] == [("small", STAND_IN), ("whole", "open")]


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
    assert "less than ±0.5 from the printed number" in page and "80.22" in page
    assert "| SimCSE | sts12 | 72.00 | 73.00 | 1 | +1.00 | open | t, mine |" in page
    # the third printed number, in the row "lost", is one that no table of ours claims
    why = "no table of this run has the row, measured as in the paper"
    assert f"- without a score of ours, because {why}: “lost” (1 cell)" in page
    assert f"1 without a score of ours (1: {why}; 0: " in page


def test_the_page_says_which_of_our_rows_lacks_a_score():
    table = ours({1: (0.73, 0.68)})
    lost = dataclasses.replace(table.rows[0].cells["sts12"], values={})
    row = dataclasses.replace(table.rows[0], cells={**table.rows[0].cells, "sts12": lost})
    table = dataclasses.replace(table, rows=(row,))
    page = ledger(compare([table], FEW, 0.5), FEW, 0.5)
    why = "at least one run behind our row has no score (t, mine)"
    assert f"- without a score of ours, because {why}: “SimCSE” (1 cell)" in page


def test_the_page_names_each_stand_in_once_and_shows_no_difference_for_it():
    table = ours({1: (0.73, 0.68)}, stand_in=["base tiny instead of large", "8 of 10 rows"])
    page = ledger(compare([table], FEW, 0.5), FEW, 0.5)
    line = "| SimCSE | sts12 | 72.00 | 73.00 | 1 | – | stand-in, not comparable | t, mine |"
    assert line in page
    assert page.count("stand-in t, mine: base tiny instead of large; 8 of 10 rows") == 1
