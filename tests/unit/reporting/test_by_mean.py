"""Claims on an STS average by the mean of subsets, too: the figures, and the word beside a verdict."""

from dataclasses import replace

import pytest
from pytest import approx
from scipy import stats

from semblance.reporting.claims import Claim, Claims, Term
from semblance.reporting.claims_page import claims_csv, claims_markdown
from semblance.reporting.judging import by_mean as by_mean_of
from semblance.reporting.judging import judge
from semblance.reporting.published import Published
from semblance.reporting.table import BETWEEN, BY_MEAN, Cell
from tests.unit.audit.tampering import wrong_verdicts
from tests.unit.reporting import example_scores
from tests.unit.reporting.example_scores import csv_lines, runs

SEEDS = (1, 2, 3)
SURE = (1.0, 1.1, 0.9)  # points by seed: an interval above 0
VAGUE = (1.1, -1.1, 0.1)  # one that holds 0
LESS = (-1.0, -1.1, -0.9)
WIDE = (2.1, -1.9, 0.4)


def points(by_seed):
    """Scores of each task whose average is 50 and so many points more, by seed."""
    return {seed: (0.5 + more / 100,) * 2 for seed, more in zip(SEEDS, by_seed, strict=True)}


def table(over_all, by_mean, layout="sts", **given):
    """A table of two rows whose averages differ by so many points of each seed."""
    scores = [*runs("a", points(over_all)), *runs("b", points((0, 0, 0)))]
    scores += runs("a", points(by_mean), aggregation="mean")
    scores += runs("b", points((0, 0, 0)), aggregation="mean")
    rows = {"A": ("a", SEEDS), "B": ("b", SEEDS)}
    return example_scores.table(rows, scores, layout=layout, **given)


def judged(shown, **given):
    """The one judgement of "a is better than b" on a table."""
    fields = {"says": "A is better", "source": "here", "table": "t", "columns": ("Average",)}
    fields |= {"rows": {"a": Term(1), "b": Term(-1)}, "margin": 0.01}
    claims = Claims({"one": Claim(**(fields | given))}, {"one": "claims.yaml"})
    (found,) = judge(claims, {"t": shown}, Published(()))
    assert wrong_verdicts([found], {"t": shown}, Published(())) == []
    return found


def ends(gaps):
    """The paired t interval of gaps."""
    return tuple(stats.ttest_1samp(gaps, 0).confidence_interval(0.95))


@pytest.mark.parametrize("layout, column", [("sts", "Average"), ("regulators", "Average")])
def test_the_sum_by_the_mean_stands_beside_that_over_all_pairs(layout, column):
    found = judged(table(SURE, VAGUE, layout), columns=(column,))
    assert (found.by_mean.low, found.by_mean.high) == approx(ends(VAGUE))
    assert found.by_mean.difference == approx(0.1 / 3)
    (line,) = csv_lines(claims_csv([found]))
    assert float(line["by_mean"]) == approx(0.1 / 3) and line["by_mean_word"] == found.by_mean.word
    low, high = (f"{end:+.2f}".replace("-", "−") for end in ends(VAGUE))
    assert f"by the mean of subsets +0.03 [{low}, {high}]" in claims_markdown([found])


@pytest.mark.parametrize(
    "over_all, by_mean, shown",
    [
        (SURE, (0.9, 1.2, 0.8), "yes"),  # all - mean: .1, -.1 and .1
        (SURE, (0.5, 0.7, 0.4), "yes, between subsets"),  # .5, .4 and .5: half of it
        (SURE, VAGUE, "yes, open by mean"),  # all - mean: -.1, 2.2 and .8
        (SURE, (0.1, 0.0, -0.1), "yes, between subsets"),  # .9, 1.1 and 1
        (SURE, LESS, "yes, between subsets"),  # 2, 2.2 and 1.8
        (LESS, SURE, "no, between subsets"),
        (LESS, VAGUE, "no, open by mean"),  # -2.1, 0 and -1
        (VAGUE, WIDE, "open"),  # neither shows anything
        (VAGUE, SURE, "open"),  # the mean lies where the estimate lies
        ((1.0, -0.9, 0.3), (-2.0, -4.0, -2.9), "open, between subsets"),  # 3, 3.1 and 3.2
    ],
)
def test_a_word_says_where_the_mean_does_not_show_the_same(over_all, by_mean, shown):
    found = judged(table(over_all, by_mean))
    assert found.shown_verdict == shown
    assert f"1 {shown}." in claims_markdown([found])


@pytest.mark.parametrize("size, word", [(1.0, ""), (1.2, "open by mean"), (None, "")])
def test_the_mean_must_reach_the_claimed_size_where_all_pairs_reach_it(size, word):
    """All pairs: 1 +- .25; the mean: .95 +- .12; their difference, .1, .15 and -.1, holds 0."""
    shown = table(SURE, (0.9, 0.95, 1.0))
    found = replace(judged(shown), size=size)
    assert by_mean_of([(1.0, shown.rows[0]), (-1.0, shown.rows[1])], found).word == word


@pytest.mark.parametrize(
    "expects, by_mean, word",
    [
        ("none", (0.2, 0.1, 0.0), ""),
        ("none", LESS, "between subsets"),  # below -margin: it is a difference
        ("none", WIDE, "open by mean"),
        ("no gain", LESS, ""),  # no gain either
        ("no gain", SURE, "between subsets"),
    ],
)
def test_a_claim_of_no_difference_must_hold_by_the_mean_too(expects, by_mean, word):
    found = judged(table((0.1, 0.0, -0.1), by_mean), expects=expects, margin=0.5)
    assert (found.verdict, found.by_mean.word) == ("reproduced", word)


def test_the_interval_by_the_mean_is_of_seeds_and_items():
    def with_items(row, above):
        """Items that cause a variance of 2 by the mean and of 9 between subsets, on their own."""
        variances = {"Average": 0.0, BY_MEAN: 2.0, BETWEEN: 9.0}
        zeros = dict.fromkeys(above, 0.0)
        return replace(row, items={name: zeros | {row.label: v} for name, v in variances.items()})

    made = table(SURE, (0.1, 0.0, -0.1))
    a, b = made.rows
    found = judged(replace(made, rows=(with_items(a, ()), with_items(b, ("A",)))))
    of_seeds = (ends((0.1, 0.0, -0.1))[1]) ** 2
    of_items = stats.norm.ppf(0.975) ** 2 * (2 + 2)
    assert found.by_mean.high == approx((of_seeds + of_items) ** 0.5)
    assert found.by_mean.word == "open by mean"  # .9 to 1.1, but the items add an error of √18


def test_seeds_whose_gaps_do_not_differ_have_no_interval_and_stay_open():
    found = judged(table(SURE, (0.2, 0.2, 0.2))).by_mean
    assert (found.difference, found.low, found.word) == (approx(0.2), None, "open by mean")


@pytest.mark.parametrize("given", [{"layout": "sts", "columns": ("sts12",)}, {"layout": "seeds"}])
def test_a_claim_on_a_single_task_has_no_mean_and_one_on_the_mean_of_seeds_has(given):
    column = given.pop("columns", ("mean",))
    found = judged(table(SURE, VAGUE, **given), columns=column)
    assert (found.by_mean is None) == (column == ("sts12",))


def test_a_row_keeps_its_average_by_the_mean_and_prints_it_nowhere():
    made = table(SURE, VAGUE)
    assert made.rows[0].by_mean == approx(
        {str(seed): 50 + more for seed, more in zip(SEEDS, VAGUE, strict=True)}
    )
    assert made.columns == ("sts12", "sts13", "Average")
    assert table(SURE, VAGUE, "sts-mean").rows[0].by_mean == {}
    without = example_scores.table({"A": ("a", SEEDS)}, runs("a", points(SURE)))
    assert without.rows[0].by_mean == {} and without.rows[0].missing == ()
    assert without.rows[0].cells["Average"] == Cell(made.rows[0].cells["Average"].values)
