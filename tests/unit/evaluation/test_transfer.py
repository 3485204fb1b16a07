"""The evaluation on the transfer tasks: features, what is predicted, scores, files."""

import numpy as np
import pandas as pd
import pytest

from semblance.errors import InputError
from semblance.evaluation import transfer
from semblance.evaluation.classifier import Classifier
from semblance.evaluation.prepared import read_columns
from semblance.evaluation.scored import Target
from semblance.evaluation.texts import Vectors
from semblance.evaluation.transfer import (
    Transfer,
    TransferRun,
    accuracy_rows,
    evaluate_transfer,
)
from semblance.models.folder import load
from semblance.names import TRANSFER_TASKS
from semblance.provenance import input_digests, outputs_digest, read_sealed, record_digest
from tests.example_settings import COMPUTE
from tests.unit.evaluation.prepared import lines, records

FOLDS = 2


@pytest.fixture(scope="module")
def evaluated(demo):
    """The demo's folder with the scores of its base on the transfer tasks, too."""
    target = Target(demo / "transfer/record.json", COMPUTE, "0123")
    target.record.parent.mkdir()
    run = TransferRun("none", "tiny", "start", "0", FOLDS, 1111)
    evaluate_transfer(run, *records(demo, "base", "items"), target)
    return demo


def test_each_task_has_its_accuracy_on_dev_and_on_test_and_mrpc_its_f1(evaluated):
    found = [
        (line["task"], line["metric"], line["aggregation"])
        for line in lines(evaluated / "transfer/record.json")
    ]
    expected = {(task, "accuracy", part) for task in TRANSFER_TASKS for part in ("dev", "test")}
    assert sorted(found) == sorted(expected | {("mrpc", "f1", "test")})
    counts = {
        (line["task"], line["aggregation"]): int(line["n"])
        for line in lines(evaluated / "transfer/record.json")
    }
    assert (counts["mr", "dev"], counts["mr", "test"]) == (48, 48)
    assert (counts["sst2", "dev"], counts["sst2", "test"]) == (12, 16)
    assert (counts["trec", "dev"], counts["trec", "test"]) == (42, 18)


def test_the_gold_labels_of_the_predictions_are_those_of_the_items(evaluated):
    items = pd.read_parquet(evaluated / "items/items.parquet")
    found = pd.read_parquet(evaluated / "transfer/predictions.parquet")
    labels = items.set_index(["task", "part", "index"])["label"].sort_index()
    # Where the items of a prediction lie: dev items of a task without a dev part are of train.
    known = set(zip(items["task"], items["part"], strict=True))
    for (task, part), rows in found.groupby(["task", "part"]):
        (place,) = [name for name in (part, "train", "") if (task, name) in known][:1]
        assert labels[task, place].loc[rows["index"]].tolist() == rows["gold"].tolist()


def test_the_record_names_what_was_read_and_how_the_items_were_dealt(evaluated):
    record = read_sealed(evaluated / "transfer/record.json")
    items = read_sealed(evaluated / "items/record.json")
    assert input_digests(record)["data"] == outputs_digest(items)
    [link] = [link for link in record["inputs"] if link["role"] == "data"]
    assert link["record"] == record_digest(items)
    assert record["stage"] == "evaluate_transfer"
    assert (record["settings"]["folds"], record["settings"]["shuffle"]) == (FOLDS, 1111)
    assert record["environment"]["scikit-learn"] != "absent"


def test_a_second_evaluation_gives_the_same_bytes(evaluated, tmp_path):
    target = Target(tmp_path / "record.json", COMPUTE, "0123")
    run = TransferRun("none", "tiny", "start", "0", FOLDS, 1111)
    read = records(evaluated, "base", "items")
    evaluate_transfer(run, *read, target)
    for name in ("scores.csv", "predictions.parquet"):
        assert (tmp_path / name).read_bytes() == (evaluated / "transfer" / name).read_bytes()


def test_each_distinct_text_is_embedded_once_over_all_tasks(evaluated, monkeypatch):
    embedded = []
    encoder = load(evaluated / "base/model").eval()
    encode = encoder.encode

    def counted(tokens, max_length):
        embedded.append(len(tokens.lengths()))
        return encode(tokens, max_length)

    monkeypatch.setattr(encoder, "encode", counted)
    items = read_columns(evaluated / "items/items.parquet", transfer.COLUMNS)
    texts = {*items["sentence1"], *items["sentence2"][items["sentence2"] != ""]}
    tasks = Transfer(items, evaluated / "base/model/tokenizer.json")
    tasks.predict(encoder, 32, Classifier(FOLDS, 1111, 1))
    assert embedded == [len(texts)]


def test_a_pair_is_the_distance_of_its_vectors_beside_their_product():
    vectors = Vectors(np.array([[1.0, -2.0], [3.0, 0.5]], np.float32), {"a": 0, "b": 1})
    found = transfer._features(vectors, np.array(["a", "b"]), np.array(["b", "b"]))
    assert found.tolist() == [[2.0, 2.5, 3.0, -1.0], [0.0, 0.0, 9.0, 0.25]]
    alone = transfer._features(vectors, np.array(["b"]), np.array([""]))
    assert alone.tolist() == [[3.0, 0.5]] and alone.dtype == np.float64


def predictions(rows: list[tuple]) -> dict[str, np.ndarray]:
    """Return columns from rows of task, part, fold, inner, index, gold, predicted."""
    names = ("task", "part", "fold", "inner", "index", "gold", "predicted")
    return {
        name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }


def test_an_accuracy_is_the_mean_of_its_folds_and_f1_that_of_label_1():
    rows = [
        ("mrpc", "dev", 0, 0, 0, 1, 1),
        ("mrpc", "dev", 0, 0, 1, 1, 0),
        ("mrpc", "dev", 0, 1, 2, 0, 0),
        ("mrpc", "dev", 1, 0, 3, 0, 1),
        ("mrpc", "test", 0, 0, 0, 1, 1),
        ("mrpc", "test", 0, 0, 1, 1, 0),
        ("mrpc", "test", 0, 0, 2, 0, 1),
        ("mrpc", "test", 1, 0, 3, 1, 1),
    ]
    found = {
        (r["metric"], r["aggregation"]): (r["value"], r["n"])
        for r in accuracy_rows(predictions(rows))
    }
    of_fold_0 = (1 / 2 + 1) / 2  # the mean of its inner folds
    assert found["accuracy", "dev"] == (pytest.approx((of_fold_0 + 0) / 2), 4)
    assert found["accuracy", "test"] == (pytest.approx((1 / 3 + 1) / 2), 4)
    precision = 2 / 3
    recall = 2 / 3
    f1 = 2 * precision * recall / (precision + recall)
    assert found["f1", "test"] == (pytest.approx(f1), 4)


def test_f1_is_zero_where_label_1_is_never_right():
    rows = [("mrpc", part, 0, 0, i, 0, 0) for part in ("dev", "test") for i in (0, 1)]
    found = {(r["metric"], r["aggregation"]): r["value"] for r in accuracy_rows(predictions(rows))}
    assert found["f1", "test"] == 0.0 and found["accuracy", "test"] == 1.0


def test_too_few_items_for_the_folds_stop_with_one_line(evaluated, tmp_path):
    run = TransferRun("none", "tiny", "start", "0", 30, 1111)
    read = records(evaluated, "base", "items")
    with pytest.raises(InputError, match="evaluate_transfer.folds: a class has 24 items"):
        evaluate_transfer(run, *read, Target(tmp_path / "record.json", COMPUTE, ""))
