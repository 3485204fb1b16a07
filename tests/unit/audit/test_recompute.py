"""Scores made again from predictions, and the identities that they must fulfil."""

import numpy as np
import pandas as pd
import pytest

from semblance.audit.recompute import (
    SINGLE_ANSWER,
    correlation,
    faq_identities,
    faq_values,
    monotone,
    sts_identities,
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


def broken(frame, **other):
    """The identities of retrieval that do not hold."""
    return {name for name, holds, _ in faq_identities(frame, shown(**other)) if not holds}


def test_retrieval_scores_recomputed_are_those_by_hand():
    found = faq_values(ranked(), "bank")
    assert {key: value for key, (value, _) in found.items()} == pytest.approx(shown(), abs=1e-15)
    assert {n for _, n in found.values()} == {5}


@pytest.mark.parametrize(
    "other, names",
    [
        ({}, set()),
        ({"acc@1": 0.4 + 1e-9}, {"Acc@1 = MRR@1"}),
        ({"map": 0.6 + 1e-9}, {SINGLE_ANSWER}),
        ({"acc@3": 0.9}, {"Acc@1 <= Acc@3 <= Acc@5"}),
    ],
)
def test_each_retrieval_identity_can_fail(other, names):
    assert broken(ranked(), **other) == names


def test_average_precision_of_a_single_answer_is_checked_among_others_with_several():
    frame = ranked([*RANKS, [1, 2]])
    found = faq_identities(frame, shown(**{"acc@1": 0.5}))
    assert (SINGLE_ANSWER, True) in [(name, holds) for name, holds, _ in found]
    frame.loc[1, "ap"] += 1e-9
    assert SINGLE_ANSWER in broken(frame, **{"acc@1": 0.5})


@pytest.mark.parametrize("metric, holds", [("spearman", True), ("pearson", False)])
def test_only_a_rank_correlation_passes_the_monotone_map(metric, holds):
    rng = np.random.default_rng(0)
    columns = {"gold": rng.normal(size=50), "similarity": rng.uniform(-1, 1, size=50)}
    frame = pd.DataFrame({"task": "t", **columns})
    passed = {("t", "", "spearman", "all", "p"): correlation(frame, metric)}
    assert [found[1] for found in sts_identities(frame, passed)] == [holds]


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


def test_the_monotone_map_keeps_neighbours_apart_and_in_order():
    around = [np.nextafter(x, toward) for x in (-1.0, -1e-300, 0.5, 1.0) for toward in (-2, 2)]
    values = np.array([-1.0, 0.0, *around])
    assert (np.diff(monotone(np.sort(values))) > 0).all()
    assert monotone(np.array([-0.0])) == monotone(np.array([0.0]))
