"""A folder is checked as a whole: each problem is told."""

import numpy as np

from semblance_faq.answer.check import TOLERANCE, check_answerer
from tests.unit.faq.answer.test_folder import seal_again
from tests.unit.faq.example_faq import TEXTS


def test_a_whole_folder_has_no_problem_and_is_described(example):
    found = check_answerer(example)
    assert found.problems == []
    told = " ".join(found.facts)
    assert f"{TEXTS['better']} texts" in told and "4 entries" in told and "threshold 0.9990" in told
    assert "differ by" in told


def test_each_damaged_missing_or_unlisted_file_is_named(copy):
    for name in ("model/config.json", "model/modules.json"):
        with (copy / name).open("a") as stream:
            stream.write("\n")
    (copy / "model/tokenizer_config.json").unlink()
    (copy / "model/extra.json").write_text("{}")
    problems = "\n".join(check_answerer(copy).problems)
    for damage in ("model/config", "modules"):
        assert f"{damage}.json: damaged" in problems
    assert "tokenizer_config.json: missing" in problems and "extra.json: not listed" in problems


def test_vectors_of_another_model_are_found_though_the_digests_are_right(copy):
    vectors = np.load(copy / "vectors.npy")
    np.save(copy / "vectors.npy", vectors[::-1])
    seal_again(copy, "vectors.npy")
    [problem] = check_answerer(copy).problems
    assert "not those of the model" in problem
    assert np.abs(vectors - vectors[::-1]).max() > TOLERANCE


def test_a_model_that_cannot_be_loaded_is_a_problem_among_the_others(copy):
    (copy / "model/model.safetensors").write_bytes(b"none")
    seal_again(copy, "model/model.safetensors")
    [problem] = check_answerer(copy).problems
    assert "damaged weights" in problem
