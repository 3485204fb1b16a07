"""The papers' values beside ours: in cells, as verdicts, and on the page."""

from dataclasses import replace

import pytest
from pytest import approx

from semblance.errors import InputError
from semblance.reporting.build import ORIENTATION, stand_in_note
from semblance.reporting.comparison import STAND_IN, attach, compare_published, ledger
from semblance.reporting.published import Entry, Other, Published, read_published
from tests.unit.reporting.example_scores import record, row, runs, table, untrained

SLIPS = read_published().slips
PRINTED = Published(
    (
        Entry("p", "1", "SimCSE", "sts12", 72.0, "senteval", "spearman", "all"),
        Entry("p", "1", "SimCSE", "Average", 70.0, "senteval", "spearman", "all"),
        Entry("p", "2", "lost", "Average", 70.0, "senteval", "spearman", "all"),
    ),
    {"p": "P", "p/1": "one", "p/2": "two"},
    SLIPS,
)
NAMED = {"published": "p/1/SimCSE"}
REASONS = ["base tiny instead of large", "8 of 10 rows"]


def ours(*scores, **given):
    """A table of one row that claims a printed one, from its score on sts12 for each seed."""
    values = {seed: (score, 0.68) for seed, score in enumerate(scores, 1)}
    return table({"mine": row("simcse", values, **NAMED, **given)}, runs("simcse", values))


def verdicts(shown, printed=PRINTED):
    return [found.verdict for found in compare_published([shown], printed)]


@pytest.mark.parametrize(
    "scores, verdict",
    [
        # printed: 72; the interval of three seeds reaches 2.48 sd
        ((0.720, 0.721, 0.722), "equal"),  # .1 ± .25
        ((0.722, 0.723, 0.724), "open"),  # .3 ± .25, though a 90 % interval would end at .47
        ((0.7200, 0.7201), "open"),  # .01 ± .06, of two seeds
        ((0.710, 0.711, 0.712), "differs"),  # -.9 ± .25
        ((0.70, 0.71, 0.73), "open"),  # noise makes nothing equal: the sd is 1.5
        ((0.72,), "open"),  # nobody knows what another seed would give
    ],
)
def test_the_interval_of_our_mean_is_held_against_the_printed_number(scores, verdict):
    assert verdicts(ours(*scores))[0] == verdict


@pytest.mark.parametrize("score, verdict", [(0.7245, "equal"), (0.7254, "differs")])
def test_an_untrained_row_has_no_seeds_and_no_noise(score, verdict):
    shown = table({"mine": row("start", [0], **NAMED)}, untrained(score, 0.68))
    assert verdicts(shown)[0] == verdict


def test_the_best_of_the_seeds_have_no_interval_and_no_verdict():
    best = Entry("p", "1", "SimCSE", "top3", 70.0, "senteval", "spearman", "all")
    values = {seed: (score, score) for seed, score in enumerate((0.699, 0.7, 0.701, 0.6), 1)}
    rows = {"mine": row("simcse", values, **NAMED)}
    shown = table(rows, runs("simcse", values), layout="seeds")
    assert verdicts(shown, replace(PRINTED, entries=(best,))) == ["open"]


def test_the_noise_that_a_paper_prints_is_part_of_the_interval():
    """Our three seeds are .2 away, sure; the paper's mean of three has an error of .6 / √3 = .35."""
    shown = ours(0.7219, 0.7220, 0.7221)
    noisy = replace(PRINTED.entries[0], sd=0.6, runs=3)
    assert verdicts(shown)[0] == "equal"
    assert verdicts(shown, replace(PRINTED, entries=(noisy,))) == ["open"]


def test_a_published_cell_is_not_run_if_no_table_claims_it_or_its_score_is_missing():
    assert verdicts(ours(0.72))[2] == "not run"
    lost = table({"mine": row("simcse", [1], **NAMED)}, [record(task="sts13")])
    assert verdicts(lost) == ["not run"] * 3


def test_a_stand_in_has_a_verdict_and_reasons_and_no_difference_and_leaves_others_comparable():
    rows = {"small": row("simcse", [1], **NAMED, stand_in=REASONS)}
    rows["whole"] = row("simcse", [1], **NAMED)
    found = compare_published([table(rows, runs("simcse", {1: (0.72, 0.68)}))], PRINTED)
    small, whole = (one for one in found if one.entry.column == "sts12")
    assert (small.ours, small.verdict, whole.ours, whole.verdict) == (
        *("t, small", STAND_IN),
        *("t, whole", "open"),
    )
    assert small.difference is None and whole.difference == approx(0.0)
    assert small.cell.mean == approx(72.0)


@pytest.mark.parametrize(
    "asked, measured",
    [
        ({"protocols": ["raw"]}, {"protocol": "raw"}),
        ({"metric": "pearson"}, {"metric": "pearson"}),
        ({"aggregation": "mean"}, {"aggregation": "mean"}),
    ],
)
def test_another_protocol_metric_or_aggregation_claims_nothing(asked, measured):
    scores = runs("simcse", {1: (0.72, 0.68)}, **measured)
    shown = table({"mine": row("simcse", [1], **NAMED)}, scores, **asked)
    assert shown.rows[0].cells["sts12"].mean == approx(72.0)
    assert verdicts(shown) == ["not run"] * 3
    assert attach(shown, PRINTED).rows[0].cells["sts12"].published is None


def test_an_unknown_published_row_stops():
    with pytest.raises(InputError, match="p/9/x"):
        attach(table({"mine": row("simcse", [1], published="p/9/x")}, []), PRINTED)


def page(shown):
    return ledger([shown], PRINTED)


def test_the_page_begins_with_what_is_compared_and_ends_with_what_has_no_score():
    text = page(ours(0.73))
    assert text.startswith(
        "# Published and measured\n\n2 printed numbers beside ours: 2 open. 1 more"
    )
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    assert lines[0] == "| row |  | n | STS12 | Average |"
    assert lines[2:] == [
        "| SimCSE | paper |  | 72.00 | 70.00 |",
        "| t, mine | ours | 1 | 73.00 | 70.50 |",  # of the scores .73 and .68
        "|  | difference |  | +1.00 open | +0.50 open |",
    ]
    assert "“equal”, of three seeds or more it lies within ±0.5 of the printed number" in text
    # the third printed number, in the row "lost", is one that no table of ours claims
    why = "no table of this run has the row, measured as in the paper"
    assert text.endswith(f"\n\nBecause {why}:\n\n- p, Table 2: “lost”\n")


def test_a_stand_in_has_no_line_of_differences_and_says_in_what_it_differs():
    text = page(ours(0.73, stand_in=REASONS))
    assert "| t, mine | stand-in | 1 | 73.00 | 70.50 |" in text and "| difference |" not in text
    assert "- stand-in: base tiny instead of large; 8 of 10 rows (mine)" in text


def test_the_page_says_which_of_our_rows_lacks_a_score():
    text = page(table({"mine": row("simcse", [1], **NAMED)}, [record(task="sts13")]))
    why = "at least one run behind our row has no score (t, mine)"
    assert f"Because {why}:\n\n- p, Table 1: “SimCSE”\n" in text


@pytest.mark.parametrize("marked, note", [(0, ""), (2, f"Stand-ins: 2 of 3 rows. {ORIENTATION}")])
def test_the_note_below_a_table_counts_the_rows_that_are_stand_ins(marked, note):
    reasons = [REASONS] * marked + [[]] * (3 - marked)
    rows = {
        label: row("simcse", [1], **NAMED, stand_in=given)
        for label, given in zip("abc", reasons, strict=True)
    }
    assert stand_in_note(table(rows, []).rows) == note


@pytest.mark.parametrize(
    "other, whom",
    [
        ({"values": {"sts12": 72.3}}, "both"),
        ({"values": {"sts12": 69.0}}, "the paper"),
        ({"values": {"sts12": 69.0}, "sd": 0.5, "n": 50}, "the paper"),
        ({"values": {"sts12": 72.1}, "sd": 9.0, "n": 3}, "the paper"),  # theirs says nothing
    ],
)
def test_ours_equals_the_paper_the_independents_or_both(other, whom):
    """Ours is 72.1 ± .25; the paper's is 72.0."""
    found = Other("p/1/SimCSE", code="their own", source="somebody", **other)
    text = ledger([ours(0.720, 0.721, 0.722)], replace(PRINTED, others=(found,)))
    assert f"|  | equals |  | {whom} |" in text
    assert "| somebody, code: their own | others |" in text


def test_ours_far_from_the_paper_can_equal_the_independents_or_neither():
    """Ours is 71.1 ± .25, .9 below the paper's."""
    for value, whom in ((71.0, "the independents"), (75.0, "neither")):
        found = Other("p/1/SimCSE", {"sts12": value}, "their own", "somebody")
        text = ledger([ours(0.710, 0.711, 0.712)], replace(PRINTED, others=(found,)))
        assert f"|  | equals |  | {whom} |" in text


def test_a_row_without_independents_and_a_stand_in_have_no_such_line():
    assert "equals |" not in ledger([ours(0.720, 0.721, 0.722)], PRINTED)
    found = Other("p/1/SimCSE", {"sts12": 72.0}, "their own", "somebody")
    shown = ours(0.720, 0.721, 0.722, stand_in=REASONS)
    text = ledger([shown], replace(PRINTED, others=(found,)))
    assert "equals |" not in text and "| others |" in text
