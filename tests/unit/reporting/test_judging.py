"""Claims held against tables: which rows stand for a claim, its size, its figures and its verdict."""

import csv
import io
import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from semblance.provenance import ROOT
from semblance.reporting.build import build
from semblance.reporting.claims import (
    Claim,
    Claims,
    Differing,
    Needs,
    Part,
    check_names,
    read_claims,
    size_of,
)
from semblance.reporting.claims_page import claims_csv, claims_markdown
from semblance.reporting.judging import judge
from semblance.reporting.published import Entry, Published, read_published
from tests.unit.reporting.example_scores import frame, record, runs, spec
from workflow.planning.claims import known_names
from workflow.planning.config import load
from workflow.planning.layers import laid_over
from workflow.planning.plan import Plan

PUBLISHED = Published(
    tuple(
        Entry("p", "1", row, "Average", value, "senteval", "spearman", "all")
        for row, value in (("A", 71.0), ("B", 70.2), ("start", 60.0))
    ),
    {},
    (),
)
A = {1: (0.700, 0.70), 2: (0.712, 0.71), 3: (0.704, 0.70)}
B = {1: (0.690, 0.69), 2: (0.700, 0.70), 3: (0.696, 0.70)}  # averages of a - b: 1, 1.1, .4
START = [
    record(method="start", corpus="none", seed=0, task=t, value=0.6) for t in ("sts12", "sts13")
]
ROWS = {"start": ("start", ()), "A": ("a", (1, 2, 3)), "B": ("b", (1, 2, 3))}
SHIPPED = read_claims(ROOT / "workflow/claims.yaml")


def claim(**given):
    fields = {
        "says": "A is better than B",
        "source": "here",
        "table": "t",
        "columns": ("Average",),
        "rows": {"a": Part(1, "p/1/A"), "b": Part(-1, "p/1/B")},
    }
    return Claim(**(fields | given))


def claims(tmp_path, **given):
    path = tmp_path / "claims.yaml"
    path.write_text("claims:\n  one:\n    says: A\n")
    return Claims(str(path), {"one": claim(**given)})


def table(rows=ROWS, more=(), **given):
    scores = START + runs("a", A) + runs("b", B) + list(more)
    return build(spec(rows, **given), frame(scores))


def judged(tmp_path, shown, **given):
    return judge(claims(tmp_path, **given), {"t": shown}, PUBLISHED)


def test_a_claim_is_judged_by_the_paired_difference_of_its_rows(tmp_path):
    (found,) = judged(tmp_path, table())
    gaps = [1.0, 1.1, 0.4]
    expected = stats.ttest_1samp(gaps, 0)
    low, high = expected.confidence_interval(0.95)
    assert found.size == pytest.approx(0.8)
    assert found.difference == pytest.approx(sum(gaps) / 3)
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.p == pytest.approx(expected.pvalue)
    assert (found.n, found.test, found.margin) == (3, "paired t", pytest.approx(0.4))
    assert low < 0 and found.verdict == "undecided"
    assert found.seeds_needed is None  # the sd of three seeds is too vague to plan with


def test_from_four_seeds_on_an_undecided_claim_names_about_how_many_would_decide(tmp_path):
    seeds = (1, 2, 3, 4)
    a = {seed: (0.70 + gap / 100, 0.70) for seed, gap in zip(seeds, (3, 0, 2, -1), strict=True)}
    b = {seed: (0.70, 0.70) for seed in seeds}
    rows = {"A": ("a", seeds), "B": ("b", seeds)}
    (found,) = judged(tmp_path, build(spec(rows), frame(runs("a", a) + runs("b", b))))
    assert found.verdict == "undecided" and found.seeds_needed > 4
    assert f"about {found.seeds_needed} seeds would decide" in found.remarks


def test_a_weighted_sum_of_several_rows_is_a_claim(tmp_path):
    rows = {"start": Part(1), "a": Part(-0.5), "b": Part(-0.5)}
    (found,) = judged(tmp_path, table(), rows=rows)
    middles = [(70 + 69) / 2, (71.1 + 70) / 2, (70.2 + 69.8) / 2]
    assert found.difference == pytest.approx(60 - sum(middles) / 3)
    assert found.size is None and found.verdict == "no"  # no paper prints these rows


def test_an_untrained_row_is_a_constant(tmp_path):
    rows = {"a": Part(1, "p/1/A"), "start": Part(-1, "p/1/start")}
    (found,) = judged(tmp_path, table(), rows=rows)
    gaps = [70.0 - 60, 71.1 - 60, 70.2 - 60]
    assert found.p == pytest.approx(stats.ttest_1samp(gaps, 0).pvalue)
    assert (found.test, found.verdict) == ("one-sample t", "reproduced")
    assert found.corpus == "nli"


def test_a_table_that_is_not_there_is_not_run(tmp_path):
    (found,) = judge(claims(tmp_path), {}, PUBLISHED)
    assert found.verdict == "not run" and "no table t" in found.why
    assert found.size == pytest.approx(0.8)


def test_a_row_that_is_not_there_is_not_run(tmp_path):
    few = {name: ROWS[name] for name in ("start", "A")}
    (found,) = judged(tmp_path, table(few))
    assert found.verdict == "not run" and found.why == "t lacks a row of b"


def test_a_row_without_any_value_is_not_run_and_named(tmp_path):
    rows = {**ROWS, "B": ("b", (4, 5))}
    (found,) = judged(tmp_path, table(rows))
    assert found.verdict == "not run" and found.why == "no value of b"


def test_of_five_seeds_the_pairs_that_exist_are_judged_and_the_missing_one_is_named(tmp_path):
    rows = {"A": ("a", (1, 2, 3)), "B": ("b", (1, 2, 3))}
    scores = START + runs("a", A) + runs("b", {1: B[1], 3: B[3]})
    (found,) = judged(tmp_path, build(spec(rows), frame(scores)))
    assert found.difference == pytest.approx((1.0 + 0.4) / 2)
    assert (found.n, found.missing) == (2, ("2",))
    assert "missing: seed 2" in found.remarks


def test_one_seed_is_undecided_without_an_interval(tmp_path):
    rows = {"A": ("a", (1,)), "B": ("b", (1,))}
    (found,) = judged(tmp_path, table(rows))
    assert (found.verdict, found.low, found.p) == ("undecided", None, None)
    assert found.difference == pytest.approx(1.0) and "two seeds" in found.why


def with_variances(shown, of_items):
    """A table whose test items cause these variances of the average, and no covariance."""
    rows = []
    for row, variance in zip(shown.rows, of_items, strict=True):
        above = dict.fromkeys((other.label for other in rows), 0.0)
        rows.append(replace(row, items={"Average": above | {row.label: variance}}))
    return replace(shown, rows=tuple(rows))


def test_a_claim_of_untrained_rows_alone_has_the_interval_of_the_items(tmp_path):
    whitened = [record(method="white", seed=0, task=t, value=0.66) for t in ("sts12", "sts13")]
    rows = {"start": ("start", ()), "W": ("white", (0,))}
    shown = build(spec(rows), frame(START + whitened))
    parts = {"white": Part(1), "start": Part(-1)}
    (found,) = judged(tmp_path, shown, rows=parts)
    assert found.difference == pytest.approx(6.0)
    assert (found.verdict, found.low, found.p) == ("open", None, None)
    assert "predictions are not there" in found.why
    (found,) = judged(tmp_path, with_variances(shown, (0.6, 0.4)), rows=parts)
    assert (found.verdict, found.test, found.items) == ("yes", "items alone", True)
    assert found.low == pytest.approx(6.0 - stats.norm.ppf(0.975))  # √(.6 + .4) = 1
    assert (found.seeds_low, found.p_exact) == (None, None)


def test_the_interval_is_of_seeds_and_items_and_the_one_of_seeds_stands_in_the_csv(tmp_path):
    (alone,) = judged(tmp_path, table())
    (both,) = judged(tmp_path, with_variances(table(), (0.0, 2.0, 2.0)))
    assert (both.seeds_low, both.seeds_high) == (alone.low, alone.high)
    of_seeds, of_items = (alone.high - alone.low) / 2, 2 * stats.norm.ppf(0.975)
    assert (both.high - both.low) / 2 == pytest.approx((of_seeds**2 + of_items**2) ** 0.5)
    assert "the test items are held fixed" in alone.remarks
    assert "the test items are held fixed" not in both.remarks
    line = next(csv.DictReader(io.StringIO(claims_csv([both]))))
    assert float(line["seeds_low"]) == alone.low and line["items"] == "True"


C = {1: (0.705, 0.70), 2: (0.718, 0.71), 3: (0.709, 0.70)}  # above a by .25, .3 and .25
D = {1: (0.50, 0.50), 2: (0.52, 0.50), 3: (0.51, 0.51)}


def test_a_claim_about_every_rival_is_decided_by_the_worst_of_them(tmp_path):
    """b is the best rival in print, but here c is better than a."""
    rows = {**ROWS, "C": ("c", (1, 2, 3)), "D": ("d", (1, 2, 3))}
    shown = table(rows, runs("c", C) + runs("d", D))
    parts = {"rows": {"a": Part(1)}, "rivals": {"b": Part(), "c": Part(), "d": Part()}}
    (found,) = judged(tmp_path, shown, **parts, margin=0.01)
    assert (found.verdict, found.against) == ("no", "c")
    assert found.difference == pytest.approx(-0.8 / 3)
    assert "decided by c, corrected for 3 comparisons" in found.remarks
    # the three differences are .25, .3 and .25; to show the claim all must hold, to deny it one must fail
    error = np.std([0.25, 0.3, 0.25], ddof=1) / 3**0.5
    assert found.low == pytest.approx(-0.8 / 3 - stats.t.ppf(1 - 0.025, 2) * error)
    assert found.high == pytest.approx(-0.8 / 3 + stats.t.ppf(1 - 0.025 / 3, 2) * error)
    parts["rivals"] = {"d": Part()}
    (found,) = judged(tmp_path, shown, **parts)
    assert found.verdict == "yes"


def test_without_one_of_its_rivals_a_claim_about_all_is_not_run(tmp_path):
    (found,) = judged(tmp_path, table(), rows={"a": Part(1)}, rivals={"b": Part(), "c": Part()})
    assert (found.verdict, found.why) == ("not run", "t lacks a row of c")


@pytest.mark.parametrize("count, verdict", [(1, "yes"), (2, "open")])
def test_a_claim_may_hold_in_some_of_its_columns(tmp_path, count, verdict):
    """On sts12 a is better by 1.0, 1.2 and .8 points, on sts13 by 1, 1 and 0."""
    parts = {"a": Part(1), "b": Part(-1)}
    columns = ("sts12", "sts13")
    (found,) = judged(tmp_path, table(), rows=parts, columns=columns, at_least=count, margin=0.01)
    assert (found.verdict, found.column) == (verdict, "sts12, sts13")
    assert found.against == columns[count - 1]
    gaps = np.array([[1.0, 1.2, 0.8], [1.0, 1.0, 0.0]][count - 1])
    error = np.std(gaps, ddof=1) / 3**0.5
    to_show = stats.t.ppf(1 - 0.025 / (2 - count + 1), 2)
    assert found.low == pytest.approx(gaps.mean() - to_show * error)
    assert found.high == pytest.approx(gaps.mean() + stats.t.ppf(1 - 0.025 / count, 2) * error)


def test_each_column_is_judged_for_itself(tmp_path):
    parts = {"a": Part(1), "b": Part(-1)}
    found = judged(tmp_path, table(), rows=parts, columns=("sts12", "Average"))
    assert [one.column for one in found] == ["sts12", "Average"]
    assert found[0].says == "A is better than B (STS12)"


def test_a_claim_names_the_base_that_ran(tmp_path):
    says = "A is better on {base} and {corpus}"
    (found,) = judged(tmp_path, table(), says=says, base="bert-base")
    assert found.says == "A is better on tiny and nli"
    (found,) = judged(tmp_path, table(), says=says, base="bert-base", needs=Needs("it", ("bert",)))
    assert found.says == "A is better on bert-base and its corpus"


def test_a_claim_cannot_be_asked_of_another_base_than_it_needs(tmp_path):
    needs = Needs("a tuned start", bases=("tuned",))
    (found,) = judged(tmp_path, table(), needs=needs)
    assert found.verdict == "cannot be asked here"
    assert found.why == "it needs a tuned start: this is tiny"
    assert found.difference is None
    (found,) = judged(tmp_path, table(), needs=Needs("this", bases=("tiny",)))
    assert found.verdict == "undecided"


@pytest.mark.parametrize("by, verdict", [(0.8, "undecided"), (0.9, "cannot be asked here")])
def test_a_claim_may_need_rows_that_differ(tmp_path, by, verdict):
    """The averages of a and b differ by .83 points."""
    needs = Needs("rows that differ", differing=Differing("t", "Average", ("a", "b"), by))
    (found,) = judged(tmp_path, table(), needs=needs)
    assert found.verdict == verdict
    (found,) = judged(
        tmp_path, table(), needs=replace(needs, differing=replace(needs.differing, table="u"))
    )
    assert found.why.endswith("u does not show how far they differ")


def test_a_seed_far_from_the_others_is_named_with_the_exact_p(tmp_path):
    failed = {seed: (0.70 + seed / 1000, 0.70) for seed in (1, 2, 3, 4)} | {5: (0.60, 0.70)}
    even = {seed: (0.69, 0.70) for seed in (1, 2, 3, 4, 5)}
    rows = {"A": ("a", (1, 2, 3, 4, 5)), "B": ("b", (1, 2, 3, 4, 5))}
    shown = build(spec(rows), frame(START + runs("a", failed) + runs("b", even)))
    (found,) = judged(tmp_path, shown)
    assert found.far == ("5",)
    # differences .55, .6, .65, .7 and -4.5: 22 of the 32 choices of signs give at least their mean .4
    gaps = np.array([0.55, 0.6, 0.65, 0.7, -4.5])
    signs = np.array(list(itertools.product((1, -1), repeat=5)))
    exact = np.mean(np.abs(signs @ gaps) >= abs(gaps.sum()) - 1e-9)
    assert found.p_exact == pytest.approx(exact)
    assert f"far from the others: seed 5 (exact p = {exact:.3g})" in found.remarks


def with_row(shown, label, **fields):
    rows = [replace(row, **fields) if row.label == label else row for row in shown.rows]
    return replace(shown, rows=tuple(rows))


def test_a_stand_in_keeps_its_verdict_and_is_named_so(tmp_path):
    shown = with_row(table(), "A", published="p/1/A", stand_in=("base tiny instead of large",))
    (found,) = judged(tmp_path, shown)
    assert found.stand_in and found.verdict == "undecided"
    assert "| stand-in: undecided; " in claims_markdown([found])
    line = next(csv.DictReader(io.StringIO(claims_csv([found]))))
    assert (line["verdict"], line["stand_in"]) == ("undecided", "True")


def test_rows_without_a_counterpart_are_stand_ins_where_others_are(tmp_path):
    """A question of ours names no row of a paper, but it may be asked of another base."""
    rows = {"a": Part(1), "b": Part(-1)}
    (found,) = judged(tmp_path, table(), rows=rows)
    assert not found.stand_in
    other = with_row(table(), "A", published="p/1/A", stand_in=("base tiny instead of large",))
    both = {"t": table(), "other": replace(other, name="other")}
    (found,) = judge(claims(tmp_path, rows=rows), both, PUBLISHED)
    assert found.stand_in


def test_rows_on_another_base_than_the_claims_are_stand_ins(tmp_path):
    base = table().rows[-1].base
    (found,) = judged(tmp_path, table(), base="the papers' base")
    assert found.stand_in
    (found,) = judged(tmp_path, table(), base=base)
    assert not found.stand_in


def on_bases(*bases):
    """A table of both methods on several bases."""
    rows, more = {}, []
    for base in bases:
        for method, values in (("a", A), ("b", B)):
            rows[f"{method} {base}"] = {"base": base, "method": method, "corpus": "nli"}
            rows[f"{method} {base}"]["seeds"] = [1, 2, 3]
            more += runs(method, values, base=base)
    return table(rows, more)


def test_the_base_of_the_paper_is_taken_where_the_table_has_it(tmp_path):
    found = judged(tmp_path, on_bases("small", "large"), base="large")
    assert [one.base for one in found] == ["large"]


def test_without_the_base_of_the_paper_each_base_is_judged(tmp_path):
    found = judged(tmp_path, on_bases("small", "large"), base="bert-base")
    assert [one.base for one in found] == ["small", "large"]


def test_each_corpus_is_judged_for_itself(tmp_path):
    rows, more = {}, []
    for corpus in ("wiki", "books"):
        for method, values in (("a", A), ("b", B)):
            row = {"base": "tiny", "method": method, "corpus": corpus, "seeds": [1, 2, 3]}
            rows[f"{method} {corpus}"] = row
            more += runs(method, values, corpus=corpus)
    found = judged(tmp_path, table(rows, more))
    assert [one.corpus for one in found] == ["wiki", "books"]


def test_two_methods_with_one_corpus_each_are_one_claim(tmp_path):
    more = runs("b", B, corpus="wiki")
    rows = {
        "A": {"base": "tiny", "method": "a", "corpus": "nli", "seeds": [1, 2, 3]},
        "B": {"base": "tiny", "method": "b", "corpus": "wiki", "seeds": [1, 2, 3]},
    }
    (found,) = judged(tmp_path, table(rows, more))
    assert found.corpus == "nli wiki"


def test_methods_that_share_a_corpus_are_never_compared_across_corpora(tmp_path):
    """b is on nli and wiki, a on nli alone: a on nli is not held against b on wiki."""
    shown = table()
    on_wiki = [replace(row, corpus="wiki") for row in shown.rows if row.method == "b"]
    both = replace(shown, rows=(*shown.rows, *on_wiki))
    assert [found.corpus for found in judged(tmp_path, both)] == ["nli"]


def test_one_method_on_two_corpora_is_named_by_its_corpus(tmp_path):
    more = runs("a", B, corpus="wiki")
    row = {"base": "tiny", "method": "a", "seeds": [1, 2, 3]}
    rows = {"on nli": row | {"corpus": "nli"}, "on wiki": row | {"corpus": "wiki"}}
    named = {"nli/a": Part(1), "wiki/a": Part(-1)}
    (found,) = judged(tmp_path, table(rows, more), rows=named)
    assert found.difference == pytest.approx((1.0 + 1.1 + 0.4) / 3) and found.corpus == "nli wiki"
    (lost,) = judged(tmp_path, table(rows, more), rows={"nli/a": Part(1), "books/a": Part(-1)})
    assert lost.why == "t lacks a row of books/a"


def beside(shown, label, published, **fields):
    """Return a table whose row of this label stands beside a printed row, as a stand-in."""
    return with_row(shown, label, published=published, stand_in=("other data",), **fields)


def test_a_row_of_another_corpus_is_found_by_the_printed_row_beside_it(tmp_path):
    """The claim names the paper's corpora; the table has one method on two stand-ins of them."""
    more = runs("a", B, corpus="wiki")
    row = {"base": "tiny", "method": "a", "seeds": [1, 2, 3]}
    rows = {"on nli": row | {"corpus": "nli"}, "on wiki": row | {"corpus": "wiki"}}
    shown = beside(beside(table(rows, more), "on nli", "p/1/A"), "on wiki", "p/1/B")
    named = {"large/a": Part(1, "p/1/A"), "small/a": Part(-1, "p/1/B")}
    (found,) = judged(tmp_path, shown, rows=named)
    assert found.difference == pytest.approx((1.0 + 1.1 + 0.4) / 3) and found.corpus == "nli wiki"
    assert found.stand_in


def test_a_row_of_the_name_is_taken_before_one_that_stands_beside_the_printed_row(tmp_path):
    shown = beside(table(), "B", "p/1/A")
    (found,) = judged(tmp_path, shown)
    assert found.difference == pytest.approx((1.0 + 1.1 + 0.4) / 3)


def test_a_row_beside_another_printed_row_does_not_stand_for_the_missing_one(tmp_path):
    rows = {"nli/a": Part(1, "p/1/A"), "books/b": Part(-1, "p/1/B")}
    (found,) = judged(tmp_path, beside(table(), "B", "p/1/start"), rows=rows)
    assert found.verdict == "not run" and found.why == "t lacks a row of books/b"


def test_rows_of_one_named_corpus_are_never_taken_from_two(tmp_path):
    """b is on wiki alone, where the claim asks for both methods on one corpus."""
    shown = beside(table(), "B", "p/1/B", corpus="wiki")
    rows = {"nli/a": Part(1, "p/1/A"), "nli/b": Part(-1, "p/1/B")}
    (found,) = judged(tmp_path, shown, rows=rows)
    assert found.verdict == "not run"


def test_rows_of_two_named_corpora_are_never_taken_from_one(tmp_path):
    rows = {"nli/a": Part(1, "p/1/A"), "books/b": Part(-1, "p/1/B")}
    (found,) = judged(tmp_path, beside(table(), "B", "p/1/B"), rows=rows)
    assert found.verdict == "not run"


def with_averaged_start(shown, base="averaged"):
    """Return a table with one more untrained base, whose scores are 50."""
    (start,) = [row for row in shown.rows if row.label == "start"]
    cells = {name: replace(cell, values={"0": 50.0}) for name, cell in start.cells.items()}
    return replace(shown, rows=(*shown.rows, replace(start, base=base, label=base, cells=cells)))


def test_a_row_of_a_claim_may_name_a_base_of_its_own(tmp_path):
    rows = {"a": Part(1, "p/1/A"), "start": Part(-1, "p/1/start", base="averaged")}
    (found,) = judged(tmp_path, with_averaged_start(table()), base="tiny", rows=rows)
    assert found.difference == pytest.approx((70 + 71.1 + 70.2) / 3 - 50)
    assert (found.base, found.stand_in) == ("tiny", False)
    assert found.verdict == "larger than claimed"  # 11 points in print


def test_the_untrained_row_of_another_base_does_not_stand_for_the_named_one(tmp_path):
    rows = {"a": Part(1, "p/1/A"), "start": Part(-1, "p/1/start", base="averaged")}
    (found,) = judged(tmp_path, table(), base="tiny", rows=rows)
    assert found.verdict == "not run"
    other = beside(with_averaged_start(table(), "mine"), "mine", "p/1/start")
    (found,) = judged(tmp_path, other, base="tiny", rows=rows)
    assert found.difference == pytest.approx((70 + 71.1 + 70.2) / 3 - 50)
    assert found.stand_in


def test_a_claim_of_no_difference_keeps_its_own_margin(tmp_path):
    rows = {"a": Part(1), "b": Part(-1)}
    (found,) = judged(tmp_path, table(), rows=rows, expects="none", margin=2.5)
    assert (found.margin, found.verdict) == (2.5, "reproduced")


def test_the_page_and_the_csv_show_each_claim(tmp_path):
    found = judged(tmp_path, table())
    page = claims_markdown(found)
    low, high = stats.ttest_1samp([1.0, 1.1, 0.4], 0).confidence_interval(0.95)
    ours = f"+0.83 [{low:+.2f}, {high:+.2f}]"
    assert f"| A is better than B | +0.80 | {ours} | 3 | undecided; " in page
    assert "1 verdict: 1 undecided. 0 have none." in page
    line = next(csv.DictReader(io.StringIO(claims_csv(found))))
    assert line["rows"] == "+1*a -1*b" and float(line["low"]) == found[0].low


@pytest.mark.parametrize(
    ("low", "high", "digits"),
    [(0.2, 0.3, 2), (-0.004, 0.3, 2), (-0.0052, -0.0008, 3), (0.0002, 0.1, 4), (None, None, 2)],
)
def test_an_interval_without_0_is_printed_with_digits_that_show_it(tmp_path, low, high, digits):
    (found,) = judged(tmp_path, table())
    assert replace(found, low=low, high=high).digits == digits


def test_claims_without_a_verdict_stand_below_the_others_by_their_reason(tmp_path):
    (without_b,) = judged(tmp_path, table({"A": ("a", (1, 2, 3))}))
    (with_both,) = judged(tmp_path, table(), says="A beats B")
    page = claims_markdown([without_b, with_both, without_b])
    assert "1 verdict: 1 undecided. 2 have none." in page
    above, below = page.split("## Not run")
    assert "| A beats B |" in above and "A is better than B" not in above
    assert below.strip() == "- t lacks a row of b: A is better than B (here, +0.80)."


def test_questions_of_ours_stand_apart_and_are_not_called_contradicted(tmp_path):
    (of_paper,) = judged(tmp_path, table())
    (ours,) = judged(tmp_path, table(), rows={"b": Part(1), "start": Part(-1)}, says="Is b better?")
    above, below = claims_markdown([ours, of_paper]).split("## Questions of ours")
    assert "| A is better than B |" in above and "| Is b better? |" in below
    assert ours.verdict == "yes"


def test_every_shipped_claim_names_tables_methods_and_rows_that_exist():
    check_names(SHIPPED, known_names(), read_published(ROOT / "workflow/published.yaml"))
    assert len(SHIPPED.by_name) >= 15


def test_each_shipped_claim_finds_its_rows_in_config_yaml():
    plan = Plan(load(laid_over([ROOT / "config.yaml"])))
    tables = {name: build(plan.table_spec(name), frame([])) for name in plan.config.tables}
    for found in judge(SHIPPED, tables, read_published(ROOT / "workflow/published.yaml")):
        # no row has a value, but each is there; so are the rows that must differ
        expected = ("no value of", "it needs several teachers")
        assert found.why.startswith(expected), (found.name, found.why)
        assert set(found.claim.columns) <= set(tables[found.claim.table].columns)


OF_STAND_INS = (
    "simcse_table1",
    "simcse_table2",
    "simcse_table3",
    "simcse_table4",
    "simcse_table5",
    "simcse_table7",
    "simcse_tableC1",
    "simcse_tableD1",
    "simcse_tableD2",
)


def test_the_claims_find_their_rows_on_stand_ins_but_for_those_of_qqp_and_anli():
    """On stand-ins the corpora have names of their own; Quora's questions and ANLI have none."""
    config = load(laid_over([ROOT / "config.yaml", ROOT / "configs/minilm.yaml"]))
    plan = Plan(config)
    tables = {name: build(plan.table_spec(name), frame([])) for name in OF_STAND_INS}
    named = {n: claim for n, claim in SHIPPED.by_name.items() if claim.table in tables}
    published = read_published(ROOT / "workflow/published.yaml")
    judgements = judge(Claims(SHIPPED.path, named), tables, published)
    missing = {f.name for f in judgements if f.verdict == "not run" and "lacks a row" in f.why}
    assert missing == {"entailment-is-the-best-source", "anli-adds-nothing"}
    assert all(found.stand_in for found in judgements if found.name not in missing if found.size)


def test_the_sizes_of_the_claims_are_those_of_the_printed_numbers():
    published = read_published(ROOT / "workflow/published.yaml")
    sizes = {}
    for name, claim in SHIPPED.by_name.items():
        sums = claim.comparisons(claim.columns[0])
        sizes[name] = [size_of(SHIPPED, name, one, published) for one in sums]
    of_rivals = [82.40 - phi for phi in (80.95, 80.22, 80.03, 79.87)]
    assert sizes["rcl-over-its-entropy-models"] == pytest.approx(of_rivals)
    sizes = {name: found[0] for name, found in sizes.items()}
    assert sizes["rcl-over-attention-dropout"] == pytest.approx(82.40 - 81.63)
    assert sizes["ssimcse-over-simcse"] == pytest.approx(76.92 - 75.99)
    # the least-squares slope of 81.47, 81.98, 82.29, 82.40
    slope = stats.linregress(range(4), [81.47, 81.98, 82.29, 82.40]).slope
    assert sizes["more-regulators-help"] == pytest.approx(slope)
    slope = stats.linregress(range(4), [80.95, 80.22, 80.03, 79.87]).slope
    assert sizes["larger-phi-is-worse"] == pytest.approx(-slope)
