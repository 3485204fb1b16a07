"""Scores of textual similarity recomputed from the same predictions by scipy and pandas."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from semblance.data.sts import read_stsb
from semblance.errors import InputError
from semblance.evaluation.sts import Sts, score_rows
from tests.dag.tiny import write_base

SCIPY = {"spearman": stats.spearmanr, "pearson": stats.pearsonr}
KEY = ("task", "metric", "aggregation", "subset")
# Each subset of a task, how many pairs it has, and how far its similarities are shifted
SUBSETS = [
    ("sts12", "OnWN", 30, 0.0),
    ("sts12", "MSRpar", 7, 0.6),
    ("sts12", "surprise", 12, -0.4),
    ("stsb", "", 25, 0.0),
]


@pytest.fixture(scope="module")
def predictions():
    """Two tasks, one with subsets of three sizes (not in alphabetical order), with tied gold scores."""
    generator = np.random.default_rng(0)
    sizes = [size for _, _, size, _ in SUBSETS]
    task, subset, _, shift = (np.repeat(column, sizes) for column in zip(*SUBSETS, strict=True))
    gold = generator.integers(0, 11, len(task)) / 2
    similarity = gold / 10 + shift + generator.normal(0, 0.2, len(task))
    columns = {"task": task, "subset": subset, "index": np.arange(len(task))}
    return columns | {"gold": gold, "similarity": similarity}


def found(predictions):
    """Return the value and the number of pairs of each score."""
    rows = list(score_rows(predictions))
    return {tuple(row[name] for name in KEY): (row["value"], row["n"]) for row in rows}


def scored(function, rows):
    """Return what scipy makes of some predictions, and how many they are."""
    return function(rows["similarity"], rows["gold"])[0], len(rows)


def test_every_aggregation_is_that_of_scipy_on_the_same_predictions(predictions):
    expected = {}
    for metric, function in SCIPY.items():
        for task, group in pd.DataFrame(predictions).groupby("task"):
            count = len(group)
            # stsb has one part, which has no name and is the whole
            parts = {name: scored(function, part) for name, part in group.groupby("subset")}
            values, sizes = zip(*parts.values(), strict=True)
            expected[task, metric, "all", ""] = scored(function, group)
            expected[task, metric, "mean", ""] = (np.mean(values), count)
            expected[task, metric, "wmean", ""] = (np.average(values, weights=sizes), count)
            expected |= {(task, metric, "subset", name): p for name, p in parts.items() if name}
    scores = found(predictions)
    assert scores.keys() == expected.keys()
    for key, (value, count) in expected.items():
        assert scores[key] == (pytest.approx(value, rel=1e-10), count), key
    # The subsets differ, and so the aggregations do.
    assert len({scores["sts12", "spearman", how, ""][0] for how in ("all", "mean", "wmean")}) == 3


def test_genres_of_the_sts_benchmark_are_no_subsets():
    """Each genre is ranked perfectly, and both together are not: 1 - 6 * 16 / (4 * 15) = -.6."""
    predictions = {
        "task": np.array(["stsb"] * 4),
        "subset": np.array(["forums", "forums", "news", "news"]),
        "gold": np.array([1.0, 2.0, 3.0, 4.0]),
        "similarity": np.array([0.3, 0.4, 0.1, 0.2]),
    }
    scores = found(predictions)
    for how in ("all", "mean", "wmean"):
        assert scores["stsb", "spearman", how, ""] == (pytest.approx(-0.6), 4)
    for genre in ("forums", "news"):
        assert scores["stsb", "spearman", "subset", genre] == (pytest.approx(1.0), 2)


def test_the_order_of_the_pairs_does_not_matter(predictions):
    order = np.random.default_rng(1).permutation(len(predictions["task"]))
    mixed = found({name: column[order] for name, column in predictions.items()})
    for key, (value, count) in found(predictions).items():
        assert mixed[key] == (pytest.approx(value, rel=1e-10), count)


def test_a_subset_without_a_correlation_leaves_no_mean(predictions):
    gold = np.where(predictions["subset"] == "MSRpar", 2.0, predictions["gold"])
    scores = found(predictions | {"gold": gold})
    for aggregation, subset in (("subset", "MSRpar"), ("mean", ""), ("wmean", "")):
        assert math.isnan(scores["sts12", "spearman", aggregation, subset][0])
    assert math.isfinite(scores["sts12", "spearman", "all", ""][0])


class RandomEncoder:
    """Stands for a model that tells all texts apart."""

    def encode(self, tokens, max_length):
        """Return a random vector of each text."""
        texts = len(tokens.offsets) - 1
        return np.random.default_rng(0).normal(size=(texts, 5)).astype(np.float32)


def columns_of(pairs):
    """Return rows of task, two sentences and gold score as the columns of prepared pairs."""
    names = ("task", "sentence1", "sentence2", "score")
    columns = dict(zip(names, map(np.asarray, zip(*pairs, strict=True)), strict=True))
    return columns | {"subset": np.full(len(pairs), ""), "index": np.arange(len(pairs))}


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("base")
    write_base(folder / "base", positions=512)
    return folder / "base/tokenizer.json"


def counts(pairs, tokenizer):
    """Return how many pairs alignment is of, and how many sentences uniformity."""
    _, geometry = Sts(columns_of(pairs), tokenizer).predict(RandomEncoder(), 512)
    return {name: count for name, (_, count) in geometry.items()}


def test_alignment_and_uniformity_count_the_pairs_and_sentences_that_they_are_of(tokenizer):
    pairs = [  # alignment takes the pairs of STS-B above 4
        ("stsb", "one", "two", 4.5),
        ("stsb", "one", "three", 5.0),
        ("stsb", "four", "one", 4.0),
        ("sts12", "five", "six", 5.0),
        ("stsb-dev", "seven", "eight", 5.0),
    ]
    sentences = {"one", "two", "three", "four"}
    assert counts(pairs, tokenizer) == {"alignment": 2, "uniformity": len(sentences)}


def test_on_the_real_stsb_they_are_of_231_pairs_and_2551_sentences(real_data, tokenizer):
    released = read_stsb(real_data / "stsb/sts-test.csv")
    pairs = [(pair.task, pair.sentence1, pair.sentence2, pair.score) for pair in released]
    assert sum(score > 4 for *_, score in pairs) == 231
    assert len({text for _, *texts, _ in pairs for text in texts}) == 2551
    assert counts(pairs, tokenizer) == {"alignment": 231, "uniformity": 2551}


def pairs_of(*tasks, count=8):
    """Pairs of sentences of their own for each task; the first sentence of a task stands twice."""
    return [
        (task, f"{task} {i}", f"other {task} {i}" if i else f"{task} 0", float(i % 6))
        for task in tasks
        for i in range(count)
    ]


def test_a_whitening_on_the_target_is_fitted_on_the_distinct_sentences_of_each_task(tokenizer):
    columns = columns_of(pairs_of("sts12", "stsb"))
    sts = Sts(columns, tokenizer)
    whitened, _ = sts.predict(RandomEncoder(), 32, whiten=True)
    plain, _ = sts.predict(RandomEncoder(), 32)
    assert np.abs(plain["similarity"] - whitened["similarity"]).max() > 0.01
    vectors = sts.texts.encode(RandomEncoder(), 32)
    for task in ("sts12", "stsb"):
        inside = columns["task"] == task
        sides = [columns[name][inside].tolist() for name in ("sentence1", "sentence2")]
        x = vectors.of(sorted({*sides[0], *sides[1]})).astype(np.float64)
        directions, variances, _ = np.linalg.svd(np.cov(x.T))
        matrix = directions / np.sqrt(variances)
        left, right = ((vectors.of(side) - x.mean(0)) @ matrix for side in sides)
        expected = (left * right).sum(1) / np.linalg.norm(left, axis=1)
        expected /= np.linalg.norm(right, axis=1)
        assert np.abs(whitened["similarity"][inside] - expected).max() < 1e-6


def test_a_task_of_too_few_sentences_is_named(tokenizer):
    sts = Sts(columns_of([*pairs_of("sts12"), *pairs_of("stsb", count=2)]), tokenizer)
    with pytest.raises(InputError, match="task stsb: 3 texts are too few to whiten vectors of 5"):
        sts.predict(RandomEncoder(), 32, whiten=True)
