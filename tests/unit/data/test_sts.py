"""STS 2012-2016: the files of a year, its subsets, and what is wrong with a folder or a line."""

import re
from pathlib import Path

import pytest

from semblance.data.sts import ScoredPair, read_sts_year
from semblance.errors import InputError
from tests.unit.data.files import DATA, fails_at, needs_data, put

COUNTS = {12: 3108, 13: 1500, 14: 3750, 15: 3000, 16: 1186}
SUBSETS = {12: 5, 13: 3, 14: 6, 15: 5, 16: 5}


def write(folder, **files):
    """Write the files of a year into a folder; return it.

    A name is ``input`` or ``gs``, with the subset behind it where it is not ``a``.
    """
    for name, content in files.items():
        kind, _, subset = name.partition("_")
        put(folder / f"STS.{kind}.{subset or 'a'}.txt", content)
    return folder


def test_a_year_is_read_subset_by_subset(tmp_path):
    files = {
        "STS.input.b.x.txt": "B  one\tnull\r\n",
        "STS.gs.b.x.txt": "0.25\r\n",
        "STS.input.a.txt.gz": "A\u2028one\tA two",
        "STS.gs.a.txt.gz": "5",
        "00-readme.txt": "words",
        "STS.input.a.LICENSE": "words",
    }
    for name, content in files.items():
        put(tmp_path / name, content)
    assert read_sts_year(tmp_path, 14) == [
        ScoredPair("sts14", "a", 1, "A one", "A two", 5.0),
        ScoredPair("sts14", "b.x", 1, "B one", "null", 0.25),
    ]


def test_the_raw_release_of_2016_has_sources_in_two_more_columns(tmp_path):
    put(tmp_path / "STS2016.input.a.txt", "s\tt\tu\tv\n")
    put(tmp_path / "STS2016.gs.a.txt", "1\n")
    assert read_sts_year(tmp_path, 2016) == [ScoredPair("sts16", "a", 1, "s", "t", 1.0)]


def test_the_folder_above_the_year_is_accepted(tmp_path):
    inside = tmp_path / "STS15-en-test"
    inside.mkdir()
    write(inside, input="s\tt\n", gs="1\n")
    assert read_sts_year(tmp_path, 15) == read_sts_year(inside, 15) != []


def test_blank_gold_lines_are_dropped_and_the_index_stays(tmp_path):
    write(tmp_path, input="a\tb\n\tno sentence\nc\td\ne\tf\n", gs="1\n\n2\n \n")
    found = [(p.index, p.sentence1, p.score) for p in read_sts_year(tmp_path, 15)]
    assert found == [(1, "a", 1.0), (3, "c", 2.0)]


@pytest.mark.parametrize("year, subset", [(12, "ALL"), (13, "SMT")])
def test_gold_without_input_is_skipped_where_the_release_lacks_it(tmp_path, year, subset):
    write(tmp_path, input="a\tb\n", gs="1\n", **{f"gs_{subset}": "1\n"})
    assert len(read_sts_year(tmp_path, year)) == 1


WHOLE = {"input": "a\tb\n", "gs": "1\n"}


@pytest.mark.parametrize(
    "year, files, words",
    [
        (12, {**WHOLE, "gs_SMT": "1\n"}, "subset SMT has no input file"),
        (12, {"input": "a\tb\n"}, "subset a has no gs file"),
        (12, {}, "no STS.input.*.txt of year 12"),
        (11, WHOLE, "no STS test set of year 11"),
    ],
)
def test_a_folder_without_the_whole_year_is_refused(tmp_path, year, files, words):
    with pytest.raises(InputError, match=re.escape(f"{tmp_path}: {words}")):
        read_sts_year(write(tmp_path, **files), year)
    with pytest.raises(InputError, match="no such folder"):
        read_sts_year(tmp_path / "absent", 12)


def test_two_files_of_one_subset_are_refused(tmp_path):
    put(tmp_path / "STS2016.input.a.txt", "a\tb\n")
    with pytest.raises(InputError, match="two input files"):
        read_sts_year(write(tmp_path, **WHOLE), 16)


SCORES = ["-1", "5.01", "1e0", "+1"]  # tests/hostile has more
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
        read_sts_year(tmp_path, 12)


@needs_data
@pytest.mark.parametrize("year", COUNTS)
def test_real_years_have_the_published_counts_and_both_releases_the_same_scores(year):
    scores = []
    for release in ("sts", "sts-raw"):
        pairs = read_sts_year(Path(DATA, release), year)
        assert len(pairs) == COUNTS[year] and len({p.subset for p in pairs}) == SUBSETS[year]
        scores.append([(p.subset, p.index, p.score) for p in pairs])
    assert scores[0] == scores[1]
