"""Files of other tools, in the form in which each writes them: read, or refused by name."""

import json
import math

import pytest

from semblance.errors import InputError
from semblance.reporting.score_files import read_sets

LINE = "{:22}\t{}\t{}\n".format  # trec_eval's "%-22s\t%s\t%s\n"
LOG = """2026-11-01 10:00:00,001 : Generating sentence embeddings
+-------+-------+--------------+-------+
| STS12 | STS13 | STSBenchmark |  Avg. |
+-------+-------+--------------+-------+
| 70.50 | 80.25 |     0.00     | 50.25 |
+-------+-------+--------------+-------+
+------+------+
|  MR  | Avg. |
+------+------+
| 0.00 | 0.00 |
+------+------+
"""


def result(task, score):
    """A result as MTEB 2.26 writes it; json writes NaN and Infinity as it does."""
    part = {"main_score": score, "hf_subset": "default", "nauc_map_at_10_std": math.nan, "ndcg": 1}
    of_task = {"task_name": task, "kg_co2_emissions": math.nan, "scores": {"test": [part]}}
    return json.dumps(of_task)


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def scores(path, **asked):
    """The scores of a set by item, or by task and item where it has tasks."""
    [one] = read_sets(str(path), **asked)
    return {
        (f"{task} " * bool(task)) + item: score for (_, task, item), score in one.scores.items()
    }


VALUES = [("q1", "map", 0.5), ("q1", "P_5", 0.2), ("q2", "map", 0.25), ("q2", "P_5", 0.4)]
MEAN = ("all", "map", 0.375)
TREC = [LINE(measure, query, value) for query, measure, value in VALUES]
IR = ["{}\t{}\t{}\n".format(*row) for row in (*VALUES, MEAN)]
KEYS = ("query_id", "measure", "value")
QUESTIONS = {
    "trec_eval": "".join(
        [LINE("num_ret", "q1", 9), *TREC, LINE("runid", "all", "x"), LINE("map", "all", 0.4)]
    ),
    "ir-measures": "".join(IR),
    "ir-measures -n": "".join(IR[:-1]),
    "a header": "query,measure,score\n" + "".join(IR).replace("\t", ","),
    "ir-measures -o jsonl": "\n".join(
        json.dumps(dict(zip(KEYS, row, strict=True))) for row in (*VALUES, MEAN)
    ),
}


@pytest.mark.parametrize("tool", QUESTIONS)
def test_values_of_questions_are_read_by_measure_and_their_mean_is_no_question(tmp_path, tool):
    write(tmp_path, {"a": QUESTIONS[tool]})
    expected = {f"{measure} {query}": value for query, measure, value in VALUES}
    assert scores(tmp_path / "a") == expected
    assert scores(tmp_path / "a", score="map") == {"map q1": 0.5, "map q2": 0.25}


TABLES = {
    "SimCSE's log, without what was not run": (LOG, {}, {"STS12": 70.5, "STS13": 80.25}),
    "a row of a model": ("Model,STS12,Avg,\nx,70,70,7\n", {}, {"STS12": 70}),
    "Markdown": ("| Model | A | B |\n|:--|--:|--:|\n| x | **7** | |\n", {}, {"A": 7}),
    "a list of objects": ('[{"item": 1.0, "score": 2}]', {}, {"1": 2}),
    "objects": ('{"id": 1, "score": 2}\n{"id": 2, "score": 3}', {}, {"1": 2, "2": 3}),
    "decimals of pandas and blanks": ("item,score\n1.0,2\nb ,3\n", {}, {"1": 2, "b": 3}),
    "gold and score of each row": ("gold,score\n1,2\n3,4\n", {}, {"1": 2, "2": 4}),
    "named columns": ("epoch,steps,r\n1.0,50,.1\n", {"item": "steps", "score": "r"}, {"50": 0.1}),
    "all as a word": ("item,score\nall,1\nnone,2\n", {}, {"all": 1, "none": 2}),
    "MTEB": (result("STS12", 0.5), {}, {"STS12": 0.5}),
    "another metric of MTEB": (result("STS12", 0.5), {"score": "ndcg"}, {"STS12": 1}),
}


@pytest.mark.parametrize("kind", TABLES)
def test_what_people_have_is_read(tmp_path, kind):
    text, asked, expected = TABLES[kind]
    write(tmp_path, {"file": text})
    assert scores(tmp_path / "file", **asked) == expected


AGGREGATES = {
    "CQARetrieval": {"CQAOneRetrieval": 0.41, "CQATwoRetrieval": 0.72},
    "CQARetrieval-PL": {"CQA-One-PL": 0.21, "CQA-Two-PL": 0.83, "CQA-Six-PL": 0.34},
}


@pytest.mark.parametrize("name", AGGREGATES)
def test_an_aggregate_of_mteb_stands_for_its_parts_and_is_said(tmp_path, name):
    parts = AGGREGATES[name]
    # STS14 is the mean of four others by luck.
    tasks = {f"STS1{year}": 0.5 + year / 100 for year in range(2, 7)} | {"CQAOther": 0.5}
    tasks[name] = sum(parts.values()) / len(parts)
    files = {f"{task}.json": result(task, score) for task, score in (tasks | parts).items()}
    write(tmp_path, files | {"model_meta.json": '{"max_tokens": Infinity}'})
    assert scores(tmp_path) == pytest.approx(tasks)
    [one] = read_sets(str(tmp_path))
    assert one.notes == [f"{name} stands for {len(parts)} tasks of which it is the mean"]


def test_an_aggregate_whose_parts_cannot_be_told_is_said(tmp_path):
    of_aggregate = json.loads(result("VisualSTS17Eng", 0.5)) | {"dataset_revision": "1"}
    part = json.loads(result("STS17MultilingualVisualSTS", 0.5)) | {"dataset_revision": "1fe"}
    write(tmp_path, {f"{n}.json": json.dumps(one) for n, one in enumerate((of_aggregate, part))})
    [one] = read_sets(str(tmp_path))
    assert len(one.scores) == 2
    assert one.notes == ["VisualSTS17Eng is made of other tasks: leave out those that are here"]


STS12 = result("STS12", 0.5)
SAMPLE = '{"doc_id": 0, "score": 1}\n'
REFUSED = {
    "no results": ({"a.json": '{"task_name": "x"}'}, "neither samples"),
    "two revisions": ({"r1/a.json": STS12, "r2/a.json": STS12}, "r1 and in .*r2; name one of"),
    "an experiment": (
        {"m/r/a.json": STS12, "m/r/experiments/e/a.json": STS12},
        "m/r and in .*m/r/experiments/e; name one of these folders",
    ),
    "two dates of samples": (
        {f"samples_x_2026-01-0{day}T0.jsonl": SAMPLE for day in (1, 2)},
        r"02T0\.jsonl:1: item '0' .* twice, first in .*01T0\.jsonl:1; .* name one of the files",
    ),
    "no main score": (
        {"a.json": result("x", None)},
        r"a\.json:1: a result of MTEB without a number",
    ),
    "NaN": ({"a.json": result("x", math.nan)}, r"a\.json:1: score nan is no finite number"),
    "MTEB 1.0": ({"a.json": '{"mteb_dataset_name": "x", "test": {"f1": 0.5}}'}, "from_disk"),
    "half a file": ({"a.json": '{"task_name": "x", '}, r"a\.json: not readable as JSON"),
    "no question": ({"": LINE("map", "all", ".5")}, "no scores; .* with -q"),
    "no such measure": (
        {"": "q1\tAP\t.5\nq2\tRR\t.5\n"},
        "no scores of MAP; --score names one of AP, RR",
    ),
    "a list of numbers": ({"": '[{"item": 1, "score": 2}, 3]'}, "3 is no JSON object"),
    "columns of pandas": ({"": '{"item": {"0": 1}, "score": {"0": 2}}'}, "is no finite number"),
    "a dash for a score": (
        {"": "| model | A |\n| x | 1 |\n| y | - |\n"},
        ":3: score '-' is no finite",
    ),
    "a ragged log": ({"": "| A | B |\n| 1 |\n"}, ":2: cells: 1, in the header 2"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_read_is_named(tmp_path, kind):
    files, problem = REFUSED[kind]
    write(tmp_path, {name or "file": text for name, text in files.items()})
    place = tmp_path / "file" if "" in files else tmp_path
    with pytest.raises(InputError, match=problem):
        read_sets(str(place), "MAP" if kind == "no such measure" else "")
