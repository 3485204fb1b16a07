"""Scores that were made elsewhere, from files: one number for each task, seed and item.

A set is one file, CSV (read as a user's own FAQ) or JSON lines, or a folder of one of FOLDERS. Which
field holds what is said by the names of NAMES and FOLDERS alone.
"""

import importlib
import json
import math
import re
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from semblance.data.text import read_json_lines
from semblance.errors import InputError, at
from semblance.named_modules import OWN_PAIRS
from semblance.provenance import read_json

Row = dict[str, Any]
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


class Folder(NamedTuple):
    """What the files of a folder are called, and where each holds its score."""

    made_by: str
    files: re.Pattern  # its groups are fields of each line
    score: str = ""  # below scores.SPLIT[], of which the mean counts; empty: a field of each line


SAMPLES = Folder(
    "samples_*.jsonl of lm-evaluation-harness",
    re.compile(r"samples_(?P<task>.+?)(_\d{4}-\d\d-\d\dT.*)?\.jsonl"),
)
FOLDERS = (SAMPLES, Folder("results of MTEB", re.compile(r".*\.json"), "main_score"))


@dataclass
class ScoreSet:
    """The scores of one model or method, by (seed, task, item).

    ``gold`` and ``cluster`` are by (task, item); they are empty where a file has no such column.
    ``revisions``: of the data, with what was read of them, by item, where the files state them.
    """

    name: str
    place: str
    scores: dict[tuple[str, str, str], float] = field(default_factory=dict)
    gold: dict[tuple[str, str], float] = field(default_factory=dict)
    cluster: dict[tuple[str, str], str] = field(default_factory=dict)
    revisions: dict[str, str] = field(default_factory=dict)


def read_set(path: str, item: str | None = None, score: str = "score") -> ScoreSet:
    """Return the scores of a file or folder; InputError, with the line, for what is none.

    ``item`` and ``score`` name the columns.
    """
    place = Path(path).expanduser()
    stem = place.name.removesuffix(".gz").rpartition(".")[0]
    scores = ScoreSet(place.name if place.is_dir() else stem or place.name, path)
    names = NAMES | ({"item": (item,)} if item else {})
    for where, row in (_of_folder if place.is_dir() else _of_file)(place, score, names):
        _add(scores, where, row, names)
    if not scores.scores:
        raise InputError(place, "it holds no scores")
    return scores


def _of_file(path: Path, score: str, names: dict) -> Iterator[tuple[str, Row]]:
    """Yield each row of a file, its score under that name, and where it stands."""
    if not path.name.removesuffix(".gz").endswith(".jsonl"):
        others = [name for some in names.values() for name in some]
        # A part of the application, which the reproduction does not import.
        rows = importlib.import_module(OWN_PAIRS).read_own_scores(path, score, others)
        yield from ((at(path, line), row) for line, row in rows)
        return
    samples = SAMPLES.files.fullmatch(path.name)
    for line, row in read_json_lines(path):
        if score not in row:
            advice = f"--score names one of {', '.join(map(str, list(row)[:20]))}"
            advice += "; of a folder with several metrics name a file" * bool(samples)
            raise InputError(at(path, line), f"no column {score}", advice)
        task = samples.groupdict() if samples else {}
        yield at(path, line), row | task | {"score": row[score]}


def _of_folder(folder: Path, score: str, names: dict) -> Iterator[tuple[str, Row]]:
    """Yield each score of the first form of FOLDERS of which the folder has files."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    empty = True
    for form in FOLDERS:
        for path in paths if empty else ():
            if form.files.fullmatch(path.name):
                rows = _of_result(path, form.score) if form.score else _of_file(path, score, names)
                for where, row in rows:
                    empty = False
                    yield where, row
    if empty:
        problem = f"neither {' nor '.join(form.made_by for form in FOLDERS)}"
        raise InputError(folder, problem, "name a file with the columns item and score")


def _of_result(path: Path, score: str) -> Iterator[tuple[str, Row]]:
    """Yield the mean over the splits and languages of a task of MTEB; nothing of another file."""
    result = read_json(path)
    if not isinstance(result, dict):
        return
    if "mteb_dataset_name" in result:
        problem = "a result of MTEB before 1.11, whose form is not read"
        advice = "write it anew: mteb.TaskResult.from_disk(path).to_disk(path)"
        raise InputError(path, problem, advice)
    if {"task_name", "scores"} <= result.keys():
        where = str(path)
        try:
            parts = [
                (f"{split} {part.get('hf_subset', '')}", _number(part[score], where))
                for split, parts in result["scores"].items()
                for part in parts
            ]
        except (AttributeError, KeyError, TypeError):
            raise InputError(
                path, f"not a result of MTEB: it lacks scores.SPLIT[].{score}"
            ) from None
        if not parts:
            raise InputError(path, "a result of MTEB without a score")
        names = ", ".join(sorted(name.removesuffix(" default").strip() for name, _ in parts))
        data = f"{str(result.get('dataset_revision')):.8} ({names})"
        mean = statistics.fmean(number for _, number in parts)
        yield where, result | {"score": mean, "dataset_revision": data}


def _add(scores: ScoreSet, where: str, row: Row, names: dict) -> None:
    """Add the score of a row, its gold, its cluster and the revision of its data."""
    fields = {
        what: row[name] for what, some in names.items() for name in reversed(some) if name in row
    }
    item = _text(fields, "item", where)
    task, seed = str(fields.get("task", "")), str(fields.get("seed", "1"))
    if (reading := fields.get("filter", UNFILTERED)) != UNFILTERED:
        task = f"{task} {reading}"
    if (seed, task, item) in scores.scores:
        problem = f"item {item!r:.80} of task {task!r:.80} and seed {seed!r:.40} stands twice"
        raise InputError(where, problem, "give each item one score")
    scores.scores[seed, task, item] = _number(row["score"], where)
    if "gold" in fields:
        scores.gold[task, item] = _number(fields["gold"], where)
    if "cluster" in fields:
        scores.cluster[task, item] = _text(fields, "cluster", where)
    if "revision" in fields:
        scores.revisions[item] = str(fields["revision"])


def _text(fields: Row, name: str, where: str) -> str:
    value = fields.get(name)
    if value is None or value == "":
        raise InputError(where, f"{name} is missing", "name the column of the items by --item")
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _number(value: Any, where: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or "_" in str(value):  # Python alone reads 1_0 as a number
        problem = f"score {value!r:.80} is no finite number"
        raise InputError(where, problem, "write it like 3 or 0.25")
    return number
