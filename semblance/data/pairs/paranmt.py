"""ParaNMT: sentences and their paraphrases by translation and back (Wieting and Gimpel 2018)."""

from collections.abc import Iterator
from pathlib import Path

from semblance.data.csv_text import read_tabs
from semblance.data.pair import Pair
from semblance.data.text import at_least_one, filled

LABELS = ()


def read(path: Path | str) -> Iterator[Pair]:
    """Yield the pairs of a file: sentence, paraphrase and, if it is there, a score, between tabs.

    The score chooses nothing: the part of 5 million pairs has none, that of 50 million has one.
    InputError for a line with other columns, and a file without a pair.
    """
    for line, fields in at_least_one(read_tabs(path, 2, 3), "pair", path):
        first = filled(fields[0], "the sentence", path, line)
        yield Pair(first, filled(fields[1], "the paraphrase", path, line))
