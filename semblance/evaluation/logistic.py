"""Logistic regressions on parts of the same items, all fitted at the same time.

A hundred folds of one task share their features. One matrix product then serves all of them, where
each fit alone would read the features again for one vector.
"""

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import one_hot, softplus

from semblance.errors import InputError

# Of the gradient of the mean loss. A weak regularisation needs so much: at 1e-6, the margin of a text
# is up to .004 from that of the optimum, and labels flip; at 1e-8, up to 2e-5 (six-layer MiniLM).
TOLERANCE = 1e-8
ITERATIONS = 100  # of Newton's method, which takes some five
INNER = 500  # iterations of conjugate gradients at most
ACCURACY = 0.01  # of one of Newton's steps, relative to the gradient


class Regressions:
    """The weights of F logistic regressions, each fitted to its own items.

    The loss of one is the mean cross entropy of its m items plus |w|² / (2 C m); the intercept is not
    regularised. Of two classes, one margin decides; of more, each has its own (a softmax).
    ``features`` (n, d) and ``labels`` (n,) from 0 on; ``fitted`` (n, F) says which items are whose.
    """

    def __init__(
        self, features: np.ndarray, labels: np.ndarray, fitted: np.ndarray, device: torch.device
    ):
        items = torch.from_numpy(fitted).to(device, torch.float64)
        self.counts = items.sum(0)
        self.shares = (items / self.counts).unsqueeze(2)  # (n, F, 1)
        self.features = _with_ones(features, device)  # (n, d + 1)
        self.gold = _targets(torch.from_numpy(labels).to(device)).unsqueeze(1)  # (n, 1, K)
        size = self.features.shape[1], len(self.counts), self.gold.shape[2]
        self.weights = self.features.new_zeros(size)

    def fit(self, c: float) -> np.ndarray:
        """Move the weights (d + 1, F, K) to the optimum for one C; return each label of all items, (n, F).

        Newton's method starts from the weights of the C before. Raises InputError where it does not
        come to an end.
        """
        ridge = (1 / (c * self.counts))[None, :, None].repeat(len(self.weights), 1, 1)
        ridge[-1] = 0
        preconditioner = None
        for _ in range(ITERATIONS):
            margins = _times(self.features, self.weights)
            chances = _chances(margins)
            gradient = self._back(self.shares * (chances - self.gold)) + ridge * self.weights
            if gradient.abs().max() <= TOLERANCE:
                return _decided(margins)
            if preconditioner is None:
                preconditioner = self._mean_curvature(chances, ridge)
            step = self._newton_step(chances, gradient, ridge, preconditioner)
            self._move(margins, gradient, step, ridge)
        problem = (
            f"a classifier of its vectors with C = {c:g} has no optimum after {ITERATIONS} steps"
        )
        raise InputError("model", problem, "look at its vectors, or leave it out of these tasks")

    def _back(self, values: Tensor) -> Tensor:
        """Return the sum over the items (n, F, K) of each feature by its value, (d + 1, F, K)."""
        return _times(self.features.T, values)

    def _mean_curvature(self, chances: Tensor, ridge: Tensor) -> Tensor:
        """Return the Cholesky factors (K, d + 1, d + 1) of the mean Hessian of the F, class by class."""
        curvatures = (self.shares * chances * (1 - chances)).mean(1)  # (n, K)
        factors = []
        for k in range(curvatures.shape[1]):
            hessian = self.features.T @ (curvatures[:, k, None] * self.features)
            hessian.diagonal().add_(ridge.mean(1)[:, 0])
            factors.append(torch.linalg.cholesky(hessian))
        return torch.stack(factors)

    def _newton_step(
        self, chances: Tensor, gradient: Tensor, ridge: Tensor, factors: Tensor
    ) -> Tensor:
        """Solve Hessian · step = - gradient for all F by preconditioned conjugate gradients."""

        def hessian(vector: Tensor) -> Tensor:
            """Return Hessian · vector, without the Hessian itself."""
            margins = _times(self.features, vector)
            if chances.shape[2] > 1:
                margins = margins - (chances * margins).sum(2, keepdim=True)
                curved = chances * margins
            else:
                curved = chances * (1 - chances) * margins
            return self._back(self.shares * curved) + ridge * vector

        def precondition(vector: Tensor) -> Tensor:
            """Solve with the mean Hessian of all F in place of each one's own."""
            return torch.cholesky_solve(vector.permute(2, 0, 1), factors).permute(1, 2, 0)

        step = torch.zeros_like(gradient)
        rest = -gradient
        enough = ACCURACY * _dot(rest, rest).sqrt()
        solved = precondition(rest)
        direction = solved
        product = _dot(rest, solved)
        for _ in range(INNER):
            curved = hessian(direction)
            length = _ratio(product, _dot(direction, curved))
            step = step + length * direction
            rest = rest - length * curved
            if (_dot(rest, rest).sqrt() <= enough).all():
                break
            solved = precondition(rest)
            before, product = product, _dot(rest, solved)
            direction = solved + _ratio(product, before) * direction
        return step

    def _move(self, margins: Tensor, gradient: Tensor, step: Tensor, ridge: Tensor) -> None:
        """Take each step as a whole, or the longest of its halves that lowers the loss enough."""
        slope = _dot(gradient, step)
        change = _times(self.features, step)
        before = self._loss(margins, self.weights, ridge)
        length = torch.ones_like(slope)
        while True:
            weights = self.weights + length * step
            after = self._loss(margins + length * change, weights, ridge)
            # Beside the optimum the loss changes by less than its last digits.
            worse = after > before + 1e-4 * length * slope + 1e-13
            if not worse.any():
                break
            length = torch.where(worse, length / 2, length)
        self.weights = weights

    def _loss(self, margins: Tensor, weights: Tensor, ridge: Tensor) -> Tensor:
        """Return the loss of each of the F, (1, F, 1)."""
        if margins.shape[2] > 1:
            total = margins.logsumexp(2, keepdim=True)
        else:
            total = softplus(margins)
        entropies = total - (self.gold * margins).sum(2, keepdim=True)
        return (self.shares * entropies).sum(0, keepdim=True) + _dot(ridge * weights, weights) / 2


def _with_ones(features: np.ndarray, device: torch.device) -> Tensor:
    """Return features (n, d) as float64 with a column of ones for the intercept, (n, d + 1)."""
    values = torch.from_numpy(features).to(device, torch.float64)
    return torch.cat([values, values.new_ones(len(values), 1)], 1)


def _times(matrix: Tensor, values: Tensor) -> Tensor:
    """Return the product of a matrix (a, b) and values (b, F, K), (a, F, K)."""
    return (matrix @ values.flatten(1)).unflatten(1, values.shape[1:])


def _decided(margins: Tensor) -> np.ndarray:
    """Return the labels (n, F) that margins (n, F, K) decide."""
    if margins.shape[2] > 1:
        return margins.argmax(2).numpy(force=True)
    return (margins[:, :, 0] > 0).long().numpy(force=True)


def _targets(labels: Tensor) -> Tensor:
    """Return what the chances of labels (n,) should be, (n, K): K is 1 for two classes."""
    classes = int(labels.max()) + 1
    if classes == 2:
        return labels.double().unsqueeze(1)
    return one_hot(labels, classes).double()


def _chances(margins: Tensor) -> Tensor:
    return margins.softmax(2) if margins.shape[2] > 1 else margins.sigmoid()


def _dot(a: Tensor, b: Tensor) -> Tensor:
    """Return the inner product of two weights of each of the F, (1, F, 1)."""
    return (a * b).sum((0, 2), keepdim=True)


def _ratio(a: Tensor, b: Tensor) -> Tensor:
    """Return a / b, and 0 where b is 0: there, nothing is left to solve."""
    return torch.where(b > 0, a / b, 0.0)
