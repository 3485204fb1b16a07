"""The printed forms of a table: the CSV rounds nothing, the others once, and all text is escaped."""

import csv
import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from scipy import stats

from semblance.reporting.build import build
from semblance.reporting.comparison import attach
from semblance.reporting.formats import csv_text, escape_markdown, markdown
from semblance.reporting.grids import grid
from semblance.reporting.latex import latex
from semblance.reporting.published import Entry, Published
from semblance.reporting.table import Table
from tests.unit.reporting.example_scores import frame, record, runs, spec

SIMCSE = {1: (0.7000123, 0.80), 2: (0.7300456, 0.83), 3: (0.71, 0.8)}
RCL = {1: (0.90, 0.80), 2: (0.91, 0.83), 3: (0.95, 0.82)}
START = [
    record(method="start", corpus="none", seed=0, task=task, value=0.6)
    for task in ("sts12", "sts13")
]


def table(stand_in=(), **given):
    rows = {
        "start": {"corpus": "nli", "base": "tiny", "method": "start", "seeds": [0]},
        "SimCSE": {
            "corpus": "nli",
            "base": "tiny",
            "method": "simcse",
            "seeds": [1, 2, 3],
            "published": "p/1/SimCSE",
            "stand_in": list(stand_in),
        },
        "RCL_8 & 50%": {"corpus": "nli", "base": "tiny", "method": "rcl-8", "seeds": [1, 2, 3]},
        "lost|row": {"corpus": "nli", "base": "tiny", "method": "lost", "seeds": [1]},
    }
    scores = frame(START + runs("simcse", SIMCSE) + runs("rcl-8", RCL))
    entry = Entry("p", "1", "SimCSE", "sts12", 70.9, "senteval")
    average = Entry("p", "1", "SimCSE", "Average", 75.0, "senteval")
    return attach(build(spec(rows, **given), scores), Published((entry, average), {}, ()))


def test_the_csv_holds_unrounded_points():
    rows = list(csv.DictReader(io.StringIO(csv_text(table(control="SimCSE")))))
    mean = (70.00123 + 73.00456 + 71.0) / 3
    assert float(rows[1]["sts12"]) == pytest.approx(mean, abs=1e-12)
    seeds = [float(rows[1][f"sts12_{name}"]) for name in ("worst", "best")]
    assert seeds == pytest.approx([70.00123, 73.00456], abs=1e-12)
    assert float(rows[1]["sts12_published"]) == 70.9
    assert float(rows[1]["sts12_difference"]) == pytest.approx(mean - 70.9, abs=1e-9)
    assert rows[2]["sts12_published"] == "" and float(rows[2]["sts12_p"]) < 0.05
    # 90 - 70.00123, 91 - 73.00456, 95 - 71
    gained = (19.99877 + 17.99544 + 24) / 3
    assert float(rows[2]["sts12_control_difference"]) == pytest.approx(gained, abs=1e-9)
    assert float(rows[2]["margin"]) == 0.5
    assert [rows[2][name] for name in ("control", "test", "seeds", "n")] == [
        "SimCSE",
        "paired t",
        "1 2 3",
        "3",
    ]


def test_the_csv_shows_a_missing_value_as_n_a_and_an_undefined_spread_as_blank():
    rows = list(csv.DictReader(io.StringIO(csv_text(table()))))
    assert (rows[3]["sts12"], rows[3]["Average"], rows[3]["sts12_sd"]) == ("n/a", "n/a", "")
    assert rows[0]["sts12_sd"] == "" and rows[0]["n"] == "1"


def lines_of(table: Table) -> list[str]:
    """Return the lines of a table's Markdown without the spaces that align its columns."""
    return [re.sub(" +", " ", line) for line in markdown(table).splitlines()]


def test_the_columns_of_a_markdown_table_are_aligned():
    lines = [line for line in markdown(table()).splitlines() if line.startswith("|")]
    borders = [[i for i, letter in enumerate(line) if letter == "|"] for line in lines]
    plain = [found for line, found in zip(lines, borders, strict=True) if "\\|" not in line]
    assert len(plain) > 3 and all(found == plain[0] for found in plain)


def test_markdown_shows_mean_spread_n_stars_the_paper_and_the_control_in_one_line():
    lines = lines_of(table(control="SimCSE"))
    assert "| start | 1 | 60.00 | 60.00 | 60.00 | | | |" in lines
    # 71.33526… and sd 1.5297… round once; the average 76.167… is 1.167… above the paper's 75
    simcse = next(line for line in lines if line.startswith("| SimCSE | 3 | 71.34 ± 1.53 |"))
    assert simcse.endswith("| 75.00 (+1.17) | | |")
    # averages of seeds: 85 - 75.000615, 87 - 78.00228, 88.5 - 75.5
    gains = [85 - 75.000615, 87 - 78.00228, 88.5 - 75.5]
    found = stats.ttest_1samp(gains, 0)
    low, high = found.confidence_interval(0.95)
    rcl = next(line for line in lines if line.startswith("| RCL_8 & 50% | 3 |"))
    assert "| *92.00 ± 2.65 |" in rcl
    gain = f"+{sum(gains) / 3:.2f} [+{low:.2f}, +{high:.2f}]"
    assert rcl.endswith(f"| | {gain} | {found.pvalue:.4f} |")
    assert r"| lost\|row | 1 | n/a | n/a | n/a | | | |" in lines
    assert any(line.startswith("- Difference: ") and "paired t" in line for line in lines)


def test_a_difference_within_the_margin_is_printed_as_equal():
    near = {1: (0.7002, 0.80), 2: (0.7303, 0.83), 3: (0.7101, 0.8)}
    scores = frame(runs("simcse", SIMCSE) + runs("near", near))
    rows = {"SimCSE": ("simcse", (1, 2, 3)), "near": ("near", (1, 2, 3))}
    made = build(spec(rows, control="SimCSE"), scores)
    assert re.search(r"\] ≈ \| 0\.\d{4} \|", "\n".join(lines_of(made)))
    assert r"$\approx$" in latex(made)


def test_a_table_without_control_has_no_columns_for_one():
    assert "interval" not in markdown(table()) and "interval" not in latex(table())


def test_seeds_columns_stand_last():
    header = lines_of(table(layout="seeds", control="SimCSE"))[2]
    assert header == (
        r"| | n | mean | top 3 | max | difference [95 % interval] | p (Holm) | seed 0 | seed 1 | "
        "seed 2 | seed 3 |"
    )


def test_beside_a_stand_in_stands_the_papers_value_without_a_difference():
    shown = table(stand_in=["base tiny instead of large", "8 of 10 rows"])
    (line,) = [line for line in lines_of(shown) if "75.00" in line]
    assert line.split("|")[6].strip() == "75.00"
    assert "75.00 (" not in latex(shown) and "75.00" in latex(shown)
    rows = list(csv.DictReader(io.StringIO(csv_text(shown))))
    assert [row["stand_in"] for row in rows] == [
        "",
        "base tiny instead of large; 8 of 10 rows",
        "",
        "",
    ]


def test_every_markdown_line_of_the_table_has_the_same_number_of_cells():
    lines = [
        line.replace(r"\|", "") for line in markdown(table()).splitlines() if line.startswith("|")
    ]
    assert len({line.count("|") for line in lines}) == 1


def test_latex_is_escaped_and_balanced():
    text = latex(table(control="SimCSE", title="50% of φ_1 & {x}"))
    assert r"RCL\_8 \& 50\%" in text and r"50\% of $\phi$\_1 \& \{x\}" in text
    assert text.count(r"\begin{longtable}") == text.count(r"\end{longtable}") == 2
    separators = []
    for longtable in text.split(r"\endfoot")[1:]:
        body = longtable.split(r"\end{longtable}")[0].strip().splitlines()
        separators.append({line.replace(r"\&", "").count("&") for line in body})
    assert separators == [{4}, {3}]  # n and the values; the paper, the difference, p
    assert r"$^{*}$92.00$_{\pm 2.65}$" in text and "±" not in text and "φ" not in text


def test_the_regulators_layout_prints_rows_as_columns_of_averages():
    text = lines_of(table(layout="regulators"))
    assert r"| | start | SimCSE | RCL_8 & 50% | lost\|row |" in text
    assert any(
        line.startswith("| Average | 60.00 | ") and line.endswith("| n/a |") for line in text
    )
    assert "| n | 1 | 3 | 3 | 1 |" in text
    assert len(list(csv.DictReader(io.StringIO(csv_text(table(layout="regulators")))))) == 4


def test_a_column_of_one_seed_has_no_spread_and_is_blank_for_rows_without_the_seed():
    text = "\n".join(lines_of(table(layout="seeds")))
    line = next(line for line in text.splitlines() if line.startswith("| start | 1 |"))
    assert line == "| start | 1 | 60.00 | n/a | 60.00 | 60.00 | | | |"


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


def small(label="one"):
    """Return a table with a row of three seeds and one of a single seed."""
    values = {seed: (0.7 + 0.01 * seed, 0.8) for seed in (1, 2, 3)}
    rows = {"three": ("simcse", (1, 2, 3)), label: ("rcl-8", (1,))}
    scores = frame(runs("simcse", values) + runs("rcl-8", {1: (0.9, 0.8)}))
    return build(spec(rows), scores)


def test_a_deviation_is_a_subscript_of_its_mean():
    text = latex(small())
    assert r"three & 3 & 72.00$_{\pm 1.00}$ & 80.00$_{\pm 0.00}$ & 76.00$_{\pm 0.50}$ \\" in text
    assert r"one & 1 & 90.00 & 80.00 & 85.00 \\" in text


@pytest.mark.parametrize("label", ["[1pt] x", "*x", "[CLS] w/ MLP"])
def test_a_label_is_never_read_as_an_option_of_the_line_before(label):
    ends = latex(small(label)).split(r"\\")[1:]
    assert ends and not any(end.lstrip().startswith(("[", "*")) for end in ends)
