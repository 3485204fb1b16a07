"""Scores that were made elsewhere, from files: one number for each task, seed and item.

- CSV, or JSON lines (``.jsonl``), with the columns ``item`` and ``score``, and if wanted ``task``,
  ``seed``, ``cluster`` and ``gold``.
- A folder of samples of lm-evaluation-harness: ``samples_TASK_TIME.jsonl``.
- A folder of results of MTEB: JSON files with ``task_name`` and ``scores``. There a task is an item.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semblance.data.csv_text import read_csv
from semblance.data.text import read_json_lines
from semblance.errors import InputError, at
from semblance.provenance import read_json

SAMPLES = re.compile(r"samples_(?P<task>.+?)(_\d{4}-\d\d-\d\dT.*)?\.jsonl")
ITEMS = ("item", "doc_id", "query", "query_id", "id")  # columns that name an item, the first there
Scores = dict[str, dict[str, float]]  # seed -> item -> score
Row = dict[str, Any]


@dataclass
class ScoreSet:
    """The scores of one model or method.

    ``gold`` and ``clusters`` are by task and item; they are empty where a file has no such column.
    """

    name: str
    place: str
    tasks: dict[str, Scores] = field(default_factory=dict)
    gold: dict[str, dict[str, float]] = field(default_factory=dict)
    clusters: dict[str, dict[str, str]] = field(default_factory=dict)


def read_set(path: str, item: str | None = None, score: str = "score") -> ScoreSet:
    """Return the scores of a file or folder; InputError, with the line, for what is none.

    ``item`` and ``score`` name the columns.
    """
    place = Path(path).expanduser()
    scores = ScoreSet(place.name.removesuffix(".gz").rpartition(".")[0] or place.name, path)
    rows = _of_folder(place, score) if place.is_dir() else _of_file(place)
    for where, row in rows:
        _add(scores, where, row, item, score)
    if not scores.tasks:
        raise InputError(place, "it holds no scores")
    return scores


def _of_file(path: Path) -> Iterator[tuple[str, Row]]:
    """Yield each row of a file, and where it stands."""
    is_json = path.name.removesuffix(".gz").endswith(".jsonl")
    for line, row in read_json_lines(path) if is_json else read_csv(path, ()):
        yield at(path, line), row


def _of_folder(folder: Path, score: str) -> Iterator[tuple[str, Row]]:
    """Yield each sample of the harness or, if there is none, each main score of MTEB."""
    samples = {path: SAMPLES.fullmatch(path.name) for path in sorted(folder.rglob("*.jsonl"))}
    for path, match in samples.items():
        if match:
            yield from ((where, row | {"task": match["task"]}) for where, row in _of_file(path))
    if any(samples.values()):
        return
    results = {path: read_json(path) for path in sorted(folder.rglob("*.json"))}
    results = {path: found for path, found in results.items() if _is_of_mteb(found)}
    if not results:
        problem = "neither samples_*.jsonl of lm-evaluation-harness nor results of MTEB"
        raise InputError(folder, problem, "name a file with the columns item and score")
    for path, result in results.items():
        try:
            for split, several in result["scores"].items():
                for one in several:
                    item = f"{result['task_name']} {split} {one.get('hf_subset', '')}".rstrip()
                    yield str(path), {"item": item, score: one["main_score"]}
        except (AttributeError, KeyError, TypeError):
            problem = "not a result of MTEB: it lacks scores.SPLIT[].main_score"
            raise InputError(path, problem) from None


def _is_of_mteb(result: Any) -> bool:
    return isinstance(result, dict) and {"task_name", "scores"} <= result.keys()


def _add(scores: ScoreSet, where: str, row: Row, item: str | None, score: str) -> None:
    """Add the score of a row, its gold and its cluster."""
    name = _text(row, item or next((name for name in ITEMS if name in row), ITEMS[0]), where)
    if score not in row:
        columns = ", ".join(map(str, list(row)[:20]))
        raise InputError(where, f"no column {score}", f"--score names one of {columns}")
    task, seed = str(row.get("task", "")), str(row.get("seed", "1"))
    items = scores.tasks.setdefault(task, {}).setdefault(seed, {})
    if name in items:
        problem = f"item {name!r:.80} of task {task!r:.80} and seed {seed!r:.40} stands twice"
        raise InputError(where, problem, "give each item one score")
    items[name] = _number(row[score], where)
    if "gold" in row:
        scores.gold.setdefault(task, {})[name] = _number(row["gold"], where)
    if "cluster" in row:
        scores.clusters.setdefault(task, {})[name] = _text(row, "cluster", where)


def _text(row: Row, name: str, where: str) -> str:
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
