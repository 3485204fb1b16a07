"""The folder of an answerer is read as it was written; damage, and hostile files, are refused."""

import json
import os
import pickle

import numpy as np
import pytest

from semblance.answering.folder import read, write_answerer
from semblance.answering.settings import AnsweringSettings
from semblance.errors import InputError
from semblance.models.saved import SavedModel
from semblance.provenance import digests, file_digest, input_digests, read_sealed, write_sealed
from tests.unit.answering.example_faq import ENTRIES, TEXTS, THRESHOLD, write_example


def seal_again(folder, *names):
    """Write the digests of changed files into the record, as whoever sends a folder can do."""
    record = read_sealed(folder / "record.json")
    record["outputs"] |= digests(folder, names)
    write_sealed(folder / "record.json", record)


def test_what_was_written_is_read(example):
    stored = read(example)
    assert stored.entries == ENTRIES
    assert stored.settings == AnsweringSettings("vectors", "better", 32, THRESHOLD)
    assert stored.vectors.shape == (TEXTS["better"], 16) and stored.vectors.dtype == np.float32
    assert np.linalg.norm(stored.vectors, axis=1) == pytest.approx(1, abs=1e-6)
    assert not stored.vectors.flags.writeable


def test_the_record_names_every_file_and_the_model_that_was_copied(example, model):
    record = read_sealed(example / "record.json")
    files = {path for path in example.rglob("*") if path.is_file()} - {example / "record.json"}
    named = {example / name for name in record["outputs"]}
    assert named == {path for path in files if path.name != ".writer"}
    assert input_digests(record) == {"model": model.weights_digest}
    assert SavedModel.read(example / "record.json").weights_digest == model.weights_digest


def test_a_model_folder_without_a_record_will_do(example, model, tmp_path):
    folder = write_example(tmp_path / "out", model.folder)
    # Another test in this process may have changed the number of threads, and so the last bits.
    assert read(folder).vectors == pytest.approx(read(example).vectors, abs=1e-6)
    assert input_digests(read_sealed(folder / "record.json"))["model"] == model.weights_digest


def test_a_pickle_beside_the_weights_stays_behind(model, tmp_path):
    source = tmp_path / "model"
    source.mkdir()
    for path in model.folder.rglob("*"):
        if path.is_file():
            target = source / path.relative_to(model.folder)
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(path.read_bytes())
    (source / "pytorch_model.bin").write_bytes(pickle.dumps({}))
    folder = write_example(tmp_path / "out", source)
    assert not (folder / "model/pytorch_model.bin").exists()


def test_a_folder_is_written_anew_and_its_other_files_stay(copy, model):
    (copy / "report.html").write_text("mine")
    write_example(copy, model, match="answer")
    assert len(read(copy).vectors) == TEXTS["answer"]
    assert (copy / "report.html").read_text() == "mine"


def test_a_write_that_fails_leaves_a_folder_that_is_refused(copy, tmp_path):
    settings = AnsweringSettings("vectors", "better", 32, None)
    with pytest.raises(InputError, match="no model folder"):
        write_answerer(copy, ENTRIES, tmp_path / "none", settings)
    with pytest.raises(InputError, match="no answerer"):
        read(copy)


@pytest.mark.parametrize(
    "name", ["model/model.safetensors", "entries.jsonl", "vectors.npy", "answering.json"]
)
def test_one_flipped_bit_and_a_missing_file_are_refused(name, copy):
    path = copy / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match="damaged"):
        read(copy)
    path.unlink()
    with pytest.raises(InputError, match="missing"):
        read(copy)


def test_a_folder_that_is_none_is_refused_in_one_line(tmp_path):
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match="no answerer: it has no record.json"):
            read(folder)


@pytest.mark.parametrize("name", ["../secret", "/etc/hostname", "model/../../secret"])
def test_a_record_that_names_a_file_elsewhere_is_refused_before_it_is_opened(name, copy):
    record = read_sealed(copy / "record.json")
    os.mkfifo(copy.parent / "secret")  # to open it would wait for ever
    record["outputs"][name] = "0" * 64
    write_sealed(copy / "record.json", record)
    with pytest.raises(InputError, match="no file beside it"):
        read(copy)


def test_the_record_of_another_stage_is_refused(copy, model):
    (copy / "record.json").write_bytes(model.record_path.read_bytes())
    with pytest.raises(InputError, match="not the record of an answerer"):
        read(copy)


def array_file(path, array):
    with path.open("wb") as stream:
        np.save(stream, array)


COUNT = TEXTS["better"]
GOOD = np.eye(COUNT, 16, dtype=np.float32)
ARRAYS = {
    "of float64": GOOD.astype(np.float64),
    "of the other byte order": GOOD.astype(">f4"),
    "by columns": np.asfortranarray(GOOD),
    "one too few": GOOD[:-1],
    "flat": GOOD.ravel(),
    "without a number": GOOD[:, :0],
    "not of length one": GOOD * 2,
    "zero": GOOD * 0,
    "not a number": GOOD * np.nan,
    "objects": np.array([{}] * COUNT),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_vectors_of_another_kind_are_refused(name, copy):
    array_file(copy / "vectors.npy", ARRAYS[name])
    seal_again(copy, "vectors.npy")
    with pytest.raises(InputError, match="vectors.npy") as caught:
        read(copy)
    assert "\n" not in str(caught.value)


HEADER = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }"
FILES = {
    "nothing": b"",
    "text": b"not vectors",
    "a pickle": pickle.dumps([1]),
    "a zip": b"PK\x03\x04" + bytes(50),
    "a header alone": b"\x93NUMPY\x01\x00\xff\xff",
    "a shape beyond the file": b"\x93NUMPY\x01\x00"
    + b"\x60\x00"
    + (HEADER % f"({COUNT}, 16)").ljust(96).encode(),
    "a shape beyond all memory": b"\x93NUMPY\x01\x00"
    + b"\x60\x00"
    + (HEADER % f"({COUNT}, {10**30})").ljust(96).encode(),
    "a negative shape": b"\x93NUMPY\x01\x00"
    + b"\x60\x00"
    + (HEADER % f"({COUNT}, -16)").ljust(96).encode(),
    "a program for a header": b"\x93NUMPY\x01\x00"
    + b"\x60\x00"
    + b"__import__('os').abort()".ljust(96),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_array_is_refused(name, copy):
    (copy / "vectors.npy").write_bytes(FILES[name])
    seal_again(copy, "vectors.npy")
    with pytest.raises(InputError, match="vectors.npy") as caught:
        read(copy)
    assert "\n" not in str(caught.value)


def test_bytes_behind_the_vectors_are_refused(copy):
    with (copy / "vectors.npy").open("ab") as stream:
        stream.write(b"more")
    seal_again(copy, "vectors.npy")
    with pytest.raises(InputError, match="longer or shorter"):
        read(copy)


def test_another_number_of_entries_than_of_vectors_is_refused(copy):
    line = json.dumps({"id": "new", "question": "q", "answer": "a", "wordings": []})
    with (copy / "entries.jsonl").open("a") as stream:
        stream.write(line + "\n")
    seal_again(copy, "entries.jsonl")
    with pytest.raises(InputError, match=f"expected {COUNT + 2} vectors"):
        read(copy)


def test_digests_are_those_of_the_files(example):
    record = read_sealed(example / "record.json")
    for name, digest in record["outputs"].items():
        assert file_digest(example / name) == digest
