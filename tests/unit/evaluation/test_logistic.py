"""The logistic regressions of the transfer tasks, against their loss written out and another solver."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from semblance.errors import InputError
from semblance.evaluation import logistic
from semblance.evaluation.logistic import TOLERANCE, Regressions

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
GRID = tuple(2.0**power for power in range(-2, 6))


def items(classes: int, count: int = 400, width: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """Return features of very different lengths and labels that they only hint at."""
    rng = np.random.default_rng(classes)
    labels = rng.permutation(np.arange(count) % classes)
    centres = rng.normal(size=(classes, width))
    features = centres[labels] + 1.5 * rng.normal(size=(count, width))
    return features * np.logspace(0, -3, width), labels


def parts(count: int, fits: int) -> np.ndarray:
    """Return which items each fit has, (count, fits): a different share of them for each."""
    shares = np.linspace(0.4, 1, fits)
    return np.random.default_rng(0).random((count, fits)) <= shares


def loss(weights: torch.Tensor, features: np.ndarray, labels: np.ndarray, c: float) -> torch.Tensor:
    """Return the mean cross entropy plus |w|² / (2 C m) of weights (d + 1, K)."""
    margins = torch.from_numpy(features) @ weights[:-1] + weights[-1]
    if weights.shape[1] == 1:  # of class 1, beside 0 of class 0
        margins = torch.cat([torch.zeros_like(margins), margins], 1)
    entropy = torch.nn.functional.cross_entropy(margins, torch.from_numpy(labels))
    return entropy + weights[:-1].square().sum() / (2 * c * len(labels))


@pytest.mark.parametrize("classes", [2, 6])
def test_the_gradient_of_each_fits_own_loss_is_almost_zero(classes):
    features, labels = items(classes)
    fitted = parts(len(labels), 5)
    regressions = Regressions(features, labels, fitted, DEVICE)
    for c in GRID:
        regressions.fit(c)
        for i, own in enumerate(fitted.T):
            weights = regressions.weights[:, i].cpu().clone().requires_grad_()
            loss(weights, features[own], labels[own], c).backward()
            assert weights.grad.abs().max() <= 2 * TOLERANCE  # the digits of another sum


@pytest.mark.parametrize("classes", [2, 6])
def test_the_labels_are_those_of_another_solver_that_goes_further(classes):
    """A solver that stops early flips labels: it has not gone far along the short features."""
    features, labels = items(classes, count=20_000)
    fitted = parts(len(labels), 3) & (np.arange(len(labels)) < 1000)[:, None]
    regressions = Regressions(features, labels, fitted, DEVICE)
    for c in GRID:
        found = regressions.fit(c)
        for i, own in enumerate(fitted.T):
            other = LogisticRegression(C=c, solver="newton-cholesky", tol=1e-12, max_iter=1000)
            other.fit(features[own], labels[own])
            assert np.array_equal(other.predict(features), found[:, i])


def test_features_of_no_use_leave_the_class_with_more_items():
    labels = np.array([0, 1, 1] * 10)
    regressions = Regressions(np.ones((30, 4)), labels, np.ones((30, 2), bool), DEVICE)
    assert (regressions.fit(1.0) == 1).all()


def test_vectors_on_which_no_optimum_is_found_are_refused(monkeypatch):
    monkeypatch.setattr(logistic, "ITERATIONS", 2)
    features, labels = items(2)
    regressions = Regressions(features, labels, np.ones((400, 1), bool), DEVICE)
    with pytest.raises(
        InputError, match="^model: a classifier of its vectors with C = 32 has no opt"
    ):
        regressions.fit(32.0)
