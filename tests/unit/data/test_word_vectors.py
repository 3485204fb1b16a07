"""GloVe's text format: what is read, what is left out, and the line of each mistake."""

import re

import numpy as np
import pytest

from semblance.data import word_vectors
from semblance.data.word_vectors import read_word_vectors
from semblance.errors import InputError

FILE = b"the 0.5 -1 2e-3\ndog 1 2 3\n. . . 7 8 9\nthe 4 4 4\nCat 1 1 1\n"


def every(word):
    return True


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a file and returns its path."""

    def write(content: bytes):
        path = tmp_path / "glove.txt"
        path.write_bytes(content)
        return path

    return write


def test_each_word_has_its_numbers_and_of_a_repeated_word_the_first_line_counts(written):
    found = read_word_vectors(written(FILE), every)
    assert found.rows == {"the": 0, "dog": 1, ". . .": 2, "Cat": 3}
    expected = np.array([[0.5, -1, 2e-3], [1, 2, 3], [7, 8, 9], [1, 1, 1]], np.float32)
    assert found.matrix.dtype == np.float32 and np.array_equal(found.matrix, expected)
    assert found.counts == {"entries": 5, "repeated": 1, "left_out": 0}


def test_words_that_are_not_wanted_are_left_out_and_counted(written):
    found = read_word_vectors(written(FILE), str.islower)
    assert list(found.rows) == ["the", "dog"]
    assert found.counts == {"entries": 5, "repeated": 1, "left_out": 2}


def test_only_the_first_lines_count_where_their_number_is_limited(written):
    found = read_word_vectors(written(FILE), every, most=2)
    assert list(found.rows) == ["the", "dog"] and found.matrix.shape == (2, 3)
    assert found.counts["entries"] == 2


def test_many_words_are_read_in_their_order(written, monkeypatch):
    monkeypatch.setattr(word_vectors, "FIRST_ROWS", 4)
    numbers = range(100)
    path = written("".join(f"w{n} {n} {-n}\n" for n in numbers).encode())
    found = read_word_vectors(path, every)
    assert found.rows == {f"w{n}": n for n in numbers}
    assert np.array_equal(found.matrix, [[n, -n] for n in numbers])


def test_a_byte_order_mark_and_windows_line_ends_are_no_part_of_the_words(written):
    found = read_word_vectors(written(b"\xef\xbb\xbfa 1 2\r\nb 3 4"), every)
    assert found.rows == {"a": 0, "b": 1}
    assert np.array_equal(found.matrix, [[1, 2], [3, 4]])


def test_white_space_other_than_a_blank_is_a_word(written):
    found = read_word_vectors(written("a 1 2\n\u0085 3 4\n\u00a0 5 6\n".encode()), every)
    assert list(found.rows) == ["a", "\u0085", "\u00a0"]


MISTAKES = {
    "fewer numbers": (b"a 1 2 3\nb 1 2\n", 2, "2 numbers, and 3 in the first line"),
    "more numbers": (b"a 1 2\nb 1 2 3\n", 2, "more than the 2 numbers"),
    "more numbers and no word": (b"a 1 2\n 1 2 3\n", 2, "more than the 2 numbers"),
    "no word": (b"a 1 2\n 1 2\n", 2, "no word before the numbers"),
    "blank word": (b"a 1 2\n   1 2\n", 2, "no word before the numbers"),
    "blank line": (b"a 1 2\n\nb 1 2\n", 2, "0 numbers, and 2 in the first line"),
    "NaN": (b"a 1 2\nb 1 nan\n", 2, "not finite"),
    "infinite": (b"a 1 2\nb -inf 1\n", 2, "not finite"),
    "infinite as float32": (b"a 1 2\nb 1 1e39\n", 2, "not finite"),
    "a word for a number": (b"a 1 2\nb 1 x\n", 2, "'x' is no number"),
    "a comma": (b"a 1 2\nb 1 0,5\n", 2, "'0,5' is no number"),
    "an underscore": (b"a 1 2\nb 1 1_0\n", 2, "'1_0' is no number"),
    "a blank at the end": (b"a 1 2\nb 1 2 \n", 2, "'' is no number"),
    "a tab": (b"a 1 2\nb\t1\t2\n", 2, "0 numbers, and 2 in the first line"),
    "Latin-1": (b"a 1 2\ncaf\xe9 1 2\n", 2, "not UTF-8"),
    "a header": (b"2 300\na 1 2\n", 1, "a header of two counts"),
    "one word": (b"word\n", 1, "no word with numbers behind it"),
    "a long line": (b"a 1 2\n" + b"x" * 70000, 2, "a line of more than 65536 bytes"),
    "cut off": (b"a 1 2\nb 1", 2, "1 numbers, and 2 in the first line"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_refused_with_its_line(name, written):
    content, line, problem = MISTAKES[name]
    path = written(content)
    with pytest.raises(InputError, match=re.escape(problem)) as error:
        read_word_vectors(path, every)
    assert error.value.where == f"{path}:{line}"


@pytest.mark.parametrize("content", [b"", b"A 1 2\n"])
def test_a_file_without_a_wanted_word_is_refused(content, written):
    with pytest.raises(InputError, match="words can be used"):
        read_word_vectors(written(content), str.islower)


def test_a_file_that_is_missing_and_a_folder_are_refused(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_word_vectors(tmp_path / "none.txt", every)
    with pytest.raises(InputError, match="regular file"):
        read_word_vectors(tmp_path, every)
