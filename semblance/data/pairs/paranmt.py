"""ParaNMT: sentences and their paraphrases by translation and back (Wieting and Gimpel 2018)."""

import math
import re
from collections.abc import Iterator
from pathlib import Path

from semblance.data.pair import Pair
from semblance.data.text import filled, read_rows
from semblance.errors import InputError, at

LABELS = ()
# float() alone would also take "nan", "1_0" and other scripts' digits.
NUMBER = re.compile(r"(?a:[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?)")


def read(path: Path | str) -> Iterator[Pair]:
    """Yield the pairs of a file: sentence, paraphrase and, if it is there, a score, between tabs.

    The score chooses nothing, but must be a number: the part of 5 million pairs has none, that of
    50 million has one. InputError for a line with other columns, and a file without a pair.
    """
    line = 0
    for line, text in read_rows(path):
        fields = text.split("\t")
        if len(fields) not in (2, 3):
            raise InputError(at(path, line), f"columns: {len(fields)}, expected 2 or 3")
        if len(fields) == 3 and not _is_number(fields[2]):
            raise InputError(at(path, line), f"the score {fields[2]!r:.80} is not a number")
        first = filled(fields[0], "the sentence", path, line)
        yield Pair(first, filled(fields[1], "the paraphrase", path, line))
    if not line:
        raise InputError(at(path, 1), "no pair", "fetch the file again")


def _is_number(text: str) -> bool:
    return NUMBER.fullmatch(text) is not None and math.isfinite(float(text))
