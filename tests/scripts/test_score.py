"""``semblance score`` shows a model under every protocol, and says which tasks are missing."""

import csv
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from semblance.data.prepare_sts import released_pairs
from semblance.data.raw import Raw
from semblance.data.sts import ScoredPair
from semblance.errors import InputError
from semblance.evaluation import protocols as shown
from semblance.evaluation.protocols import AVERAGE, with_averages
from semblance.evaluation.sts import Sts, score_rows
from semblance.fetch.hub import RECORD, is_wanted
from semblance.fetch.manifest import found_entry, load_manifest
from semblance.models import folder as model_folder
from semblance.models.base import BaseSettings, build_base
from semblance.models.found import BARE
from semblance.provenance import write_sealed
from tests.dag.tiny import ROOT, write_base
from workflow.scripts import score

POOLINGS = (*BARE, "pooler")  # the tiny base carries BERT's pooler
PAIRS = "sentence1,sentence2,score\nA dog runs.,A dog walks.,4\nA cat.,Two books,0\nOne,Two,2\n"


@pytest.fixture
def model(tmp_path) -> Path:
    """A tiny model that this project has written; its own pooling is the mean."""
    write_base(tmp_path / "source")
    settings = BaseSettings(max_length=64, folder=str(tmp_path / "source"), pooling="mean")
    build_base(settings, tmp_path / "model/record.json", "")
    return tmp_path / "model"


@pytest.fixture
def data(tmp_path, monkeypatch) -> str:
    """A folder of raw data that has STS-B of the demo and no other task."""
    folder = tmp_path / "data"
    shutil.copytree(ROOT / "demo/data/stsb", folder / "stsb")
    monkeypatch.setattr(score, "MANIFEST", ROOT / "demo/manifest.yaml")
    return str(folder)


def run(capsys, *arguments: str) -> tuple[list[str], str]:
    """Run the command on one thread; return the lines that it prints, and its messages."""
    score.main([*map(str, arguments), "--threads", "1"])
    out, err = capsys.readouterr()
    return out.splitlines(), err


def written(path: Path) -> list[dict[str, str]]:
    """Return the scores that the command wrote."""
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))


def test_every_protocol_is_a_line_and_missing_tasks_are_named(model, data, capsys):
    (head, columns, *lines), err = run(capsys, model, "--data", data)
    assert head.endswith("its own pooling is mean; max length 64 tokens; no prompts")
    assert columns.split() == ["pooling", "text", "aggregation", "metric", "stsb"]
    table = [line.split() for line in lines if not line.startswith("missing: ")]
    assert {(line[0], line[1], line[2]) for line in table} == {
        (name + "*" * (name == "mean"), text, aggregation)
        for name in POOLINGS
        for text in ("senteval", "raw")
        for aggregation in ("all", "mean", "wmean")
    }
    assert len({len(line) for line in [columns, *lines[: len(table)]]}) == 1  # aligned
    missing = [line.split()[1] for line in lines if line.startswith("missing: ")]
    assert missing == [f"{name}:" for name in ("sts12", "sts13", "sts14", "sts15", "sts16", "sick")]
    assert "stsb: " in err


COMMIT = "0123456789" * 4


@pytest.fixture
def mirror(model, data, tmp_path) -> Path:
    """A mirror that has the data, and the model under a name of the hub."""
    place = Path(data) / f"models/me/tiny@{COMMIT}"
    shutil.copytree(model / "model", place)
    names = [path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()]
    files = {name: found_entry(place / name) for name in names if is_wanted(name)}
    record = {"repo": "me/tiny", "revision": COMMIT, "commit": COMMIT, "files": files}
    write_sealed(place / RECORD, record)
    return Path(data)


def test_a_model_of_the_hub_is_fetched_with_the_data_and_pinned(mirror, tmp_path, capsys):
    asked = (f"me/tiny@{COMMIT}", "--fetch", "--mirror", mirror, "--tasks", "stsb")
    (_, *lines), err = run(capsys, *asked, "--data", tmp_path / "downloads")
    assert f"model: me/tiny@{COMMIT}" in err
    (_, *local), _ = run(capsys, tmp_path / "model", "--data", mirror, "--tasks", "stsb")
    # What is there already is taken without the mirror.
    (_, *again), _ = run(capsys, *asked[:2], *asked[4:], "--data", tmp_path / "downloads")
    assert lines == local == again


def test_a_name_that_is_neither_a_folder_nor_of_the_hub_is_refused(data):
    for name in ("../x", "me/tiny@main", "tiny", "https://hub/me/tiny"):
        with pytest.raises(InputError, match="no folder, and no name of the hub"):
            score.main([name, "--fetch", "--data", data])


def test_the_own_pooling_has_the_scores_of_the_workflows_evaluation(model, data, capsys, tmp_path):
    run(capsys, model, "--data", data, "--tasks", "stsb", "--csv", tmp_path / "scores.csv")
    raw = Raw(load_manifest(ROOT / "demo/manifest.yaml"), Path(data))
    expected = scores_of(model / "model", released_pairs(raw, "stsb"))
    ours = {
        (row["metric"], row["aggregation"], row["subset"]): float(row["value"])
        for row in written(tmp_path / "scores.csv")
        if (row["own"], row["pooling"], row["text"], row["task"]) == ("true", "mean", "raw", "stsb")
    }
    assert ours == pytest.approx(expected, abs=1e-4)


def scores_of(folder: Path, pairs: list[ScoredPair]) -> dict:
    """Return the scores in points as ``evaluate_sts`` computes them."""
    names = ("task", "subset", "index", "sentence1", "sentence2", "score")
    columns = {name: np.asarray([getattr(pair, name) for pair in pairs]) for name in names}
    predictions, _ = Sts(columns, folder / "tokenizer.json").predict(
        model_folder.load(folder).eval(), 64
    )
    return {
        (row["metric"], row["aggregation"], row["subset"]): 100 * row["value"]
        for row in score_rows(predictions)
    }


@pytest.mark.parametrize("file, task", [("library.csv", "library"), ("stsb.txt", "stsb.txt")])
def test_own_pairs_are_one_more_task_and_csv_has_every_score(
    model, data, capsys, tmp_path, file, task
):
    (tmp_path / file).write_text(PAIRS)
    path = tmp_path / "scores.csv"
    arguments = (model, "--data", data, "--pairs", tmp_path / file, "--csv", path)
    (_, columns, *_), err = run(capsys, *arguments)
    assert f"{task}  average of 2" in columns
    assert "columns: sentence1 from 'sentence1'" in err
    rows = written(path)
    assert {row["task"] for row in rows} == {"stsb", task, AVERAGE}
    assert {row["n"] for row in rows if row["task"] == task} == {"3"}
    [line], _ = run(capsys, *arguments, "--json")
    shown = [row["value"] for row in json.loads(line)["scores"]]
    assert shown == [float(row["value"]) if row["value"] else None for row in rows]


def test_the_protocols_nearest_to_a_printed_number_are_shown(model, data, capsys):
    lines, _ = run(capsys, model, "--data", data, "--tasks", "stsb", "--number", "0")
    *_, title, first, second, third = lines
    assert title == "nearest to 0:"
    distances = [abs(float(line.split()[0])) for line in (first, second, third)]
    assert distances == sorted(distances)


def test_a_folder_of_transformers_states_no_pooling(model, data, capsys):
    source = model.parent / "source"
    (head, *lines), _ = run(capsys, source, "--data", data, "--tasks", "stsb")
    assert "states no pooling" in head and "*" not in "".join(lines)


def test_a_layer_that_is_not_read_is_named_below_what_the_folder_states(model, data, capsys):
    path = model.parent / "source/model.safetensors"
    size = load_file(path)["pooler.dense.bias"].shape[0]
    layer = {"mlp.dense.weight": torch.eye(size), "mlp.dense.bias": torch.zeros(size)}
    save_file(load_file(path) | layer, path)
    (_, unread, *_), _ = run(capsys, path.parent, "--data", data, "--tasks", "stsb")
    assert unread.startswith("not read: mlp.dense.bias, mlp.dense.weight. This is a checkpoint of")


def test_a_head_makes_the_own_pooling_a_line_of_its_own(model, data, capsys, tmp_path):
    encoder = model_folder.load(model / "model", "keep")
    model_folder.save(encoder, tmp_path / "head", model / "model", 64)
    path = tmp_path / "scores.csv"
    run(capsys, tmp_path / "head", "--data", data, "--tasks", "stsb", "--csv", path)
    rows = written(path)
    assert {row["pooling"] for row in rows if row["own"] == "true"} == {"mean + dense"}
    values = {
        row["pooling"]: row["value"]
        for row in rows
        if (row["text"], row["aggregation"], row["metric"]) == ("raw", "all", "spearman")
    }
    assert list(values) == ["mean + dense", *POOLINGS]
    assert values["mean + dense"] != values["mean"]


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("--data", "nowhere"), "none of the tasks is there: stsb"),
        (("--tasks", "sts99"), "sts99: there is no such data set"),
        (("--threads", "0"), "--threads: 0 threads"),
        (("--max-length", "2"), "--max-length: 2 tokens"),
        (("--prompt", "query"), "has no prompt 'query'"),
        (("--pairs", "nowhere.csv"), "--pairs nowhere.csv: no such file"),
        (
            ("--pairs", str(ROOT / "demo/data/stsb/sts-dev.csv")),
            "needed are sentence1, sentence2, score",
        ),
    ],
)
def test_a_mistake_is_one_line(model, data, capsys, arguments, words):
    with pytest.raises(InputError, match=words):
        score.main([str(model), "--data", data, "--tasks", "stsb", *arguments])


def test_a_score_that_does_not_exist_is_shown_as_such_and_has_no_average():
    row = {"pooling": "cls", "own": False, "text": "raw", "subset": "", "metric": "spearman"}
    row |= {"aggregation": "all", "n": 3}
    values = {"stsb": 50.0, "sickr": np.nan}
    scores = with_averages([row | {"task": task, "value": v} for task, v in values.items()])
    assert scores["n"].tolist() == [3, 3, 2]
    assert shown.table_text(scores).splitlines()[1].split()[4:] == ["50.00", "n/a", "n/a"]
    assert [line.endswith(",,2") for line in shown.scores_csv(scores).splitlines()[3:]] == [True]
