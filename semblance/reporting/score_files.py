"""Scores that were made elsewhere, from files: one number for each task, seed and item.

A set is one file, CSV (read as a user's own FAQ) or JSON lines; or a folder of samples of
lm-evaluation-harness or of results of MTEB. The names of NAMES alone say which field holds what.
"""

import importlib
import json
import math
import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semblance.errors import InputError, at
from semblance.lines import read_json_lines
from semblance.named_modules import OWN_PAIRS
from semblance.provenance import read_json

Row = dict[str, Any]
Cell = tuple[str, str]  # a task and an item
NAMES = {  # what a row has, and the fields that may hold it: the first that is there
    "item": ("item", "doc_id", "query", "query_id", "id", "task_name"),
    "task": ("task",),
    "filter": ("filter",),  # of the harness: how an answer is read, a task of its own
    "seed": ("seed",),
    "cluster": ("cluster",),
    "gold": ("gold",),
    "revision": ("dataset_revision",),
}
UNFILTERED = "none"
# Files of the harness; the groups of their names are fields of each line.
SAMPLES = re.compile(r"samples_(?P<task>.+?)(_\d{4}-\d\d-\d\dT.*)?\.jsonl")
RESULT = {"task_name", "scores"}  # keys of a file of MTEB
DEFAULT = "default"  # of a task with one language


@dataclass
class ScoreSet:
    """The scores of one model or method, by (seed, task, item).

    ``gold`` and ``cluster`` are by (task, item); they are empty where a file has no such column.
    ``revisions``: of the data, with what was read of them, by item, where the files state them.
    """

    name: str
    place: str
    scores: dict[tuple[str, str, str], float] = field(default_factory=dict)
    gold: dict[Cell, float] = field(default_factory=dict)
    cluster: dict[Cell, str] = field(default_factory=dict)
    revisions: dict[str, str] = field(default_factory=dict)

    @property
    def seeds(self) -> tuple[str, ...]:
        """The names of the seeds."""
        return tuple(sorted({seed for seed, *_ in self.scores}))

    def of_seed(self, seed: str, cells: Sequence[Cell]) -> list[float]:
        """Return the scores of a seed; InputError for a cell that only another seed or set has."""
        missing = [cell for cell in cells if (seed, *cell) not in self.scores]
        if missing:
            task, item = missing[0]
            problem = f"task {task!r:.80}, item {item!r:.80}: no score of seed {seed!r:.40}"
            raise InputError(self.place, problem, f"{len(missing)} items do not pair")
        return [self.scores[seed, *cell] for cell in cells]

    def add(self, where: str, row: Row) -> None:
        """Add the score of a row, its gold, its cluster and the revision of its data."""
        item = _label(row, "item", where)
        task, seed = str(row.get("task", "")), str(row.get("seed", "1"))
        if (reading := row.get("filter", UNFILTERED)) != UNFILTERED:
            task = f"{task} {reading}"
        if (seed, task, item) in self.scores:
            problem = f"item {item!r:.80} of task {task!r:.80} and seed {seed!r:.40} stands twice"
            raise InputError(where, problem, "give each item one score")
        self.scores[seed, task, item] = _finite(row["score"], where)
        if "gold" in row:
            self.gold[task, item] = _finite(row["gold"], where)
        if "cluster" in row:
            self.cluster[task, item] = _label(row, "cluster", where)
        if "revision" in row:
            self.revisions[item] = str(row["revision"])


def read_set(path: str, score: str = "score") -> ScoreSet:
    """Return the scores of a file or folder, from the column ``score``.

    Raises InputError, with the line, for what is none.
    """
    place = Path(path).expanduser()
    stem = place.name.removesuffix(".gz").rpartition(".")[0]
    scores = ScoreSet(place.name if place.is_dir() else stem or place.name, path)
    for where, row in (_of_folder if place.is_dir() else _of_file)(place, score):
        first = {what: next((n for n in names if n in row), None) for what, names in NAMES.items()}
        fields = {what: row[name] for what, name in first.items() if name}
        scores.add(where, fields | {"score": row["score"]})
    if not scores.scores:
        raise InputError(place, "it holds no scores")
    return scores


def _of_file(path: Path, score: str) -> Iterator[tuple[str, Row]]:
    """Yield each row of a file, its score under that name, and where it stands."""
    if not path.name.removesuffix(".gz").endswith(".jsonl"):
        others = [name for names in NAMES.values() for name in names]
        # A part of the application, which the reproduction does not import.
        rows = importlib.import_module(OWN_PAIRS).read_own_scores(path, score, others)
        yield from ((at(path, line), row) for line, row in rows)
        return
    samples = SAMPLES.fullmatch(path.name)
    for line, row in read_json_lines(path):
        if score not in row:
            advice = f"--score names one of {', '.join(map(str, list(row)[:20]))}"
            advice += "; of a folder with several metrics name a file" * bool(samples)
            raise InputError(at(path, line), f"no column {score}", advice)
        task = samples.groupdict() if samples else {}
        yield at(path, line), row | task | {"score": row[score]}


def _of_folder(folder: Path, score: str) -> Iterator[tuple[str, Row]]:
    """Yield each score of the samples of a folder; where it has none, of its results of MTEB."""
    paths = sorted(path for path in folder.rglob("*.json*") if path.is_file())
    if samples := [path for path in paths if SAMPLES.fullmatch(path.name)]:
        for path in samples:
            yield from _of_file(path, score)
        return
    results = {
        str(path): read_json(path, "take the whole file")
        for path in paths
        if path.suffix == ".json"
    }
    of_mteb = [
        where for where, one in results.items() if isinstance(one, dict) and one.keys() >= RESULT
    ]
    for where in of_mteb:
        yield where, _of_result(where, results[where])
    if not of_mteb:
        problem = "neither samples_*.jsonl of lm-evaluation-harness nor results of MTEB"
        raise InputError(folder, problem, "name a file with the columns item and score")


def _of_result(place: str, result: Row) -> Row:
    """Return a task of MTEB as one item: the mean over its splits and languages."""
    try:
        parts = [(split, part) for split, parts in result["scores"].items() for part in parts]
        read = sorted(f"{split} {part.get('hf_subset', DEFAULT)}" for split, part in parts)
        scores = [_finite(part["main_score"], place) for _, part in parts]
    except (AttributeError, KeyError, TypeError):
        problem = "not a result of MTEB: it lacks scores.SPLIT[].main_score"
        raise InputError(place, problem) from None
    if not scores:
        raise InputError(place, "a result of MTEB without a score")
    read = [name.removesuffix(f" {DEFAULT}") for name in read]
    data = f"{str(result.get('dataset_revision')):.8} ({', '.join(read)})"
    return result | {"score": statistics.fmean(scores), "dataset_revision": data}


def _label(row: Row, name: str, where: str) -> str:
    value = row.get(name)
    if value is None or value == "":
        raise InputError(where, f"{name} is missing", f"name its column {' or '.join(NAMES[name])}")
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _finite(value: Any, where: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or "_" in str(value):  # Python alone reads 1_0 as a number
        problem = f"score {value!r:.80} is no finite number"
        raise InputError(where, problem, "write it like 3 or 0.25")
    return number
