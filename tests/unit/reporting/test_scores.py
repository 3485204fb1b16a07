"""The long CSV: which files are read, which stop with an error, and that no value changes."""

import io
import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semblance.errors import InputError
from semblance.names import SCORE_COLUMNS
from semblance.reporting.scores import collect, scores_csv, scores_parquet
from tests.unit.reporting.example_scores import frame, record, write


def test_the_order_of_the_files_does_not_matter(tmp_path):
    a = write(tmp_path / "a.csv", [record(seed=2), record(seed=10)])
    b = write(tmp_path / "b.csv", [record(seed=1)])
    assert collect([a, b]).equals(collect([b, a]))
    assert list(collect([a, b])["seed"]) == [1, 2, 10]


@settings(deadline=None)
@given(st.floats(-1, 1))
def test_values_survive_writing_and_reading_to_the_last_bit(value):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scores.csv")
        path.write_text(scores_csv(frame([record(value=value)])))
        assert collect([path])["value"].tolist() == [value]


def test_words_like_null_stay_words_and_an_empty_fold_stays_empty_text(tmp_path):
    path = write(tmp_path / "s.csv", [record(method="null", corpus="NA", base="n/a")])
    names = ["method", "corpus", "base", "fold", "subset"]
    assert collect([path])[names].values.tolist() == [["null", "NA", "n/a", "", ""]]


@pytest.mark.parametrize(
    "wrong",
    [
        *({"value": value} for value in ("nan", "inf", "", "n/a", 76.25, -1.5)),
        {"seed": "1.0"},
        {"metric": "kendall"},
        {"metric": "map", "value": -0.1},
    ],
)
def test_a_wrong_number_stops_at_its_file_and_line(tmp_path, wrong):
    path = write(tmp_path / "s.csv", [record(), record(seed=2) | wrong])
    with pytest.raises(InputError, match=r"s\.csv:3"):
        collect([path])


@pytest.mark.parametrize(
    "text, line",
    [(f"{','.join(SCORE_COLUMNS)}\nnli,tiny\n", 2), (f"{','.join(SCORE_COLUMNS[:-1])}\n", 1)],
)
def test_a_short_line_and_a_wrong_header_stop(tmp_path, text, line):
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(InputError, match=rf"s\.csv:{line}"):
        collect([tmp_path / "s.csv"])


def test_a_score_given_twice_names_both_places(tmp_path):
    a = write(tmp_path / "a.csv", [record()])
    b = write(tmp_path / "b.csv", [record(seed=2), record(value=0.6)])
    with pytest.raises(InputError, match=r"b\.csv:3.*a\.csv:2"):
        collect([a, b])


def test_a_correlation_above_one_by_a_rounding_error_is_read(tmp_path):
    path = write(tmp_path / "s.csv", [record(value=1.0000000000000002)])
    assert collect([path])["value"][0] > 1


def test_as_parquet_blanks_are_null_and_phi_is_a_number():
    records = [record(), record(method="entropy-0.01", phi="0.01", value=1 / 3)]
    read = pd.read_parquet(io.BytesIO(scores_parquet(frame(records))))
    assert list(read.columns) == list(SCORE_COLUMNS) and read["fold"].isna().all()
    assert read["phi"].isna().tolist() == [True, False] and read["phi"][1] == 0.01
    assert read["value"].tolist() == [0.5, 1 / 3] and read["task"].tolist() == ["sts12"] * 2
