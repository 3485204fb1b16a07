import numpy as np
import pytest

from semblance.ranking.fusion import reciprocal_rank_fusion


def test_the_scores_are_sums_of_reciprocal_ranks():
    vectors = np.array([[0.9, 0.1, 0.5]])  # ranks 1, 3, 2
    words = np.array([[0.0, 7.0, 2.0]])  # ranks 3, 1, 2
    expected = [[1 / 61 + 1 / 63, 1 / 63 + 1 / 61, 1 / 62 + 1 / 62]]
    assert reciprocal_rank_fusion(vectors, words) == pytest.approx(np.array(expected))


def test_of_equal_scores_the_lower_number_comes_first():
    fused = reciprocal_rank_fusion(np.array([[0.0, 0.0, 0.0]]))
    assert fused == pytest.approx(np.array([[1 / 61, 1 / 62, 1 / 63]]))


def test_a_ranking_with_itself_keeps_its_order():
    scores = np.random.default_rng(0).normal(size=(5, 40))
    fused = reciprocal_rank_fusion(scores, scores)
    assert (np.argsort(-fused, 1, kind="stable") == np.argsort(-scores, 1, kind="stable")).all()
