"""GloVe's text format: each line has a word and its numbers, separated by single blanks.

The first line has d numbers, and so has each. A few words of glove.840B.300d contain blanks, so
the last d fields of a line are the numbers. Blanks alone separate: other white space, such as a
no-break space, is itself a word there.
"""

import re
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from semblance.data.text import read_lines
from semblance.errors import InputError, at

MAX_LINE = 1 << 16  # characters; a word with 300 numbers has about 2,700
FIRST_ROWS = 1 << 12  # that have memory at first; it grows by a quarter each time
FETCH = "fetch the file again"
ONE_LENGTH = "give each word as many numbers as the first line has"
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|[-+]?(nan|inf(inity)?)", re.I | re.A)


class WordVectors(NamedTuple):
    """The words of a file, each with the number of its row, and their vectors, (n, d) float32.

    ``counts``: ``entries``, the lines that were read; ``repeated`` and ``left_out``, those that gave
    no row.
    """

    rows: dict[str, int]
    matrix: np.ndarray
    counts: dict[str, int]


def read_word_vectors(
    path: str | Path, wanted: Callable[[str], bool], most: int | None = None
) -> WordVectors:
    """Read the words that are ``wanted`` out of the first ``most`` lines, or out of all.

    Of a word that stands twice the first line counts. Raises InputError, with the line, for a line
    without a word, with another number of numbers, with what is no finite number, or not in UTF-8;
    and for a file without a word that is wanted.
    """
    rows: dict[str, int] = {}
    matrix = np.empty((0, 0), np.float32)
    counts = {"entries": 0, "repeated": 0, "left_out": 0}
    for line, text in islice(read_lines(path), most):
        where = at(path, line)
        if len(text) > MAX_LINE:
            raise InputError(where, f"a line of more than {MAX_LINE} characters", "check the file")
        if line == 1:
            matrix = np.empty((FIRST_ROWS, _width(text, where)), np.float32)
        word, vector = _entry(text, matrix.shape[1], where)
        counts["entries"] += 1
        if word in rows:
            counts["repeated"] += 1
        elif not wanted(word):
            counts["left_out"] += 1
        else:
            if len(rows) == len(matrix):
                # In its place: a copy would need the memory twice.
                matrix.resize((len(rows) * 5 // 4, matrix.shape[1]), refcheck=False)
            matrix[len(rows)] = vector
            rows[word] = len(rows)
    if not rows:
        problem = f"none of its {counts['entries']} words can be used"
        raise InputError(path, problem, "name a text file of GloVe vectors")
    matrix.resize((len(rows), matrix.shape[1]), refcheck=False)
    return WordVectors(rows, matrix, counts)


def _width(text: str, where: str) -> int:
    """Return how many numbers the first line has."""
    fields = text.split(" ")
    if len(fields) == 2 and all(field.isdecimal() for field in fields):
        problem = "a header of two counts, which GloVe's format does not have"
        raise InputError(where, problem, "remove this line")
    if len(fields) < 2:
        raise InputError(where, "no word with numbers behind it", "name a file of GloVe vectors")
    return len(fields) - 1


def _entry(text: str, width: int, where: str) -> tuple[str, np.ndarray]:
    """Return the word of a line and its vector, (width,) float32."""
    word, *fields = text.rsplit(" ", width)
    if len(fields) < width:
        problem = f"{len(fields)} numbers, and {width} in the first line"
        raise InputError(where, problem, ONE_LENGTH)
    behind = text.removeprefix(word)
    try:
        numbers = [float(field) for field in fields]
    except ValueError:
        numbers = []
    # Python reads 1_0 as 10, and the digits of every script.
    if not numbers or "_" in behind or not behind.isascii():
        wrong = next(field for field in fields if not NUMBER.fullmatch(field))
        raise InputError(where, f"{wrong!r:.40} is no number", FETCH)
    with np.errstate(over="ignore"):
        vector = np.array(numbers).astype(np.float32)
    if not np.isfinite(vector).all():
        raise InputError(where, "a number is not finite", FETCH)
    _, blank, last = word.rpartition(" ")
    if blank and NUMBER.fullmatch(last):
        raise InputError(where, f"more than the {width} numbers of the first line", ONE_LENGTH)
    if not word.strip(" "):
        raise InputError(where, "no word before the numbers", FETCH)
    return word, vector
