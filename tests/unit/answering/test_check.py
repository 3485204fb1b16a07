"""A folder is checked as a whole: each problem is told."""

import json

import numpy as np
import pytest

from semblance.answering.check import TOLERANCE, check_answerer
from semblance.answering.settings import Threshold
from semblance.errors import InputError
from semblance.provenance import read_sealed, write_sealed
from tests.unit.answering.example_faq import TEXTS, write_example
from tests.unit.answering.test_folder import array_file, seal_again


def test_a_whole_folder_has_no_problem_and_is_described(example):
    found = check_answerer(example)
    assert found.problems == ()
    told = " ".join(found.facts)
    assert f"{TEXTS['better']} texts" in told and "4 entries" in told and "threshold 0.9990" in told
    assert "differ by" in told


def test_each_damaged_file_is_named(copy):
    for name in ("model/config.json", "answering.json"):
        with (copy / name).open("a") as stream:
            stream.write("\n")
    (copy / "model/tokenizer_config.json").unlink()
    problems = check_answerer(copy).problems
    for name in ("model/config.json", "answering.json", "model/tokenizer_config.json"):
        assert any(name in problem for problem in problems)


def test_vectors_of_another_model_are_found_though_the_digests_are_right(copy):
    vectors = np.load(copy / "vectors.npy")
    array_file(copy / "vectors.npy", vectors[::-1].copy())
    seal_again(copy, "vectors.npy")
    [problem] = check_answerer(copy).problems
    assert "not those of the model" in problem
    assert np.abs(vectors - vectors[::-1]).max() > TOLERANCE


def test_settings_that_are_not_those_of_the_record_are_found(copy):
    settings = json.loads((copy / "answering.json").read_text()) | {"ranking": "hybrid"}
    (copy / "answering.json").write_text(json.dumps(settings))
    seal_again(copy, "answering.json")
    [problem] = check_answerer(copy).problems
    assert "something else than the record" in problem


def test_a_threshold_that_no_cosine_reaches_is_found(model, tmp_path):
    folder = write_example(tmp_path / "out", model, threshold=Threshold(1.5, 0.9, 0.0))
    [problem] = check_answerer(folder).problems
    assert "no cosine reaches" in problem


WRONG_FACTS = {
    "below the stated one": {"stated": 0.95},
    "precision, 0.9, is not within": {"precision_interval": [0.91, 0.99]},
    "answered, 0.5, is not within": {"answered_interval": "0.4 to 0.6"},
}


@pytest.mark.parametrize("words", WRONG_FACTS)
def test_a_threshold_that_contradicts_itself_is_found(words, model, tmp_path):
    threshold = Threshold(0.8, 0.9, 0.5, WRONG_FACTS[words])
    [problem] = check_answerer(write_example(tmp_path / "out", model, threshold=threshold)).problems
    assert words in problem


def test_a_threshold_with_sound_facts_has_no_problem(model, tmp_path):
    facts = {"stated": 0.85, "precision_interval": [0.86, 0.95], "answered_interval": [0.4, 0.6]}
    folder = write_example(tmp_path / "out", model, threshold=Threshold(0.8, 0.9, 0.5, facts))
    assert check_answerer(folder).problems == ()


def test_a_file_of_the_model_that_the_record_does_not_list_is_found(copy):
    (copy / "model/extra.json").write_text("{}")
    [problem] = check_answerer(copy).problems
    assert "extra.json: not listed" in problem


def test_a_model_that_cannot_be_loaded_is_told_beside_the_rest(copy):
    (copy / "model/model.safetensors").write_bytes(b"none")
    seal_again(copy, "model/model.safetensors")
    [problem] = check_answerer(copy).problems
    assert "damaged weights" in problem


def test_what_is_no_answerer_is_refused(tmp_path, copy):
    with pytest.raises(InputError, match="no answerer"):
        check_answerer(tmp_path)
    record = read_sealed(copy / "record.json")
    record["outputs"].pop("entries.jsonl")
    write_sealed(copy / "record.json", record)
    with pytest.raises(InputError, match="not the record of an answerer"):
        check_answerer(copy)
