"""Scores made again from predictions, and the identities that they must fulfil."""

import numpy as np
import pandas as pd
import pytest

from semblance.audit.recompute import (
    average_precision,
    faq_values,
    sts_values,
)

RANKS = [[1], [3], [2], [1], [6]]
MAP = (1 + 1 / 3 + 1 / 2 + 1 + 1 / 6) / 5


def test_retrieval_scores_recomputed_are_those_by_hand():
    columns = {"query": range(5), "ranks": RANKS, "best": [[1]] * 5}
    found = faq_values(pd.DataFrame({"protocol": "pairs", **columns}), "bank")
    scores = {"acc@1": 2 / 5, "acc@3": 4 / 5, "acc@5": 4 / 5, "map": MAP}
    expected = {("bank", "", metric, "test", "pairs"): value for metric, value in scores.items()}
    expected |= {("bank", "", metric, "ceiling", "pairs"): 1 for metric in scores}
    assert {key: value for key, (value, _) in found.items()} == pytest.approx(expected, abs=1e-15)
    assert {n for _, n in found.values()} == {5}


def test_an_average_precision_is_the_mean_of_the_precisions_at_the_right_answers():
    found = [average_precision(np.array(ranks)) for ranks in ([4], [1, 2], [2, 3])]
    assert found == pytest.approx([1 / 4, 1, (1 / 2 + 2 / 3) / 2])


def test_only_the_subsets_of_sts12_to_sts16_make_a_mean():
    """Perfect order in one group, reversed in the other: a mean of 0."""
    columns = {"subset": ["a", "a", "b", "b"], "gold": [1.0, 2, 3, 4], "similarity": [1.0, 2, 4, 3]}
    parts = [pd.DataFrame({"task": task, **columns}) for task in ("sts16", "stsb")]
    found = sts_values(pd.concat(parts), "p")
    whole = pytest.approx(1 - 6 * 2 / 60)  # two neighbours exchanged: squared differences 1 and 1
    for task, mean in (("sts16", pytest.approx(0)), ("stsb", whole)):
        expected = {"all": whole, "mean": mean, "wmean": mean}
        assert {k: found[task, "", "spearman", k, "p"] for k in expected} == {
            name: (value, 4) for name, value in expected.items()
        }
        assert found[task, "b", "spearman", "subset", "p"] == (pytest.approx(-1), 2)
