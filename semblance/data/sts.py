"""Sentence pairs with human similarity scores: STS 2012-2016, STS Benchmark, SICK relatedness.

The readers normalise white space and leave the sentences as released: semblance.data.protocol
turns them into another form.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from semblance.data.csv_text import read_csv, read_tabs
from semblance.data.raw import Raw
from semblance.data.text import at_least_one, normalise
from semblance.errors import InputError, at
from semblance.lines import read_lines

FILE_NAME = re.compile(r"STS(?:20\d\d)?\.(?P<kind>gs|input)\.(?P<subset>.+)\.txt")
SICK_HEADER = ("pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment")
OF_CSV = ("sentence1", "sentence2", "score")
YEARS = range(12, 17)


@dataclass(frozen=True)
class ScoredPair:
    """Two sentences and their gold score; ``index`` is the line in the subset's file, from 1."""

    task: str
    subset: str
    index: int
    sentence1: str
    sentence2: str
    score: float


def read_sts_year(paths: Iterable[Path], year: int) -> list[ScoredPair]:
    """Read the test set of one year, 12 to 16, in SentEval's or the raw layout.

    ``paths``: its files ``STS.input.*`` and ``STS.gs.*``. Subsets come in order of their names. A
    pair whose gold line is blank was never scored: it is dropped, and the index of those after it
    stays. Scores are in [0, 5].
    """
    files: dict[str, dict[str, Path]] = {"input": {}, "gs": {}}  # by subset
    for path in paths:
        if match := FILE_NAME.fullmatch(path.name):
            files[match["kind"]][match["subset"]] = path
    pairs = []
    for name, inputs in sorted(files["input"].items()):
        if name not in files["gs"]:
            raise InputError(inputs, f"subset {name} has no gs file", "name both files")
        golds = files["gs"][name]
        scored = _read_subset(inputs, golds, year, name)
        pairs += at_least_one(scored, "scored pair", golds)
    return pairs


def _read_subset(inputs: Path, golds: Path, year: int, subset: str) -> Iterator[ScoredPair]:
    texts = list(read_lines(inputs))  # blank lines count, since two files go line by line
    scores = list(read_lines(golds))
    columns = [2]
    if year == 16:
        columns = [2, 4]  # the release names both sentences' sources in two more columns
    for (line, text), (_, gold) in zip(texts, scores, strict=False):
        fields = text.split("\t")
        if len(fields) not in columns:
            raise InputError(at(inputs, line), f"columns: {len(fields)}, expected {columns[-1]}")
        # SemEval had annotators score a part of some files only (E8).
        if gold.strip():
            score = _score(gold, 0, 5, at(golds, line))
            yield _pair(f"sts{year}", subset, line, fields[:2], score, inputs)
    (count, shorter), (expected, longer) = sorted([(len(texts), inputs), (len(scores), golds)])
    if count != expected:
        problem = f"lines: {count}, but {expected} in {longer.name}"
        raise InputError(at(shorter, max(count, 1)), problem, "both files must be of one release")


def _score(text: str, low: float, high: float, where: str) -> float:
    """Parse a score; float() alone would also take "nan", "1_0" and other scripts' digits."""
    text = text.strip()
    if not re.fullmatch(r"(?a:\d+\.?\d*|\.\d+)", text) or not low <= float(text) <= high:
        raise InputError(where, f"score {text!r} is no number in [{low}, {high}]")
    return float(text)


def _pair(
    task: str, subset: str, line: int, sentences: Iterable[str], score: float, path: Path | str
) -> ScoredPair:
    first, second = map(normalise, sentences)
    if not first or not second:
        raise InputError(at(path, line), "empty sentence")
    return ScoredPair(task, subset, line, first, second, score)


def read_stsb(path: Path | str) -> list[ScoredPair]:
    """Read a file of STS Benchmark: tab-separated without quoting, columns 5 to 7 hold a pair.

    They are the score and both sentences. Rows have 7 columns, or 9 where the sentences' sources
    are named. The subset is the genre, column 1.
    """
    pairs = []
    for line, fields in at_least_one(read_tabs(path, 7, 9), "scored pair", path):
        score = _score(fields[4], 0, 5, at(path, line))
        pairs.append(_pair("stsb", fields[0], line, fields[5:7], score, path))
    return pairs


def read_sick(path: Path | str) -> list[ScoredPair]:
    """Read a file of SICK as SemEval 2014 released it: header, 5 columns, relatedness in [1, 5].

    The header is line 1, so the first pair's index is 2.
    """
    rows = read_tabs(path, len(SICK_HEADER), header=SICK_HEADER)
    pairs = []
    for line, fields in at_least_one(rows, "scored pair", path):
        score = _score(fields[3], 1, 5, at(path, line))
        pairs.append(_pair("sickr", "", line, fields[1:3], score, path))
    return pairs


def read_pairs_csv(path: Path | str, task: str) -> list[ScoredPair]:
    """Read a CSV of scored pairs of any other test set: columns sentence1, sentence2, score.

    The score is a finite number on a scale of its own: correlations do not depend on the scale.
    """
    pairs = []
    for line, row in at_least_one(read_csv(path, OF_CSV), "scored pair", path):
        text = row["score"].strip()
        if not re.fullmatch(r"(?a:-?\d+\.?\d*|-?\.\d+)", text):
            raise InputError(at(path, line), f"score {text!r} is no plain number")
        sentences = (row["sentence1"], row["sentence2"])
        pairs.append(_pair(task, "", line, sentences, float(text), path))
    return pairs


RELEASES = {  # data sets in three files: the reader, and the file name of each part
    "stsb": (read_stsb, {"train": "sts-train.csv", "dev": "sts-dev.csv", "test": "sts-test.csv"}),
    "sick": (
        read_sick,
        {"train": "SICK_train.txt", "dev": "SICK_trial.txt", "test": "SICK_test_annotated.txt"},
    ),
}


def read_part(raw: Raw, name: str, part: str) -> list[ScoredPair]:
    """Return the pairs of one part of a data set of RELEASES."""
    read, files = RELEASES[name]
    return read(raw.file(name, files[part]))


def read_parts(raw: Raw, name: str) -> dict[str, list[ScoredPair]]:
    """Return the pairs of each part of a data set of RELEASES, after counting them."""
    parts = {part: read_part(raw, name, part) for part in ("train", "dev", "test")}
    counts = {part: len(pairs) for part, pairs in parts.items()}
    raw.check(name, **counts, trial=counts["dev"])  # SICK says trial for dev
    return parts
