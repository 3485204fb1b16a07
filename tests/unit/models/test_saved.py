"""A saved model is known by its record: where its files lie, what they are, that they are whole."""

import hashlib

import pytest

from semblance.errors import InputError
from semblance.models.saved import LENGTH, TOKENIZER, WEIGHTS, SavedModel, stored_length
from semblance.provenance import write_record


@pytest.fixture
def record(tmp_path):
    """The record of a model of three files."""
    (tmp_path / "model").mkdir()
    (tmp_path / WEIGHTS).write_bytes(b"weights")
    (tmp_path / TOKENIZER).write_text("{}")
    (tmp_path / LENGTH).write_text('{"max_seq_length": 48}')
    files = [WEIGHTS, TOKENIZER, LENGTH]
    write_record(tmp_path / "record.json", "train", outputs=files, started=0.0)
    return tmp_path / "record.json"


def test_a_saved_model_knows_its_files_their_digests_and_its_length(record):
    model = SavedModel.read(record)
    assert model.folder == record.parent / "model"
    assert model.tokenizer == record.parent / "model/tokenizer.json"
    assert model.weights_digest == hashlib.sha256(b"weights").hexdigest()
    assert model.tokenizer_digest == hashlib.sha256(b"{}").hexdigest()
    assert model.max_length == 48


def test_a_damaged_file_is_refused_unless_other_files_were_asked_for(record):
    (record.parent / WEIGHTS).write_bytes(b"w3ights")
    with pytest.raises(InputError, match="model.safetensors: damaged"):
        SavedModel.read(record)
    assert SavedModel.read(record, TOKENIZER, LENGTH).max_length == 48


@pytest.mark.parametrize("length", ["-5", "0", "2", "12.5", "true", '"48"', "null", str(2**40)])
def test_a_length_that_is_no_number_of_tokens_is_refused(record, length):
    (record.parent / LENGTH).write_text(f'{{"max_seq_length": {length}}}')
    with pytest.raises(InputError, match="max_seq_length"):
        stored_length(record.parent / "model")
