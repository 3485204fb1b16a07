"""Logistic regression on frozen features by SentEval's protocol: its folds and its grids.

The source is senteval/tools/validation.py of https://github.com/facebookresearch/SentEval, the branch
``usepytorch: False``. Each accuracy that chooses a regularisation is rounded as there, to 0.01 points,
and of equal ones the strongest regularisation is taken.

ASSUME every optimum is computed to the end: SentEval's own stops earlier, after 100 iterations. The
optimum is unique, so that it depends neither on the solver nor on the point it starts from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from sklearn.model_selection import StratifiedKFold

from semblance.errors import InputError
from semblance.evaluation.logistic import Regressions

# Values of C, the inverse of the weight of the squared norm, from the strongest regularisation on.
GRID = tuple(2.0**power for power in range(-2, 4))  # InnerKFoldClassifier, SplitClassifier
GRID_WITHOUT_DEV = tuple(2.0**power for power in range(-1, 6))  # KFoldClassifier
CPU = torch.device("cpu")


@dataclass(frozen=True)
class Labelled:
    """Features (n, d) and labels (n,), whole numbers from 0 on, of some items."""

    features: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True)
class Predicted:
    """What one classifier predicts of items that it was not fitted to.

    ``part``: ``dev``, by which C is chosen, or ``test``. ``fold``: the outer fold, and ``inner`` the
    one within it. ``items`` and ``labels`` (m,): the numbers of the items in their part of the task,
    and what is predicted.
    """

    part: str
    fold: int
    inner: int
    c: float
    items: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True)
class Split:
    """The numbers of the items that a classifier is fitted to, and of those held out."""

    fitted: np.ndarray
    held_out: np.ndarray


@dataclass(frozen=True)
class Fold:
    """What is tested, and the splits of the items fitted to, by which C is chosen."""

    test: Split
    dev: Sequence[Split]


@dataclass(frozen=True)
class Classifier:
    """SentEval's classifier with a number of ``folds`` and the ``seed`` of their shuffling."""

    folds: int
    seed: int
    device: torch.device = CPU

    def predict(self, parts: Mapping[str, Labelled]) -> list[Predicted]:
        """Return the predictions of dev and test items for a task in these parts.

        ``train``, ``dev`` and ``test``: C is chosen on dev. ``train`` and ``test``: by folds of
        train. One part of any other name: every fold is tested once, C chosen by folds of the rest.
        """
        gold = np.concatenate([part.labels for part in parts.values()])
        numbers = np.concatenate([np.arange(len(part.labels)) for part in parts.values()])
        # SentEval's class for tasks without a dev part has another grid than the other two.
        grid = GRID_WITHOUT_DEV if {"train", "test"} == parts.keys() else GRID
        folds = self._folds(parts, gold)
        splits = [split for fold in folds for split in (fold.test, *fold.dev)]
        fitted = np.zeros((len(gold), len(splits)), bool)
        for column, split in enumerate(splits):
            fitted[split.fitted, column] = True
        features = [part.features for part in parts.values()]
        regressions = Regressions(np.concatenate(features), gold, fitted, self.device)
        labels = np.array([regressions.fit(c) for c in grid])  # (grid, n, splits)
        predicted = iter([labels[:, split.held_out, i] for i, split in enumerate(splits)])
        everything = []
        for number, fold in enumerate(folds):
            of_test = next(predicted)  # (grid, m), as those of dev
            of_dev = [(next(predicted), split.held_out) for split in fold.dev]
            accuracies = [
                np.mean(predictions == gold[items], axis=1) for predictions, items in of_dev
            ]
            best = _position_of_best(np.mean(accuracies, axis=0))
            c = grid[best]
            for inner, (predictions, items) in enumerate(of_dev):
                dev = Predicted("dev", number, inner, c, numbers[items], predictions[best])
                everything.append(dev)
            items = fold.test.held_out
            everything.append(Predicted("test", number, 0, c, numbers[items], of_test[best]))
        return everything

    def _folds(self, parts: Mapping[str, Labelled], gold: np.ndarray) -> list[Fold]:
        """Return the folds of a task whose parts lie one after another, with labels ``gold`` (n,)."""
        ends = np.cumsum([len(part.labels) for part in parts.values()])
        inside = dict(zip(parts, np.split(np.arange(len(gold)), ends[:-1]), strict=True))
        if {"train", "dev", "test"} == parts.keys():
            dev = [Split(inside["train"], inside["dev"])]
            return [Fold(Split(inside["train"], inside["test"]), dev)]
        if {"train", "test"} == parts.keys():
            test = [Split(inside["train"], inside["test"])]
        else:
            test = self._splits(np.arange(len(gold)), gold)
        return [Fold(split, self._splits(split.fitted, gold)) for split in test]

    def _splits(self, items: np.ndarray, gold: np.ndarray) -> list[Split]:
        """Deal these items out to folds, each class evenly."""
        labels = gold[items]
        least = int(np.bincount(labels).min())
        if least < self.folds:
            problem = f"a class has {least} items in training, fewer than {self.folds} folds"
            raise InputError("evaluate_transfer.folds", problem, "take fewer folds")
        folds = StratifiedKFold(self.folds, shuffle=True, random_state=self.seed)
        dealt = folds.split(np.zeros(len(labels)), labels)
        return [Split(items[fitted], items[held_out]) for fitted, held_out in dealt]


def _position_of_best(accuracies: np.ndarray) -> int:
    """Return the position of the highest accuracy in points of two decimals, the first of equals."""
    # Rounded before the choice, as SentEval does: of equals the strongest regularisation wins.
    return int(np.argmax(np.round(100 * accuracies, 2)))
