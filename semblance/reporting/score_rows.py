"""The rows of scores in a file or folder, as the tool wrote it that made them.

CSV of any hand, JSON as Python writes it (NaN and Infinity, too), tables with a row for each model, also
in a log, and what MTEB, lm-evaluation-harness, trec_eval and ir-measures write. A file's content says
which it is.
"""

import importlib
import itertools
import json
import re
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from semblance.errors import InputError, at
from semblance.named_modules import OWN_PAIRS

Row = dict[str, Any]
Rows = Iterator[tuple[str, Row]]  # each with the place where it stands
Lines = Sequence[tuple[int, str]]  # each with its number
Table = Iterator[tuple[int, Row]]  # each with its line
MAIN = "main_score"
NAMES = {  # what a row has, and the fields that may hold it: the first that is there
    "score": ("score", "value", MAIN),
    "item": ("item", "doc_id", "query", "query_id", "id", "task_name"),
    "task": ("task", "measure"),
    "filter": ("filter",),  # of the harness: how an answer is read, a task of its own
    "seed": ("seed",),
    "cluster": ("cluster",),
    "gold": ("gold",),
    "model": ("model", "model_name"),
    "revision": ("dataset_revision",),
}
MODELS = (*NAMES["model"], "method", "system")  # columns of a table whose other columns are tasks
KNOWN = {*MODELS, *itertools.chain(*NAMES.values())}
OF_ONE = {*NAMES["score"], *NAMES["item"]}  # columns of a table with a score in each row
NO_TASK = re.compile(r"((avg|average|mean)\b.*)?", re.IGNORECASE)  # nor is a column without a name
NOT_RUN = "0.00"  # what SimCSE prints for a task that was not run
# Files of the harness; the groups of their names are fields of each line.
SAMPLES = re.compile(r"samples_(?P<task>.+?)(_\d{4}-\d\d-\d\dT.*)?\.jsonl")
JSON = re.compile(r"\s*(\{|\[\s*\{)")
BARS = re.compile(r"\s*\|(.*)\|\s*")  # a line of a printed table
RULER = re.compile(r"[-\s:+|]+")  # a line that is no row of it
NUMBER = re.compile(r"[-+]?(\d*\.?\d+([eE][-+]?\d+)?|nan)|[-–—]+")  # or a dash for none
SUMMARY = "all"  # what trec_eval and ir-measures call the mean of the questions
QUESTION = re.compile(rf"\S+\s+(\S+\s+({NUMBER.pattern})|{SUMMARY}\s+\S+)\s*")
COUNT = "num_"  # how trec_eval's counts begin, which are no scores
OLD_TASK = "mteb_dataset_name"  # a key of results of MTEB before 1.11


def rows_of(place: Path, score: str) -> Rows:
    """Yield each row of a file, or of the results in a folder, and where it stands.

    ``score``: what the user asks for, if anything: a column, a metric of MTEB, a measure. Raises
    InputError, with the line, for what cannot be read.
    """
    # A part of the application, which the reproduction does not import.
    own = importlib.import_module(OWN_PAIRS)
    for path in _results(place) if place.is_dir() else [place]:
        text = own.read_own_text(path)
        lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
        first = lines[0][1] if lines else ""
        bars = [(n, line) for n, line in lines if BARS.fullmatch(line)]
        if JSON.match(text):
            yield from _of_json(path, text, lines, score)
        elif QUESTION.fullmatch(first):
            yield from _of_questions(path, lines, score)
        elif bars and (RULER.match(first) or ".csv" not in path.suffixes):
            yield from _of_models(path, _printed_rows(path, bars), score, of_log=True)
        else:
            yield from _of_models(path, own.read_own_table(path, {score, *KNOWN}), score)


def _results(folder: Path) -> list[Path]:
    """Return the samples of the harness, or else the results of MTEB, in a folder.

    They lie in the folder itself, or else in one below it: InputError for those of two runs.
    """
    paths = [path for path in sorted(folder.rglob("*.json*")) if path.is_file()]
    paths = [path for path in paths if "/." not in f"/{path.relative_to(folder)}"]  # not hidden
    found = [path for path in paths if SAMPLES.fullmatch(path.name)]
    for path in () if found else paths:
        if path.suffix == ".json" and _task(_value(path, path.read_text("utf-8-sig", "replace"))):
            found.append(path)
    if not found:
        problem = "neither samples_*.jsonl of lm-evaluation-harness nor results of MTEB"
        advice = "name a file with the columns item and score, or run lm_eval with --log_samples"
        raise InputError(folder, problem, advice)
    folders = list(dict.fromkeys(path.parent for path in found))
    if folder not in folders and len(folders) > 1:
        problem = f"results of two runs, in {folders[0]} and in {folders[1]}"
        raise InputError(folder, problem, "name one of these folders")
    return [path for path in found if path.parent == folder or folder not in folders]


def _value(where: object, text: str) -> Any:
    """Return what Python's json wrote; InputError for anything else."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        problem = f"not readable as JSON ({error})"
        raise InputError(where, problem, "take the whole file") from None


def _of_json(path: Path, text: str, lines: Lines, score: str) -> Rows:
    """Yield the rows of JSON lines, or of a list of objects; a result of MTEB is one."""
    if lines[0][1].rstrip().endswith("}"):
        values = [(at(path, line), _value(at(path, line), one)) for line, one in lines]
    else:
        value = _value(path, text)
        values = [(str(path), row) for row in (value if isinstance(value, list) else [value])]
    samples = SAMPLES.fullmatch(path.name)
    for where, row in values:
        if not isinstance(row, dict):
            raise InputError(where, f"{row!r:.40} is no JSON object", "write one for each score")
        row = _of_result(where, row, score) if _task(row) else row
        yield where, row | (samples.groupdict() if samples else {})


def _of_questions(path: Path, lines: Lines, score: str) -> Rows:
    """Yield each question's value of each measure; counts only if they are asked for."""
    last = lines[-1][1]
    names = ("query", "measure", "value")
    # trec_eval puts the measure first, and blanks behind it; ir-measures the question, and one tab.
    if last.split()[0] != SUMMARY and (f"\t{SUMMARY}\t" in last or not re.match(r"\S+\t\S", last)):
        names = ("measure", "query", "value")
    for line, text in lines:
        fields = text.split()
        if len(fields) != len(names):
            raise InputError(at(path, line), "no line of a measure, a question and a value")
        row = dict(zip(names, fields, strict=True))
        if row["query"] != SUMMARY and (score or not row["measure"].startswith(COUNT)):
            yield at(path, line), row


def _printed_rows(path: Path, lines: Lines) -> Table:
    """Yield the rows of printed tables; a line without a number is the header of those below."""
    header: list[str] = []
    for line, text in lines:
        cells = [cell.strip(" *\t") for cell in text.strip()[1:-1].split("|")]
        if RULER.fullmatch(text):
            continue
        if not any(map(NUMBER.fullmatch, cells)) and len(set(cells)) == len(cells):
            header = [cell.lower() if cell.lower() in KNOWN else cell for cell in cells]
        elif len(cells) != len(header):
            raise InputError(at(path, line), f"cells: {len(cells)}, in the header {len(header)}")
        else:
            yield line, dict(zip(header, cells, strict=True))


def _of_models(path: Path, rows: Table, score: str, of_log: bool = False) -> Rows:
    """Yield each row of a table, or of one with a row for each model each of its cells."""
    for line, row in rows:
        model = next((name for name in MODELS if name in row), None)
        if score or OF_ONE & row.keys() or not (of_log or model):
            yield at(path, line), row
            continue
        fields = {name: row[name] for name in KNOWN & row.keys()}
        fields["model"] = row.get(model, "")
        for name, cell in row.items():
            unknown = not cell or (cell == NOT_RUN and not model)
            if not (name in KNOWN or unknown or NO_TASK.fullmatch(name)):
                yield at(path, line), fields | {"task_name": name, "score": cell}


def _task(value: Any) -> str:
    """Return the task of a result of MTEB; empty for any other value of JSON."""
    of_mteb = isinstance(value, dict) and ("scores" in value or OLD_TASK in value)
    return str(value.get("task_name") or value.get(OLD_TASK) or "") if of_mteb else ""


def _of_result(where: str, result: Row, score: str) -> Row:
    """Return a task of MTEB as one row: the mean over its splits and languages."""
    metric = score or MAIN
    try:
        parts = [(split, part) for split, parts in result["scores"].items() for part in parts]
        mean = statistics.fmean(part[metric] for _, part in parts)
        read = sorted(f"{split} {part.get('hf_subset', '')}" for split, part in parts)
    except (AttributeError, LookupError, TypeError, ValueError):
        problem = f"a result of MTEB without a number for each scores.SPLIT[].{metric}"
        advice = "mteb.TaskResult.from_disk(path).to_disk(path) mends those of old versions"
        raise InputError(where, problem, advice) from None
    read = [name.removesuffix("default").strip() for name in read]
    data = f"{str(result.get('dataset_revision')):.8} ({', '.join(read)})"
    return {"task_name": _task(result), metric: mean, "dataset_revision": data}
