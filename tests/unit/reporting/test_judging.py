"""Claims held against tables: which rows stand for a claim, its size, its figures and its verdict."""

from dataclasses import replace

import numpy as np
import pytest
from pytest import approx
from scipy import stats

from semblance.audit.explain import Step
from semblance.audit.summary import claim_lines, verdicts
from semblance.provenance import ROOT
from semblance.reporting.build import build
from semblance.reporting.claims import (
    Better,
    Claim,
    Claims,
    Differing,
    Needs,
    Term,
    Tuned,
    read_claims,
    size_of,
)
from semblance.reporting.claims_page import claims_csv, claims_markdown
from semblance.reporting.judging import judge
from semblance.reporting.published import Entry, Published, read_published
from semblance.statistics.verdicts import CANNOT
from tests.unit.audit.tampering import wrong_verdicts
from tests.unit.reporting import example_scores
from tests.unit.reporting.example_scores import csv_lines, frame, of_fold, row, runs, untrained
from workflow.checks.load import load
from workflow.config.layers import laid_over
from workflow.planning.plan import Plan

PUBLISHED = Published(
    tuple(
        Entry("p", "1", name, "Average", value, "senteval", "spearman", "all")
        for name, value in (("A", 71.0), ("B", 70.2), ("start", 60.0))
    )
)
A = {1: (0.700, 0.70), 2: (0.712, 0.71), 3: (0.704, 0.706)}
B = {1: (0.690, 0.69), 2: (0.700, 0.694), 3: (0.696, 0.706)}
GAPS = [1.0, 1.4, 0.4]  # of the averages of a and b
SEEDS = (1, 2, 3)
ROWS = {"start": ("start", ()), "A": ("a", SEEDS), "B": ("b", SEEDS)}
BOTH = {"A": ROWS["A"], "B": ROWS["B"]}
OURS = {"a": Term(1), "b": Term(-1)}  # the same, but no paper prints it
SHIPPED = read_claims()
SHIPPED_NUMBERS = read_published()


def claims(**given):
    """One claim, "one": a is better than b."""
    fields = {"says": "A is better than B", "source": "here", "table": "t", "columns": ("Average",)}
    fields["rows"] = {"a": Term(1, "p/1/A"), "b": Term(-1, "p/1/B")}
    return Claims({"one": Claim(**(fields | given))}, {"one": "claims.yaml"})


def table(rows=ROWS, more=(), a=A, b=B):
    scores = [*untrained(0.6, 0.6), *runs("a", a), *runs("b", b), *more]
    return example_scores.table(rows, scores)


def judged(shown=None, **given):
    """The judgements of a claim, as the audit finds them, too; the table is by default that of all rows."""
    tables = {"t": shown or table()}
    found = judge(claims(**given), tables, PUBLISHED)
    assert wrong_verdicts(found, tables, PUBLISHED) == []
    return found


def csv_line(found):
    (line,) = csv_lines(claims_csv([found]))
    return line


# --- the figures and the verdict ------------------------------------------------------------------


def test_a_claim_is_judged_by_the_paired_difference_of_its_rows():
    (found,) = judged()
    expected = stats.ttest_1samp(GAPS, 0)
    low, high = expected.confidence_interval(0.95)
    assert found.size == approx(71.0 - 70.2)
    assert found.difference == approx(sum(GAPS) / 3)
    assert (found.low, found.high) == approx((low, high)) and low < 0
    assert found.p == approx(expected.pvalue)
    assert (found.n, found.total.test, found.margin) == (3, "paired t", approx(0.4))
    assert found.verdict == "undecided"
    assert found.seeds_needed == ""  # the sd of three seeds is too vague to plan with


def gapped(*gaps):
    """A table of a and b, of which a is above b by these points in each seed."""
    seeds = range(1, len(gaps) + 1)
    a = {seed: (0.70 + gap / 100, 0.70 + gap / 100) for seed, gap in zip(seeds, gaps, strict=True)}
    rows = {"A": ("a", tuple(seeds)), "B": ("b", tuple(seeds))}
    return table(rows, a=a, b=dict.fromkeys(a, (0.70, 0.70)))


SPREAD = [1.5, 0.0, 1.0, -0.5, 0.7, 0.3]  # a mean of .5


@pytest.mark.parametrize("n", [5, 6])
def test_from_six_seeds_on_an_undecided_claim_names_about_how_many_would_decide(n):
    (found,) = judged(gapped(*SPREAD[:n]))
    assert found.verdict == "undecided"
    assert bool(found.seeds_needed) == (n == 6)
    said = [remark for remark in found.remarks if "seeds would decide" in remark]
    assert said == [f"about {found.seeds_needed} seeds would decide"] * (n - 5)


@pytest.mark.parametrize(
    "gaps, verdict, shown",
    [
        # The t interval of each lies above 0, or would without the last seed.
        ([1.0, 1.1, 0.9, 1.05, 2.0], "open", "open, seed 5 is far"),
        # 2 of 64 choices of signs: an exact p of .03, though the t interval holds 0
        ([1.0, 1.1, 0.9, 1.05, 1.0, 8.0], "reproduced", "reproduced"),
        # all but one positive, by far the least: 4 of 64, so that .06 shows nothing
        ([1.0, 1.1, 0.9, 1.05, 1.0, -0.1], "undecided", "undecided"),
    ],
)
def test_where_a_seed_is_far_the_exact_test_decides_and_of_five_seeds_nothing(gaps, verdict, shown):
    (found,) = judged(gapped(*gaps))
    of_t = stats.ttest_1samp(gaps, 0).pvalue
    assert found.far == (str(len(gaps)),)
    assert (found.verdict, found.shown_verdict) == (verdict, shown)
    assert found.total.p_exact == approx(0.0625 if len(gaps) == 5 or gaps[-1] < 0 else 0.03125)
    assert (of_t < 0.05) != (found.total.p_exact < 0.05)
    if len(gaps) > 5:
        assert (found.low > 0) == (found.total.p_exact < 0.05)
        assert "the interval is that of the exact test" in found.remarks


def test_an_exact_test_that_nothing_speaks_against_has_no_interval():
    gaps = [2.11, -0.30, -0.35, -0.40, -0.32, -0.36, -0.37]
    (found,) = judged(with_variances(gapped(*gaps), 0.01, 0.01))
    assert found.far == ("1",) and found.total.p_exact == 1
    assert (found.verdict, found.low, found.high, found.p) == ("undecided", None, None, 1.0)


def test_an_untrained_row_is_a_constant():
    (found,) = judged(rows={"a": Term(1, "p/1/A"), "start": Term(-1, "p/1/start")})
    gaps = [70.0 - 60, 71.1 - 60, 70.5 - 60]
    assert found.p == approx(stats.ttest_1samp(gaps, 0).pvalue)
    assert (found.total.test, found.verdict, found.corpus) == ("one-sample t", "reproduced", "nli")


@pytest.mark.parametrize(
    "rows, given, why",
    [
        ({"start": ROWS["start"], "A": ROWS["A"]}, {}, "t lacks a row of b"),
        ({**ROWS, "B": ("b", (4, 5))}, {}, "no value of b"),
        (ROWS, {"rows": {"a": Term()}, "rivals": {"b": Term(), "c": Term()}}, "t lacks a row of c"),
        (ROWS, {"table": "u"}, "this configuration has no table u"),
    ],
)
def test_a_claim_without_its_table_a_row_or_a_value_is_not_run_and_says_why(rows, given, why):
    (found,) = judged(table(rows), **given)
    assert (found.verdict, found.why) == ("not run", why)


def test_the_pairs_that_exist_are_judged_and_the_missing_seed_is_named():
    (found,) = judged(table(BOTH, b={1: B[1], 3: B[3]}))
    assert found.difference == approx((1.0 + 0.4) / 2)
    assert (found.n, found.total.missing) == (2, ("2",))
    assert "missing: seed 2" in found.remarks


def test_rows_of_other_seeds_are_judged_by_welch_and_their_sd_is_of_the_fewer_seeds():
    ours, theirs = [70.0, 71.1, 70.5], [69.0, 69.7]  # the averages of a, and of b
    other = {seed + 3: B[seed] for seed in (1, 2)}
    (found,) = judged(table({"A": ROWS["A"], "B": ("b", (4, 5))}, b=other))
    expected = stats.ttest_ind(ours, theirs, equal_var=False)
    assert (found.low, found.high) == approx(tuple(expected.confidence_interval(0.95)))
    error = (np.var(ours, ddof=1) / 3 + np.var(theirs, ddof=1) / 2) ** 0.5
    assert (found.n, found.sd) == (2, approx(error * 2**0.5))


def test_one_seed_is_undecided_without_an_interval():
    (found,) = judged(table({"A": ("a", (1,)), "B": ("b", (1,))}))
    assert (found.verdict, found.low, found.p) == ("undecided", None, None)
    assert found.difference == approx(1.0) and "two seeds" in found.why


def with_variances(shown, *of_items):
    """A table whose test items cause these variances of the average, and no covariance."""
    rows = []
    for one, variance in zip(shown.rows, of_items, strict=True):
        above = dict.fromkeys((other.label for other in rows), 0.0)
        rows.append(replace(one, items={"Average": above | {one.label: variance}}))
    return replace(shown, rows=tuple(rows))


def test_a_claim_of_untrained_rows_alone_has_the_interval_of_the_items():
    rows = {"start": ROWS["start"], "W": ("white", (0,))}
    shown = table(rows, runs("white", {0: (0.66, 0.66)}))
    terms = {"white": Term(1), "start": Term(-1)}
    (found,) = judged(shown, rows=terms)
    assert found.difference == approx(6.0)
    assert (found.verdict, found.low, found.p) == ("open", None, None)
    assert "predictions are not there" in found.why
    (found,) = judged(with_variances(shown, 0.6, 0.4), rows=terms)
    assert (found.verdict, found.total.test) == ("yes", "items alone") and found.total.of_both
    assert found.low == approx(6.0 - stats.norm.ppf(0.975))  # √(.6 + .4) = 1
    assert (csv_line(found)["seeds_low"], found.total.p_exact) == ("", None)


def test_the_interval_is_of_seeds_and_items_and_the_one_of_seeds_stands_in_the_csv():
    (alone,) = judged()
    (both,) = judged(with_variances(table(), 0.0, 2.0, 2.0))
    of_seeds, of_items = (alone.high - alone.low) / 2, 2 * stats.norm.ppf(0.975)
    assert (both.high - both.low) / 2 == approx((of_seeds**2 + of_items**2) ** 0.5)
    assert "the test items are held fixed" in alone.remarks
    assert "the test items are held fixed" not in both.remarks
    line = csv_line(both)
    assert (float(line["seeds_low"]), float(line["seeds_high"])) == (alone.low, alone.high)
    assert line["items"] == "True"


C = {1: (0.705, 0.70), 2: (0.718, 0.71), 3: (0.7094, 0.706)}  # above a by .25, .3 and .27
D = {1: (0.50, 0.50), 2: (0.52, 0.50), 3: (0.506, 0.506)}


def ends_of(gaps, to_show, to_deny):
    """The ends of an interval of paired gaps, each at its own level."""
    error = np.std(gaps, ddof=1) / len(gaps) ** 0.5
    below, above = stats.t.ppf(1 - np.array([to_show, to_deny]), len(gaps) - 1) * error
    return np.mean(gaps) - below, np.mean(gaps) + above


def test_a_claim_about_every_rival_is_decided_by_the_worst_of_them():
    """b is the best rival in print, but here c is better than a."""
    rows = {**ROWS, "C": ("c", SEEDS), "D": ("d", SEEDS)}
    shown = table(rows, runs("c", C) + runs("d", D))
    rivals = {"b": Term(), "c": Term(), "d": Term()}
    (found,) = judged(shown, rows={"a": Term(1)}, rivals=rivals, margin=0.01)
    assert (found.verdict, found.against) == ("no", "c")
    assert found.difference == approx(-0.82 / 3)
    assert "decided by c, corrected for 3 comparisons" in found.remarks
    # to show the claim all three must hold, to deny it one must fail
    assert (found.low, found.high) == approx(ends_of([-0.25, -0.3, -0.27], 0.025, 0.025 / 3))
    (found,) = judged(shown, rows={"a": Term(1)}, rivals={"d": Term()}, margin=0.01)
    assert found.verdict == "yes"


@pytest.mark.parametrize(
    "count, verdict, column, gaps",
    [(1, "yes", "sts12", [1.0, 1.2, 0.8]), (2, "open", "sts13", [1.0, 1.6, 0.0])],
)
def test_a_claim_may_hold_in_some_of_its_columns(count, verdict, column, gaps):
    columns = ("sts12", "sts13")
    (found,) = judged(rows=OURS, columns=columns, at_least=count, margin=0.01)
    assert (found.verdict, found.column, found.against) == (verdict, "sts12, sts13", column)
    ends = ends_of(gaps, 0.025 / (2 - count + 1), 0.025 / count)
    assert (found.low, found.high) == approx(ends)


def test_each_column_is_judged_for_itself():
    found = judged(rows=OURS, columns=("sts12", "Average"))
    assert [one.column for one in found] == ["sts12", "Average"]
    assert found[0].says == "A is better than B (STS12)"


def test_a_claim_names_the_base_that_ran():
    given = {"says": "A is better on {base} and {corpus}", "base": "bert-base"}
    (found,) = judged(**given)
    assert found.says == "A is better on tiny and nli"
    (found,) = judged(**given, needs=Needs("it", ("bert",)))
    assert found.says == "A is better on bert-base and its corpus"


@pytest.mark.parametrize(
    "needs, why",
    [
        (Needs("this", bases=("tiny",)), ""),
        (Needs("a tuned start", bases=("tuned",)), "it needs a tuned start: this is tiny"),
        # The averages of a and b differ by .93 points.
        (Needs("it", differing=Differing("t", "Average", ("a", "b"), 0.8)), ""),
        (
            Needs("it", differing=Differing("t", "Average", ("a", "b"), 1.0)),
            "it needs it: here they differ by 0.93 points, and not by 1",
        ),
        (
            Needs("it", differing=Differing("u", "Average", ("a", "b"), 0.8)),
            "it needs it: u does not show how far they differ",
        ),
    ],
)
def test_a_claim_cannot_be_asked_without_the_base_or_the_differing_rows_that_it_needs(needs, why):
    (found,) = judged(beside(table(), "A", "p/1/A"), needs=needs)
    if why:
        assert (found.verdict, found.why) == ("cannot be asked here", why)
        assert found.difference is None
        (on_its_own_base,) = judged(needs=replace(needs, bases=()))
        assert on_its_own_base.verdict == "undecided"  # there it is not asked
    else:
        assert found.verdict == "undecided"


# --- needs that are measured ----------------------------------------------------------------------

TUNED = Needs("a tuned start", tuned=Tuned("t", "b", 1))


@pytest.mark.parametrize("start, verdict", [(0.6861, "undecided"), (0.6859, CANNOT)])
def test_a_start_is_tuned_if_equation_1_gains_at_most_a_point_over_it(start, verdict):
    """The row of Eq. 1, B, has 69 + 69.7 + 70.1 = 3 · 69.6."""
    shown = example_scores.table(ROWS, [*untrained(start, start), *runs("a", A), *runs("b", B)])
    (found,) = judged(beside(shown, "A", "p/1/A"), needs=TUNED)
    assert found.verdict == verdict
    if verdict == CANNOT:
        gains = "B gains 1.01 points over it, and not at most 1"
        assert found.why == f"it needs a tuned start: here {gains}"
    (not_a_stand_in,) = judged(shown, needs=TUNED)
    assert not_a_stand_in.verdict == "undecided"


def test_without_a_start_in_the_table_nobody_knows_whether_it_is_tuned():
    (found,) = judged(beside(table(BOTH), "A", "p/1/A"), needs=TUNED)
    assert found.why.endswith("t does not show what b gains over the start")


@pytest.mark.parametrize(
    "gaps, corpus, why",
    [
        ([0.4, 0.5, 0.6], "nli", ""),
        (GAPS, "nli", "here it is +0.93 [−0.32, +2.18]"),
        ([0.4, 0.5, 0.6], "wiki", "simcse_table3 does not show whether dropout helps"),
    ],
)
def test_dropout_helps_where_its_interval_lies_above_0_on_the_same_base_and_corpus(
    gaps, corpus, why
):
    a = {seed: (0.70 + gap / 100, 0.70 + gap / 100) for seed, gap in enumerate(gaps, 1)}
    shown = beside(table(), "A", "p/1/A")
    dropout = table(BOTH, a=a, b=dict.fromkeys(a, (0.70, 0.70)))
    rows = tuple(replace(one, corpus=corpus) for one in dropout.rows)
    dropout = replace(dropout, name="simcse_table3", rows=rows)
    better = Better("simcse_table3", "Average", "a", "b", "whether dropout helps")
    needs = Needs("a base that dropout helps", better=better)
    tables = {"t": shown, "simcse_table3": dropout}
    (found,) = judge(claims(needs=needs), tables, PUBLISHED)
    assert found.why == (why and f"it needs a base that dropout helps: {why}")
    (found,) = judge(claims(needs=needs), {"t": shown}, PUBLISHED)
    assert found.why.endswith("simcse_table3 does not show whether dropout helps")
    (found,) = judge(claims(needs=needs), {"t": table()}, PUBLISHED)
    assert found.verdict == "undecided"  # on the paper's own base it is not asked


@pytest.mark.parametrize(("unmoved", "is_asked"), [(1, True), (2, False)])
def test_a_row_with_an_unmoved_teacher_in_most_trainings_is_not_asked_on_stand_ins(
    unmoved, is_asked
):
    rows = [replace(one, unmoved=unmoved) if one.label == "A" else one for one in table().rows]
    shown = replace(table(), rows=tuple(rows))
    assert judged(shown)[0].verdict == "undecided"  # what the paper did is judged
    (found,) = judged(beside(shown, "A", "p/1/A"))
    assert (found.verdict != "cannot be asked here") == is_asked
    why = "it needs teachers that have moved from their start: those of A (in 2 of 3 trainings)"
    assert found.why == ("" if is_asked else f"{why} have not")


# --- the floor of retrieval -----------------------------------------------------------------------


def bank(words):
    """A table of a FAQ bank: a is 2 points above b, and BM25 at ``words``."""
    scores = []
    for fold in (0, 1):
        for seed, (a, b) in enumerate([(0.40, 0.38), (0.41, 0.391), (0.42, 0.40)], 1):
            scores += of_fold("a", seed, fold, a) + of_fold("b", seed, fold, b)
        scores += of_fold("bm25", 0, fold, words)
    rows = {label: row(label, SEEDS, corpus="bank") for label in "ab"}
    rows["BM25"] = row("bm25", [0], corpus="bank")
    return example_scores.table(rows, scores, **example_scores.FAQ)


ON_BANK = {"columns": ("map",), "rows": OURS}


@pytest.mark.parametrize("stand_in", [True, False])
@pytest.mark.parametrize(
    "words, is_floor",
    [
        # a has 40, 41 and 42: its t interval reaches 4.303 / √3 = 2.484 points
        (0.435, True),
        (0.434, False),
        (0.30, False),
    ],
)
def test_what_no_training_beats_takes_the_verdict_between_trainings_on_stand_ins(
    words, is_floor, stand_in
):
    shown = beside(bank(words), "a", None) if stand_in else bank(words)
    (found,) = judged(shown, **ON_BANK)
    assert found.verdict == ("below no training" if is_floor and stand_in else "yes")
    assert bool(found.floor) == is_floor
    if is_floor:
        said = "without a training, BM25 is above a, the best row: +2.50 [+0.02, +4.98]"
        assert said in found.remarks
    (against,) = judged(shown, columns=("map",), rows={"bm25": Term(1), "a": Term(-1)})
    assert against.verdict != "below no training" and not against.floor


def test_on_sts_there_is_no_floor():
    rows = {**ROWS, "start": row("start", ())}
    shown = example_scores.table(rows, [*untrained(0.9, 0.9), *runs("a", A), *runs("b", B)])
    (found,) = judged(beside(shown, "A", "p/1/A"))
    assert (found.verdict, found.floor) == ("undecided", "")


# --- claims under two readings --------------------------------------------------------------------

FORMS = {"mean": {}, "summed": {"a": "c"}}


def of_forms(**given):
    """The judgements of a claim that is read in two forms; the second has c in place of a."""
    rows = {**ROWS, "C": ("c", SEEDS)}
    return judged(table(rows, runs("c", C)), readings=FORMS, **given)


def test_a_claim_with_readings_has_a_line_for_each_with_its_own_rows():
    mean, summed = of_forms()
    assert [one.says for one in (mean, summed)] == [
        "A is better than B, mean form",
        "A is better than B, summed form",
    ]
    assert list(summed.claim.rows) == ["c", "b"] and mean.size == summed.size == approx(0.8)
    assert csv_line(summed)["rows"] == "+1*c -1*b" and csv_line(summed)["reading"] == "summed"


def test_two_readings_are_corrected_for_their_number():
    mean, summed = of_forms()
    of_mean, of_summed = GAPS, [1.0 + 0.25, 1.4 + 0.3, 0.4 + 0.27]
    for found, gaps in ((mean, of_mean), (summed, of_summed)):
        assert (found.low, found.high) == approx(ends_of(gaps, 0.0125, 0.0125))
        assert found.p == approx(stats.ttest_1samp(gaps, 0).pvalue)
    small, large = sorted([mean.p, summed.p])
    assert sorted([mean.p_holm, summed.p_holm]) == approx([2 * small, max(2 * small, large)])


def test_a_reading_without_its_rows_is_not_run_and_takes_no_other():
    """The row of a stands beside the printed row, too; it is not taken for c."""
    mean, summed = judged(beside(table(), "A", "p/1/A"), readings=FORMS)
    assert (summed.verdict, summed.why) == ("not run", "t lacks a row of c")
    assert mean.p_holm == approx(2 * mean.p)  # two were planned


def test_the_rows_that_must_differ_are_those_of_the_reading():
    needs = Needs("it", differing=Differing("t", "Average", ("a", "b"), 9.0))
    rows = {**ROWS, "C": ("c", SEEDS)}
    shown = beside(table(rows, runs("c", C)), "A", "p/1/A")
    by_reading = judged(shown, readings=FORMS, needs=needs)
    said = "it needs it: here they differ by {} points, and not by 9"
    assert [one.why for one in by_reading] == [said.format("0.93"), said.format("1.21")]


# --- which rows stand for a claim -----------------------------------------------------------------


def beside(shown, label, published, **fields):
    """Return a table whose row of this label stands beside a printed row, as a stand-in."""
    fields |= {"published": published, "stand_in": ("other data",)}
    rows = [replace(one, **fields) if one.label == label else one for one in shown.rows]
    return replace(shown, rows=tuple(rows))


def test_a_stand_in_keeps_its_verdict_and_is_named_so():
    (found,) = judged(beside(table(), "A", "p/1/A"))
    assert found.stand_in and found.verdict == "undecided"
    assert "| stand-in: undecided; " in claims_markdown([found])
    line = csv_line(found)
    assert (line["verdict"], line["stand_in"]) == ("undecided", "True")


def test_rows_without_a_counterpart_are_stand_ins_where_others_are():
    """A question of ours names no row of a paper, but it may be asked of another base."""
    (found,) = judged(rows=OURS)
    assert not found.stand_in
    both = {"t": table(), "other": replace(beside(table(), "A", "p/1/A"), name="other")}
    (found,) = judge(claims(rows=OURS), both, PUBLISHED)
    assert found.stand_in


@pytest.mark.parametrize("base, stand_in", [("the papers' base", True), ("tiny", False)])
def test_rows_on_another_base_than_the_claims_are_stand_ins(base, stand_in):
    (found,) = judged(base=base)
    assert found.stand_in == stand_in


def crossed(key, *names):
    """A table of both methods on several bases or corpora."""
    rows, more = {}, []
    for name in names:
        for method, values in (("a", A), ("b", B)):
            rows[f"{method} {name}"] = row(method, SEEDS, **{key: name})
            more += runs(method, values, **{key: name})
    return table(rows, more)


@pytest.mark.parametrize("base, judged_on", [("large", ["large"]), ("bert", ["small", "large"])])
def test_the_papers_base_is_judged_where_the_table_has_it_and_else_each_base(base, judged_on):
    assert [
        found.base for found in judged(crossed("base", "small", "large"), base=base)
    ] == judged_on


def test_each_corpus_is_judged_for_itself():
    found = judged(crossed("corpus", "wiki", "books"))
    assert [one.corpus for one in found] == ["wiki", "books"]


def test_two_methods_with_one_corpus_each_are_one_claim():
    rows = {"A": ROWS["A"], "B": row("b", SEEDS, corpus="wiki")}
    (found,) = judged(table(rows, runs("b", B, corpus="wiki")))
    assert found.corpus == "nli wiki"


def test_methods_that_share_a_corpus_are_never_compared_across_corpora():
    """b is on nli and wiki, a on nli alone: a on nli is not held against b on wiki."""
    shown = table()
    on_wiki = [replace(one, corpus="wiki") for one in shown.rows if one.method == "b"]
    both = replace(shown, rows=(*shown.rows, *on_wiki))
    assert [found.corpus for found in judged(both)] == ["nli"]


def one_method():
    """A table of the method a on two corpora, where it has the scores of a and of b."""
    rows = {"on nli": ROWS["A"], "on wiki": row("a", SEEDS, corpus="wiki")}
    return table(rows, runs("a", B, corpus="wiki"))


def test_one_method_on_two_corpora_is_named_by_its_corpus():
    (found,) = judged(one_method(), rows={"nli/a": Term(1), "wiki/a": Term(-1)})
    assert found.difference == approx(sum(GAPS) / 3) and found.corpus == "nli wiki"
    (lost,) = judged(one_method(), rows={"nli/a": Term(1), "books/a": Term(-1)})
    assert lost.why == "t lacks a row of books/a"


def test_a_row_of_another_corpus_is_found_by_the_printed_row_beside_it():
    """The claim names the paper's corpora; the table has one method on two stand-ins of them."""
    shown = beside(beside(one_method(), "on nli", "p/1/A"), "on wiki", "p/1/B")
    (found,) = judged(shown, rows={"large/a": Term(1, "p/1/A"), "small/a": Term(-1, "p/1/B")})
    assert found.difference == approx(sum(GAPS) / 3) and found.corpus == "nli wiki"
    assert found.stand_in


def test_a_row_of_the_name_is_taken_before_one_that_stands_beside_the_printed_row():
    (found,) = judged(beside(table(), "B", "p/1/A"))
    assert found.difference == approx(sum(GAPS) / 3)


@pytest.mark.parametrize(
    "other, printed, fields",
    [
        ("books/b", "p/1/start", {}),  # the row stands beside another printed row
        ("nli/b", "p/1/B", {"corpus": "wiki"}),  # rows of one named corpus, taken from two
        ("books/b", "p/1/B", {}),  # rows of two named corpora, taken from one
    ],
)
def test_a_row_of_a_named_corpus_is_never_taken_from_elsewhere(other, printed, fields):
    rows = {"nli/a": Term(1, "p/1/A"), other: Term(-1, "p/1/B")}
    (found,) = judged(beside(table(), "B", printed, **fields), rows=rows)
    assert found.verdict == "not run"


def with_averaged_start(base):
    """Return the table with one more untrained base, whose scores are 50."""
    rows = {**ROWS, base: row("start", (), base=base)}
    return table(rows, untrained(0.5, 0.5, base=base))


ON_AVERAGED = {"a": Term(1, "p/1/A"), "start": Term(-1, "p/1/start", base="averaged")}


def test_a_row_of_a_claim_may_name_a_base_of_its_own():
    (found,) = judged(with_averaged_start("averaged"), base="tiny", rows=ON_AVERAGED)
    assert found.difference == approx((70 + 71.1 + 70.5) / 3 - 50)
    assert (found.base, found.stand_in) == ("tiny", False)
    assert found.verdict == "larger than claimed"  # 11 points in print


def test_the_untrained_row_of_another_base_does_not_stand_for_the_named_one():
    (found,) = judged(base="tiny", rows=ON_AVERAGED)
    assert found.verdict == "not run"
    other = beside(with_averaged_start("mine"), "mine", "p/1/start")
    (found,) = judged(other, base="tiny", rows=ON_AVERAGED)
    assert found.difference == approx((70 + 71.1 + 70.5) / 3 - 50)
    assert found.stand_in


# --- the page and the CSV -------------------------------------------------------------------------


def test_the_page_and_the_csv_show_each_claim():
    (found,) = judged()
    page = claims_markdown([found])
    low, high = stats.ttest_1samp(GAPS, 0).confidence_interval(0.95)
    ours = f"+0.93 [{low:+.2f}, {high:+.2f}]".replace("-", "−")
    assert f"| A is better than B | +0.80 | {ours} | 3 | undecided; " in page
    assert "1 verdict: 1 undecided. 0 have none." in page
    line = csv_line(found)
    assert line["rows"] == "+1*a -1*b" and float(line["low"]) == found.low


def test_the_page_quotes_the_paper_beside_the_place_and_the_csv_does_not():
    (found,), (quoted,) = judged(), judged(quote="A is *better*")
    assert claims_markdown([found]).strip().endswith("| here |")
    assert claims_markdown([quoted]).strip().endswith(r"| here: “A is \*better\*” |")
    assert claims_csv([found]) == claims_csv([quoted])


@pytest.mark.parametrize(
    ("low", "high", "digits"),
    [(0.2, 0.3, 2), (-0.004, 0.3, 3), (-0.0052, -0.0008, 3), (0.0002, 0.1, 4), (None, None, 2)],
)
def test_no_end_of_an_interval_is_printed_as_0(low, high, digits):
    (found,) = judged()
    assert replace(found, low=low, high=high).digits == digits


def test_claims_without_a_verdict_stand_below_the_others_by_their_reason():
    (without_b,) = judged(table({"A": ROWS["A"]}))
    (with_both,) = judged(says="A beats B")
    page = claims_markdown([without_b, with_both, without_b])
    assert "1 verdict: 1 undecided. 2 have none." in page
    above, below = page.split("## Not run")
    assert "| A beats B |" in above and "A is better than B" not in above
    assert below.strip() == "- t lacks a row of b: A is better than B (here, +0.80)."


def test_questions_of_ours_stand_apart_and_are_not_called_contradicted():
    (of_paper,) = judged()
    (ours,) = judged(rows={"b": Term(1), "start": Term(-1)}, says="Is b better?")
    above, below = claims_markdown([ours, of_paper]).split("## Questions of ours")
    assert "| A is better than B |" in above and "| Is b better? |" in below
    assert ours.verdict == "yes"


# --- the claims that the project ships ------------------------------------------------------------


def empty_tables(*configs):
    """Return the tables of some configs, without a score."""
    plan = Plan(load(laid_over([ROOT / name for name in configs])))
    return {name: build(plan.table_spec(name), frame([])) for name in plan.config.tables}


def test_each_shipped_claim_finds_its_rows_in_config_yaml():
    tables = empty_tables("config.yaml")
    found = judge(SHIPPED, tables, SHIPPED_NUMBERS)
    assert all(set(one.claim.columns) <= set(tables[one.claim.table].columns) for one in found)
    assert {one.reading for one in found} >= {"mean", "summed"}
    # no row has a value, but each is there
    lacking = [(one.name, one.why) for one in found if not one.why.startswith("no value of")]
    assert lacking == []


OF_STAND_INS = [f"simcse_table{name}" for name in "1 2 3 4 5 7 C1 D1 D2".split()]


def test_the_claims_find_their_rows_on_stand_ins_but_for_those_of_qqp_and_anli():
    """On stand-ins the corpora have names of their own; Quora's questions and ANLI have none."""
    tables = empty_tables("config.yaml", "configs/minilm.yaml")
    named = {n: claim for n, claim in SHIPPED.by_name.items() if claim.table in OF_STAND_INS}
    judgements = judge(Claims(named, SHIPPED.paths), tables, SHIPPED_NUMBERS)
    missing = {f.name for f in judgements if f.verdict == "not run" and "lacks a row" in f.why}
    assert missing == {"entailment-is-the-best-source", "anli-adds-nothing"}
    assert all(found.stand_in for found in judgements if found.name not in missing if found.size)


def test_the_sizes_of_the_claims_are_those_of_the_printed_numbers():
    def sizes(name):
        claim = SHIPPED.by_name[name]
        sums = claim.sums(claim.columns[0])
        return [size_of(SHIPPED, name, one, SHIPPED_NUMBERS) for one in sums]

    phis = (80.95, 80.22, 80.03, 79.87)
    for name, expected in (
        ("rcl-over-its-entropy-models", [82.40 - phi for phi in phis]),
        ("rcl-over-attention-dropout", [82.40 - 81.63]),
        ("ssimcse-over-simcse", [76.92 - 75.99]),
        # the least-squares slopes over the rows of a table
        ("more-regulators-help", [2 * stats.linregress([2, 4, 8], [81.47, 81.98, 82.40]).slope]),
        ("larger-phi-is-worse", [-stats.linregress(range(4), phis).slope]),
    ):
        assert sizes(name) == approx(expected, abs=1e-6)


# --- in words -------------------------------------------------------------------------------------


def in_words(shown, **given) -> Step:
    return verdicts("claim", judged(shown, **given))


def test_a_verdict_is_explained_by_its_rows_its_interval_its_rule_and_what_would_change_it():
    shown = table()
    said = dict(claim_lines(in_words(shown)))
    (one,) = judged(shown)
    assert said["claim"] == "A is better than B (here)"
    assert said["verdict"] == "undecided; the test items are held fixed"
    # the means of A and B
    assert said["rows"].startswith("+ A 70.53 ± ") and ", − B 69.60 ± " in said["rows"]
    assert said["rows"].endswith("(t: tiny, nli, senteval)")
    assert said["ours"] == f"+0.93 {one.interval}, 3 seeds"
    assert said["paper"] == "+0.80; margin ±0.40"


@pytest.mark.parametrize(
    "gaps, given, rule, limits",
    [
        ([1.0, 1.1, 0.9], {}, "Above 0: ", "0, ±0.40, +0.80"),
        ([-1.0, 1.1, 0.9], {}, "With 0 in it: ", "0, ±0.40"),
        ([-1.0, -1.1, -0.9], {}, "Below 0: ", "0, ±0.40"),
        ([1.0, 1.1, 0.9], {"expects": "none"}, "“contradicted”, beyond it", "±0.50"),
        ([1.0, 1.1, 0.9], {"rows": OURS}, "“yes” (above 0)", "0, ±0.50"),
    ],
)
def test_the_rule_and_its_limits_are_those_that_the_interval_meets(gaps, given, rule, limits):
    said = in_words(gapped(*gaps), **given).sources[0].facts
    assert rule in said["rule"]
    assert said["changed by"] == f"an interval on another side of {limits}"


def test_a_claim_of_rivals_names_each_and_one_that_is_not_run_says_why():
    rivals = {"start": Term(1, "p/1/start"), "b": Term(1, "p/1/B")}
    said = in_words(table(), rows={"a": Term(1, "p/1/A")}, rivals=rivals).sources[0].facts
    assert ", − each of start 60.00, − each of B " in said["rows"]
    alone = in_words(table({"A": ROWS["A"]})).sources[0].facts
    assert alone["verdict"] == "not run; t lacks a row of b"


def test_of_several_judgements_the_first_is_explained_and_the_others_have_a_line():
    tree = in_words(table(), columns=("Average", "sts12"), rows=OURS)
    words = [word for word, _ in claim_lines(tree)]
    assert words == ["claim", "verdict", "ours", "paper", "rows", "rule", "changed by", "also"]
    assert all("rows" in step.facts for step in tree.sources)
