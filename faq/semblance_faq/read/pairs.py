"""A user's own scored pairs: one file of CSV, Excel or JSON lines, read like a user's own FAQ.

Its columns are found by ``NAMES``. Their scores may have any scale. And scores that were made
elsewhere, from CSV of any hand.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from semblance.data.faq import ReadingNotes
from semblance.data.sts import OF_CSV, ScoredPair
from semblance.data.text import filled
from semblance.errors import InputError, at
from semblance_faq.read.columns import Columns
from semblance_faq.read.findings import Findings
from semblance_faq.read.tables import read_delimited, read_table
from semblance_faq.read.text import read_text

# Other names that a column may have, without case and white space.
NAMES = {
    "sentence1": "sentence_1 sentencea sentence_a s1 text1 text_1 texta text_a first satz1 satza",
    "sentence2": "sentence_2 sentenceb sentence_b s2 text2 text_2 textb text_b second satz2 satzb",
    "score": (
        "scores gold goldscore gold_score similarity similarity_score similarityscore "
        "relatedness relatedness_score relatednessscore rating label ähnlichkeit bewertung wert"
    ),
}
PLAIN = re.compile(r"(?a:[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)")
LEAST = 2  # pairs that a correlation needs


def read_own_pairs(path: Path | str, task: str) -> tuple[list[ScoredPair], ReadingNotes]:
    """Return the pairs of a user's file, and what was recognised and found in it.

    The index of a pair is its line. Raises InputError with file and line for a sentence that is
    empty and for a score that is no finite number, and for scores without any correlation: those
    of one pair, or all of them equal.
    """
    findings = Findings()
    columns = Columns(OF_CSV, given={}, known=NAMES)
    pairs = []
    for line, row in read_table(path, columns, findings):
        first = filled(row["sentence1"], "sentence1", path, line)
        second = filled(row["sentence2"], "sentence2", path, line)
        score = _score(row["score"], at(path, line))
        pairs.append(ScoredPair(task, "", line, first, second, score))
    if len(pairs) < LEAST:
        problem = f"pairs: {len(pairs)}, and a correlation needs {LEAST} at least"
        raise InputError(at(path, 1), problem, "add rows")
    if len({pair.score for pair in pairs}) == 1:
        problem = f"all {len(pairs)} scores are {pairs[0].score:g}, which correlates with nothing"
        raise InputError(at(path, pairs[0].index), problem, "score the pairs apart")
    return pairs, findings.reading()


def _score(value: Any, where: str) -> float:
    """Return a score, a number or its digits; InputError for anything else."""
    if value is None or value == "":
        raise InputError(where, "score is empty", "fill it in or remove the row")
    number = math.nan
    if type(value) in (int, float):  # of JSON; bool is an int, too, and is refused
        number = float(str(value))  # of an int that is too large for a float: infinity
    elif isinstance(value, str) and PLAIN.fullmatch(value.strip()):
        number = float(value)
    if not math.isfinite(number):
        problem = f"score {value!r:.40} is no finite number"
        raise InputError(where, problem, "write it like 3 or 2.5")
    return number


def read_own_text(path: Path | str) -> str:
    """Return the text of a file of any hand; InputError as ``read_text``."""
    return read_text(path, Findings())


def read_own_table(path: Path | str, known: Iterable[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the line of each row of a CSV and its fields by the names in its header.

    ``known`` names are found in any case.
    """
    columns = _AllColumns(("item", "score"), known=dict.fromkeys(known, ""))
    for line, fields in read_delimited(path, columns, Findings()):
        if any(map(str.strip, fields.values())):
            yield line, fields


class _AllColumns(Columns):
    def choose(self, names: Sequence[str], where: str) -> dict[str, int]:
        """Return the places of all columns by their names; InputError for two of one name."""
        known = {name.casefold(): name for name in self.known}
        chosen: dict[str, int] = {}
        for place, name in enumerate(map(str.strip, names)):
            name = known.get(name.casefold(), name)
            if name and name in chosen:
                raise InputError(where, f"two columns are called {name!r}", "rename one of them")
            chosen[name] = place
        return chosen
