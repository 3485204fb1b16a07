"""The folder of an answerer is read as it was written; damage is refused."""

import numpy as np
import pytest

from faq.tests.example_faq import ENTRIES, TEXTS, THRESHOLD, write_example
from semblance.errors import InputError
from semblance.models.saved import WEIGHTS, SavedModel
from semblance.provenance import digests, read_sealed, write_sealed
from semblance_faq.answer.folder import (
    TOLERANCE,
    AnsweringSettings,
    Threshold,
    check_answerer,
    read_answerer,
    write_answerer,
)
from tests.files import flip


def seal_again(folder, *names):
    """Write the digests of changed files into the record, as whoever sends a folder can do."""
    record = read_sealed(folder / "record.json")
    record["outputs"] |= digests(folder, names)
    write_sealed(folder / "record.json", record)


def test_what_was_written_is_read(example):
    stored = read_answerer(example)
    assert stored.entries == ENTRIES
    assert stored.settings == AnsweringSettings("vectors", "better", 32, THRESHOLD)
    assert stored.vectors.shape == (TEXTS["better"], 16) and stored.vectors.dtype == np.float32
    assert np.linalg.norm(stored.vectors, axis=1) == pytest.approx(1, abs=1e-6)
    assert not stored.vectors.flags.writeable


def test_the_record_names_every_file_and_the_model_that_was_copied(example, model):
    record = read_sealed(example / "record.json")
    files = {path for path in example.rglob("*") if path.is_file()}
    named = {example / name for name in record["outputs"]}
    unnamed = {".writer", "record.json", "record.circumstances"}
    assert named == {path for path in files if path.name not in unnamed}
    assert SavedModel.read(example / "record.json").weights_digest == model.weights_digest


def test_a_folder_is_written_anew_and_its_other_files_stay(copy, model):
    (copy / "report.html").write_text("mine")
    (copy / "model/1_Dense").mkdir()  # of the model that was there before
    write_example(copy, model, match="answer")
    assert not (copy / "model/1_Dense").exists()
    assert len(read_answerer(copy).vectors) == TEXTS["answer"]
    assert (copy / "report.html").read_text() == "mine"


def test_a_write_that_fails_leaves_a_folder_that_is_refused(copy, tmp_path):
    stored = read_answerer(copy)
    model = SavedModel(tmp_path / "none/record.json", {"outputs": {WEIGHTS: "0"}})
    with pytest.raises(FileNotFoundError):
        write_answerer(copy, model, stored)
    with pytest.raises(InputError, match="no answerer"):
        read_answerer(copy)


@pytest.mark.parametrize("name", ["model/model.safetensors", "entries.jsonl", "vectors.npy"])
def test_one_flipped_bit_and_a_missing_file_are_refused(name, copy):
    path = copy / name
    flip(path)
    with pytest.raises(InputError, match="damaged"):
        read_answerer(copy)
    path.unlink()
    with pytest.raises(InputError, match="missing"):
        read_answerer(copy)


@pytest.mark.parametrize("look", [read_answerer, check_answerer])
def test_a_folder_without_the_record_of_an_answerer_is_refused_in_one_line(look, copy, model):
    for folder in (copy.parent, copy / "none"):
        with pytest.raises(InputError, match="no answerer: it has no record.json"):
            look(folder)
    (copy / "record.json").write_bytes(model.record_path.read_bytes())
    with pytest.raises(InputError, match="not the record of an answerer"):
        look(copy)


@pytest.mark.parametrize("ranking", ["words", "hybrid"])
def test_an_answerer_by_another_bm25_is_refused_because_its_floor_is_of_other_scores(ranking):
    stored = AnsweringSettings(ranking, "better", 32, Threshold(0.5, 0.9, 0.5), floor=0.3)
    assert AnsweringSettings.from_record({"settings": stored.as_json()}) == stored
    for letters in ({}, {"letters": 5}):
        older = {name: value for name, value in stored.as_json().items() if name != "letters"}
        with pytest.raises(InputError, match="are of another BM25; make it again"):
            AnsweringSettings.from_record({"settings": older | letters})
        vectors = older | letters | {"ranking": "vectors"}
        assert AnsweringSettings.from_record({"settings": vectors}).floor == 0.3


# --- the check of a whole folder: each problem is named


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


def test_a_check_names_vectors_that_are_empty(copy):
    (copy / "vectors.npy").write_bytes(b"")
    assert "vectors.npy: damaged" in "\n".join(check_answerer(copy).problems)


def test_vectors_of_another_model_are_found_though_the_digests_are_right(copy):
    vectors = np.load(copy / "vectors.npy")
    np.save(copy / "vectors.npy", vectors[::-1])
    seal_again(copy, "vectors.npy")
    [problem] = check_answerer(copy).problems
    assert "not those of the model" in problem
    assert np.abs(vectors - vectors[::-1]).max() > TOLERANCE
