"""A folder is checked as a whole: each problem is told."""

import numpy as np

from semblance_faq.answer.folder import TOLERANCE, check_answerer
from tests.unit.faq.answer.test_folder import seal_again


def test_a_whole_folder_has_no_problem_and_the_largest_difference_is_told(example):
    found = check_answerer(example)
    assert found.problems == []
    told = " ".join(found.facts)
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
