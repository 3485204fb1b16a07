"""Scores that were made elsewhere, from files: one number for each task, seed and item.

- CSV, read as a user's own FAQ, or JSON lines (``.jsonl``), with the columns ``item`` and ``score``,
  and if wanted ``task``, ``seed``, ``cluster`` and ``gold``.
- A folder of samples of lm-evaluation-harness: ``samples_TASK_TIME.jsonl``. A filter of the answers
  makes a task of its own.
- A folder of results of MTEB: JSON files with ``task_name`` and ``scores``. There a task is an item:
  the mean of its splits and languages, as in MTEB.
"""

import importlib
import json
import math
import re
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semblance.data.text import read_json_lines
from semblance.errors import InputError, at
from semblance.named_modules import OWN_PAIRS
from semblance.provenance import read_json
from semblance.score_sets import Scores, ScoreSet

MOST = 2_000_000  # scores of a file
SAMPLES = re.compile(r"samples_(?P<task>.+?)(_\d{4}-\d\d-\d\dT.*)?\.jsonl")
ITEMS = ("item", "doc_id", "query", "query_id", "id")  # columns that name an item, the first there


@dataclass(frozen=True)
class ScoreColumns:
    """The names of the columns of an item and of its score."""

    item: str | None = None
    score: str = "score"


def read_set(path: str, columns: ScoreColumns) -> ScoreSet:
    """Return the scores of a file or folder; InputError, with the line, for what is none."""
    place = Path(path).expanduser()
    stem = place.name.removesuffix(".gz").rpartition(".")[0]
    scores = ScoreSet(place.name if place.is_dir() else stem or place.name, path)
    if place.is_dir():
        _read_folder(place, scores, columns)
    else:
        _add(scores, place, "", columns)
    if not scores.tasks:
        raise InputError(place, "it holds no scores")
    return scores


def _read_folder(folder: Path, found: ScoreSet, columns: ScoreColumns) -> None:
    samples = {path: SAMPLES.fullmatch(path.name) for path in sorted(folder.rglob("*.jsonl"))}
    for path, match in samples.items():
        if match:
            _add(found, path, match["task"], columns)
    if found.tasks:
        return
    for path in sorted(folder.rglob("*.json")):
        result = read_json(path)
        if isinstance(result, dict) and {"task_name", "scores"} <= result.keys():
            _add_result(found, path, result)
        elif isinstance(result, dict) and "mteb_dataset_name" in result:
            problem = "a result of MTEB before 1.11, whose form is not read"
            advice = "write it anew: mteb.TaskResult.from_disk(path).to_disk(path)"
            raise InputError(path, problem, advice)
    if not found.tasks:
        problem = "neither samples_*.jsonl of lm-evaluation-harness nor results of MTEB"
        raise InputError(folder, problem, "name a file with the columns item and score")


def _add_result(found: ScoreSet, path: Path, result: dict[str, Any]) -> None:
    """Add the main score of one task of MTEB: the mean of its splits and subsets."""
    task = str(result["task_name"])
    try:
        parts = [part["main_score"] for parts in result["scores"].values() for part in parts]
    except (AttributeError, KeyError, TypeError):
        raise InputError(path, "not a result of MTEB: it lacks scores.SPLIT[].main_score") from None
    if not parts:
        raise InputError(path, "a result of MTEB without a score")
    score = statistics.fmean(_number(part, str(path)) for part in parts)
    _put(found.tasks, "", "1", task, score, str(path))
    found.revisions[task] = str(result.get("dataset_revision"))


def _add(found: ScoreSet, path: Path, task: str, columns: ScoreColumns) -> None:
    """Add the scores of a file."""
    for count, (line, row) in enumerate(_lines(path, columns)):
        where = at(path, line)
        if count >= MOST:
            raise InputError(where, f"more than {MOST:,} scores", "compare fewer at a time")
        named = columns.item or next((name for name in ITEMS if name in row), ITEMS[0])
        item = _text(row, named, where)
        of_task = task or str(row.get("task", ""))
        if task and row.get("filter", "none") != "none":
            of_task = f"{task} {row['filter']}"
        score = _number(row["score"], where)
        _put(found.tasks, of_task, str(row.get("seed", "1")), item, score, where)
        if "gold" in row:
            found.gold.setdefault(of_task, {})[item] = _number(row["gold"], where)
        if "cluster" in row:
            found.clusters.setdefault(of_task, {})[item] = _text(row, "cluster", where)


def _lines(path: Path, columns: ScoreColumns) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each row with its score under that name."""
    if not path.name.removesuffix(".gz").endswith(".jsonl"):
        others = ("task", "seed", "cluster", "gold", *([columns.item] if columns.item else ITEMS))
        yield from importlib.import_module(OWN_PAIRS).read_own_scores(path, columns.score, others)
        return
    for line, row in read_json_lines(path):
        if columns.score not in row:
            known = ", ".join(map(str, list(row)[:20]))
            problem = f"no column {columns.score}"
            raise InputError(at(path, line), problem, f"--score names one of {known}")
        yield line, row | {"score": row[columns.score]}


def _put(
    tasks: dict[str, Scores], task: str, seed: str, item: str, score: float, where: str
) -> None:
    items = tasks.setdefault(task, {}).setdefault(seed, {})
    if item in items:
        problem = f"item {item!r:.80} of task {task!r:.80} and seed {seed!r:.40} stands twice"
        raise InputError(where, problem, "give each item one score")
    items[item] = score


def _text(row: dict[str, Any], name: str, where: str) -> str:
    value = row.get(name)
    if value is None or value == "":
        raise InputError(where, f"{name} is missing", "name the column of the items by --item")
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _number(value: Any, where: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or "_" in str(value):  # Python alone reads 1_0 as a number
        raise InputError(where, f"score {value!r:.80} is no finite number")
    return number
