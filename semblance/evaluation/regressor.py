"""SentEval's regressor of relatedness: a softmax over the scores 1 to 5, trained on scored pairs.

The source is senteval/tools/relatedness.py and senteval/sick.py of
https://github.com/facebookresearch/SentEval. Each step, its batch and its first weights are drawn as
there.

ASSUME float64 in place of SentEval's float32: a Pearson on dev that decides which weights are kept
then does not depend on the machine.
"""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from semblance.errors import InputError
from semblance.evaluation.metrics import pearson
from semblance.models.optimiser import AdamW

VALUES = np.arange(1.0, 6.0)  # of the five classes
BATCH = 64
LEARNING_RATE = 1e-3  # Adam's own
EPOCHS = 50  # between two looks at dev
ROUNDS = 21  # at most: the last one begins after 1,000 epochs
PATIENCE = 3  # rounds without a better dev score that are allowed, in all


@dataclass(frozen=True)
class Rated:
    """Features (n, d) and gold scores (n,) of some pairs."""

    features: np.ndarray
    scores: np.ndarray


def soft_labels(scores: np.ndarray) -> np.ndarray:
    """Return the share of each class in scores, (n, 5): a score between two classes has both.

    ASSUME a score below 1, which STS-B has, keeps a sum below 1, as in SentEval's code.
    """
    return np.clip(1 - np.abs(scores[:, None] - VALUES), 0, None)


class Regressor:
    """A softmax layer, trained by Adam until its expected score fits the dev pairs no better."""

    def __init__(self, train: Rated, dev: Rated, seed: int):
        """Train it. Raises InputError where no weights give a correlation on dev."""
        self.permutations = np.random.RandomState(seed)
        self.layer = _first_weights(train.features.shape[1], seed)
        self.optimiser = AdamW(self.layer, weight_decay=0.0)  # this is Adam
        with _one_thread():
            self._train(train, dev)

    def predict(self, features: np.ndarray) -> np.ndarray:
        """Return the expected score of each pair, (n,)."""
        with torch.no_grad():
            shares = self._shares(torch.from_numpy(features)).numpy()
        return shares @ VALUES

    def _train(self, train: Rated, dev: Rated) -> None:
        """Train in rounds, and keep the weights of the best Pearson on dev."""
        features = torch.from_numpy(train.features)
        labels = torch.from_numpy(soft_labels(train.scores))
        best = -1.0
        kept = None
        worse = 0
        for _ in range(ROUNDS):
            for _ in range(EPOCHS):
                self._epoch(features, labels)
            found = pearson(self.predict(dev.features), dev.scores)
            if found > best:
                best = found
                kept = copy.deepcopy(self.layer)
            else:
                worse += 1
            if worse > PATIENCE:
                break
        if kept is None:
            problem = "gives all dev pairs the same relatedness"
            raise InputError("model", problem, "train it again, or take more dev pairs")
        self.layer = kept

    def _epoch(self, features: Tensor, labels: Tensor) -> None:
        order = torch.from_numpy(self.permutations.permutation(len(features)))
        for batch in order.split(BATCH):
            # ASSUME the sum, which SentEval asks for: later versions of PyTorch do not hear it.
            loss = (self._shares(features[batch]) - labels[batch]).square().sum()
            self.optimiser.zero_grad()
            loss.backward()
            self.optimiser.step(LEARNING_RATE)

    def _shares(self, features: Tensor) -> Tensor:
        return self.layer(features).softmax(dim=1)  # (n, 5)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Compute with one thread inside: steps as small as these wait longer for a second one."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _first_weights(width: int, seed: int) -> nn.Linear:
    """Return a layer with the first weights that PyTorch draws after a seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layer = nn.Linear(width, len(VALUES))
    return layer.double()
