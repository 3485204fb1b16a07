"""Scores computed again from the per-item predictions, independently of semblance.evaluation.

A score is named (task, subset, metric, aggregation, protocol) and stands in its natural unit.
"""

from itertools import product

import numpy as np
import pandas as pd
from scipy import stats

from semblance.names import WITH_SUBSETS

Key = tuple[str, str, str, str, str]
Values = dict[Key, tuple[float, int]]  # the value and the number of items behind it
CUTOFFS = (1, 3, 5)


def sts_values(frame: pd.DataFrame, protocol: str) -> Values:
    """Return every correlation of STS predictions: of tasks, of subsets, and the subsets' means."""
    scores: Values = {}
    for (task, part), metric in product(frame.groupby("task"), ("spearman", "pearson")):
        subsets = {}
        for name, group in part.groupby("subset"):
            subsets[str(name)] = (correlation(group, metric), len(group))
        values, sizes = zip(*subsets.values(), strict=True)
        means = dict.fromkeys(("all", "mean", "wmean"), correlation(part, metric))
        if task in WITH_SUBSETS:
            means["mean"] = np.mean(values)
            means["wmean"] = np.average(values, weights=sizes)
        for name, value in means.items():
            scores[task, "", metric, name, protocol] = (float(value), len(part))
        if set(subsets) != {""}:
            for name, score in subsets.items():
                scores[task, name, metric, "subset", protocol] = score
    return scores


def correlation(items: pd.DataFrame, metric: str) -> float:
    """Return the correlation of ``gold`` and ``similarity``.

    ``metric``: "pearson", or "spearman", which is Pearson's of the ranks.
    """
    sides = [items["gold"].to_numpy(float), items["similarity"].to_numpy()]
    if metric == "spearman":
        sides = [stats.rankdata(side) for side in sides]
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.corrcoef(*sides)[0, 1])


def faq_values(frame: pd.DataFrame, bank: str) -> Values:
    """Return accuracies and MAP of a run's retrieval predictions, from the ranks of the answers."""
    scored: Values = {}
    of = {"ranks": "test", "best": "ceiling"}
    for (protocol, queries), (column, part) in product(frame.groupby("protocol"), of.items()):
        ranks = [np.sort(np.asarray(r)) for r in queries[column]]
        first = np.array([r[0] for r in ranks])
        scores = {f"acc@{k}": np.mean(first <= k) for k in CUTOFFS}
        scores["map"] = np.mean(list(map(average_precision, ranks)))
        for metric, value in scores.items():
            aggregation = "dev" if (protocol, part) == ("dev", "test") else part
            scored[bank, "", metric, aggregation, protocol] = (float(value), len(ranks))
    return scored


def average_precision(ranks: np.ndarray) -> float:
    """Return the average precision of a query from the ranks of its relevant answers."""
    return float(np.mean(np.arange(1, len(ranks) + 1) / np.sort(ranks)))


def transfer_values(frame: pd.DataFrame, protocol: str) -> Values:
    """Return the accuracies of a run on the transfer tasks, and the F1 on MRPC, from its labels.

    An accuracy is the mean of the folds' own, each the mean of its inner folds' own.
    """
    scores: Values = {}
    right = frame.assign(right=frame["gold"] == frame["predicted"])
    for (task, part), items in right.groupby(["task", "part"]):
        by_inner = items.groupby(["fold", "inner"])["right"].mean()
        by_fold = by_inner.groupby("fold").mean()
        number = items["index"].nunique()
        scores[task, "", "accuracy", part, protocol] = (float(by_fold.mean()), number)
        if (task, part) == ("mrpc", "test"):
            # Of label 1: the harmonic mean of precision and recall.
            hits = ((items["gold"] == 1) & (items["predicted"] == 1)).sum()
            either = (items["gold"] == 1).sum() + (items["predicted"] == 1).sum()
            f1 = 2 * hits / either if hits else 0.0
            scores[task, "", "f1", part, protocol] = (float(f1), number)
    return scores


def recompute(tests: str, frame: pd.DataFrame, shown: Values, corpus: str) -> Values:
    """Return the scores of a run on one kind of tests.

    No prediction knows its protocol: it is taken from the scores as they are ``shown``. Raises
    LookupError for another kind of tests.
    """
    if tests == "faq":
        return faq_values(frame, corpus.rpartition("-")[0])
    values: Values = {}
    for protocol in sorted({key[-1] for key in shown}) or [""]:
        values |= VALUES[tests](frame, protocol)
    return values


VALUES = {"sts": sts_values, "transfer": transfer_values}
