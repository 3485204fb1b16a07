"""Scores that were made elsewhere, from files: one number for each task, seed and item.

A set is what a file or folder has of one model. ``score_rows`` reads it; its NAMES alone say which
field holds what.
"""

import itertools
import json
import math
import re
import statistics
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semblance.errors import InputError
from semblance.reporting.score_rows import NAMES, SUMMARY, Row, rows_of

Cell = tuple[str, str]  # a task and an item
UNFILTERED = "none"
WHOLE = re.compile(r"^([+-]?\d+)\.0*$")  # a whole number that pandas wrote as a decimal
DIGITS = 1e-4  # what rounding may leave between a printed mean and the mean of what is printed
LAST_DIGIT = 1e-6  # the same, of MTEB's six digits
WORD = 3  # letters of a word, at least
OF_AGGREGATE = "1 "  # the revision that MTEB writes of each aggregate, and of no other task


@dataclass
class ScoreSet:
    """The scores of one model or method, by (seed, task, item).

    ``gold`` and ``cluster`` are by (task, item); they are empty where a file has no such column.
    ``revisions``: of the data, with what was read of them, by item, where the files state them.
    ``notes``: what is counted once. ``places``: where each score stands.
    """

    name: str
    place: str
    scores: dict[tuple[str, str, str], float] = field(default_factory=dict)
    gold: dict[Cell, float] = field(default_factory=dict)
    cluster: dict[Cell, str] = field(default_factory=dict)
    revisions: dict[str, str] = field(default_factory=dict)
    of_tasks: bool = False  # whether the items are tasks, each with its own items
    notes: list[str] = field(default_factory=list)
    places: dict[tuple[str, str, str], str] = field(default_factory=dict)

    @property
    def seeds(self) -> tuple[str, ...]:
        """The names of the seeds."""
        return tuple(sorted({seed for seed, *_ in self.scores}))

    @property
    def cells(self) -> set[Cell]:
        """The task and item of each score."""
        return {(task, item) for _, task, item in self.scores}

    def add(self, where: str, row: Row) -> None:
        """Add the score of a row, its gold, its cluster and the revision of its data."""
        item = _label(row, "item", where)
        task, seed = _text(row.get("task", "")), _text(row.get("seed", "1"))
        if (reading := row.get("filter", UNFILTERED)) != UNFILTERED:
            task = f"{task} {reading}"
        cell = (seed, task, item)
        if cell in self.scores:
            problem = f"item {item!r:.80} of task {task!r:.80} and seed {seed!r:.40} stands twice"
            problem += f", first in {self.places[cell]}"
            raise InputError(where, problem, "give each item one score, or name one of the files")
        self.scores[cell] = _finite(row["score"], where)
        self.places[cell] = where
        if "gold" in row:
            self.gold[task, item] = _finite(row["gold"], where)
        if "cluster" in row:
            self.cluster[task, item] = _label(row, "cluster", where)
        if "revision" in row:
            self.revisions[item] = str(row["revision"])

    def count_once(self) -> None:
        """Leave out what another score is the mean of, and a mean of all that trec_eval prints."""
        groups: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
        for (seed, task, item), score in self.scores.items():
            groups[seed, task][item] = score
        for group, items in groups.items():
            others = [score for item, score in items.items() if item != SUMMARY]
            if others and abs(items.get(SUMMARY, math.inf) - statistics.fmean(others)) <= DIGITS:
                del self.scores[*group, SUMMARY]
            for name in items if self.of_tasks else ():
                if parts := _parts(name, items):
                    self.notes.append(
                        f"{name} stands for {len(parts)} tasks of which it is the mean"
                    )
                elif self.revisions.get(name, "").startswith(OF_AGGREGATE):
                    self.notes.append(
                        f"{name} is made of other tasks: leave out those that are here"
                    )
                for part in parts:
                    self.scores.pop((*group, part), None)


def _parts(name: str, scores: dict[str, float]) -> list[str]:
    """Return the tasks whose mean MTEB writes beside them as the task ``name``; mostly none.

    No file says so. Each part has a word more than what begins and ends the aggregate's own name
    (CQADupstackRetrieval, CQADupstackTexRetrieval), and its score is the mean of theirs.
    """
    near = [task for task in scores if task != name and task[:WORD] == name[:WORD]]
    for i, j in itertools.combinations_with_replacement(range(WORD, len(name) + 1), 2):
        parts = [task for task in near if task.startswith(name[:i]) and task.endswith(name[j:])]
        if len(parts) < (2 if i == j else 3) or min(map(len, parts)) < i + len(name) - j + WORD:
            continue
        error = abs(scores[name] - statistics.fmean(scores[part] for part in parts))
        if error <= (DIGITS if i == j else LAST_DIGIT):
            return parts
    return []


def read_sets(path: str, score: str = "", item: str = "") -> list[ScoreSet]:
    """Return the scores of a file or folder: a set for each model that it names, or one.

    ``score`` and ``item`` name the columns, in place of those of NAMES. Raises InputError, with the
    line, for what is no score.
    """
    place = Path(path).expanduser()
    asked = {what: (name,) for what, name in (("score", score), ("item", item)) if name}
    sets: dict[str, ScoreSet] = {}
    rows_read, measures = Counter(), {}
    for where, row in rows_of(place, score):
        if score and "measure" in row and score not in row:
            measures[_text(row["measure"])] = None
            if _text(row["measure"]) != score:
                continue
            row[score] = row.get("value", row.get("score"))
        known = (NAMES | asked).items()
        names = {what: next((n for n in fields if n in row), None) for what, fields in known}
        fields = {what: row[name] for what, name in names.items() if name}
        model, seed = (_text(fields.get(name, "")) for name in ("model", "seed"))
        rows_read[model, seed] += 1
        if "gold" in fields and not item:  # all sets have the same gold, row for row
            fields.setdefault("item", str(rows_read[model, seed]))
        for what in ("score", "item"):
            if what not in fields:
                columns = ", ".join(f"{name!r:.40}" for name in list(row)[:20] if name)
                problem = f"no column {(asked.get(what) or [what])[0]!r}"
                raise InputError(where, problem, f"--{what} names one of {columns}")
        one = sets.setdefault(model, ScoreSet(model, f"{path}: {model}"))
        one.add(where, fields)
        one.of_tasks = names["item"] == "task_name"
    if not sets:
        advice = "it takes one for each item: of trec_eval and ir_measures with -q"
        if measures:
            advice = f"--score names one of {', '.join(measures)}"
        raise InputError(place, "it holds no scores" + f" of {score}" * bool(score), advice)
    for one in sets.values():
        one.count_once()
        if one.of_tasks and not one.revisions:  # of a table, where any column may be a task
            one.notes.append(f"its items are {', '.join(item for *_, item in one.scores)}")
        if len(sets) == 1:
            stem = place.name.removesuffix(".gz").rpartition(".")[0]
            one.name, one.place = place.name if place.is_dir() else stem or place.name, path
    return list(sets.values())


def _label(row: Row, name: str, where: str) -> str:
    text = "" if row[name] is None else _text(row[name])
    if not text:
        raise InputError(where, f"{name} is missing", "fill it in")
    return text


def _text(value: object) -> str:
    """Return a label: 1, 1.0 and "1 " are one."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return WHOLE.sub(r"\1", text.strip())


def _finite(value: Any, where: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or "_" in str(value):  # Python alone reads 1_0 as a number
        problem = f"score {value!r:.80} is no finite number"
        raise InputError(where, problem, "write it like 3 or 0.25")
    return number
