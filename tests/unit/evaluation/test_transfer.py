"""The evaluation on the transfer tasks: features, what is predicted, scores, files."""

import numpy as np
import pandas as pd
import pytest

from semblance.evaluation import transfer
from semblance.evaluation.classifier import Classifier
from semblance.evaluation.prepared import Vectors, read_columns
from semblance.evaluation.transfer import Transfer, TransferRun, accuracy_rows, evaluate_transfer
from semblance.models.folder import load
from semblance.names import TRANSFER_TASKS
from semblance.provenance import input_digests, outputs_digest, read_sealed
from tests.unit.evaluation.prepared import lines, records, target

FOLDS = 2


@pytest.fixture(scope="module")
def evaluated(demo):
    """The folder with the scores of the demo's base on the transfer tasks."""
    run = TransferRun("none", "tiny", "start", "0", FOLDS, 1111)
    evaluate_transfer(run, *records(demo, "base", "items"), target(demo / "transfer"))
    return demo / "transfer"


def test_each_task_has_its_accuracy_on_dev_and_on_test_and_mrpc_its_f1(evaluated):
    found = lines(evaluated)
    expected = {(task, "accuracy", part) for task in TRANSFER_TASKS for part in ("dev", "test")}
    names = [(line["task"], line["metric"], line["aggregation"]) for line in found]
    assert sorted(names) == sorted(expected | {("mrpc", "f1", "test")})
    counts = {(line["task"], line["aggregation"]): int(line["n"]) for line in found}
    for task, of_parts in (("mr", (48, 48)), ("sst2", (12, 16)), ("trec", (42, 18))):
        assert (counts[task, "dev"], counts[task, "test"]) == of_parts


def test_the_gold_labels_of_the_predictions_are_those_of_the_items(evaluated, demo):
    items = pd.read_parquet(demo / "items/items.parquet")
    found = pd.read_parquet(evaluated / "predictions.parquet")
    labels = items.set_index(["task", "part", "index"])["label"].sort_index()
    # Where the items of a prediction lie: dev items of a task without a dev part are of train.
    known = set(zip(items["task"], items["part"], strict=True))
    for (task, part), rows in found.groupby(["task", "part"]):
        place = next(name for name in (part, "train", "") if (task, name) in known)
        assert labels[task, place].loc[rows["index"]].tolist() == rows["gold"].tolist()


def test_the_record_names_what_was_read_and_how_the_items_were_dealt(evaluated, demo):
    record = read_sealed(evaluated / "record.json")
    items = read_sealed(demo / "items/record.json")
    assert input_digests(record)["data"] == outputs_digest(items)
    assert record["stage"] == "evaluate_transfer"
    assert (record["settings"]["folds"], record["settings"]["shuffle"]) == (FOLDS, 1111)
    assert record["environment"]["scikit-learn"] != "absent"


def test_each_distinct_text_is_embedded_once_over_all_tasks(demo, monkeypatch):
    embedded = []
    encoder = load(demo / "base/model").eval()
    encode = encoder.encode

    def counted(tokens, max_length):
        embedded.append(len(tokens.lengths()))
        return encode(tokens, max_length)

    monkeypatch.setattr(encoder, "encode", counted)
    items = read_columns(demo / "items/items.parquet", transfer.COLUMNS)
    tasks = Transfer(items, demo / "base/model/tokenizer.json")
    tasks.predict(encoder, 32, Classifier(FOLDS, 1111))
    second = items["sentence2"][items["sentence2"] != ""]
    assert embedded == [len({*items["sentence1"], *second})]


def test_a_pair_is_the_distance_of_its_vectors_beside_their_product():
    vectors = Vectors(np.array([[1.0, -2.0], [3.0, 0.5]], np.float32), {"a": 0, "b": 1})
    found = transfer._features(vectors, np.array(["a", "b"]), np.array(["b", "b"]))
    assert found.tolist() == [[2.0, 2.5, 3.0, -1.0], [0.0, 0.0, 9.0, 0.25]]
    alone = transfer._features(vectors, np.array(["b"]), np.array([""]))
    assert alone.tolist() == [[3.0, 0.5]] and alone.dtype == found.dtype == np.float64


def scores(*rows: tuple) -> dict[tuple[str, str], tuple[float, int]]:
    """Return the scores of predictions: rows of part, fold, inner, index, gold, predicted."""
    names = ("part", "fold", "inner", "index", "gold", "predicted")
    columns = dict(zip(names, map(np.array, zip(*rows, strict=True)), strict=True))
    found = accuracy_rows(columns | {"task": np.full(len(rows), "mrpc")})
    return {(row["metric"], row["aggregation"]): (row["value"], row["n"]) for row in found}


def test_an_accuracy_is_the_mean_of_its_folds_and_f1_that_of_label_1():
    found = scores(
        ("dev", 0, 0, 0, 1, 1),
        ("dev", 0, 0, 1, 1, 0),
        ("dev", 0, 1, 2, 0, 0),
        ("dev", 1, 0, 3, 0, 1),
        ("test", 0, 0, 0, 1, 1),
        ("test", 0, 0, 1, 1, 0),
        ("test", 0, 0, 2, 0, 1),
        ("test", 1, 0, 3, 1, 1),
    )
    of_fold_0 = (1 / 2 + 1) / 2  # the mean of its inner folds
    assert found["accuracy", "dev"] == (pytest.approx((of_fold_0 + 0) / 2), 4)
    assert found["accuracy", "test"] == (pytest.approx((1 / 3 + 1) / 2), 4)
    precision = recall = 2 / 3
    f1 = 2 * precision * recall / (precision + recall)
    assert found["f1", "test"] == (pytest.approx(f1), 4)


def test_f1_is_zero_where_label_1_is_never_right():
    found = scores(*[(part, 0, 0, i, 0, 0) for part in ("dev", "test") for i in (0, 1)])
    assert found["f1", "test"][0] == 0.0 and found["accuracy", "test"][0] == 1.0
