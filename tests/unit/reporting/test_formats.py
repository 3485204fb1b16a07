"""The printed forms of a table: the CSV rounds nothing, the others once, and all text is escaped."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from pytest import approx
from scipy import stats

from semblance.names import STS_TASKS
from semblance.reporting.comparison import attach
from semblance.reporting.formats import escape_markdown, fitted, markdown, table_csv
from semblance.reporting.grids import DIFFERENCE, NAMES, P_VALUE, PUBLISHED, grid
from semblance.reporting.latex import latex
from semblance.reporting.published import Entry, Published
from semblance.reporting.table import Table
from tests.unit.reporting import example_scores
from tests.unit.reporting.example_scores import (
    csv_lines,
    markdown_lines,
    markdown_table,
    row,
    runs,
    untrained,
)

SEEDS = (1, 2, 3)
SCORES = untrained(0.6, 0.6)
SCORES += runs("simcse", {1: (0.7000123, 0.80), 2: (0.7300456, 0.83), 3: (0.71, 0.8)})
SCORES += runs("rcl-8", {1: (0.90, 0.80), 2: (0.91, 0.83), 3: (0.95, 0.82)})
PRINTED = Published(
    (
        Entry("p", "1", "SimCSE", "sts12", 70.9, "senteval"),
        Entry("p", "1", "SimCSE", "Average", 75.0, "senteval"),
    )
)


def table(stand_in=(), **given):
    rows = {
        "start": ("start", SEEDS),  # untrained: one value, whatever the seeds
        "SimCSE": row("simcse", SEEDS, published="p/1/SimCSE", stand_in=list(stand_in)),
        "RCL_8 & 50%": ("rcl-8", SEEDS),
        "lost|row": ("lost", [1]),
    }
    return attach(example_scores.table(rows, SCORES, **given), PRINTED)


def csv_rows(shown: Table) -> list[dict[str, str]]:
    return csv_lines(table_csv(shown))


def test_the_csv_holds_unrounded_points():
    start, simcse, rcl, lost = csv_rows(table(control="SimCSE"))
    mean = (70.00123 + 73.00456 + 71.0) / 3
    gain = (90 - 70.00123 + 91 - 73.00456 + 95 - 71) / 3
    for line, name, expected in (
        (simcse, "sts12", mean),
        (simcse, "sts12_worst", 70.00123),
        (simcse, "sts12_best", 73.00456),
        (simcse, "sts12_published", 70.9),
        (simcse, "sts12_difference", mean - 70.9),
        (rcl, "sts12_control_difference", gain),
        (rcl, "margin", 0.5),
    ):
        assert float(line[name]) == approx(expected, abs=1e-9)
    assert rcl["sts12_published"] == "" and float(rcl["sts12_p"]) < 0.05
    shown = [rcl[name] for name in ("control", "test", "seeds", "n")]
    assert shown == ["SimCSE", "paired t", "1 2 3", "3"]
    assert (lost["sts12"], lost["Average"], lost["sts12_sd"]) == ("", "", "")
    assert (start["sts12_sd"], start["n"]) == ("", "1")


def test_markdown_shows_mean_spread_n_stars_the_paper_and_the_control():
    shown = table(control="SimCSE")
    texts = markdown_table(shown)
    assert (texts["start"]["n"], texts["start"]["STS12"]) == ("1", "60.00")
    # 71.33526… and sd 1.5297… round once; the average 76.167… is 1.167… above the paper's 75
    simcse = texts["SimCSE"]
    assert (simcse["n"], simcse["STS12"]) == ("3", "71.34 ± 1.53")
    assert (simcse[PUBLISHED], simcse[DIFFERENCE]) == ("75.00 (+1.17)", "")
    # averages of seeds: 85 - 75.000615, 87 - 78.00228, 88.5 - 75.5
    gains = [85 - 75.000615, 87 - 78.00228, 88.5 - 75.5]
    found = stats.ttest_1samp(gains, 0)
    low, high = found.confidence_interval(0.95)
    rcl = texts["RCL_8 & 50%"]
    assert rcl["STS12"] == "*92.00 ± 2.65"
    assert rcl[DIFFERENCE] == f"+{sum(gains) / 3:.2f} [+{low:.2f}, +{high:.2f}]"
    assert (rcl[P_VALUE], rcl[PUBLISHED]) == (f"{found.pvalue:.4f}", "")
    assert texts[r"lost\|row"]["STS12"] == texts[r"lost\|row"]["Average"] == "n/a"
    notes = markdown_lines(shown)
    assert any(line.startswith("- Difference: ") and "paired t" in line for line in notes)


def test_the_columns_of_a_markdown_table_are_aligned():
    lines = [line for line in markdown(table()).splitlines() if line.startswith("|")]
    plain = [line for line in lines if r"\|" not in line]
    borders = [[i for i, letter in enumerate(line) if letter == "|"] for line in plain]
    assert len(plain) > 3 and all(found == borders[0] for found in borders)
    assert len({line.replace(r"\|", "").count("|") for line in lines}) == 1


@pytest.mark.parametrize("last, is_equal", [(0.77, True), (0.78, False)])
def test_the_mark_of_equality_means_that_the_printed_interval_lies_within_the_margin(
    last, is_equal
):
    """Averages .55, .65 and .77 above, or .78: their t intervals end at .99 or beyond 1."""
    gaps = [0.55, 0.65, last]
    ends = stats.ttest_1samp(gaps, 0).confidence_interval(0.95).high
    margin = stats.ttest_1samp([0.55, 0.65, 0.775], 0).confidence_interval(0.95).high
    assert (ends < margin) == is_equal
    assert stats.ttest_1samp(gaps, margin, alternative="less").pvalue < 0.05  # 90 % would do
    near = runs("near", {i: (0.7 + gap / 100,) * 2 for i, gap in enumerate(gaps, 1)})
    fixed = runs("simcse", dict.fromkeys((1, 2, 3), (0.7, 0.7)))
    rows = {"SimCSE": ("simcse", (1, 2, 3)), "near": ("near", (1, 2, 3))}
    made = example_scores.table(rows, fixed + near, control="SimCSE", margin=margin)
    assert ("≈ |" in "\n".join(markdown_lines(made))) == is_equal
    assert (r"$\approx$ &" in latex(made)) == is_equal


def test_a_table_without_control_has_no_columns_for_one():
    assert "interval" not in markdown(table()) and "interval" not in latex(table())


def test_seeds_stand_last_without_spread_and_blank_for_rows_without_the_seed():
    texts = markdown_table(table(layout="seeds", control="SimCSE"))
    seeds = [f"seed {number}" for number in range(4)]
    assert [*texts["start"]][-4:] == seeds
    assert [texts["start"][seed] for seed in seeds] == ["60.00", "", "", ""]
    assert (texts["start"]["top 3"], texts["start"]["max"]) == ("n/a", "60.00")
    assert texts["SimCSE"]["seed 2"] == "78.00"  # (73.00456 + 83) / 2


def test_beside_a_stand_in_stands_the_papers_value_without_a_difference():
    shown = table(stand_in=["base tiny instead of large", "8 of 10 rows"])
    assert markdown_table(shown)["SimCSE"][PUBLISHED] == "75.00"
    assert "75.00 (" not in latex(shown) and "75.00" in latex(shown)
    named = [line["stand_in"] for line in csv_rows(shown)]
    assert named == ["", "base tiny instead of large; 8 of 10 rows", "", ""]


def test_latex_is_escaped_and_balanced_and_a_deviation_is_a_subscript_of_its_mean():
    text = latex(table(control="SimCSE", title="50% of φ_1 & {x}"))
    assert r"RCL\_8 \& 50\%" in text and r"50\% of $\phi$\_1 \& \{x\}" in text
    assert text.count(r"\begin{longtable}") == text.count(r"\end{longtable}") == 2
    separators = []
    for longtable in text.split(r"\endfoot")[1:]:
        body = longtable.split(r"\end{longtable}")[0].strip().splitlines()
        separators.append({line.replace(r"\&", "").count("&") for line in body})
    assert len(separators) == 2 and all(len(numbers) == 1 for numbers in separators)
    assert r"$^{*}$92.00$_{\pm 2.65}$" in text and "±" not in text and "φ" not in text
    assert r"start & 1 & 60.00 & 60.00 & 60.00 \\" in text  # one value deviates from nothing


@pytest.mark.parametrize("label", ["[1pt] x", "*x", "[CLS] w/ MLP"])
def test_a_label_is_never_read_as_an_option_of_the_line_before(label):
    made = example_scores.table({"SimCSE": ("simcse", SEEDS), label: ("rcl-8", (1,))}, SCORES)
    ends = latex(made).split(r"\\")[1:]
    assert ends and not any(end.lstrip().startswith(("[", "*")) for end in ends)


@pytest.mark.parametrize("form", [markdown, latex])
def test_the_tables_own_note_is_printed(form):
    assert "Own words." in form(table(note="Own words."))


MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])  # as GitHub reads it
SIGNS = "ab1 _*\\`|<>[]()!&#~^:/;x-.\"'"


@settings(max_examples=500, deadline=None)
@given(st.text(alphabet=SIGNS, min_size=1, max_size=14))
def test_escaped_text_is_shown_by_markdown_letter_by_letter(text):
    text = " ".join(text.split()) or "a"
    shown = MARKDOWN.parseInline(escape_markdown(text))[0].children
    assert {part.type for part in shown} <= {"text", "text_special"}
    assert "".join(part.content for part in shown) == text


@pytest.mark.parametrize(
    "text", ["batch_size 16", "+0.11 [-1.21, +1.43]", "p < .05", "a * b", "n > 1"]
)
def test_text_that_means_nothing_to_markdown_stays_as_it_is(text):
    assert escape_markdown(text) == text


def test_a_whole_table_is_read_back_from_its_markdown():
    made = table(control="SimCSE")
    cells = [
        [part.content for part in token.children]
        for token in MARKDOWN.parse(markdown(made))
        if token.type == "inline"
    ]
    texts = ["".join(parts) for parts in cells]
    wanted = [text.mark + text.whole for line in grid(made).lines() for text in line]
    assert texts == [made.title, *wanted, *made.notes]


LABEL = "Attention dropout (p=0.1)"
ALL = [NAMES[task] for task in STS_TASKS]


def seven(**given) -> Table:
    """A table of the seven tasks: a base, and two methods of which the first one is printed."""
    scores = untrained(0.6, 0.6)
    for method, least, step in (("simcse", 0.7, 0.001), ("rcl-8", 0.8, 0.002)):
        scores += [
            example_scores.record(method=method, seed=seed, task=task, value=least + seed * step)
            for seed in SEEDS
            for task in STS_TASKS
        ]
    rows = {
        LABEL: row("simcse", SEEDS, published="p/1/SimCSE", **given),
        "RCL": ("rcl-8", SEEDS),
    }
    made = example_scores.table(rows, scores, control=LABEL, tasks=list(STS_TASKS))
    return attach(made, PRINTED)


@pytest.mark.parametrize(
    "width, heads, left_out",
    [
        (10_000, ["n", *ALL, "Average", "less control [95 %]", "p"], ""),
        (140, ["n", *ALL, "Average", "less control [95 %]", "p"], "± of tasks"),
        (119, ["n", *ALL, "Average", "less control [95 %]"], "± of tasks, p"),
        (100, ["n", *ALL, "Average", "less control [95 %]"], "±, p"),
        (80, ["n", "Average", "less control [95 %]"], "other columns, p"),
    ],
)
def test_on_a_terminal_a_table_leaves_out_what_does_not_fit_and_says_so(width, heads, left_out):
    lines = fitted(seven(), width, "t.md").splitlines()
    assert max(map(len, lines)) <= width
    assert lines[2].split() == " ".join(heads).split()
    legend = " ".join(lines[lines.index("", 3) : -1])
    assert legend.partition("left out: ")[2] == left_out
    numbers = next(line for line in lines if line.startswith("RCL"))
    assert numbers.count("±") == {"": 8, "±, p": 0}.get(left_out, 1)
    assert "+10.20 [" in numbers  # 80.4 less 70.2


def test_on_a_terminal_the_papers_line_is_directly_under_ours():
    lines = fitted(seven(), 140, "t.md").splitlines()
    [place] = [number for number, line in enumerate(lines) if line.startswith(LABEL)]
    assert lines[place + 1].split() == ["paper", "70.90", "75.00"]  # STS12 and Average, in PRINTED
    assert lines[place + 1].index("70.90") == lines[place].index("70.20")
    other = fitted(seven(stand_in=["base tiny instead of large"]), 100, "t.md")
    assert "\n  (paper) " in other and "(paper): other models or data" in other


def test_on_a_terminal_the_legend_has_the_signs_of_the_table_alone():
    shown = fitted(seven(), 10_000, "t.md")
    assert "* p < .05" in shown and "_ p < .1" not in shown and "≈" not in shown
    assert shown.splitlines()[-1] == f"{len(seven().notes)} notes: t.md"
    alone = fitted(example_scores.table({"base": ("start", SEEDS)}, SCORES), 10_000, "t.md")
    assert "means of n seeds\n" in alone


def test_on_a_terminal_a_long_label_is_broken_and_no_letter_of_it_is_lost():
    words = "a label of many words that no narrow terminal can show in one line".split()
    made = example_scores.table({" ".join(words): ("simcse", SEEDS)}, SCORES)
    lines = fitted(made, 60, "t.md").splitlines()
    assert max(map(len, lines)) <= 60
    assert [word for line in lines[3:] for word in line.split() if word in words][
        : len(words)
    ] == words
