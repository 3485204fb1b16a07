"""STS-B and SICK with SentEval's regressor, which is trained on their train pairs."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from semblance.evaluation.features import pair_features
from semblance.evaluation.prepared import PAIRS, Columns, read_columns
from semblance.evaluation.regressor import Rated, Regressor
from semblance.evaluation.scored import ModelEvaluation, ModelRun, Target, protocol_of
from semblance.evaluation.sts import METRICS
from semblance.evaluation.texts import Texts, Vectors
from semblance.models.encoder import Encoder
from semblance.names import REGRESSOR
from semblance.settings import Seed

COLUMNS = ("task", "part", "index", "sentence1", "sentence2", "score")
SCORED = ("test", "dev")  # the parts that are predicted


@dataclass(frozen=True)
class RelatednessRun(ModelRun):
    """Which model is evaluated, and the seed of the regressors."""

    regressor_seed: Seed


class Relatedness:
    """The pairs of the tasks of relatedness, tokenised for one tokenizer: each distinct text once."""

    def __init__(self, pairs: Columns, tokenizer_file: str | Path, prompt: str = ""):
        self.pairs = pairs
        texts = [*pairs["sentence1"].tolist(), *pairs["sentence2"].tolist()]
        self.texts = Texts(texts, tokenizer_file, prompt)

    def predict(self, encoder: Encoder, max_length: int, seed: int) -> Columns:
        """Return one row for each pair of test and dev.

        Columns: task, part, index, gold, predicted. ``seed`` is that of each task's regressor.
        """
        vectors = self.texts.encode(encoder, max_length)
        blocks = []
        for task in dict.fromkeys(self.pairs["task"].tolist()):
            rated = {part: self._rated(task, part, vectors) for part in ("train", *SCORED)}
            regressor = Regressor(rated["train"], rated["dev"], seed)
            for part in SCORED:
                chosen = self._inside(task, part)
                block = {name: self.pairs[name][chosen] for name in ("task", "part", "index")}
                block["gold"] = rated[part].scores
                block["predicted"] = regressor.predict(rated[part].features)
                blocks.append(block)
        return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}

    def _inside(self, task: str, part: str) -> np.ndarray:
        return (self.pairs["task"] == task) & (self.pairs["part"] == part)

    def _rated(self, task: str, part: str, vectors: Vectors) -> Rated:
        """Return the features and gold scores of one part of a task."""
        chosen = self._inside(task, part)
        first, second = (self.pairs[f"sentence{i}"][chosen].tolist() for i in (1, 2))
        scores = self.pairs["score"][chosen].astype(np.float64)
        return Rated(pair_features(vectors, first, second), scores)


def correlation_rows(predictions: Columns) -> Iterator[dict]:
    """Yield task, subset, metric, aggregation, value, n of the test and of the dev pairs."""
    for task in dict.fromkeys(predictions["task"].tolist()):
        for part, aggregation in REGRESSOR.items():
            chosen = (predictions["task"] == task) & (predictions["part"] == part)
            sides = [predictions[name][chosen] for name in ("predicted", "gold")]
            row = {"task": task, "subset": "", "aggregation": aggregation, "n": int(chosen.sum())}
            for metric, correlation in METRICS.items():
                yield row | {"metric": metric, "value": correlation(*sides)}


def evaluate_relatedness(run: RelatednessRun, model: str, data: str, target: Target) -> None:
    """Write the correlations that a regressor reaches on the vectors of the model with record ``model``.

    ``data`` is the record of the prepared pairs.
    """
    evaluation = ModelEvaluation(model, {"data": data}, target)
    saved = evaluation.model
    protocol = protocol_of(data)
    pairs = read_columns(Path(data).parent / PAIRS, COLUMNS)
    tasks = Relatedness(pairs, saved.tokenizer, saved.prompts.default)
    predictions = tasks.predict(evaluation.encoder, saved.max_length, run.regressor_seed)
    rows = [{"fold": "", "protocol": protocol, **row} for row in correlation_rows(predictions)]
    settings = {"regressor_seed": run.regressor_seed}
    evaluation.write("evaluate_relatedness", run, rows, predictions, **settings)
