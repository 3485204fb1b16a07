"""Word vectors are evaluated by the stages that evaluate a transformer, from files to scores."""

import numpy as np
import pandas as pd
import pytest

from semblance.errors import InputError
from semblance.evaluation.relatedness import RelatednessRun, evaluate_relatedness
from semblance.evaluation.scored import Target
from semblance.evaluation.sts import StsRun, evaluate_sts
from semblance.evaluation.transfer import TransferRun, evaluate_transfer
from semblance.names import TRANSFER_TASKS
from semblance.provenance import input_digests, read_sealed
from tests.example_settings import COMPUTE
from tests.unit.evaluation.prepared import lines, prepare, records
from workflow.scripts import (
    prepare_word_vectors,
)

WIDTH = 12
PAIRS = {"protocol": "senteval"}
RUN = ("none", "glove", "start", "0")


@pytest.fixture(scope="module")
def world(demo):
    """The demo's prepared data, and word vectors of the words of its STS pairs; ``none`` of others."""
    folder = demo
    pairs = pd.concat(pd.read_parquet(folder / name / "pairs.parquet") for name in ("sts", "dev"))
    texts = [*pairs["sentence1"], *pairs["sentence2"]]
    words = sorted({word for text in texts for word in text.lower().split()})
    rows = np.random.default_rng(0).normal(size=(len(words), WIDTH)).round(3)
    texts = [f"{w} {' '.join(map(str, row))}\n" for w, row in zip(words, rows, strict=True)]
    (folder / "glove.txt").write_text("".join(texts), encoding="utf-8")
    (folder / "none.txt").write_text("qqqq 1 2\n")
    for name, file in (("glove", "glove.txt"), ("none", "none.txt")):
        settings = {"path": str(folder / file)}
        prepare(prepare_word_vectors, settings, folder / name / "record.json")
    return folder, dict(zip(words, rows, strict=True))


def target(folder) -> Target:
    return Target(folder / "scores/record.json", COMPUTE, "0123")


def test_sts_predictions_are_the_cosines_of_mean_word_vectors(world, tmp_path):
    folder, vectors = world
    evaluate_sts(StsRun(*RUN), *records(folder, "glove", "sts", "dev"), target(tmp_path))
    found = pd.read_parquet(tmp_path / "scores/predictions.parquet")
    parts = [pd.read_parquet(folder / name / "pairs.parquet") for name in ("sts", "dev")]
    keys = ["task", "subset", "index"]
    expected = pd.concat(parts).set_index(keys)

    def mean(text):
        return np.mean([vectors[word] for word in text.lower().split()], axis=0)

    for *key, similarity in found[[*keys, "similarity"]].itertuples(index=False):
        pair = expected.loc[tuple(key)]
        left = mean(pair["sentence1"])
        right = mean(pair["sentence2"])
        cosine = left @ right / np.sqrt(left @ left * (right @ right))
        assert similarity == pytest.approx(cosine, abs=1e-6)
    tasks = {
        row["task"] for row in lines(tmp_path / "scores/record.json") if row["metric"] == "spearman"
    }
    assert tasks == {"stsb", "sickr", "stsb-dev"}
    weights = read_sealed(folder / "glove/record.json")["outputs"]["model/model.safetensors"]
    assert input_digests(read_sealed(tmp_path / "scores/record.json"))["weights"] == weights


def test_texts_without_a_known_word_are_refused_where_a_cosine_is_needed(world, tmp_path):
    folder, _ = world
    with pytest.raises(InputError, match="gives a zero vector, whose cosine is undefined"):
        evaluate_sts(StsRun(*RUN), *records(folder, "none", "sts", "dev"), target(tmp_path))


def test_transfer_tasks_are_scored_also_where_a_text_has_no_known_word(world, tmp_path):
    folder, _ = world
    (tmp_path / "scores").mkdir()
    run = TransferRun(*RUN, folds=2, shuffle=1111)
    evaluate_transfer(run, *records(folder, "glove", "items"), target(tmp_path))
    tasks = {
        row["task"] for row in lines(tmp_path / "scores/record.json") if row["metric"] == "accuracy"
    }
    assert tasks == set(TRANSFER_TASKS)


def test_the_regressor_is_trained_on_word_vectors(world, tmp_path):
    folder, _ = world
    (tmp_path / "scores").mkdir()
    run = RelatednessRun(*RUN, regressor_seed=1111)
    evaluate_relatedness(run, *records(folder, "glove", "pairs"), target(tmp_path))
    assert {row["task"] for row in lines(tmp_path / "scores/record.json")} == {"stsb", "sickr"}
