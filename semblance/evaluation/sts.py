"""Semantic textual similarity: the seven tasks, their subsets, three aggregations."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from semblance.evaluation.metrics import (
    NEAR,
    alignment,
    cosine_pairs,
    pearson,
    refuse_zero_vectors,
    spearman,
    uniformity,
)
from semblance.evaluation.prepared import Texts, read_pairs
from semblance.evaluation.scored import (
    ModelRun,
    Target,
    open_evaluation,
    protocol_of,
    training_rows,
)
from semblance.models.encoder import Encoder
from semblance.models.whitening import fit
from semblance.names import STS_DEV, STS_TASKS, WITH_SUBSETS
from semblance.provenance import outputs_digest

# The dev pairs of STS-B stand before its test pairs.
ORDER = (*STS_TASKS[: STS_TASKS.index("stsb")], STS_DEV, *STS_TASKS[STS_TASKS.index("stsb") :])
METRICS = {"spearman": spearman, "pearson": pearson}
# Measure -> its value, and how many pairs (alignment) or distinct vectors (uniformity) it is of.
# A vector stands for one sentence, or for several that the model cannot tell apart.
Geometry = dict[str, tuple[float, int]]
WhitenedOn = Literal["target"]  # by an evaluation: the sentences of the task


@dataclass(frozen=True)
class StsRun(ModelRun):
    """Which model is evaluated on STS.

    ``whitening``: its vectors are whitened for each task, on the sentences of that task.
    """

    whitening: WhitenedOn | None = None


class Sts:
    """Prepared pairs, tokenised for one tokenizer."""

    def __init__(self, pairs: dict[str, np.ndarray], tokenizer_file: str | Path, prompt: str = ""):
        self.pairs = pairs
        self.left = pairs["sentence1"].tolist()
        self.right = pairs["sentence2"].tolist()
        self.texts = Texts(self.left + self.right, tokenizer_file, prompt)

    def predict(
        self, encoder: Encoder, max_length: int, whiten: bool = False
    ) -> tuple[dict[str, np.ndarray], Geometry]:
        """Return per-pair predictions (task, subset, index, gold, similarity) and the geometry.

        With ``whiten`` the vectors of each task are whitened on all its sentences.
        """
        vectors = self.texts.encode(encoder, max_length)
        left = vectors.of(self.left)
        right = vectors.of(self.right)
        if whiten:
            left, right = self._whitened(left, right)
        columns = {
            "task": self.pairs["task"],
            "subset": self.pairs["subset"],
            "index": self.pairs["index"],
            "gold": self.pairs["score"].astype(np.float64),
            "similarity": cosine_pairs(left, right),
        }
        refuse_zero_vectors(columns["similarity"])
        return columns, self._geometry(left, right)

    def _whitened(self, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the vectors of both sides, (N, d) float64, whitened task by task.

        Each distinct sentence of a task counts once. Raises InputError for a task of too few.
        """
        sides = np.stack([left, right])  # (2, N, d)
        numbers = np.array([self.texts.numbers_of(side) for side in (self.left, self.right)])
        whitened = np.empty(sides.shape)
        for task in dict.fromkeys(self.pairs["task"].tolist()):
            inside = self.pairs["task"] == task
            vectors = sides[:, inside].reshape(-1, sides.shape[2])
            # A sentence that several pairs share would weigh more in mean and covariance (S31).
            _, first = np.unique(numbers[:, inside], return_index=True)
            fitted = fit([vectors[first]], f"task {task}")
            whitened[:, inside] = fitted.apply(sides[:, inside])
        return whitened[0], whitened[1]

    def _geometry(self, left: np.ndarray, right: np.ndarray) -> Geometry:
        """Return alignment and uniformity on the test pairs of STS-B; nothing without them."""
        test = self.pairs["task"] == "stsb"
        if not test.any():
            return {}
        # Alignment is of pairs that mean the same, uniformity of all sentences (E18).
        near = test & (self.pairs["score"] > NEAR)
        both = np.unique(np.concatenate([left[test], right[test]]), axis=0)
        return {
            "alignment": (alignment(left[near], right[near]), int(near.sum())),
            "uniformity": (uniformity(both), len(both)),
        }


def join_pairs(*parts: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the pairs of several prepared files in one, in the order of ORDER, then of the names.

    Pairs of one task keep their order.
    """
    tasks = np.concatenate([part["task"] for part in parts]).tolist()
    more = sorted(set(tasks) - set(ORDER))
    rank = {task: i for i, task in enumerate([*ORDER, *more])}
    order = np.argsort([rank[task] for task in tasks], kind="stable")
    return {name: np.concatenate([part[name] for part in parts])[order] for name in parts[0]}


def score_rows(predictions: dict[str, np.ndarray]) -> Iterator[dict]:
    """Yield task, subset, metric, aggregation, value, n for each task of the predictions.

    ``all``: one correlation over the concatenated subsets (SimCSE's and both papers' setting);
    ``mean`` and ``wmean``: over the subsets' own correlations, plain and weighted by size; those of a
    task without subsets equal ``all``. A genre of STS-B has a row of its own and is none.
    """
    for task in dict.fromkeys(predictions["task"].tolist()):
        inside = predictions["task"] == task
        part = {name: predictions[name][inside] for name in ("gold", "similarity", "subset")}
        for metric in METRICS:
            for row in _task_rows(part, metric, task in WITH_SUBSETS):
                yield {"task": task, "metric": metric, **row}


def _task_rows(part: dict[str, np.ndarray], metric: str, has_subsets: bool) -> Iterator[dict]:
    """Yield the scores of one task by one metric: over all pairs, and over the subsets."""
    correlation = METRICS[metric]
    names = sorted(set(part["subset"].tolist()))
    values = []
    sizes = []
    for name in names:
        chosen = part["subset"] == name
        values.append(correlation(part["similarity"][chosen], part["gold"][chosen]))
        sizes.append(int(chosen.sum()))
    whole = dict.fromkeys(("all", "mean", "wmean"), correlation(part["similarity"], part["gold"]))
    # STS-B's genres are none: by SimCSE's Table B.3 its score does not change with them (E1).
    if has_subsets:
        whole["mean"] = float(np.mean(values))
        whole["wmean"] = float(np.average(values, weights=sizes))
    for aggregation, value in whole.items():
        yield {"subset": "", "aggregation": aggregation, "value": value, "n": sum(sizes)}
    if names != [""]:
        for name, value, size in zip(names, values, sizes, strict=True):
            yield {"subset": name, "aggregation": "subset", "value": value, "n": size}


def evaluate_sts(run: StsRun, model: str, test: str, dev: str, target: Target) -> None:
    """Write the STS scores of the model with record ``model``: of the test sets and of STS-B dev.

    ``test`` and ``dev`` are the records of the prepared pairs. Each score names the protocol of
    its pairs.
    """
    evaluation, saved, encoder = open_evaluation(model, {"data": test, "dev": dev}, target)
    of_test = {"fold": "", "protocol": protocol_of(test)}
    of_dev = {"fold": "", "protocol": protocol_of(dev)}
    of_dev["data"] = outputs_digest(evaluation.read["dev"])
    pairs = join_pairs(read_pairs(Path(dev).parent), read_pairs(Path(test).parent))
    sentences = Sts(pairs, saved.tokenizer, saved.prompts.default)
    whiten = run.whitening is not None
    predictions, geometry = sentences.predict(encoder, saved.max_length, whiten=whiten)
    rows = [*score_rows(predictions), *_geometry_rows(geometry), *training_rows(saved)]
    for row in rows:
        row |= of_dev if row["task"] == STS_DEV else of_test
    settings = {"whitening": run.whitening} if whiten else {}
    evaluation.write("evaluate_sts", run, rows, predictions, **settings)


def _geometry_rows(geometry: Geometry) -> Iterator[dict]:
    """Yield the score rows of alignment and uniformity."""
    for name, (value, count) in geometry.items():
        row = {"task": "stsb", "subset": "", "metric": name, "aggregation": "all"}
        yield row | {"value": value, "n": count}
