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


@pytest.fixture(scope="module")
def predictions():
    """Two tasks, one with subsets of three sizes (not in alphabetical order), with tied gold scores."""
    generator = np.random.default_rng(0)
    sizes = [
        ("sts12", "OnWN", 30),
        ("sts12", "MSRpar", 7),
        ("sts12", "surprise", 12),
        ("stsb", "", 25),
    ]
    task, subset = (np.concatenate([np.repeat(row[i], row[2]) for row in sizes]) for i in (0, 1))
    gold = generator.integers(0, 11, len(task)) / 2
    shift = (
        pd.Series(subset).map({"OnWN": 0.0, "MSRpar": 0.6, "surprise": -0.4, "": 0.0}).to_numpy()
    )
    similarity = gold / 10 + shift + generator.normal(0, 0.2, len(task))
    return {
        "task": task,
        "subset": subset,
        "index": np.arange(len(task)),
        "gold": gold,
        "similarity": similarity,
    }


def expected_rows(predictions):
    frame, rows = pd.DataFrame(predictions), {}
    for metric, function in SCIPY.items():
        for task, group in frame.groupby("task"):
            parts = {
                s: (float(function(g["similarity"], g["gold"])[0]), len(g))
                for s, g in group.groupby("subset")
            }
            values, weights = [v for v, _ in parts.values()], [n for _, n in parts.values()]
            rows[task, metric, "all", ""] = (
                float(function(group["similarity"], group["gold"])[0]),
                len(group),
            )
            rows[task, metric, "mean", ""] = sum(values) / len(values), len(group)
            rows[task, metric, "wmean", ""] = (
                sum(v * n for v, n in parts.values()) / sum(weights),
                len(group),
            )
            rows |= {
                (task, metric, "subset", s): part for s, part in parts.items() if s
            }  # stsb has none
    return rows


def test_every_aggregation_is_that_of_scipy_on_the_same_predictions(predictions):
    found = {
        (r["task"], r["metric"], r["aggregation"], r["subset"]): (r["value"], r["n"])
        for r in score_rows(predictions)
    }
    expected = expected_rows(predictions)
    assert found.keys() == expected.keys()
    for key, (value, count) in expected.items():
        assert found[key] == (pytest.approx(value, rel=1e-10), count), key


def test_the_aggregations_differ_where_subsets_differ(predictions):
    found = {
        r["aggregation"]: r["value"]
        for r in score_rows(predictions)
        if r["task"] == "sts12" and r["metric"] == "spearman" and not r["subset"]
    }
    assert len(set(found.values())) == 3


def test_the_order_of_the_pairs_does_not_matter(predictions):
    order = np.random.default_rng(1).permutation(len(predictions["task"]))
    key = lambda r: (r["task"], r["metric"], r["aggregation"], r["subset"])
    first = {key(r): r["value"] for r in score_rows(predictions)}
    second = {key(r): r["value"] for r in score_rows({n: c[order] for n, c in predictions.items()})}
    assert second == pytest.approx(first, rel=1e-10)


def test_a_subset_without_a_correlation_leaves_no_mean(predictions):
    flat = predictions | {
        "gold": np.where(predictions["subset"] == "MSRpar", 2.0, predictions["gold"])
    }
    rows = {
        (r["aggregation"], r["subset"]): r["value"]
        for r in score_rows(flat)
        if r["task"] == "sts12" and r["metric"] == "spearman"
    }
    assert (
        math.isnan(rows["subset", "MSRpar"])
        and math.isnan(rows["mean", ""])
        and math.isnan(rows["wmean", ""])
    )
    assert math.isfinite(rows["all", ""])


class RandomEncoder:
    """Stands for a model that tells all texts apart."""

    def encode(self, tokens, max_length):
        """Return a random vector of each text."""
        texts = len(tokens.offsets) - 1
        return np.random.default_rng(0).normal(size=(texts, 5)).astype(np.float32)


def test_alignment_and_uniformity_count_the_pairs_and_sentences_that_they_are_of(tmp_path):
    write_base(tmp_path / "base")
    pairs = [  # task, two sentences, gold; alignment takes the pairs above 4
        ("stsb", "one", "two", 4.5),
        ("stsb", "one", "three", 5.0),
        ("stsb", "four", "one", 4.0),
        ("sts12", "five", "six", 5.0),
        ("stsb-dev", "seven", "eight", 5.0),
    ]
    names = ("task", "sentence1", "sentence2", "score")
    columns = {
        name: np.asarray(values)
        for name, values in zip(names, zip(*pairs, strict=True), strict=True)
    }
    columns |= {"subset": np.full(len(pairs), ""), "index": np.arange(len(pairs))}
    _, geometry = Sts(columns, tmp_path / "base/tokenizer.json").predict(RandomEncoder(), 32)
    sentences = {"one", "two", "three", "four"}
    assert {name: n for name, (_, n) in geometry.items()} == {
        "alignment": 2,
        "uniformity": len(sentences),
    }


def test_on_the_real_stsb_they_are_of_231_pairs_and_2551_sentences(real_data, tmp_path):
    write_base(tmp_path / "base", positions=512)
    released = read_stsb(real_data / "stsb/sts-test.csv")
    names = ("task", "subset", "index", "sentence1", "sentence2", "score")
    columns = {name: np.asarray([getattr(pair, name) for pair in released]) for name in names}
    _, geometry = Sts(columns, tmp_path / "base/tokenizer.json").predict(RandomEncoder(), 512)
    near = [pair for pair in released if pair.score > 4]
    sentences = {text for pair in released for text in (pair.sentence1, pair.sentence2)}
    assert (len(near), len(sentences)) == (231, 2551)
    assert geometry["alignment"][1] == len(near)
    assert geometry["uniformity"][1] == len(sentences)


def columns_of(tasks, tmp_path):
    """Pairs of sentences of their own for each task, of which the first stands twice."""
    write_base(tmp_path / "base")
    sizes = [(task, 8) for task in tasks]
    task = np.repeat([name for name, _ in sizes], [size for _, size in sizes])
    texts = [f"{name} {i}" for i, name in enumerate(task)]
    return {
        "task": task,
        "subset": np.full(len(task), ""),
        "index": np.arange(len(task)),
        "sentence1": np.asarray(texts),
        "sentence2": np.asarray([texts[0], *(f"other {text}" for text in texts[1:])]),
        "score": np.linspace(0, 5, len(task)),
    }


def test_a_whitening_on_the_target_is_fitted_on_the_distinct_sentences_of_each_task(tmp_path):
    columns = columns_of(["sts12", "stsb"], tmp_path)
    sts = Sts(columns, tmp_path / "base/tokenizer.json")
    found, _ = sts.predict(RandomEncoder(), 32, whiten=True)
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
        assert np.abs(found["similarity"][inside] - expected).max() < 1e-6


def test_without_a_whitening_the_similarities_are_those_of_the_encoder(tmp_path):
    sts = Sts(columns_of(["sts12"], tmp_path), tmp_path / "base/tokenizer.json")
    plain, _ = sts.predict(RandomEncoder(), 32)
    whitened, _ = sts.predict(RandomEncoder(), 32, whiten=True)
    assert np.abs(plain["similarity"] - whitened["similarity"]).max() > 0.01


def test_a_task_of_too_few_sentences_is_named(tmp_path):
    columns = columns_of(["sts12", "stsb"], tmp_path)
    kept = (columns["task"] == "sts12") | (np.arange(16) < 10)  # 2 pairs of stsb
    few = {name: values[kept] for name, values in columns.items()}
    sts = Sts(few, tmp_path / "base/tokenizer.json")
    with pytest.raises(InputError, match="task stsb: 4 texts are too few to whiten vectors of 5"):
        sts.predict(RandomEncoder(), 32, whiten=True)
