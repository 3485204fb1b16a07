"""The classifier of the transfer tasks, against a script of its own that follows SentEval's text."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from semblance.errors import InputError
from semblance.evaluation.classifier import Classifier, Labelled

FOLDS = 4
SEED = 1111


def data(count: int, seed: int, classes: int = 2, width: int = 6) -> Labelled:
    """Return items whose classes overlap, so that the regularisation matters."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(count) % classes)
    centres = np.random.default_rng(0).normal(size=(classes, width))
    return Labelled(centres[labels] + 1.5 * rng.normal(size=(count, width)), labels)


def part(whole: Labelled, items: np.ndarray) -> Labelled:
    """Return the items of some numbers."""
    return Labelled(whole.features[items], whole.labels[items])


def splits(labels):
    return StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(labels, labels)


def score(train: Labelled, test: Labelled, c: float) -> float:
    """Return the accuracy of a classifier fitted by another solver, without a warm start."""
    found = LogisticRegression(C=c, solver="newton-cholesky", tol=1e-10, max_iter=1000)
    return found.fit(train.features, train.labels).score(test.features, test.labels)


def senteval_k_fold(train: Labelled, test: Labelled, powers) -> tuple[float, float]:
    """SentEval's KFoldClassifier: dev and test accuracy."""
    means = []
    for power in powers:
        scores = []
        for fitted, held_out in splits(train.labels):
            scores.append(score(part(train, fitted), part(train, held_out), 2.0**power))
        means.append(np.mean(scores))
    best = int(np.argmax([round(100 * mean, 2) for mean in means]))
    return means[best], score(train, test, 2.0 ** powers[best])


def senteval_inner_k_fold(whole: Labelled) -> tuple[float, float]:
    """SentEval's InnerKFoldClassifier."""
    found = []
    for fitted, held_out in splits(whole.labels):
        found.append(senteval_k_fold(part(whole, fitted), part(whole, held_out), range(-2, 4)))
    dev, test = zip(*found, strict=True)
    return float(np.mean(dev)), float(np.mean(test))


def senteval_split(train: Labelled, dev: Labelled, test: Labelled) -> tuple[float, float]:
    """SentEval's SplitClassifier."""
    scores = [score(train, dev, 2.0**power) for power in range(-2, 4)]
    best = int(np.argmax([round(100 * value, 2) for value in scores]))
    return scores[best], score(train, test, 2.0 ** range(-2, 4)[best])


def accuracies(parts: dict[str, Labelled], gold: dict[str, Labelled]) -> tuple[float, float]:
    """Return dev and test accuracy of our classifier: means over the folds, on dev of the inner ones."""
    by_fold: dict[str, dict[int, list[float]]] = {"dev": {}, "test": {}}
    for found in Classifier(FOLDS, SEED).predict(parts):
        right = gold[found.part].labels[found.items] == found.labels
        by_fold[found.part].setdefault(found.fold, []).append(float(np.mean(right)))
    dev, test = ([np.mean(some) for some in by_fold[part].values()] for part in ("dev", "test"))
    return float(np.mean(dev)), float(np.mean(test))


@pytest.mark.parametrize("seed", range(2))
def test_a_task_without_a_split_has_the_accuracies_of_sentevals_nested_folds(seed):
    whole = data(80, seed)
    found = accuracies({"": whole}, {"dev": whole, "test": whole})
    assert found == pytest.approx(senteval_inner_k_fold(whole), abs=1e-12)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("classes", [2, 6])
def test_a_task_in_parts_has_the_accuracies_of_sentevals_folds_or_of_its_split(seed, classes):
    train, dev, test = (data(100, seed + more, classes) for more in (0, 10, 20))
    found = accuracies({"train": train, "test": test}, {"dev": train, "test": test})
    assert found == pytest.approx(senteval_k_fold(train, test, range(-1, 6)), abs=1e-12)
    parts = {"train": train, "dev": dev, "test": test}
    assert accuracies(parts, parts) == pytest.approx(senteval_split(**parts), abs=1e-12)


def test_of_equal_accuracies_the_strongest_regularisation_is_taken():
    features = np.array([[-1.0], [1.0]] * 20)  # every C separates them
    whole = Labelled(features, np.array([0, 1] * 20))
    assert {p.c for p in Classifier(FOLDS, SEED).predict({"": whole})} == {0.25}


def test_a_class_with_fewer_items_than_folds_is_refused():
    train = Labelled(np.zeros((20, 2)), np.array([0] * 17 + [1] * 3))
    with pytest.raises(
        InputError, match="^evaluate_transfer.folds: a class has 3 items in training, fewer than 4"
    ):
        Classifier(FOLDS, SEED).predict({"train": train, "test": train})
