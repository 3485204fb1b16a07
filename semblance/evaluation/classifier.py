"""Logistic regression on frozen features by SentEval's protocol: its folds and its grids.

The source is senteval/tools/validation.py of https://github.com/facebookresearch/SentEval, the branch
``usepytorch: False``. Each accuracy that chooses a regularisation is rounded as there, to 0.01 points,
and of equal ones the strongest regularisation is taken.

ASSUME every optimum is computed to the end: SentEval's own stops earlier, after 100 iterations. The
optimum is unique, so that it depends neither on the solver nor on the point it starts from.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from semblance.errors import InputError

# Values of C, the inverse of the weight of the squared norm, from the strongest regularisation on.
GRID = tuple(2.0**power for power in range(-2, 4))  # InnerKFoldClassifier, SplitClassifier
GRID_WITHOUT_DEV = tuple(2.0**power for power in range(-1, 6))  # KFoldClassifier
# Of the gradient of the mean loss. A weak regularisation needs so much: at 1e-6, the margin of a text
# is up to .004 from that of the optimum, and labels flip; at 1e-8, up to 2e-5 (six-layer MiniLM).
TOLERANCE = 1e-8
ITERATIONS = 1000  # at most; Newton's method takes some five

Splits = Sequence[tuple[np.ndarray, np.ndarray]]  # the items to fit to, and those held out


@dataclass(frozen=True)
class Labelled:
    """Features (n, d) and labels (n,) of some items."""

    features: np.ndarray
    labels: np.ndarray

    def part(self, items: np.ndarray) -> "Labelled":
        """Return the items of some numbers."""
        return Labelled(self.features[items], self.labels[items])


@dataclass(frozen=True)
class Predicted:
    """What one classifier predicts of items that it was not fitted to.

    ``part``: ``dev``, by which C is chosen, or ``test``. ``fold``: the outer fold, and ``inner`` the
    one within it. ``items`` and ``labels`` (m,): the numbers of the items, and what is predicted.
    """

    part: str
    fold: int
    inner: int
    c: float
    items: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True)
class Classifier:
    """SentEval's classifier with a number of ``folds`` and the ``seed`` of their shuffling.

    ``threads`` fits run at a time. Each has one thread, so that their number changes no digit.
    """

    folds: int
    seed: int
    threads: int

    def predict(self, parts: Mapping[str, Labelled]) -> list[Predicted]:
        """Return the predictions of dev and test items for a task in these parts.

        ``train``, ``dev`` and ``test``: C is chosen on dev. ``train`` and ``test``: by folds of
        train. One part of any other name: every fold is tested once, C chosen by folds of the rest.
        """
        with ThreadPoolExecutor(self.threads) as pool:
            if {"train", "dev", "test"} == parts.keys():
                return _on_dev(parts, pool)
            if {"train", "test"} == parts.keys():
                return self._on_folds(parts["train"], parts["test"], GRID_WITHOUT_DEV, pool)
            (whole,) = parts.values()
            return list(self._nested(whole, pool))

    def _nested(self, whole: Labelled, pool: ThreadPoolExecutor) -> Iterator[Predicted]:
        for fold, (fitted, held_out) in enumerate(self._splits(whole.labels)):
            numbers = {"dev": fitted, "test": held_out}
            for found in self._on_folds(whole.part(fitted), whole.part(held_out), GRID, pool):
                yield replace(found, fold=fold, items=numbers[found.part][found.items])

    def _on_folds(
        self, train: Labelled, test: Labelled, grid: tuple[float, ...], pool: ThreadPoolExecutor
    ) -> list[Predicted]:
        """Choose C by folds of ``train``, then fit to all of it."""
        splits = self._splits(train.labels)

        def of_split(split: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
            """Return the labels (grid, m) of the items held out."""
            fitted, held_out = split
            return _fit(train.part(fitted), grid, train.features[held_out])

        by_fold = list(pool.map(of_split, splits))
        accuracies = [
            np.mean(labels == train.labels[held_out], axis=1)
            for labels, (_, held_out) in zip(by_fold, splits, strict=True)
        ]
        best = _position_of_best(np.mean(accuracies, axis=0))
        found = [
            Predicted("dev", 0, inner, grid[best], held_out, labels[best])
            for inner, (labels, (_, held_out)) in enumerate(zip(by_fold, splits, strict=True))
        ]
        return [*found, _tested(train, test, grid[best])]

    def _splits(self, labels: np.ndarray) -> Splits:
        """Deal the items out to folds, each class evenly."""
        least = int(np.bincount(labels).min())
        if least < self.folds:
            problem = f"a class has {least} items in training, fewer than {self.folds} folds"
            raise InputError("evaluate_transfer.folds", problem, "take fewer folds")
        folds = StratifiedKFold(self.folds, shuffle=True, random_state=self.seed)
        return list(folds.split(np.zeros(len(labels)), labels))


def _on_dev(parts: Mapping[str, Labelled], pool: ThreadPoolExecutor) -> list[Predicted]:
    """Choose C on ``dev`` and fit to ``train`` alone."""
    train = parts["train"]
    dev = parts["dev"]
    labels = list(pool.map(lambda c: _fit(train, (c,), dev.features)[0], GRID))  # each (m,)
    best = _position_of_best(np.array([np.mean(found == dev.labels) for found in labels]))
    on_dev = Predicted("dev", 0, 0, GRID[best], np.arange(len(dev.labels)), labels[best])
    return [on_dev, _tested(train, parts["test"], GRID[best])]


def _tested(train: Labelled, test: Labelled, c: float) -> Predicted:
    labels = _fit(train, (c,), test.features)[0]
    return Predicted("test", 0, 0, c, np.arange(len(test.labels)), labels)


def _fit(train: Labelled, grid: tuple[float, ...], features: np.ndarray) -> np.ndarray:
    """Return the labels (grid, m) predicted of ``features`` (m, d) with each C of a grid."""
    # Each C starts from the optimum of the one before.
    classifier = LogisticRegression(
        solver="newton-cg", tol=TOLERANCE, max_iter=ITERATIONS, warm_start=True
    )
    found = []
    for c in grid:
        classifier.set_params(C=c)
        classifier.fit(train.features, train.labels)
        found.append(classifier.predict(features))
    return np.array(found)


def _position_of_best(accuracies: np.ndarray) -> int:
    """Return the position of the highest accuracy in points of two decimals, the first of equals."""
    return int(np.argmax(np.round(100 * accuracies, 2)))
