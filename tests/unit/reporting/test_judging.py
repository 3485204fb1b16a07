"""Claims held against tables: which rows stand for a claim, its size, its figures and its verdict."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from pytest import approx
from scipy import stats

from semblance.provenance import ROOT
from semblance.reporting.build import build
from semblance.reporting.claims import (
    Claim,
    Claims,
    Differing,
    Needs,
    Term,
    read_claims,
    size_of,
)
from semblance.reporting.claims_page import claims_csv, claims_markdown
from semblance.reporting.judging import judge
from semblance.reporting.published import Entry, Published, read_published
from tests.unit.reporting import example_scores
from tests.unit.reporting.example_scores import csv_lines, frame, row, runs, untrained
from workflow.planning.config import load
from workflow.planning.layers import laid_over
from workflow.planning.plan import Plan

PUBLISHED = Published(
    tuple(
        Entry("p", "1", name, "Average", value, "senteval", "spearman", "all")
        for name, value in (("A", 71.0), ("B", 70.2), ("start", 60.0))
    )
)
A = {1: (0.700, 0.70), 2: (0.712, 0.71), 3: (0.704, 0.70)}
B = {1: (0.690, 0.69), 2: (0.700, 0.70), 3: (0.696, 0.70)}
GAPS = [1.0, 1.1, 0.4]  # of the averages of a and b
SEEDS = (1, 2, 3)
ROWS = {"start": ("start", ()), "A": ("a", SEEDS), "B": ("b", SEEDS)}
BOTH = {"A": ROWS["A"], "B": ROWS["B"]}
OURS = {"a": Term(1), "b": Term(-1)}  # the same, but no paper prints it
SHIPPED = read_claims(ROOT / "workflow/claims.yaml")
SHIPPED_NUMBERS = read_published(ROOT / "workflow/published.yaml")


def claims(**given):
    """One claim, "one": a is better than b."""
    fields = {"says": "A is better than B", "source": "here", "table": "t", "columns": ("Average",)}
    fields["rows"] = {"a": Term(1, "p/1/A"), "b": Term(-1, "p/1/B")}
    return Claims("claims.yaml", {"one": Claim(**(fields | given))})


def table(rows=ROWS, more=(), a=A, b=B):
    scores = [*untrained(0.6, 0.6), *runs("a", a), *runs("b", b), *more]
    return example_scores.table(rows, scores)


def judged(shown=None, **given):
    """The judgements of a claim; the table is by default that of all rows."""
    return judge(claims(**given), {"t": shown or table()}, PUBLISHED)


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
    assert (found.n, found.test, found.margin) == (3, "paired t", approx(0.4))
    assert found.verdict == "undecided"
    assert found.seeds_needed is None  # the sd of three seeds is too vague to plan with


def test_from_four_seeds_on_an_undecided_claim_names_about_how_many_would_decide():
    a = {seed: (0.70 + gap / 100, 0.70) for seed, gap in ((1, 3), (2, 0), (3, 2), (4, -1))}
    rows = {"A": ("a", a), "B": ("b", a)}
    (found,) = judged(table(rows, a=a, b=dict.fromkeys(a, (0.70, 0.70))))
    assert found.verdict == "undecided" and found.seeds_needed > 4
    assert f"about {found.seeds_needed} seeds would decide" in found.remarks


def test_an_untrained_row_is_a_constant():
    (found,) = judged(rows={"a": Term(1, "p/1/A"), "start": Term(-1, "p/1/start")})
    gaps = [70.0 - 60, 71.1 - 60, 70.2 - 60]
    assert found.p == approx(stats.ttest_1samp(gaps, 0).pvalue)
    assert (found.test, found.verdict, found.corpus) == ("one-sample t", "reproduced", "nli")


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
    assert (found.n, found.missing) == (2, ("2",))
    assert "missing: seed 2" in found.remarks


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
    assert (found.verdict, found.test, found.items) == ("yes", "items alone", True)
    assert found.low == approx(6.0 - stats.norm.ppf(0.975))  # √(.6 + .4) = 1
    assert (found.seeds_low, found.p_exact) == (None, None)


def test_the_interval_is_of_seeds_and_items_and_the_one_of_seeds_stands_in_the_csv():
    (alone,) = judged()
    (both,) = judged(with_variances(table(), 0.0, 2.0, 2.0))
    assert (both.seeds_low, both.seeds_high) == (alone.low, alone.high)
    of_seeds, of_items = (alone.high - alone.low) / 2, 2 * stats.norm.ppf(0.975)
    assert (both.high - both.low) / 2 == approx((of_seeds**2 + of_items**2) ** 0.5)
    assert "the test items are held fixed" in alone.remarks
    assert "the test items are held fixed" not in both.remarks
    line = csv_line(both)
    assert float(line["seeds_low"]) == alone.low and line["items"] == "True"


C = {1: (0.705, 0.70), 2: (0.718, 0.71), 3: (0.709, 0.70)}  # above a by .25, .3 and .25
D = {1: (0.50, 0.50), 2: (0.52, 0.50), 3: (0.51, 0.51)}


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
    assert found.difference == approx(-0.8 / 3)
    assert "decided by c, corrected for 3 comparisons" in found.remarks
    # to show the claim all three must hold, to deny it one must fail
    assert (found.low, found.high) == approx(ends_of([-0.25, -0.3, -0.25], 0.025, 0.025 / 3))
    (found,) = judged(shown, rows={"a": Term(1)}, rivals={"d": Term()}, margin=0.01)
    assert found.verdict == "yes"


@pytest.mark.parametrize(
    "count, verdict, column, gaps",
    [(1, "yes", "sts12", [1.0, 1.2, 0.8]), (2, "open", "sts13", [1.0, 1.0, 0.0])],
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
        # The averages of a and b differ by .83 points.
        (Needs("it", differing=Differing("t", "Average", ("a", "b"), 0.8)), ""),
        (
            Needs("it", differing=Differing("t", "Average", ("a", "b"), 0.9)),
            "it needs it: here they differ by 0.83 points, and not by 0.9",
        ),
        (
            Needs("it", differing=Differing("u", "Average", ("a", "b"), 0.8)),
            "it needs it: u does not show how far they differ",
        ),
    ],
)
def test_a_claim_cannot_be_asked_without_the_base_or_the_differing_rows_that_it_needs(needs, why):
    (found,) = judged(needs=needs)
    if why:
        assert (found.verdict, found.why) == ("cannot be asked here", why)
        assert found.difference is None
    else:
        assert found.verdict == "undecided"


def test_a_seed_far_from_the_others_is_named_with_the_exact_p():
    failed = {seed: (0.70 + seed / 1000, 0.70) for seed in (1, 2, 3, 4)} | {5: (0.60, 0.70)}
    rows = {"A": ("a", failed), "B": ("b", failed)}
    (found,) = judged(table(rows, a=failed, b=dict.fromkeys(failed, (0.69, 0.70))))
    assert found.far == ("5",)
    # 22 of the 32 choices of signs give at least the mean of the differences, .4
    gaps = np.array([0.55, 0.6, 0.65, 0.7, -4.5])
    signs = np.array(list(itertools.product((1, -1), repeat=5)))
    exact = np.mean(np.abs(signs @ gaps) >= abs(gaps.sum()) - 1e-9)
    assert found.p_exact == approx(exact)
    assert f"far from the others: seed 5 (exact p = {exact:.3g})" in found.remarks


def test_a_claim_of_no_difference_keeps_its_own_margin():
    (found,) = judged(rows=OURS, expects="none", margin=2.5)
    assert (found.margin, found.verdict) == (2.5, "reproduced")


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
    assert found.difference == approx((70 + 71.1 + 70.2) / 3 - 50)
    assert (found.base, found.stand_in) == ("tiny", False)
    assert found.verdict == "larger than claimed"  # 11 points in print


def test_the_untrained_row_of_another_base_does_not_stand_for_the_named_one():
    (found,) = judged(base="tiny", rows=ON_AVERAGED)
    assert found.verdict == "not run"
    other = beside(with_averaged_start("mine"), "mine", "p/1/start")
    (found,) = judged(other, base="tiny", rows=ON_AVERAGED)
    assert found.difference == approx((70 + 71.1 + 70.2) / 3 - 50)
    assert found.stand_in


# --- the page and the CSV -------------------------------------------------------------------------


def test_the_page_and_the_csv_show_each_claim():
    (found,) = judged()
    page = claims_markdown([found])
    low, high = stats.ttest_1samp(GAPS, 0).confidence_interval(0.95)
    ours = f"+0.83 [{low:+.2f}, {high:+.2f}]".replace("-", "−")
    assert f"| A is better than B | +0.80 | {ours} | 3 | undecided; " in page
    assert "1 verdict: 1 undecided. 0 have none." in page
    line = csv_line(found)
    assert line["rows"] == "+1*a -1*b" and float(line["low"]) == found.low


@pytest.mark.parametrize(
    ("low", "high", "digits"),
    [(0.2, 0.3, 2), (-0.004, 0.3, 2), (-0.0052, -0.0008, 3), (0.0002, 0.1, 4), (None, None, 2)],
)
def test_an_interval_without_0_is_printed_with_digits_that_show_it(low, high, digits):
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
    for found in judge(SHIPPED, tables, SHIPPED_NUMBERS):
        # no row has a value, but each is there; so are the rows that must differ
        expected = ("no value of", "it needs several teachers")
        assert found.why.startswith(expected), (found.name, found.why)
        assert set(found.claim.columns) <= set(tables[found.claim.table].columns)


OF_STAND_INS = [f"simcse_table{name}" for name in "1 2 3 4 5 7 C1 D1 D2".split()]


def test_the_claims_find_their_rows_on_stand_ins_but_for_those_of_qqp_and_anli():
    """On stand-ins the corpora have names of their own; Quora's questions and ANLI have none."""
    tables = empty_tables("config.yaml", "configs/minilm.yaml")
    named = {n: claim for n, claim in SHIPPED.by_name.items() if claim.table in OF_STAND_INS}
    judgements = judge(Claims(SHIPPED.path, named), tables, SHIPPED_NUMBERS)
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
        ("more-regulators-help", [stats.linregress(range(4), [81.47, 81.98, 82.29, 82.40]).slope]),
        ("larger-phi-is-worse", [-stats.linregress(range(4), phis).slope]),
    ):
        assert sizes(name) == approx(expected)
