"""Word vectors are evaluated by the stages that evaluate a transformer, from files to scores."""

import numpy as np
import pandas as pd
import pytest

from semblance.errors import InputError
from semblance.evaluation.sts import StsRun, evaluate_sts
from semblance.evaluation.transfer import TransferRun, evaluate_transfer
from semblance.names import TRANSFER_TASKS
from semblance.provenance import input_digests, read_sealed
from tests.unit.evaluation.prepared import lines, prepare, records, target
from workflow.scripts import prepare_word_vectors

WIDTH = 12
KEY = ["task", "subset", "index"]
RUN = ("none", "glove", "start", "0")


@pytest.fixture(scope="module")
def pairs(demo):
    """The demo's pairs of STS."""
    parts = [pd.read_parquet(demo / name / "pairs.parquet") for name in ("sts", "dev")]
    return pd.concat(parts).set_index(KEY)


@pytest.fixture(scope="module")
def vectors(demo, pairs):
    """Vectors of the words of these pairs, in the base ``glove``; the base ``none`` has other words."""
    words = sorted(set(" ".join([*pairs["sentence1"], *pairs["sentence2"]]).lower().split()))
    rows = np.random.default_rng(0).normal(size=(len(words), WIDTH)).round(3)
    texts = [f"{w} {' '.join(map(str, row))}\n" for w, row in zip(words, rows, strict=True)]
    for name, content in (("glove", "".join(texts)), ("none", "qqqq 1 2\n")):
        path = demo / f"{name}.txt"
        path.write_text(content, encoding="utf-8")
        prepare(prepare_word_vectors, {"path": str(path)}, demo / name / "record.json")
    return dict(zip(words, rows, strict=True))


def scored(folder, metric: str) -> set[str]:
    """Return the tasks that have a score of a metric."""
    return {line["task"] for line in lines(folder) if line["metric"] == metric}


def test_sts_predictions_are_the_cosines_of_mean_word_vectors(demo, pairs, vectors, tmp_path):
    evaluate_sts(StsRun(*RUN), *records(demo, "glove", "sts", "dev"), target(tmp_path))
    found = pd.read_parquet(tmp_path / "predictions.parquet").set_index(KEY)["similarity"]
    for key, similarity in found.items():
        texts = pairs.loc[key][["sentence1", "sentence2"]]
        left, right = (np.mean([vectors[w] for w in t.lower().split()], axis=0) for t in texts)
        cosine = left @ right / np.sqrt(left @ left * (right @ right))
        assert similarity == pytest.approx(cosine, abs=1e-6)
    assert scored(tmp_path, "spearman") == {"stsb", "sickr", "stsb-dev"}
    weights = read_sealed(demo / "glove/record.json")["outputs"]["model/model.safetensors"]
    assert input_digests(read_sealed(tmp_path / "record.json"))["weights"] == weights


@pytest.mark.usefixtures("vectors")
def test_texts_without_a_known_word_are_refused_where_a_cosine_is_needed(demo, tmp_path):
    with pytest.raises(InputError, match="gives a zero vector, whose cosine is undefined"):
        evaluate_sts(StsRun(*RUN), *records(demo, "none", "sts", "dev"), target(tmp_path))


@pytest.mark.usefixtures("vectors")
def test_transfer_tasks_are_scored_also_where_a_text_has_no_known_word(demo, tmp_path):
    run = TransferRun(*RUN, folds=2, shuffle=1111)
    evaluate_transfer(run, *records(demo, "glove", "items"), target(tmp_path))
    assert scored(tmp_path, "accuracy") == set(TRANSFER_TASKS)
