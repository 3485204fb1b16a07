"""Rows of averaged word vectors, from a file of GloVe's format to scores derived by hand."""

import numpy as np
import pandas as pd
import pytest

from semblance.data.tokens import tokenise
from semblance.errors import InputError
from semblance.evaluation.sts import StsRun, evaluate_sts
from semblance.evaluation.transfer import TransferRun, evaluate_transfer
from semblance.models import word_average
from semblance.models.folder import load
from semblance.models.saved import SavedModel
from semblance.names import TRANSFER_TASKS
from semblance.provenance import file_digest, input_digests
from tests.unit.evaluation.prepared import lines, records, target, write_pairs
from tests.unit.models.tiny_models import built, by_library

FILE = "the 1 0\ncat 0 1\nDog 1 1\nsat 3 4\nthe 9 9\n. . . 5 5\na 3 -1e0\n"
RUN = ("none", "glove", "start", "0")
LEFT = ["The cat", "cat dog qqqq", "the", "the the\u00a0cat"]
RIGHT = ["the", "sat", "cat", "sat"]
COSINES = [2**-0.5, 4 / 5, 0, 10 / (5**0.5 * 5)]  # (1,1)/2 and (1,0); (0,1) and (3,4); ...
GOLD = [2, 1, 0, 5]  # ranks 3 2 1 4, and those of the cosines 2 3 1 4: 1 - 6 * 2 / (4 * 15) = .8


def made(folder, content: str) -> SavedModel:
    """Make a base of a file of word vectors, as the stage does."""
    (folder / "glove.txt").write_text(content, encoding="utf-8")
    built(folder / "glove.txt", folder / "base", pooling=None)
    return SavedModel.read(folder / "base/record.json")


def test_a_file_of_word_vectors_is_scored_by_the_cosines_of_mean_vectors(tmp_path):
    base = made(tmp_path, FILE)
    assert input_digests(base.record) == {"weights": file_digest(tmp_path / "glove.txt")}
    data = [
        write_pairs(tmp_path / task, LEFT, RIGHT, GOLD, task=task) for task in ("stsb", "stsb-dev")
    ]
    evaluate_sts(StsRun(*RUN), str(base.record_path), *data, target(tmp_path))
    predicted = pd.read_parquet(tmp_path / "predictions.parquet")["similarity"]
    np.testing.assert_allclose(predicted, [*COSINES, *COSINES], atol=1e-6)
    rows = [row for row in lines(tmp_path) if row["metric"] == "spearman"]
    assert {row["task"] for row in rows} == {"stsb", "stsb-dev"}
    assert all(float(row["value"]) == pytest.approx(0.8) for row in rows)


def test_a_text_without_a_known_word_is_refused_where_a_cosine_is_needed(tmp_path):
    base = made(tmp_path, FILE)
    data = [write_pairs(tmp_path / "dev", ["qqqq", "the"], ["cat", "sat"], [1, 2])] * 2
    with pytest.raises(InputError, match="gives a zero vector, whose cosine is undefined"):
        evaluate_sts(StsRun(*RUN), str(base.record_path), *data, target(tmp_path))


def test_transfer_tasks_are_scored_also_where_a_text_has_no_known_word(demo, tmp_path):
    base = made(tmp_path, FILE)
    run = TransferRun(*RUN, folds=2, shuffle=1111)
    evaluate_transfer(run, str(base.record_path), *records(demo, "items"), target(tmp_path))
    rows = [row for row in lines(tmp_path) if row["metric"] == "accuracy"]
    assert {row["task"] for row in rows} == set(TRANSFER_TASKS)


def test_unknown_words_have_no_part_in_the_mean_and_the_library_agrees(tmp_path):
    base = made(tmp_path, FILE)
    texts = ["a b the", "dog", "", "th", *LEFT]
    vectors = word_average.load(base.folder).encode(tokenise(base.tokenizer, texts), 3)
    assert vectors.dtype == np.float32
    assert vectors[:4].tolist() == [[2, -0.5], [0, 0], [0, 0], [0, 0]]
    assert np.array_equal(vectors, by_library(base.folder).encode(texts))


def test_no_training_starts_from_word_vectors(tmp_path):
    with pytest.raises(InputError, match="StaticEmbedding"):
        load(made(tmp_path, FILE).folder)


@pytest.mark.parametrize("line", ["b 1", "b 1 2 3", "b 1 x", "b 1 nan", "b\t1\t2", ""])
def test_a_wrong_line_is_refused_with_its_number(line, tmp_path):
    with pytest.raises(InputError, match="glove.txt:2: no word with 2 finite numbers behind it; "):
        made(tmp_path, f"the 1 0\n{line}\n")


@pytest.mark.parametrize("content", ["", "Dog 1 2\n"])
def test_a_file_without_a_word_is_refused(content, tmp_path):
    with pytest.raises(InputError, match="glove.txt: no word in lower case"):
        made(tmp_path, content)
