"""The mean of word vectors: which words count, the vectors, the folder, and what it may hold."""

import numpy as np
import pytest
import torch

from semblance.data.tokens import tokenise
from semblance.errors import InputError
from semblance.models.saved import SavedModel
from semblance.models.weights import save_tensors
from semblance.models.word_average import MATRIX, is_word_average, load_word_average
from semblance.provenance import ROOT, file_digest, input_digests, read_sealed
from tests.scripts.flags import flags
from tests.unit.models.tiny_models import built, by_library, make_source
from workflow.scripts import prepare_word_vectors

WIDTH = 5
WORDS = ["the", "dog", "d", "n't", ",", "é", "Cat", "a b", "\u00a0", "dog"]
READ = ["the", "dog", "d", "n't", ",", "é"]  # in lower case, without white space, once
KNOWN = {  # texts, and their words that have a vector
    "The dog": ["the", "dog"],
    "dog dog the": ["dog", "dog", "the"],
    "a dogs d": ["d"],  # "a" and "dogs" are unknown: their letters do not count
    "do n't ,\tÉ": ["n't", ",", "é"],
    "the\u00a0dog": ["the", "dog"],
    "dog.": [],
    "cat": [],
    "": [],
}
TEXTS = list(KNOWN)


def numbers() -> np.ndarray:
    return np.random.default_rng(3).normal(size=(len(WORDS), WIDTH)).round(4)


def prepare(folder, **settings) -> SavedModel:
    """Write a file of word vectors and make the model of it."""
    lines = [
        f"{word} {' '.join(map(str, row))}\n" for word, row in zip(WORDS, numbers(), strict=True)
    ]
    (folder / "glove.txt").write_text("".join(lines), encoding="utf-8")
    settings["path"] = str(folder / "glove.txt")
    given = {"settings": settings, "manifest": ROOT / "demo/manifest.yaml", "data": folder}
    record = folder / "made/record.json"
    prepare_word_vectors.main(flags(**given, output=record))
    return SavedModel.read(record)


def vectors(made, texts=TEXTS) -> np.ndarray:
    """Our vectors of texts."""
    return load_word_average(made.folder).encode(tokenise(made.tokenizer, texts), made.max_length)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return prepare(tmp_path_factory.mktemp("words"))


def test_a_vector_is_the_mean_of_those_of_the_known_words(made):
    by_word = dict(zip(READ, numbers(), strict=False))
    expected = np.zeros((len(TEXTS), WIDTH))
    for i, words in enumerate(KNOWN.values()):
        for word in words:
            for k in range(WIDTH):
                expected[i, k] += by_word[word][k] / len(words)
    found = vectors(made)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert not found[TEXTS.index("cat")].any()


def test_sentence_transformers_gives_equal_vectors(made):
    assert np.array_equal(vectors(made), by_library(made.folder).encode(TEXTS))


def test_the_record_counts_the_words_and_names_the_file(made):
    record = made.record
    assert record["counts"] == {
        "entries": len(WORDS),
        "repeated": 1,
        "left_out": 3,
        "words": len(READ),
        "dimensions": WIDTH,
    }
    path = record["settings"]["path"]
    assert input_digests(record) == {path: file_digest(path)}
    assert record["inputs"][0]["place"] and not record["inputs"][0]["record"]


def test_a_repeated_word_is_reported(tmp_path, capsys):
    prepare(tmp_path)
    assert "glove.txt: 1 words stand again; the first counts" in capsys.readouterr().err


def test_a_limit_takes_the_first_lines(tmp_path):
    found = prepare(tmp_path, words=2)
    assert found.record["counts"]["words"] == 2
    expected = [numbers()[1], np.zeros(WIDTH)]
    np.testing.assert_allclose(vectors(found, ["dog d", "d"]), expected, atol=1e-6)


def test_the_same_file_gives_the_same_bytes(made, tmp_path):
    again = prepare(tmp_path)
    assert again.record["outputs"] == read_sealed(made.record_path)["outputs"]


def test_a_transformer_is_no_word_average(made, tmp_path):
    assert is_word_average(made.folder)
    assert not is_word_average(built(make_source(tmp_path / "raw", "bert"), tmp_path))


WEIGHTS = {
    "no matrix": {"other": torch.zeros(2, 3)},
    "one row": {MATRIX: torch.zeros(3)},
    "not finite": {MATRIX: torch.full((2, 3), float("nan"))},
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_that_are_no_word_vectors_are_refused(name, tmp_path):
    save_tensors(WEIGHTS[name], tmp_path / "model.safetensors")
    with pytest.raises(InputError, match="no finite matrix of word vectors"):
        load_word_average(tmp_path)
