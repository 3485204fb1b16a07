"""STS 2012-2016: the files of a year, its subsets, and what is wrong with a folder or a line."""

import re

import pytest

from semblance.data.sts import ScoredPair, read_sts_year
from semblance.errors import InputError
from tests.unit.data.files import fails_at, put

COUNTS = {12: 3108, 13: 1500, 14: 3750, 15: 3000, 16: 1186}
SUBSETS = {12: 5, 13: 3, 14: 6, 15: 5, 16: 5}


def write(folder, **files):
    """Write the files of a year into a folder; return their paths.

    A name is ``input`` or ``gs``, with the subset behind it where it is not ``a``.
    """
    for name, content in files.items():
        kind, _, subset = name.partition("_")
        put(folder / f"STS.{kind}.{subset or 'a'}.txt", content)
    return sorted(folder.iterdir())


def test_a_year_is_read_subset_by_subset(tmp_path):
    files = {
        "STS.input.b.x.txt": "B  one\tnull\r\n",
        "STS.gs.b.x.txt": "0.25\r\n",
        "STS.input.a.txt": "A\u2028one\tA two",
        "STS.gs.a.txt": "5",
        "00-readme.txt": "words",
        "STS.input.a.LICENSE": "words",
    }
    for name, content in files.items():
        put(tmp_path / name, content)
    assert read_sts_year(tmp_path.iterdir(), 14) == [
        ScoredPair("sts14", "a", 1, "A one", "A two", 5.0),
        ScoredPair("sts14", "b.x", 1, "B one", "null", 0.25),
    ]


def test_the_raw_release_of_2016_has_sources_in_two_more_columns(tmp_path):
    put(tmp_path / "STS2016.input.a.txt", "s\tt\tu\tv\n")
    put(tmp_path / "STS2016.gs.a.txt", "1\n")
    assert read_sts_year(tmp_path.iterdir(), 16) == [ScoredPair("sts16", "a", 1, "s", "t", 1.0)]


def test_blank_gold_lines_are_dropped_and_the_index_stays(tmp_path):
    write(tmp_path, input="a\tb\n\tno sentence\nc\td\ne\tf\n", gs="1\n\n2\n \n")
    found = [(p.index, p.sentence1, p.score) for p in read_sts_year(tmp_path.iterdir(), 15)]
    assert found == [(1, "a", 1.0), (3, "c", 2.0)]


def test_scores_without_sentences_are_no_subset_and_the_other_way_round_is_refused(tmp_path):
    paths = write(tmp_path, input="a\tb\n", gs="1\n", gs_ALL="1\n")
    assert len(read_sts_year(paths, 12)) == 1
    with pytest.raises(InputError, match=re.escape(f"{paths[-1]}: subset a has no gs file")):
        read_sts_year(paths[-1:], 12)


SCORES = ["-1", "5.01", "1e0", "+1", "nan", "4,5", "high"]
REFUSED = [  # the input, the gold, the file and the line of the mistake
    *(("a\tb\nc\td\n", f"1\n{score}\n", "gs", 2, "score") for score in SCORES),
    ("a\tb\na\tb\tc\n", "1\n1\n", "input", 2, "columns: 3"),
    ("a\tb\na\tb\tc\td\n", "1\n1\n", "input", 2, "columns: 4"),
    ("a\tb\na\t \n", "1\n1\n", "input", 2, "empty sentence"),
    ("a\tb\nc\td\n", "1\n", "gs", 1, "lines: 1, but 2"),
]


@pytest.mark.parametrize("texts, gold, file, line, words", REFUSED)
def test_a_malformed_line_of_a_year_is_named(tmp_path, texts, gold, file, line, words):
    write(tmp_path, input=texts, gs=gold)
    with fails_at(tmp_path / f"STS.{file}.a.txt", line, words):
        read_sts_year(tmp_path.iterdir(), 12)


@pytest.mark.parametrize("year", COUNTS)
def test_real_years_have_the_published_counts_and_both_releases_the_same_scores(year, real_data):
    scores = []
    for release in ("sts", "sts-raw"):
        folder = real_data / release / f"STS{year}-en-test"
        pairs = read_sts_year(folder.iterdir(), year)
        assert len(pairs) == COUNTS[year] and len({p.subset for p in pairs}) == SUBSETS[year]
        scores.append([(p.subset, p.index, p.score) for p in pairs])
    assert scores[0] == scores[1]
