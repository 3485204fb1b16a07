"""STS 2012-2016, STS Benchmark and SICK."""

import re
from pathlib import Path

import pytest

from semblance.data.sts import ScoredPair, read_sick, read_sts_year, read_stsb
from semblance.errors import InputError
from tests.unit.data import files
from tests.unit.data.files import DATA, fails_at, needs_data

COUNTS = {12: 3108, 13: 1500, 14: 3750, 15: 3000, 16: 1186}
SUBSETS = {12: 5, 13: 3, 14: 6, 15: 5, 16: 5}
SICK = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"


def put(folder, contents):
    """Write some files into a folder; return it."""
    for name, content in contents.items():
        files.put(folder / name, content)
    return folder


def test_a_year_is_read_subset_by_subset(tmp_path):
    put(
        tmp_path,
        {
            "STS.input.b.x.txt": "B  one\tnull\r\n",
            "STS.gs.b.x.txt": "0.25\r\n",
            "STS.input.a.txt.gz": "A\u2028one\tA two",
            "STS.gs.a.txt.gz": "5",
            "00-readme.txt": "words",
            "STS.input.a.LICENSE": "words",
        },
    )
    assert read_sts_year(tmp_path, 14) == [
        ScoredPair("sts14", "a", 1, "A one", "A two", 5.0),
        ScoredPair("sts14", "b.x", 1, "B one", "null", 0.25),
    ]


def test_the_raw_release_of_2016_has_sources_in_two_more_columns(tmp_path):
    put(tmp_path, {"STS2016.input.a.txt": "s\tt\tu\tv\n", "STS2016.gs.a.txt": "1\n"})
    assert read_sts_year(tmp_path, 2016) == [ScoredPair("sts16", "a", 1, "s", "t", 1.0)]


def test_the_folder_above_the_year_is_accepted(tmp_path):
    (tmp_path / "STS15-en-test").mkdir()
    put(tmp_path / "STS15-en-test", {"STS.input.a.txt": "s\tt\n", "STS.gs.a.txt": "1\n"})
    assert read_sts_year(tmp_path, 15) == read_sts_year(tmp_path / "STS15-en-test", 15)


def test_blank_gold_lines_are_dropped_and_the_index_stays(tmp_path):
    put(
        tmp_path,
        {"STS.input.a.txt": "a\tb\n\tno sentence\nc\td\ne\tf\n", "STS.gs.a.txt": "1\n\n2\n \n"},
    )
    assert [(p.index, p.sentence1, p.score) for p in read_sts_year(tmp_path, 15)] == [
        (1, "a", 1.0),
        (3, "c", 2.0),
    ]


@pytest.mark.parametrize(
    "year, name, skipped", [(12, "ALL", True), (13, "SMT", True), (12, "SMT", False)]
)
def test_gold_without_input_is_skipped_only_where_the_release_lacks_it(
    tmp_path, year, name, skipped
):
    put(tmp_path, {"STS.input.a.txt": "a\tb\n", "STS.gs.a.txt": "1\n", f"STS.gs.{name}.txt": "1\n"})
    if skipped:
        assert len(read_sts_year(tmp_path, year)) == 1
    else:
        with pytest.raises(InputError, match="subset SMT has no input file"):
            read_sts_year(tmp_path, year)


def test_input_without_gold_is_refused(tmp_path):
    put(tmp_path, {"STS.input.a.txt": "a\tb\n"})
    with pytest.raises(InputError, match=re.escape(f"{tmp_path}: subset a has no gs file")):
        read_sts_year(tmp_path, 12)


def test_two_files_of_one_subset_are_refused(tmp_path):
    put(
        tmp_path,
        {"STS.input.a.txt": "a\tb\n", "STS2016.input.a.txt": "a\tb\n", "STS.gs.a.txt": "1\n"},
    )
    with pytest.raises(InputError, match="two input files"):
        read_sts_year(tmp_path, 16)


@pytest.mark.parametrize(
    "year, files", [(12, {}), (11, {"STS.input.a.txt": "a\tb\n", "STS.gs.a.txt": "1\n"})]
)
def test_a_folder_without_the_year_is_refused(tmp_path, year, files):
    with pytest.raises(InputError, match=re.escape(str(tmp_path))):
        read_sts_year(put(tmp_path, files), year)
    with pytest.raises(InputError, match="no such folder"):
        read_sts_year(tmp_path / "absent", 12)


@pytest.mark.parametrize(
    "score", ["nan", "inf", "-1", "5.01", "x", "1_0", "1,5", "1e0", "٣", "1 2", "+1"]
)
def test_bad_gold_scores_name_file_and_line(tmp_path, score):
    put(tmp_path, {"STS.input.a.txt": "a\tb\nc\td\n", "STS.gs.a.txt": f"1\n{score}\n"})
    with fails_at(tmp_path / "STS.gs.a.txt", 2, "score"):
        read_sts_year(tmp_path, 12)


@pytest.mark.parametrize(
    "row, words",
    [
        ("only one", "columns: 1"),
        ("a\tb\tc", "columns: 3"),
        ("a\t ", "empty sentence"),
        ("a\tb\tc\td", "columns: 4"),
    ],
)
def test_bad_input_rows_name_file_and_line(tmp_path, row, words):
    put(tmp_path, {"STS.input.a.txt": f"a\tb\n{row}\n", "STS.gs.a.txt": "1\n1\n"})
    with fails_at(tmp_path / "STS.input.a.txt", 2, words):
        read_sts_year(tmp_path, 12)


def test_gold_and_input_must_have_as_many_lines(tmp_path):
    put(tmp_path, {"STS.input.a.txt": "a\tb\nc\td\n", "STS.gs.a.txt": "1\n"})
    with fails_at(tmp_path / "STS.gs.a.txt", 1, "lines: 1, but 2"):
        read_sts_year(tmp_path, 12)


def test_stsb_quotes_are_text_and_rows_may_have_sources(tmp_path):
    rows = ['g\tf\ty\t0\t4.5\t"Open quote\tNA', "g\tf\ty\t1\t0\tn/a\tNone\tsource\tsource"]
    path = put(tmp_path, {"s.csv": "\n".join(rows) + "\n"}) / "s.csv"
    assert read_stsb(path) == [
        ScoredPair("stsb", "g", 1, '"Open quote', "NA", 4.5),
        ScoredPair("stsb", "g", 2, "n/a", "None", 0.0),
    ]


def test_sick_keeps_its_case_and_its_words(tmp_path):
    path = (
        put(
            tmp_path,
            {"s.txt": SICK + "7\tA Dog\tnull\t1\tNEUTRAL\r\n9\tNA\tNone\t4.5\tENTAILMENT\n"},
        )
        / "s.txt"
    )
    assert read_sick(path) == [
        ScoredPair("sickr", "", 2, "A Dog", "null", 1.0),
        ScoredPair("sickr", "", 3, "NA", "None", 4.5),
    ]


@needs_data
@pytest.mark.parametrize("release", ["sts", "sts-raw"])
@pytest.mark.parametrize("year", COUNTS)
def test_real_years_have_the_published_counts(release, year):
    pairs = read_sts_year(Path(DATA, release, f"STS{year}-en-test"), year)
    assert len(pairs) == COUNTS[year] and len({p.subset for p in pairs}) == SUBSETS[year]


@needs_data
@pytest.mark.parametrize("year", COUNTS)
def test_both_releases_score_the_same_lines_alike(year):
    keys = [
        [(p.subset, p.index, p.score) for p in read_sts_year(Path(DATA, release), year)]
        for release in ("sts", "sts-raw")
    ]
    assert keys[0] == keys[1]


@needs_data
@pytest.mark.parametrize(
    "read, path, count",
    [
        (read_stsb, "stsb/sts-train.csv", 5749),
        (read_stsb, "stsb/sts-dev.csv", 1500),
        (read_stsb, "stsb/sts-test.csv", 1379),
        (read_sick, "sick/SICK_train.txt", 4500),
        (read_sick, "sick/SICK_trial.txt", 500),
        (read_sick, "sick/SICK_test_annotated.txt", 4927),
    ],
)
def test_real_benchmark_and_sick_have_the_published_counts(read, path, count):
    assert len(read(Path(DATA, path))) == count
