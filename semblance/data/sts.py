"""Sentence pairs with human similarity scores: STS 2012-2016, STS Benchmark, SICK relatedness.

The readers normalise white space and leave the sentences as released: semblance.data.protocol
turns them into another form.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from semblance.data.csv_text import read_csv
from semblance.data.text import normalise, read_lines, read_rows, refuse_traces
from semblance.errors import InputError, at

FILE_NAME = re.compile(r"STS(?:20\d\d)?\.(?P<kind>gs|input)\.(?P<subset>.+?)\.txt(?:\.gz)?")
SICK_HEADER = ["pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment"]
YEARS = range(12, 17)
# Not subsets to score: ALL repeats the others, and the sentences of STS13's SMT were never freely
# released, so no published average counts it.
SKIPPED = {(year, "ALL") for year in YEARS} | {(13, "SMT")}


@dataclass(frozen=True)
class ScoredPair:
    """Two sentences and their gold score; ``index`` is the line in the subset's file, from 1."""

    task: str
    subset: str
    index: int
    sentence1: str
    sentence2: str
    score: float


def read_sts_year(folder: Path | str, year: int) -> list[ScoredPair]:
    """Read the test set of one year, 12 to 16 (or 2012 to 2016), in SentEval's or the raw layout.

    ``folder`` holds the ``STS.input.*`` and ``STS.gs.*`` files, or the year's folder
    ``STSyy-en-test``. Subsets come in order of their names. A pair whose gold line is blank was
    never scored: it is dropped, and the index of those after it stays. Scores are in [0, 5].
    """
    year = year % 100
    if year not in YEARS:
        raise InputError(folder, f"no STS test set of year {year}", "12 to 16")
    release = Path(folder)
    inside = release / f"STS{year}-en-test"
    if inside.is_dir():
        release = inside
    inputs = _find_files(release, "input")
    golds = _find_files(release, "gs")
    subsets = sorted(name for name in {*inputs, *golds} if (year, name) not in SKIPPED)
    if not subsets:
        raise InputError(folder, f"no STS.input.*.txt of year {year}", "unpack the release here")
    pairs = []
    for name in subsets:
        for kind, files in (("input", inputs), ("gs", golds)):
            if name not in files:
                raise InputError(
                    folder, f"subset {name} has no {kind} file", "unpack the whole release"
                )
        pairs += _read_subset(inputs[name], golds[name], year, name)
    return pairs


def _find_files(folder: Path, kind: str) -> dict[str, Path]:
    """Return the paths of one kind, "gs" or "input", in a folder by their subset."""
    if not folder.is_dir():
        raise InputError(folder, "no such folder", "check the path or download it")
    files: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        match = FILE_NAME.fullmatch(path.name)
        if match is None or match["kind"] != kind:
            continue
        subset = match["subset"]
        if subset in files:
            raise InputError(
                path, f"subset {subset} has two {kind} files", "keep one release in a folder"
            )
        files[subset] = path
    return files


def _read_subset(input_path: Path, gold_path: Path, year: int, subset: str) -> list[ScoredPair]:
    inputs = _read_whole(input_path)
    golds = _read_whole(gold_path)
    columns = [2]
    if year == 16:
        columns = [2, 4]  # the release names both sentences' sources in two more columns
    pairs = []
    for (line, text), (_, gold) in zip(inputs, golds, strict=False):
        fields = text.split("\t")
        if len(fields) not in columns:
            raise InputError(
                at(input_path, line), f"columns: {len(fields)}, expected {columns[-1]}"
            )
        if gold.strip():
            score = _score(gold.strip(), 0, 5, at(gold_path, line))
            pairs.append(_pair(f"sts{year}", subset, line, fields[:2], score, input_path))
    _check_lengths({input_path: len(inputs), gold_path: len(golds)})
    return _require_pairs(pairs, gold_path)


def _check_lengths(lines: dict[Path, int]) -> None:
    """Raise InputError at the end of the shorter file unless both have as many lines."""
    (shorter, found), (longer, expected) = sorted(lines.items(), key=lambda item: item[1])
    if found != expected:
        raise InputError(
            at(shorter, max(found, 1)),
            f"lines: {found}, but {expected} in {longer.name}",
            "both files must be of one release",
        )


def _read_whole(path: Path) -> list[tuple[int, str]]:
    """Return all lines with their numbers; blank lines count, since two files go line by line."""
    lines = list(read_lines(path))
    for line, text in lines:
        refuse_traces(text, path, line)
    return lines


def _require_pairs(pairs: list[ScoredPair], path: Path | str) -> list[ScoredPair]:
    if not pairs:
        raise InputError(at(path, 1), "no scored pair", "fetch the release again")
    return pairs


def _score(text: str, low: float, high: float, where: str) -> float:
    """Parse a score; float() alone would also take "nan", "1_0" and other scripts' digits."""
    if not re.fullmatch(r"(?a:\d+\.?\d*|\.\d+)", text) or not low <= float(text) <= high:
        raise InputError(where, f"score {text!r} is no number in [{low}, {high}]")
    return float(text)


def _pair(
    task: str, subset: str, line: int, sentences: list[str], score: float, path: Path | str
) -> ScoredPair:
    first, second = (normalise(sentence) for sentence in sentences)
    if not first or not second:
        raise InputError(at(path, line), "empty sentence")
    return ScoredPair(task, subset, line, first, second, score)


def read_stsb(path: Path | str) -> list[ScoredPair]:
    """Read a file of STS Benchmark: tab-separated without quoting, columns 5 to 7 hold a pair.

    They are the score and both sentences. Rows have 7 columns, or 9 where the sentences' sources
    are named. The subset is the genre, column 1.
    """
    pairs = []
    for line, text in read_rows(path):
        fields = text.split("\t")
        if len(fields) not in (7, 9):
            raise InputError(at(path, line), f"columns: {len(fields)}, expected 7 or 9")
        score = _score(fields[4].strip(), 0, 5, at(path, line))
        pairs.append(_pair("stsb", fields[0], line, fields[5:7], score, path))
    return _require_pairs(pairs, path)


def read_sick(path: Path | str) -> list[ScoredPair]:
    """Read a file of SICK as SemEval 2014 released it: header, 5 columns, relatedness in [1, 5].

    The header is line 1, so the first pair's index is 2.
    """
    rows = read_rows(path)
    _, header = next(rows, (1, ""))
    if header.split("\t") != SICK_HEADER:
        raise InputError(
            at(path, 1), f"the header is not {' '.join(SICK_HEADER)}", "keep the release's header"
        )
    pairs = []
    for line, text in rows:
        fields = text.split("\t")
        if len(fields) != len(SICK_HEADER):
            raise InputError(at(path, line), f"columns: {len(fields)}, expected {len(SICK_HEADER)}")
        score = _score(fields[3].strip(), 1, 5, at(path, line))
        pairs.append(_pair("sickr", "", line, fields[1:3], score, path))
    return _require_pairs(pairs, path)


def read_pairs_csv(path: Path | str, task: str) -> list[ScoredPair]:
    """Read a CSV of scored pairs of any other test set: columns sentence1, sentence2, score.

    The score is a finite number on a scale of its own: correlations do not depend on the scale.
    """
    pairs = []
    for line, row in read_csv(path, ("sentence1", "sentence2", "score")):
        text = row["score"].strip()
        if not re.fullmatch(r"(?a:-?\d+\.?\d*|-?\.\d+)", text):
            raise InputError(at(path, line), f"score {text!r} is no plain number")
        sentences = [row["sentence1"], row["sentence2"]]
        pairs.append(_pair(task, "", line, sentences, float(text), path))
    return _require_pairs(pairs, path)
