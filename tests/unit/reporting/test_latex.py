"""Tables as LaTeX: escaped, balanced, and no wider or taller than the text of a page."""

import math
import re

import pytest

from semblance.reporting.build import build
from semblance.reporting.formats import markdown
from semblance.reporting.latex import latex, split
from tests.unit.reporting.example_scores import TASKS, frame, record, runs, spec
from tests.unit.reporting.shipped_tables import tables

# In points: the text of an article with margins of one inch, on the narrower A4, the shorter letter.
PAGE = 453.0
HEIGHT = 650.0
# Widths of the printable ASCII of Computer Modern Roman at 8 points, by TeX's own cmr8.tfm.
CMR8 = {
    2.36: "!',.:;<[]_`il",
    2.60: "fj",
    2.83: "- ",
    3.06: "I",
    3.31: "()rt",
    3.35: "s",
    3.78: "cez",
    4.01: ">?",
    4.25: '"$*/0123456789^ago{}~',
    4.36: "J",
    4.49: "kqvxy",
    4.72: "Sbdhnpu",
    5.19: "Z",
    5.31: "L",
    5.54: "F",
    5.78: "EP",
    6.02: "B",
    6.14: "CTw",
    6.25: "R",
    6.37: "AHNUVXY",
    6.49: "D",
    6.60: "K",
    6.61: "&+=@OQ",
    6.67: "G",
    7.08: "#%m",
    7.78: "M",
    8.50: "|",
    8.73: "W",
}
WIDTHS = {letter: width for width, letters in CMR8.items() for letter in letters}
SIGNS = {  # of mathematics, by cmr8.tfm, cmmi8.tfm and cmsy8.tfm
    r"$\pm$": 6.61,
    r"$\times$": 6.61,
    r"$\approx$": 6.61,
    r"$\Delta$": 7.08,
    r"$\phi$": 5.06,
    r"$\alpha$": 5.46,
    r"$\lambda$": 4.96,
    r"$\tau$": 3.78,
    r"$\cdot$": 2.36,
    r"\textgreater{}": 6.61,
    r"\textless{}": 6.61,
}
BROKEN = re.compile(r"\\parbox\[t\]\{(\d+)pt\}\{.*\}")
TABULAR = re.compile(r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end\{tabular\}", re.DOTALL)


def width(cell: str) -> float:
    """Return how wide a cell is on paper; of a text broken into lines, its longest word's at least."""
    broken = BROKEN.fullmatch(cell)
    if broken:
        words = cell.partition("raggedright ")[2].replace("-", "- ").split()
        return max(float(broken[1]), *map(width, words))
    total = 0.0
    for sign, its_width in SIGNS.items():
        total += cell.count(sign) * its_width
        cell = cell.replace(sign, "")
    cell = re.sub(r"\\underline|[{}$^\\]", "", cell)
    return total + sum(WIDTHS[letter] for letter in cell)


def rows(body: str) -> list[list[str]]:
    """Return the cells of the lines of a tabular."""
    lines = [re.sub(r"\\\\(\[2pt\])?$", "", line) for line in body.splitlines()]
    cells = [re.split(r"(?<!\\)&", line) for line in lines]
    return [[cell.strip() for cell in line] for line in cells if len(line) > 1]


def tabular_widths(text: str) -> list[float]:
    """Return the width of each tabular: of its columns, with 3 points on each side."""
    found = []
    for columns, body in TABULAR.findall(text):
        cells = rows(body)
        assert {len(line) for line in cells} == {len(columns)}
        found.append(sum(max(map(width, column)) + 6 for column in zip(*cells, strict=True)))
    return found


def height(page: str) -> float:
    """Return about how tall the lines of a page are, those of the notes with it."""
    in_tabulars, _, notes = page.partition(r"\raggedright")
    if in_tabulars.endswith("{"):  # of a cell that is broken into lines
        in_tabulars, _, notes = page.partition("  \\raggedright\n")
    found = 9.5 * in_tabulars.count(r"\\") + 2 * in_tabulars.count("[2pt]")
    found += 9.5 * in_tabulars.count(r"\parbox")
    for note in notes.splitlines():
        found += 9.5 * math.ceil(width(note) / PAGE)
    return found


@pytest.fixture(scope="module", params=[(), ("demo/config.yaml",), ("configs/minilm.yaml",)])
def shipped(request):
    return tables(*request.param)


def test_no_shipped_table_is_wider_than_the_page(shipped):
    widest = {table.name: max(tabular_widths(latex(table))) for table in shipped}
    assert {name: points for name, points in widest.items() if points > PAGE} == {}


def test_no_page_of_a_shipped_table_is_taller_than_the_page(shipped):
    for table in shipped:
        for page in latex(table).split(r"\end{table}")[:-1]:
            assert height(page) < HEIGHT, table.name


def test_a_group_of_columns_stands_together_if_it_fits():
    widths = [100.0] + [50.0] * 7
    # 100 + 7 * 50 is the width of the text: all fit
    assert split([range(1, 5), range(5, 8)], widths) == [[0, 1, 2, 3, 4, 5, 6, 7]]
    # with 60 more, the second group stands behind the same labels
    wider = [*widths[:7], 110.0]
    assert split([range(1, 5), range(5, 8)], wider) == [[0, 1, 2, 3, 4], [0, 5, 6, 7]]
    # a group that is wider than the text is broken
    assert split([range(1, 12)], [100.0] + [50.0] * 11) == [[0, *range(1, 8)], [0, *range(8, 12)]]


def made():
    """Return a table with a row of three seeds and one of a single seed."""
    values = {seed: (0.7 + 0.01 * seed, 0.8) for seed in (1, 2, 3)}
    rows = {"three": ("simcse", (1, 2, 3)), "one": ("rcl-8", (1,))}
    scores = frame(runs("simcse", values) + runs("rcl-8", {1: (0.9, 0.8)}))
    return build(spec(rows), scores)


def test_deviations_stand_beside_the_means_where_there_is_room():
    text = latex(made())
    assert r"three & 3 & 72.00 $\pm$ 1.00 & 80.00 $\pm$ 0.00 & 76.00 $\pm$ 0.50 \\" in text
    assert r"one & 1 & 90.00 & 80.00 & 85.00 \\" in text


def test_deviations_stand_below_the_means_where_there_is_none():
    label = "a label of nearly 150 points as it is"
    rows = {label: ("simcse", (1, 2))}
    tasks = ("sts12", "sts13", "sts14", "sts15", "sts16", "stsb")
    scores = frame(
        [
            record(method="simcse", seed=seed, task=task, value=value)
            for seed, value in ((1, 0.70), (2, 0.72))
            for task in tasks
        ]
    )
    lines = latex(build(spec(rows, tasks=list(tasks)), scores)).splitlines()
    start = next(i for i, line in enumerate(lines) if line.strip().startswith(label))
    # the sample deviation of 70 and 72 is the root of 2
    means = " & ".join(["71.00"] * 7)
    deviations = " & ".join([r"$\pm$ 1.41"] * 7)
    assert lines[start] == rf"    {label} & 2 & {means} \\"
    assert lines[start + 1] == rf"     &  & {deviations} \\[2pt]"


@pytest.mark.parametrize("form", [latex, markdown])
def test_a_mean_of_one_value_stands_alone(form):
    assert "± –" not in form(made()) and "pm$ --" not in form(made())


@pytest.mark.parametrize("label", ["[1pt] x", "*x"])
def test_a_label_is_never_read_as_an_option_of_the_line_before(label):
    rows = {"first": ("simcse", (1,)), label: ("rcl-8", (1,))}
    scores = frame(runs("simcse", {1: (0.7, 0.8)}) + runs("rcl-8", {1: (0.9, 0.8)}))
    text = latex(build(spec(rows), scores))
    ends = re.findall(r"\\\\(\S*)\s*(\S)", text)
    assert ends and all(option == "[2pt]" or after in "&\\" for option, after in ends)


def test_a_label_wider_than_a_third_of_the_page_is_broken_into_lines():
    rows = {"a label of many words " * 5: ("simcse", (1,))}
    text = latex(build(spec(rows), frame(runs("simcse", {1: (0.7, 0.8)}))))
    assert r"\parbox[t]{150pt}{\raggedright a label of many words" in text


def test_a_table_too_tall_for_one_page_goes_on_in_a_further_one():
    rows = {f"row {number}": ("simcse", (1,)) for number in range(40)}
    scores = frame(runs("simcse", {1: (0.7, 0.8)}))
    text = latex(build(spec(rows, layout="sts", note="Long words. " * 200), scores))
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 2
    assert text.count(r"\caption{T (continued)}") == 1 and text.count(r"\label{tab:t}") == 1


def test_a_label_in_brackets_is_no_option_of_the_command_before_it():
    scores = frame([record(method="simcse", seed=1, task=task, value=0.5) for task in TASKS])
    written = latex(build(spec({"[CLS] w/ MLP": ("simcse", [1])}), scores))
    assert "{[}CLS] w/ MLP" in written and "\n    [" not in written
