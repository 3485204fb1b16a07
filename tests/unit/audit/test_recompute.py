"""Scores made again from predictions, and the identities that they must fulfil."""

import numpy as np
import pandas as pd
import pytest

from semblance.audit.recompute import (
    correlation,
    faq_identities,
    faq_values,
    monotone,
    sts_identities,
)

RANKS = [[1], [3], [2], [1], [6]]


def shown(**other):
    """The scores of RANKS by hand, some of them changed."""
    scores = {
        "acc@1": 2 / 5,
        "acc@3": 4 / 5,
        "acc@5": 4 / 5,
        "map": (1 + 1 / 3 + 1 / 2 + 1 + 1 / 6) / 5,
    }
    return {
        ("bank", "", metric, "test", "pairs"): value for metric, value in (scores | other).items()
    }


def ranked(ranks=RANKS):
    ap = [np.mean([(i + 1) / r for i, r in enumerate(rs)]) for rs in ranks]
    return pd.DataFrame({"protocol": "pairs", "query": range(len(ranks)), "ranks": ranks, "ap": ap})


def test_retrieval_scores_recomputed_are_those_by_hand():
    found = faq_values(ranked(), "bank")
    assert {key: value for key, (value, _) in found.items()} == pytest.approx(shown(), abs=1e-15)
    assert {n for _, n in found.values()} == {5}


@pytest.mark.parametrize(
    "other, broken",
    [
        ({}, set()),
        ({"acc@1": 0.4 + 1e-9}, {"Acc@1 = MRR@1"}),
        ({"map": 0.6 + 1e-9}, {"MAP = MRR where one answer is relevant"}),
        ({"acc@3": 0.9}, {"Acc@1 <= Acc@3 <= Acc@5"}),
    ],
)
def test_each_retrieval_identity_can_fail(other, broken):
    assert {
        name for name, holds, _ in faq_identities(ranked(), shown(**other)) if not holds
    } == broken


def test_average_precision_of_a_single_answer_is_checked_beside_others_with_several():
    frame = ranked([*RANKS, [1, 2]])
    name = "MAP = MRR where one answer is relevant"
    assert (name, True) in [found[:2] for found in faq_identities(frame, shown(**{"acc@1": 0.5}))]
    frame.loc[1, "ap"] += 1e-9
    assert (name, False) in [found[:2] for found in faq_identities(frame, shown(**{"acc@1": 0.5}))]


@pytest.mark.parametrize("metric, holds", [("spearman", True), ("pearson", False)])
def test_only_a_rank_correlation_passes_the_monotone_map(metric, holds):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"task": "t", "gold": rng.normal(size=50), "similarity": rng.uniform(-1, 1, size=50)}
    )
    passed = {("t", "", "spearman", "all", "p"): correlation(frame, metric)}
    assert [found[1] for found in sts_identities(frame, passed)] == [holds]


def test_the_monotone_map_keeps_neighbours_apart_and_in_order():
    around = [np.nextafter(x, toward) for x in (-1.0, -1e-300, 0.5, 1.0) for toward in (-2, 2)]
    values = np.array([-1.0, 0.0, *around])
    order = np.argsort(values)
    assert (np.diff(monotone(values)[order]) > 0).all() and monotone(np.array([-0.0])) == monotone(
        np.array([0.0])
    )
