"""The claims on the page: their bars, their summary, and those that were not run."""

import re
from dataclasses import replace

import pytest

from semblance.reporting.claims import Claim, Term
from semblance.reporting.contrasts import SeedContrast
from semblance.reporting.judgement import ByMean, Judgement
from semblance.statistics.verdicts import FAMILIES
from workflow.report import claims
from workflow.report.bars import EDGE, WIDTH
from workflow.report.compose import TEMPLATES, Section, render

STYLE = (TEMPLATES / "style.css").read_text()

CLAIM = Claim("A is better than B", "Paper Table 1", "t", ("Average",), rows={}, expects="none")
QUESTION = replace(CLAIM, expects="difference")  # no paper prints its rows
GAIN = replace(QUESTION, rows={"a": Term(1.0, "paper/t/a")})
JUDGED = Judgement("a", GAIN, "Average", size=2.0, verdict="reproduced", margin=0.5)
MARKS = {  # of a bar, and how the page draws it
    "arrow to the left": 'd="M0 10',
    "dot": "<circle",
    "arrow to the right": 'd="M240 10',
}


def judgement(difference=None, **fields) -> Judgement:
    total = None if difference is None else SeedContrast(difference, "paired t")
    return replace(JUDGED, total=total, **fields)


def page(*judgements: Judgement) -> str:
    part = Section("claims", "Claims", "The claims", claims.section(judgements))
    return render(title="t", subtitle="s", warnings=[], made_with=[], parts=[part])


def test_a_bar_is_in_units_of_the_papers_gain_on_the_scale_of_its_group():
    half, double = (
        judgement(name="a", difference=1.0),
        judgement(name="b", size=0.5, difference=1.0),
    )
    [group] = claims.section([half, double]).groups
    assert (group.name, group.unit) == ("Paper", "the paper's gain")
    assert [line.mark.difference for [line] in group.claims] == [0.5, 2.0]
    assert (group.scale.low, group.scale.high) == (-0.5, 2.0)
    assert [group.scale.place(x) for x in (-0.5, 2.0, 9.0)] == [EDGE, WIDTH - EDGE, WIDTH - EDGE]
    assert group.scale.place(0.0) == pytest.approx(EDGE + (WIDTH - 2 * EDGE) * 0.5 / 2.5, abs=0.06)


@pytest.mark.parametrize("claim, size", [(CLAIM, 2.0), (GAIN, None)])
def test_a_claim_without_a_printed_gain_is_drawn_in_units_of_the_margin(claim, size):
    [group] = claims.section([judgement(claim=claim, size=size, difference=1.0)]).groups
    [[line]] = group.claims
    assert (group.unit, line.mark.difference) == ("the margin", 1.0 / JUDGED.margin)


def test_a_difference_far_from_the_others_does_not_press_them_flat():
    some = [judgement(name=f"{n}", difference=2.0) for n in range(4)]
    [group] = claims.section([*some, judgement(name="far", difference=-900.0)]).groups
    assert group.scale.low > -10 and group.scale.place(-450.0) == EDGE


def test_the_metrics_and_readings_of_a_claim_are_one_row_of_the_table():
    both = replace(GAIN, columns=("acc@1", "map"))
    some = [
        judgement(claim=both, column=column, reading=reading, difference=1.0)
        for column in both.columns
        for reading in ("mean", "summed")
    ]
    [group] = claims.section([*some, judgement(name="b", claim=GAIN)]).groups
    assert [len(lines) for lines in group.claims] == [4, 1]
    alike = [
        replace(one, low=0.5, high=high)
        for one, high in zip(some, (1.5, 0.7, 1.5, 0.7), strict=True)
    ]
    alike[1] = replace(alike[1], verdict="undecided")
    first, second = claims.section(alike).groups[0].claims[0]
    assert (first.part, first.judgement.verdict) == ("Acc@1, summed and mean form", "undecided")
    assert first.alike == (alike[0],) and second.part == "MAP, mean and summed form"
    apart = [
        replace(one, low=low, high=low + 0.1)
        for one, low in zip(some, (0.5, 0.7, 0.5, 0.7), strict=True)
    ]
    assert len(claims.section(apart).groups[0].claims[0]) == 4
    parts = [line.part for line in group.claims[0]]
    assert parts == [f"{of}, {form} form" for of in ("Acc@1", "MAP") for form in ("mean", "summed")]
    assert page(*some).count('rowspan="4"') == 1


def test_questions_of_ours_are_a_group_of_their_own_below_the_papers():
    question = judgement(name="q", claim=QUESTION, verdict="yes", difference=1.0)
    groups = claims.section([question, judgement(difference=1.0)]).groups
    assert [group.name for group in groups] == ["Paper", "Our questions"]


def test_without_a_difference_there_is_no_bar():
    assert 'role="img"' not in page(judgement(verdict="undecided", difference=None))


@pytest.mark.parametrize(
    "difference, ends, marks",
    [
        (1.0, (0.5, 1.5), {"dot"}),
        (0.0, (-40.0, 40.0), {"arrow to the left", "dot", "arrow to the right"}),
        (1.7, (-40.0, 1.7), {"arrow to the left", "dot"}),
        (-5.0, (None, None), {"dot"}),
    ],
)
def test_a_bar_always_has_its_dot_and_an_arrow_where_its_interval_goes_on(difference, ends, marks):
    low, high = ends
    others = [judgement(name=f"{n}", difference=2.0) for n in range(2)]
    text = page(judgement(difference=difference, low=low, high=high), *others)
    assert {mark for mark, drawn in MARKS.items() if drawn in text} == marks
    assert ('class="range"' in text) == (low is not None)


def test_a_bar_shows_interval_margin_and_the_papers_gain_on_the_scale_of_its_group():
    text = page(judgement(difference=1.0, low=0.5, high=1.5))
    unit = (WIDTH - 2 * EDGE) / 2  # from half a gain below 0 to one and a half
    low, one, high = (EDGE + (0.5 + gains) * unit for gains in (0.25, 1, 0.75))
    assert f'class="range" x1="{low}" y1="10" x2="{high}"' in text
    margin = JUDGED.margin / JUDGED.size
    left = EDGE + (0.5 - margin) * unit
    assert f'class="band" x="{left}" y="2" width="{2 * margin * unit}"' in text
    assert f'class="axis second" x1="{one}"' in text
    assert 'aria-label="A is better than B: +0.50 times the paper' in text


def test_the_headline_says_how_many_claims_of_the_papers_are_reproduced():
    some = [judgement(name="a", stand_in=True), judgement(name="b", verdict="undecided")]
    found = claims.section([*some, judgement(name="q", verdict="not run", why="no table")])
    said = "1 of 2 verdicts on the papers' claims says “reproduced”, 1 on other models or data"
    assert found.headline == f"{said} than the papers'."
    assert found.counts == {"reproduced": 1, "partly": 0, "no": 0, "open": 1}
    assert claims.section([]).headline == ""


def test_a_gain_that_the_mean_of_subsets_does_not_show_is_partly_one():
    some = [judgement(by_mean=ByMean(0.1, word=word)) for word in ("", "between subsets")]
    assert [one.family for one in some] == ["reproduced", "partly"]


@pytest.mark.parametrize(
    ("verdict", "on_papers", "on_stand_in"),
    [
        ("reproduced", "verified, exact", "toy, stand-in"),
        ("contradicted", "falsified, exact", "toy, stand-in"),
        ("undecided", "inconclusive, exact", "inconclusive, stand-in"),
    ],
)
def test_a_verdict_is_said_in_the_words_of_others(verdict, on_papers, on_stand_in):
    some = [judgement(verdict=verdict, stand_in=stand_in) for stand_in in (False, True)]
    assert [one.others_say for one in some] == [on_papers, on_stand_in]


def test_the_heading_says_which_verdict_is_the_most_frequent():
    some = [
        *(judgement(name=name, verdict="undecided") for name in "ab"),
        judgement(name="c", verdict="contradicted", difference=-1.0),
        judgement(name="d", verdict="not run", why="t lacks a row"),
    ]
    finding = claims.section(some).finding
    assert finding == "The most frequent of 3 verdicts, on 3 of 4 claims, is “undecided”: 2"
    assert "“undecided” or “contradicted”: 1" in claims.section(some[1:3]).finding
    assert claims.section(some[3:]).finding == "None of 1 claim has a verdict yet"


def test_the_page_says_of_each_verdict_or_once_of_all_that_it_is_on_a_stand_in():
    on, off = judgement(name="a", stand_in=True), judgement(name="b")
    assert page(on, off).count("on a stand-in") == 1
    assert "All on stand-ins" in page(on) and "on a stand-in" not in page(on)


def test_claims_that_were_not_run_stand_together_by_their_reason_each_once():
    some = [judgement(verdict="not run", why=why) for why in ("no table", "no row", "no table")]
    other = replace(some[0], claim=replace(CLAIM, says="C is better than D"))
    ours, theirs = "A is better than B (Paper Table 1)", "C is better than D (Paper Table 1)"
    found = claims.section([*some, other]).not_run
    assert found == {"no table": [ours, theirs], "no row": [ours]}


def test_each_verdict_has_a_sign_of_its_own_and_one_of_five_looks():
    assert set(claims.LOOKS) == set(FAMILIES)
    assert len({sign for sign, _ in claims.LOOKS.values()}) == len(claims.LOOKS)
    for look in {look for _, look in claims.LOOKS.values()}:
        assert look == "none" or f".verdict.{look} {{" in STYLE  # none: the plain outline


def test_an_undecided_claim_says_how_many_seeds_would_decide():
    undecided = {"verdict": "undecided", "low": -1.0, "high": 1.2, "seeds_needed": 20}
    text = page(judgement(difference=0.1, **undecided))
    assert "the test items are held fixed; about 20 seeds would decide" in text


def palette(text: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]+)", text))


def luminance(colour: str) -> float:
    """Return the relative luminance of #rgb or #rrggbb (WCAG 2.2)."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


LIGHT = palette(STYLE[: STYLE.index("@media")])
DARK = LIGHT | palette(STYLE[STYLE.index("@media") : STYLE.index("* {")])
PRINT = LIGHT | palette(STYLE[STYLE.index("@media print") :])


@pytest.mark.parametrize("colours", [LIGHT, DARK, PRINT], ids=["light", "dark", "print"])
@pytest.mark.parametrize(
    "text, ground",
    [
        *[("ink", "paper"), ("soft", "paper"), ("soft", "band"), ("link", "paper")],
        *[("on-held", "held"), ("on-less", "less"), ("held", "paper")],
        *[("on-against", "against"), ("on-against", "stripe"), ("on-against", "paper")],
    ],
)
def test_each_text_of_the_page_has_a_contrast_of_4_5_to_its_ground(text, ground, colours):
    low, high = sorted(luminance(colours[name]) for name in (text, ground))
    assert (high + 0.05) / (low + 0.05) >= 4.5
