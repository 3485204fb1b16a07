"""What papers/ and docs/claims.md quote stands in the papers' texts: their words and their tables."""

import os
import re
import unicodedata
from itertools import groupby
from pathlib import Path

import pytest

from semblance.provenance import ROOT
from semblance.reporting.claims import read_claims
from semblance.reporting.published import PAPERS, read_published

FOLDER = os.environ.get("SEMBLANCE_PAPERS")
needs_papers = pytest.mark.skipif(
    not FOLDER, reason="SEMBLANCE_PAPERS is not set: THE PAPERS' TEXTS WERE NOT SEARCHED"
)
CLAIMS = read_claims().by_name
KEYS = "".join(path.read_text("utf-8") for path in PAPERS)
OF_PAPERS = {name: one for name, one in CLAIMS.items() if not one.is_question}
LINES = [  # of docs/claims.md: the claim, its quotation, the place, and what judges it
    line.strip("| ").split(" | ")
    for line in (ROOT / "docs/claims.md").read_text("utf-8").splitlines()
    if line.startswith("| ") and not line.startswith(("| claim", "| ---"))
]
QUOTED = {name: (one.source, one.quote) for name, one in OF_PAPERS.items() if one.quote}
QUOTED |= {claim: (place, quote) for claim, quote, place, _ in LINES if quote != "–"}

# Of SimCSE there are notes that quote §§ 3 and 4 of its first version, and excerpts of the numbers.
WORDS = {"RCL": "rcl.txt", "S-SimCSE": "s-simcse.txt", "SimCSE": "simcse-notes-a.txt"}
NUMBERS = {"rcl": "rcl.txt", "s-simcse": "s-simcse.txt", "simcse": "simcse-tables.md"}
WITHOUT_TEXT = re.compile("SimCSE (?!§ [34])")  # matched at the start: not S-SimCSE
LATER_WORDING = ("dropout-over-every-augmentation", "entailment-is-the-best-source")
AVERAGES = ("B2", "C1")  # of these tables the excerpts have averages alone
NOT_IN_B3 = re.compile("SBERT|.*flow")  # rows of Table B.3 that the excerpts leave out

# A converted formula is followed by its symbols in italics of Unicode, or in words, and by its TeX.
FORMULA = re.compile(r"[\U0001d400-\U0001d7ff]\S*|percent\S*\\%|plus-or-minus\S*\\pm \S*")
ALIKE = str.maketrans("“”‘’", "\"\"''", "-‐‑")


def text_of(name):
    return FORMULA.sub("", (Path(FOLDER) / name).read_text("utf-8"))


def letters(text):
    """Return a text without white space, hyphens, ligatures and kinds of quotation marks."""
    return "".join(unicodedata.normalize("NFKC", text).translate(ALIKE).split())


def numbers(text):
    return [(mark, float(value)) for mark, value in re.findall(r"(\*?)(\d+(?:\.\d+)?)", text)]


def is_within(row, printed):
    """Whether the numbers of a row stand in a text one behind the other, with their marks."""
    return any(printed[at : at + len(row)] == row for at in range(len(printed)))


def rows_of_tables():
    """Return the printed numbers of each table's rows, a ± behind its number."""
    tables = {}
    for (paper, table, row), entries in groupby(
        read_published().entries, lambda one: (one.paper, one.table, one.row)
    ):
        printed = [((one.mark, one.value), ("", one.sd)) for one in entries]
        flat = [number for pair in printed for number in pair if number[1] is not None]
        tables.setdefault((paper, table), {})[row] = flat
    return tables


ROWS = rows_of_tables()


@pytest.mark.parametrize("name", OF_PAPERS)
def test_a_claim_made_in_words_is_quoted_in_at_most_25(name):
    claim = OF_PAPERS[name]
    in_words = re.search("§|App|abstract|caption", claim.source)
    assert bool(claim.quote) == bool(in_words)
    assert len((claim.quote or "").split()) <= 25


@pytest.mark.parametrize("claim, quote, place, judged", LINES)
def test_a_further_claim_is_judged_by_claims_that_exist_or_has_a_reason(
    claim, quote, place, judged
):
    named = re.findall("`([^`]+)`", judged)
    assert judged.startswith("not judged, because ") or named[0] in CLAIMS
    assert [name for name in named if f"  {name}:" not in KEYS and "." not in name] == []
    assert len(quote.split()) <= 25


@needs_papers
@pytest.mark.parametrize("name", QUOTED)
def test_each_quotation_stands_in_its_paper(name):
    place, quote = QUOTED[name]
    if WITHOUT_TEXT.match(place):
        pytest.skip(f"NOT CHECKED: no text at hand has {place}")
    text = letters(text_of(WORDS[place.split()[0]]))
    assert (letters(quote) in text) == (name not in LATER_WORDING)


@needs_papers
@pytest.mark.parametrize("paper, table", ROWS)
def test_each_row_of_a_table_stands_in_its_paper(paper, table):
    text = text_of(NUMBERS[paper])
    if paper == "simcse":
        dotted = re.sub("([A-Z])", r"\1.", table)
        (text,) = re.findall(rf"\*\*Table {dotted}, .*?(?=\*\*(?:Table|Figure) )", text, re.DOTALL)
    printed = numbers(text)
    rows = {row: at[-1:] if table in AVERAGES else at for row, at in ROWS[paper, table].items()}
    missing = {row for row, at in rows.items() if not is_within(at, printed)}
    assert missing == ({row for row in rows if NOT_IN_B3.match(row)} if table == "B3" else set())
