"""SentEval's transfer tasks: how well a linear classifier reads labels from frozen embeddings."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from semblance.evaluation.classifier import Classifier, Labelled
from semblance.evaluation.prepared import Columns, Texts, Vectors, read_columns
from semblance.evaluation.scored import ModelRun, Target, open_evaluation
from semblance.models.encoder import Encoder
from semblance.settings import Count, Seed

ITEMS = "items.parquet"
COLUMNS = ("task", "part", "index", "label", "sentence1", "sentence2")
WITH_F1 = ("mrpc",)  # the task that SentEval also measures by the F1 of label 1
PREDICTED = ("task", "part", "fold", "inner", "index", "gold", "predicted", "c")
LIBRARIES = ("scikit-learn",)  # that deals the folds
PROTOCOL = "senteval"  # of the texts: they are released in no other form


@dataclass(frozen=True)
class TransferRun(ModelRun):
    """Which model is evaluated; the classifier's folds and the seed of their shuffling."""

    folds: Count
    shuffle: Seed


class Transfer:
    """The items of the transfer tasks, tokenised for one tokenizer: each distinct text once."""

    def __init__(self, items: Columns, tokenizer_file: str | Path, prompt: str = ""):
        self.items = items
        second = items["sentence2"]
        texts = [*items["sentence1"].tolist(), *second[second != ""].tolist()]
        self.texts = Texts(texts, tokenizer_file, prompt)

    def predict(self, encoder: Encoder, max_length: int, classifier: Classifier) -> Columns:
        """Return one row for each prediction of a held-out item.

        Its columns are PREDICTED; ``part`` is dev or test, and ``index`` that of the item in its
        part of the data. docs/decisions.md says what the folds are.
        """
        vectors = self.texts.encode(encoder, max_length)
        blocks = []
        for task in dict.fromkeys(self.items["task"].tolist()):
            parts = self._parts(task, vectors)
            for predictions in classifier.predict(parts):
                # Dev items of a task without a dev part are of train, and without any of the whole.
                place = next(name for name in (predictions.part, "train", "") if name in parts)
                block = {"index": predictions.items, "gold": parts[place].labels[predictions.items]}
                block["predicted"] = predictions.labels
                same = {"task": task, "part": predictions.part, "fold": predictions.fold}
                same |= {"inner": predictions.inner, "c": predictions.c}
                blocks.append(
                    block | {n: np.full(len(predictions.items), v) for n, v in same.items()}
                )
        return {name: np.concatenate([block[name] for block in blocks]) for name in PREDICTED}

    def _parts(self, task: str, vectors: Vectors) -> dict[str, Labelled]:
        """Return the features and labels of each part of a task."""
        inside = self.items["task"] == task
        parts = {}
        for name in dict.fromkeys(self.items["part"][inside].tolist()):
            chosen = inside & (self.items["part"] == name)
            features = _features(vectors, *(self.items[f"sentence{i}"][chosen] for i in (1, 2)))
            parts[name] = Labelled(features, self.items["label"][chosen])
        return parts


def _features(vectors: Vectors, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the vector u of each text (n, d); of each pair |u - v| and u * v (n, 2 d)."""
    u = vectors.of(first.tolist()).astype(np.float64)
    if (second == "").all():
        return u
    v = vectors.of(second.tolist()).astype(np.float64)
    return np.hstack([np.abs(u - v), u * v])


def accuracy_rows(predictions: Columns) -> Iterator[dict]:
    """Yield task, subset, metric, aggregation, value, n of each task: accuracy on dev and on test.

    An accuracy is the mean over the folds, on dev also over the inner ones; ``n`` counts the items.
    """
    for task in dict.fromkeys(predictions["task"].tolist()):
        for part in ("test", "dev"):
            chosen = (predictions["task"] == task) & (predictions["part"] == part)
            columns = {name: column[chosen] for name, column in predictions.items()}
            row = {"task": task, "subset": "", "aggregation": part}
            row["n"] = len(np.unique(columns["index"]))
            yield row | {"metric": "accuracy", "value": _accuracy(columns)}
            if task in WITH_F1 and part == "test":
                yield row | {"metric": "f1", "value": _f1(columns)}


def _accuracy(columns: Columns) -> float:
    right = columns["gold"] == columns["predicted"]
    of_folds = []
    for fold in np.unique(columns["fold"]):
        inside = columns["fold"] == fold
        inner = columns["inner"][inside]
        of_folds.append(np.mean([right[inside][inner == i].mean() for i in np.unique(inner)]))
    return float(np.mean(of_folds))


def _f1(columns: Columns) -> float:
    """Return the F1 of label 1; 0 where the classifier predicts it of no item."""
    said = columns["predicted"] == 1
    true = columns["gold"] == 1
    both = said.sum() + true.sum()
    if both == 0:
        return 0.0
    return float(2 * (said & true).sum() / both)


def evaluate_transfer(run: TransferRun, model: str, data: str, target: Target) -> None:
    """Write the accuracies of the model with record ``model`` on the transfer tasks.

    ``data`` is the record of the prepared items.
    """
    evaluation, saved, encoder = open_evaluation(model, {"data": data}, target, LIBRARIES)
    items = read_columns(Path(data).parent / ITEMS, COLUMNS)
    tasks = Transfer(items, saved.tokenizer, saved.prompts.default)
    classifier = Classifier(run.folds, run.shuffle, encoder.words.weight.device)
    predictions = tasks.predict(encoder, saved.max_length, classifier)
    rows = [{"fold": "", "protocol": PROTOCOL, **row} for row in accuracy_rows(predictions)]
    settings = {"folds": run.folds, "shuffle": run.shuffle}
    evaluation.write("evaluate_transfer", run, rows, predictions, **settings)
