"""Whitening against its definition, in float64: mean 0 and covariance 1 on the fitted set."""

import numpy as np
import pytest

from semblance.errors import InputError
from semblance.models.whitening import fit

WIDTH = 12


def vectors(count, seed=0):
    """Correlated vectors with a large mean, as untuned encoders give them, in float32."""
    generator = np.random.default_rng(seed)
    mixing = generator.normal(size=(WIDTH, WIDTH)) * np.logspace(-1, 1, WIDTH)
    mean = 30 * generator.normal(size=WIDTH)
    return (generator.normal(size=(count, WIDTH)) @ mixing + mean).astype(np.float32)


def test_the_fitted_vectors_have_mean_0_and_covariance_1():
    x = vectors(500)
    y = fit([x], "here").apply(x)
    assert y.dtype == np.float64
    assert np.abs(y.mean(0)).max() < 1e-8
    assert np.abs(np.cov(y.T) - np.eye(WIDTH)).max() < 1e-8


def test_blocks_give_what_all_vectors_at_once_give():
    x = vectors(500)
    whole = fit([x], "here")
    blocks = fit(iter(np.array_split(x, [3, 100, 101])), "here")
    difference = blocks.apply(x) @ blocks.apply(x).T - whole.apply(x) @ whole.apply(x).T
    assert np.abs(difference).max() < 1e-6


@pytest.mark.parametrize("count", [0, 1, WIDTH])
def test_too_few_vectors_are_refused(count):
    blocks = [vectors(count)] if count else []
    with pytest.raises(InputError, match=f"here: {count} texts are too few"):
        fit(blocks, "here")


@pytest.mark.parametrize("damage", ["constant", "sum of others"])
def test_a_direction_without_variance_is_mapped_to_0(damage):
    x = vectors(100)
    if damage == "constant":
        x[:, 3] = 1.5
    else:
        x[:, 3] = x[:, 4] + x[:, 5]
    y = fit([x], "here").apply(x)
    expected = np.diag([0.0] + [1.0] * (WIDTH - 1))  # the variances ascend
    assert np.abs(np.cov(y.T) - expected).max() < 1e-8


def test_vectors_that_are_all_the_same_are_refused():
    with pytest.raises(InputError, match="here: the vectors of its texts are all the same"):
        fit([np.full((100, WIDTH), 1.7)], "here")
