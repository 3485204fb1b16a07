"""GloVe's text format: what is read and what is left out; test_refusals.py has the mistakes."""

import numpy as np
import pytest

from semblance.data import word_vectors
from semblance.data.word_vectors import read_word_vectors
from semblance.errors import InputError
from tests.unit.data.files import put

FILE = "the 0.5 -1 2e-3\ndog 1 2 3\n. . . 7 8 9\nthe 4 4 4\nCat 1 1 1\n"


def read(folder, content, wanted=lambda word: True, most=None):
    return read_word_vectors(put(folder / "glove.txt", content), wanted, most)


def test_each_word_has_its_numbers_and_of_a_repeated_word_the_first_line_counts(tmp_path):
    found = read(tmp_path, FILE)
    assert found.rows == {"the": 0, "dog": 1, ". . .": 2, "Cat": 3}
    expected = np.array([[0.5, -1, 2e-3], [1, 2, 3], [7, 8, 9], [1, 1, 1]], np.float32)
    assert found.matrix.dtype == np.float32 and np.array_equal(found.matrix, expected)
    assert found.counts == {"entries": 5, "repeated": 1, "left_out": 0}


def test_words_that_are_not_wanted_are_left_out_and_counted(tmp_path):
    found = read(tmp_path, FILE, str.islower)
    assert list(found.rows) == ["the", "dog"]
    assert found.counts == {"entries": 5, "repeated": 1, "left_out": 2}


def test_only_the_first_lines_count_where_their_number_is_limited(tmp_path):
    found = read(tmp_path, FILE, most=2)
    assert list(found.rows) == ["the", "dog"] and found.matrix.shape == (2, 3)
    assert found.counts["entries"] == 2


def test_many_words_are_read_in_their_order(tmp_path, monkeypatch):
    monkeypatch.setattr(word_vectors, "FIRST_ROWS", 4)
    numbers = range(100)
    found = read(tmp_path, "".join(f"w{n} {n} {-n}\n" for n in numbers))
    assert found.rows == {f"w{n}": n for n in numbers}
    assert np.array_equal(found.matrix, [[n, -n] for n in numbers])


def test_white_space_is_a_word_but_for_blanks_line_ends_and_a_byte_order_mark(tmp_path):
    found = read(tmp_path, "\ufeffa 1 2\r\n\u0085 3 4\n\u00a0 5 6")
    assert list(found.rows) == ["a", "\u0085", "\u00a0"]
    assert np.array_equal(found.matrix, [[1, 2], [3, 4], [5, 6]])


@pytest.mark.parametrize("content", ["", "A 1 2\n"])
def test_a_file_without_a_wanted_word_is_refused(tmp_path, content):
    with pytest.raises(InputError, match="words can be used"):
        read(tmp_path, content, str.islower)
