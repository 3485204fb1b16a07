"""Verdicts judged again by the audit's own arithmetic: each forged figure or word of a line is found."""

import pytest

from semblance.audit import verdicts
from semblance.reporting.claims import Term
from semblance.reporting.judging import judge
from tests.unit.audit.tampering import wrong_verdicts
from tests.unit.reporting.test_judging import PUBLISHED, SEEDS, C, claims, gapped, runs, table

FIGURES = "difference margin size low high p seeds_low seeds_high".split()
SHOWN = (
    "n sd p_exact p_holm missing far verdict against stand_in column by_mean by_mean_word".split()
)
RIVALS = {"rows": {"a": Term(1)}, "rivals": {"b": Term(), "c": Term()}}


def of_three():
    """The tables and the judgements of a claim about two rivals of which one is above ours."""
    shown = table({row: (row.lower(), SEEDS) for row in "ABC"}, runs("c", C))
    return {"t": shown}, judge(claims(**RIVALS), {"t": shown}, PUBLISHED)


def of_one_pair():
    """Those of a claim about one pair of rows whose size is printed."""
    shown = table()
    return {"t": shown}, judge(claims(), {"t": shown}, PUBLISHED)


@pytest.mark.parametrize("column", [*FIGURES, *SHOWN])
@pytest.mark.parametrize("made", [of_one_pair, of_three])
def test_a_forged_figure_or_word_of_a_verdict_is_named(made, column):
    tables, judged = made()
    assert wrong_verdicts(judged, tables, PUBLISHED) == []
    [problem] = wrong_verdicts(judged, tables, PUBLISHED, **{column: "7.25"})
    assert column in problem


@pytest.mark.parametrize("column", [*FIGURES, "verdict"])
def test_the_audits_own_arithmetic_finds_it_whatever_the_judgement_shows(column, monkeypatch):
    monkeypatch.setattr(verdicts, "claim_row", lambda found: {})
    tables, judged = of_one_pair()
    assert wrong_verdicts(judged, tables, PUBLISHED) == []
    assert wrong_verdicts(judged, tables, PUBLISHED, **{column: "7.25"})


def test_a_line_more_or_less_and_a_verdict_of_a_claim_that_was_not_run_are_found():
    tables, judged = of_one_pair()
    (not_run,) = judge(claims(table="u"), tables, PUBLISHED)
    assert wrong_verdicts([not_run], tables, PUBLISHED, verdict="reproduced", difference="1.0")
    problems = []
    verdicts.check_verdicts([], judged, tables, PUBLISHED, lambda ok, what: problems.append(what))
    assert problems == ["has 0 verdicts, and not 1"]


def test_the_numbers_of_a_reason_count_and_its_words_do_not():
    shown = gapped(1.0, 1.1, 0.9)
    (not_run,) = judge(claims(table="u2"), {"t": shown}, PUBLISHED)
    assert wrong_verdicts([not_run], {}, PUBLISHED, why="there is no u2") == []
    assert wrong_verdicts([not_run], {}, PUBLISHED, why="there is no u3")
