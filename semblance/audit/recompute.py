"""Scores once more from the per-item predictions, by another road than semblance.evaluation: pandas and scipy.

A score is named (task, subset, metric, aggregation, protocol) and stands in its natural unit.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd
from scipy import stats

Key = tuple[str, str, str, str, str]
Values = dict[Key, tuple[float, int]]  # the value and the number of items behind it
CUTOFFS = (1, 3, 5)
EXACT = 1e-12  # what two ways of summing the same numbers may differ by


def sts_values(frame: pd.DataFrame, protocol: str) -> Values:
    """Return every correlation of a run's STS predictions: the whole task, its subsets, and their two means."""
    found: Values = {}
    for (task, part), metric in product(frame.groupby("task"), ("spearman", "pearson")):
        groups = {
            str(name): (correlation(group, metric), len(group))
            for name, group in part.groupby("subset")
        }
        values, sizes = zip(*groups.values(), strict=True)
        for name, value in (
            ("all", correlation(part, metric)),
            ("mean", np.mean(values)),
            ("wmean", np.average(values, weights=sizes)),
        ):
            found[task, "", metric, name, protocol] = (float(value), len(part))
        if set(groups) != {""}:
            found |= {
                (task, name, metric, "subset", protocol): score for name, score in groups.items()
            }
    return found


def correlation(items: pd.DataFrame, metric: str) -> float:
    """Return the correlation of ``gold`` and ``similarity``: "pearson", or "spearman" as Pearson's of the ranks."""
    sides = [items["gold"].to_numpy(float), items["similarity"].to_numpy()]
    if metric == "spearman":
        sides = [stats.rankdata(side) for side in sides]
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.corrcoef(*sides)[0, 1])


def faq_values(frame: pd.DataFrame, bank: str) -> Values:
    """Return accuracies and MAP of a run's retrieval predictions, from the ranks of the relevant answers alone."""
    found: Values = {}
    for protocol, queries in frame.groupby("protocol"):
        ranks = [np.sort(np.asarray(r)) for r in queries["ranks"]]
        scores = {f"acc@{k}": np.mean([r[0] <= k for r in ranks]) for k in CUTOFFS}
        scores["map"] = np.mean([np.mean(np.arange(1, len(r) + 1) / r) for r in ranks])
        found |= {
            (bank, "", metric, "test", protocol): (float(v), len(ranks))
            for metric, v in scores.items()
        }
    return found


def sts_identities(frame: pd.DataFrame, shown: dict[Key, float]) -> Iterator[tuple[str, bool, str]]:
    """Yield (identity, whether it holds, where) for the scores that a run shows beside its predictions."""
    for (task, _, metric, aggregation, _), value in shown.items():
        if (metric, aggregation) == ("spearman", "all"):
            part = frame[frame["task"] == task]
            mapped = correlation(
                part.assign(similarity=monotone(part["similarity"].to_numpy(float))), metric
            )
            yield (
                "Spearman is unchanged under a strictly monotone map",
                abs(value - mapped) <= EXACT,
                task,
            )


def monotone(values: np.ndarray) -> np.ndarray:
    """Return the bits of float64 numbers as integers, which grow with the numbers, strictly but not linearly.

    The exponential, rounded, would make ties of neighbours.
    """
    bits = np.ascontiguousarray(values, np.float64).view(np.int64)
    return np.where(bits < 0, -(bits & np.iinfo(np.int64).max), bits)


def faq_identities(frame: pd.DataFrame, shown: dict[Key, float]) -> Iterator[tuple[str, bool, str]]:
    """As ``sts_identities``, for retrieval."""
    for protocol, queries in frame.groupby("protocol"):
        score = {key[2]: value for key, value in shown.items() if key[4] == protocol}
        first = np.array([min(r) for r in queries["ranks"]], float)
        single = np.array([len(r) == 1 for r in queries["ranks"]])
        if not {"acc@1", "acc@3", "acc@5", "map"} <= set(score):
            continue
        yield (
            "Acc@1 = MRR@1",
            abs(score["acc@1"] - np.mean(np.where(first <= 1, 1 / first, 0))) <= EXACT,
            protocol,
        )
        yield (
            "Acc@1 <= Acc@3 <= Acc@5",
            score["acc@1"] <= score["acc@3"] <= score["acc@5"],
            protocol,
        )
        if single.all():
            yield (
                "MAP = MRR where one answer is relevant",
                abs(score["map"] - np.mean(1 / first)) <= EXACT,
                protocol,
            )
        elif single.any():
            gap = np.abs(queries["ap"].to_numpy(float)[single] - 1 / first[single]).max()
            yield "MAP = MRR where one answer is relevant", gap <= EXACT, protocol
