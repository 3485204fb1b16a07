"""Scores made again from predictions, and the identities that they must fulfil."""

import numpy as np
import pandas as pd
import pytest

from semblance.audit.recompute import (
    SINGLE_ANSWER,
    faq_identities,
    faq_values,
    sts_values,
)

RANKS = [[1], [3], [2], [1], [6]]
MAP = (1 + 1 / 3 + 1 / 2 + 1 + 1 / 6) / 5


def shown(**other):
    """The scores of RANKS by hand, some of them changed."""
    scores = {"acc@1": 2 / 5, "acc@3": 4 / 5, "acc@5": 4 / 5, "map": MAP} | other
    found = {("bank", "", metric, "test", "pairs"): value for metric, value in scores.items()}
    return found | {("bank", "", metric, "ceiling", "pairs"): 1 for metric in scores}


def ranked(ranks=RANKS):
    ap = [np.mean([(i + 1) / r for i, r in enumerate(rs)]) for rs in ranks]
    columns = {"query": range(len(ranks)), "ranks": ranks, "best": [[1]] * len(ranks), "ap": ap}
    return pd.DataFrame({"protocol": "pairs", **columns})


def test_retrieval_scores_recomputed_are_those_by_hand():
    found = faq_values(ranked(), "bank")
    assert {key: value for key, (value, _) in found.items()} == pytest.approx(shown(), abs=1e-15)
    assert {n for _, n in found.values()} == {5}


def test_the_average_precision_of_a_single_answer_is_one_over_its_rank():
    frame = ranked([*RANKS, [1, 2]])
    assert list(faq_identities(frame)) == [(SINGLE_ANSWER, True, "pairs")]
    frame.loc[1, "ap"] += 1e-9
    assert list(faq_identities(frame)) == [(SINGLE_ANSWER, False, "pairs")]
    assert list(faq_identities(ranked([[1, 2]]))) == []


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
