"""SentEval's regressor against a loop in float64 that is written from its definition."""

import numpy as np
import pytest
import torch

from semblance.errors import InputError
from semblance.evaluation import regressor
from semblance.evaluation.regressor import Rated, Regressor, soft_labels

SEED = 1111


def rated(count: int, seed: int, noise: float = 0.3) -> Rated:
    """Return pairs whose scores depend on their features, from 0 to 5."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(count, 6))
    direction = np.random.default_rng(0).normal(size=6)
    scores = 2.5 + features @ direction + noise * rng.normal(size=count)
    return Rated(features, np.clip(np.round(scores, 1), 0, 5))


def encoded_by_senteval(scores: np.ndarray) -> np.ndarray:
    """Return the labels as SentEval's definition says them: by the floor of each score."""
    labels = np.zeros((len(scores), 5))
    for row, score in enumerate(scores):
        below = int(np.floor(score))
        for place, share in ((below, score - below), (below - 1, below + 1 - score)):
            if 0 <= place < 5:
                labels[row, place] = share
    return labels


def test_a_score_is_shared_by_the_two_nearest_classes_as_in_senteval():
    scores = np.append(np.arange(51) / 10, 0.25)
    assert soft_labels(scores) == pytest.approx(encoded_by_senteval(scores), abs=1e-12)
    assert soft_labels(np.array([3.4, 0.25])).sum(axis=1) == pytest.approx([1, 0.25])


def softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


class Adam:
    """Adam as its paper defines it, rate .001, for one array."""

    def __init__(self, values: np.ndarray):
        self.values = values.astype(np.float64).copy()
        self.mean = np.zeros_like(self.values)
        self.square = np.zeros_like(self.values)
        self.step = 0

    def move(self, gradient: np.ndarray) -> None:
        self.step += 1
        self.mean = 0.9 * self.mean + 0.1 * gradient
        self.square = 0.999 * self.square + 0.001 * gradient**2
        mean = self.mean / (1 - 0.9**self.step)
        square = self.square / (1 - 0.999**self.step)
        self.values -= 0.001 * mean / (np.sqrt(square) + 1e-8)


def by_definition(train: Rated, dev: Rated, test: Rated) -> tuple[np.ndarray, int]:
    """Return the expected scores of test pairs and the number of rounds of 50 epochs, in NumPy."""
    torch.manual_seed(SEED)
    first = torch.nn.Linear(train.features.shape[1], 5)
    weight = Adam(first.weight.detach().numpy())
    bias = Adam(first.bias.detach().numpy())
    np.random.seed(SEED)
    labels = encoded_by_senteval(train.scores)
    best, kept, failures, epochs, rounds = -1.0, None, 0, 0, 0
    while failures <= 3 and epochs <= 1000:
        for _ in range(50):
            order = np.random.permutation(len(train.scores))
            for start in range(0, len(order), 64):
                chosen = order[start : start + 64]
                x = train.features[chosen]
                shares = softmax(x @ weight.values.T + bias.values)
                slope = 2 * (shares - labels[chosen])
                logits = shares * (slope - (slope * shares).sum(axis=1, keepdims=True))
                weight.move(logits.T @ x)
                bias.move(logits.sum(axis=0))
        epochs += 50
        rounds += 1
        values = softmax(dev.features @ weight.values.T + bias.values) @ np.arange(1, 6)
        found = np.corrcoef(values, dev.scores)[0, 1]
        if found > best:
            best, kept = found, (weight.values.copy(), bias.values.copy())
        else:
            failures += 1
    return softmax(test.features @ kept[0].T + kept[1]) @ np.arange(1, 6), rounds


def test_the_regressor_is_that_of_the_definition(monkeypatch):
    train = rated(150, 1)
    dev = rated(40, 2)
    test = rated(30, 3)
    epochs = []
    step = Regressor._epoch
    monkeypatch.setattr(Regressor, "_epoch", lambda *args: (epochs.append(1), step(*args)))
    found = Regressor(train, dev, SEED).predict(test.features)
    expected, rounds = by_definition(train, dev, test)
    assert len(epochs) == 50 * rounds
    assert 5 < rounds < 21  # it stopped early, after the fourth round without a better score
    assert found == pytest.approx(expected, abs=1e-8)


def test_the_training_ends_after_1050_epochs_where_dev_still_gets_better(monkeypatch):
    better = iter(np.linspace(0, 1, 30))
    monkeypatch.setattr(regressor, "pearson", lambda *_: next(better))
    monkeypatch.setattr(Regressor, "_epoch", lambda *_: None)
    Regressor(rated(8, 1), rated(8, 2), SEED)
    assert len(list(better)) == 30 - 21


def test_a_seed_gives_the_same_bits_and_leaves_the_global_generators_alone():
    torch.manual_seed(3)
    np.random.seed(3)
    first = Regressor(rated(70, 1), rated(20, 2), 7).predict(rated(9, 3).features)
    drawn = (torch.rand(1).item(), np.random.random())
    torch.manual_seed(3)
    np.random.seed(3)
    assert drawn == (torch.rand(1).item(), np.random.random())
    again = Regressor(rated(70, 1), rated(20, 2), 7).predict(rated(9, 3).features)
    other = Regressor(rated(70, 1), rated(20, 2), 8).predict(rated(9, 3).features)
    assert first.tobytes() == again.tobytes() and first.tobytes() != other.tobytes()


def test_vectors_that_are_all_the_same_are_refused():
    same = Rated(np.ones((10, 4)), np.arange(10) / 2)
    with pytest.raises(InputError, match="gives all dev pairs the same relatedness"):
        Regressor(same, same, SEED)
