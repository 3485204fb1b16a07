"""Semantic textual similarity: the seven tasks, their subsets, three aggregations."""

from pathlib import Path
from typing import Iterator

import numpy as np
import pyarrow as pa

from semblance.data.corpus import read_parquet, write_parquet
from semblance.errors import InputError
from semblance.evaluation.geometry import alignment, uniformity
from semblance.evaluation.metrics import cosine_pairs, pearson, spearman
from semblance.evaluation.texts import Texts
from semblance.models.encoder import Encoder
from semblance.models.vectors import collapsed

TASKS = ("sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sickr")
DEV = "stsb-dev"
NEAR = 4.0  # alignment is measured on STS-B pairs with a gold score above this (SimCSE, section 3)
METRICS = {"spearman": spearman, "pearson": pearson}


def read_pairs(path: str | Path) -> dict[str, np.ndarray]:
    """Return the prepared pairs as columns: task, subset, index, sentence1, sentence2, score."""
    table = read_parquet(path, ("task", "subset", "index", "sentence1", "sentence2", "score"))
    return {name: np.asarray(table[name].to_pylist()) for name in table.column_names}


class Sts:
    """The prepared pairs of some tasks, tokenised for one tokenizer."""

    def __init__(
        self, pairs: dict[str, np.ndarray], tokenizer_file: str | Path, tasks: tuple[str, ...]
    ):
        chosen = np.isin(pairs["task"], tasks)
        self.pairs = {name: column[chosen] for name, column in pairs.items()}
        self.left, self.right = self.pairs["sentence1"].tolist(), self.pairs["sentence2"].tolist()
        self.texts = Texts(self.left + self.right, tokenizer_file)

    def predict(
        self, encoder: Encoder, max_length: int
    ) -> tuple[dict[str, np.ndarray], dict[str, float]]:
        """Return per-pair predictions (task, subset, index, gold, similarity) and the geometry."""
        vectors = self.texts.encode(encoder, max_length)
        left, right = vectors.of(self.left), vectors.of(self.right)
        columns = {
            "task": self.pairs["task"],
            "subset": self.pairs["subset"],
            "index": self.pairs["index"],
            "gold": self.pairs["score"].astype(np.float64),
            "similarity": cosine_pairs(left, right),
        }
        if not np.isfinite(columns["similarity"]).all():
            raise InputError(
                "model", "gives a zero vector, whose cosine is undefined", "train it again"
            )
        return columns, self._geometry(left, right)

    def _geometry(self, left: np.ndarray, right: np.ndarray) -> dict[str, float]:
        test = self.pairs["task"] == "stsb"
        if not test.any():
            return {}
        near = test & (self.pairs["score"] > NEAR)
        both = np.unique(np.concatenate([left[test], right[test]]), axis=0)
        return {"alignment": alignment(left[near], right[near]), "uniformity": uniformity(both)}

    def dev_score(self, encoder: Encoder, max_length: int) -> float:
        """Return Spearman's ρ on all pairs; NaN if the embeddings have collapsed."""
        vectors = self.texts.encode(encoder, max_length)
        if collapsed(vectors.matrix):
            return float("nan")
        return spearman(
            cosine_pairs(vectors.of(self.left), vectors.of(self.right)), self.pairs["score"]
        )


def score_rows(predictions: dict[str, np.ndarray]) -> Iterator[dict]:
    """Yield task, subset, metric, aggregation, value, n for each task of the predictions.

    ``all``: one correlation over the concatenated subsets (SimCSE's and both papers' setting);
    ``mean`` and ``wmean``: over the subsets' own correlations, plain and weighted by size.
    """
    for task in dict.fromkeys(predictions["task"].tolist()):
        inside = predictions["task"] == task
        gold, similarity, subset = (
            predictions[k][inside] for k in ("gold", "similarity", "subset")
        )
        names = sorted(set(subset.tolist()))
        for metric, function in METRICS.items():
            row = {"task": task, "subset": "", "metric": metric}
            yield row | {"aggregation": "all", "value": function(similarity, gold), "n": len(gold)}
            sizes = [int((subset == s).sum()) for s in names]
            values = [function(similarity[subset == s], gold[subset == s]) for s in names]
            yield row | {"aggregation": "mean", "value": float(np.mean(values)), "n": len(gold)}
            yield row | {
                "aggregation": "wmean",
                "value": float(np.average(values, weights=sizes)),
                "n": len(gold),
            }
            for s, value, size in zip(names, values, sizes) if names != [""] else ():
                yield row | {"subset": s, "aggregation": "subset", "value": value, "n": size}


def write_predictions(path: Path, columns: dict) -> None:
    """Write per-item predictions as Parquet."""
    write_parquet(pa.table(columns), path)
