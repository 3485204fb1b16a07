"""A finished training is never lost: its outputs are kept as hard links and put back."""

import errno
import os
import re
import shutil
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from semblance.data.corpus import Rows
from semblance.data.tokens import Tokens
from semblance.errors import InputError, OutOfTime
from semblance.locks import Busy
from semblance.models.folder import load
from semblance.models.saved import SavedModel
from semblance.models.weights import load_weights
from semblance.models.word_head import FILE as HEAD
from semblance.provenance import (
    Record,
    checked,
    circumstances,
    input_digests,
    outputs_digest,
    read_sealed,
    record_digest,
    settings_digest,
    write_record,
    write_sealed,
)
from semblance.training import run
from semblance.training.inputs import TrainingInputs, check_inputs
from semblance.training.keeping import finished
from semblance.training.loop import STEP
from semblance.training.masked_words import masked_columns, word_head
from semblance.training.settings import MaskedWords
from tests.files import flip
from tests.unit.training.small import SETTINGS, killed, train


def dev_record() -> Record:
    """The record of dev data, as a stage has read it."""
    record = Record(outputs={"pairs.parquet": "digest"})
    record.path = Path("dev/record.json")
    return record


@pytest.fixture
def training(inputs, tmp_path, monkeypatch):
    """A function that trains into ``out``, which says how many trainings really ran (``fits``)."""
    state, real = SimpleNamespace(fits=0, out=tmp_path / "out"), run.fit

    def fit(*args, **kwargs):
        state.fits += 1
        return real(*args, **kwargs)

    def train_here(settings=SETTINGS, **more):
        dev = lambda encoder: float(encoder.words.weight.detach().sum())
        train(inputs, state.out, settings, dev=dev, dev_record=dev_record(), **more)

    monkeypatch.setattr(run, "fit", fit)
    state.train = train_here
    return state


def outputs(out):
    """Return the bytes of all that a training vouches for, its record included."""
    names = [*checked(out / "record.json")["outputs"], "record.json"]
    return {name: (out / name).read_bytes() for name in names}


def delete(out):
    """Delete the outputs, as Snakemake does."""
    shutil.rmtree(out / "model")
    (out / "dev.csv").unlink()
    (out / "record.json").unlink()


def kept(out):
    """Return the one folder in which a finished training's outputs are kept."""
    [folder] = out.glob("checkpoints/*/finished")
    return folder


def refuse_links(monkeypatch, number=errno.EPERM):
    def link(source, target, **rest):
        raise OSError(number, os.strerror(number), str(target))

    monkeypatch.setattr(finished.os, "link", link)


def test_deleted_outputs_are_put_back_byte_for_byte_without_a_step(training, capsys):
    training.train(steps=1)
    assert f"{training.out}: step 2 of 2, loss " in capsys.readouterr().err
    before = outputs(training.out)
    for name in before:
        os.utime(training.out / name, (1000.0, 1000.0))
    delete(training.out)
    training.train()
    assert outputs(training.out) == before and training.fits == 1
    assert min((training.out / name).stat().st_mtime for name in before) > time.time() - 3600
    assert capsys.readouterr().err.count("already trained: its outputs are put back\n") == 1


def test_a_finished_training_is_stored_once_and_keeps_no_step_checkpoint(training):
    training.train(steps=1)
    for _ in range(2):
        for name in outputs(training.out):
            ours, theirs = (training.out / name).stat(), (kept(training.out) / name).stat()
            assert ours.st_ino == theirs.st_ino and ours.st_nlink == 2
        assert [p.name for p in training.out.glob("checkpoints/*/*")] == ["finished"]
        delete(training.out)
        training.train()


def test_the_record_that_is_put_back_says_what_this_run_states(training, monkeypatch):
    """The same settings may be spelled in other words, and the plan compares the words."""
    training.train()
    delete(training.out)
    stated = ["stage", "--settings", "in other words"]
    monkeypatch.setattr("sys.argv", stated)
    training.train()
    assert training.fits == 1
    assert read_sealed(training.out / "record.json")["given"] == settings_digest(stated)


def test_a_change_of_settings_trains_again_and_removes_the_earlier_outputs(training):
    training.train()
    before, first = outputs(training.out), kept(training.out)
    training.train(replace(SETTINGS, seed=1))
    assert training.fits == 2 and outputs(training.out) != before
    assert kept(training.out) != first and not first.parent.exists()


@pytest.mark.parametrize(
    "share, expected",
    [
        (0.0, set()),
        (0.4, {"embeddings"}),
        (0.5, {"embeddings", "layers.0"}),
        (1.0, {"embeddings", "layers.0"}),  # the highest layer is always trained
    ],
)
def test_a_frozen_share_of_the_layers_keeps_the_weights_of_the_base(
    inputs, tmp_path, share, expected
):
    out = train(inputs, tmp_path / "out", replace(SETTINGS, frozen_share=share))
    base = load(SavedModel.read(inputs[0]).folder).state_dict()
    trained = load(out / "model").state_dict()
    parts = {name: re.match(r"layers\.\d|", name).group() or "embeddings" for name in base}
    kept = {parts[name] for name in base if torch.equal(base[name], trained[name])}
    moved = {parts[name] for name in base if not torch.equal(base[name], trained[name])}
    assert kept == expected
    assert moved == {"embeddings", "layers.0", "layers.1"} - expected


@pytest.mark.parametrize("head", ["none", "train", "keep"])
def test_the_dev_score_is_that_of_the_saved_model(inputs, tmp_path, head):
    """SimCSE's code leaves an MLP for training only out of the dev score, too."""
    sentence = Tokens(np.array([2, 5, 6, 3], np.int32), np.array([0, 4]))

    def dev(encoder):
        return float(encoder.encode(sentence, 8)[0, 0])

    settings = replace(SETTINGS, head=head)
    train(inputs, tmp_path / "out", settings, dev=dev, dev_record=dev_record())
    best = read_sealed(tmp_path / "out/record.json")["training"]["best"]
    assert best == dev(load(tmp_path / "out/model").eval())


def half(path):
    path.write_text("{")


def of_another_training(path):
    """Seal the record anew with another learning rate."""
    record = read_sealed(path)
    write_sealed(path, record | {"settings": record["settings"] | {"learning_rate": 0.5}})


@pytest.mark.parametrize(
    "name, damage",
    [
        ("model/model.safetensors", flip),
        ("dev.csv", Path.unlink),
        ("record.json", Path.unlink),
        ("record.json", half),
        ("record.json", of_another_training),
    ],
)
def test_a_damaged_second_copy_is_not_put_back(training, capsys, name, damage):
    training.train()
    before = checked(training.out / "record.json")
    delete(training.out)
    damage(kept(training.out) / name)
    training.train()
    said = capsys.readouterr().err
    assert "warning: finished training passed over" in said
    assert ("the record of another training" in said) == (damage is of_another_training)
    assert training.fits == 2
    for folder in (training.out, kept(training.out)):
        found = checked(folder / "record.json")
        assert found["outputs"] == before["outputs"]
        assert found["settings"] == before["settings"]


def test_a_second_copy_that_the_disk_cannot_read_for_now_is_kept(training, monkeypatch):
    training.train()

    def fail(*args):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(finished, "checked", fail)
    with pytest.raises(OSError, match="Input/output"):
        training.train()
    assert training.fits == 1 and kept(training.out).is_dir()


def test_without_hard_links_no_copy_is_kept_and_no_warning_printed(training, monkeypatch, capsys):
    refuse_links(monkeypatch)
    training.train(steps=1)
    assert outputs(training.out) and not (training.out / "checkpoints").exists()
    assert "warning" not in capsys.readouterr().err


def test_the_record_of_a_training_keeps_what_the_records_of_its_inputs_say(training, inputs):
    training.train()
    links = read_sealed(training.out / "record.json")["inputs"]
    said = {link["role"]: link["record"] for link in links}
    roles = dict(zip(("base", "corpus", "tokens"), map(read_sealed, inputs), strict=True))
    roles["dev"] = dev_record()
    assert said == {role: record_digest(record) for role, record in roles.items()}


def test_outputs_that_are_put_back_name_the_records_that_are_there_now(training, inputs):
    """The corpus was prepared again, of the same content but by other code."""
    training.train()
    delete(training.out)
    _, corpus, _ = inputs
    was = Path(corpus).read_bytes()
    try:
        write_sealed(corpus, read_sealed(corpus) | {"code": "other"})
        training.train()
        now = record_digest(read_sealed(corpus))
    finally:
        Path(corpus).write_bytes(was)
    assert training.fits == 1
    for folder in (training.out, kept(training.out)):
        links = checked(folder / "record.json")["inputs"]
        assert [link["record"] for link in links if link["role"] == "corpus"] == [now]


@pytest.mark.parametrize("number", [errno.EPERM, errno.EXDEV, errno.EOPNOTSUPP, errno.EMLINK])
def test_where_links_are_refused_later_the_outputs_are_copied_back(training, monkeypatch, number):
    training.train()
    before = outputs(training.out)
    delete(training.out)
    refuse_links(monkeypatch, number)
    training.train()
    assert outputs(training.out) == before and training.fits == 1


def test_a_module_without_files_keeps_its_empty_folder(tmp_path):
    out, folder = tmp_path / "out", tmp_path / "out/checkpoints/this/finished"
    (out / "model/2_Normalize").mkdir(parents=True)
    (out / "model/modules.json").write_text("[]")
    write_record(out / "record.json", "train", outputs=["model/modules.json"], started=0.0)
    assert finished.keep(out, ["model/modules.json"], folder)
    shutil.rmtree(out / "model")
    assert finished.put_back(folder, out, {"inputs": {}}, {})
    assert (out / "model/2_Normalize").is_dir()


def test_a_start_model_that_changes_during_its_training_is_refused(inputs, tmp_path):
    base, corpus, tokens = inputs
    copy = shutil.copytree(Path(base).parent, tmp_path / "base") / "record.json"

    def dev(encoder):
        (tmp_path / "base/model/vocab.txt").write_text("another")
        outputs = checked(base)["outputs"]
        write_record(copy, "download_model", outputs=[*outputs, "model/vocab.txt"], started=0.0)
        return 0.5

    with pytest.raises(InputError, match="changed while it was trained from"):
        train([str(copy), corpus, tokens], tmp_path / "out", dev=dev)
    assert not (tmp_path / "out/record.json").exists() and not (tmp_path / "out/model").exists()


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_dev_texts_are_embedded_in_the_precision_of_the_training(inputs, tmp_path, precision):
    seen = set()

    def dev(encoder):
        seen.add(encoder.precision)
        return 0.5

    train(inputs, tmp_path, replace(SETTINGS, precision=precision), dev=dev)
    assert seen == {precision}


def test_tokens_of_another_tokenizer_are_refused(inputs, tmp_path):
    base, corpus, tokens = inputs
    copy = shutil.copytree(Path(tokens).parent, tmp_path / "tokens") / "record.json"
    write_record(copy, "tokenise", outputs=["tokens.arrow"], started=0.0, tokenizer="another")
    with pytest.raises(InputError, match="made by another tokenizer than that of .*base"):
        check_inputs(TrainingInputs(base, corpus, str(copy)))


def test_no_model_is_written_into_a_folder_that_another_process_took_over(inputs, tmp_path):
    def dev(encoder):
        (tmp_path / "out/.writer").write_text('{"token": "theirs", "host": "n2"}')
        return 0.5

    with pytest.raises(Busy, match="node n2"):
        train(inputs, tmp_path / "out", dev=dev)
    assert not (tmp_path / "out/model").exists() and not (tmp_path / "out/record.json").exists()


@pytest.mark.parametrize("seconds", [59, -1])
def test_after_the_time_limit_nothing_is_trained_and_the_next_start_trains_all(training, seconds):
    with pytest.raises(OutOfTime, match="ask for a longer runtime"):
        training.train(stop_at=time.time() + seconds, steps=1)
    assert not (training.out / "record.json").exists()
    training.train()
    record = checked(training.out / "record.json")
    assert record["training"]["step"] == 2
    assert circumstances(training.out / "record.json")["attempts"] == 1  # the first saved nothing


MASKED = MaskedWords(weight=0.5, share=0.3)
MASKED_ALONE = replace(SETTINGS, loss=None, views="twice", masked_words=MASKED)


@pytest.mark.parametrize(
    "settings",
    [
        replace(SETTINGS, encoders=2),
        replace(SETTINGS, views="twice", same_masks=True),
        replace(SETTINGS, views="delete", view_options={"share": 0.5}),
        replace(SETTINGS, masked_words=MASKED),
        MASKED_ALONE,
    ],
)
def test_a_killed_training_with_more_parts_ends_as_one_never_killed(training, capsys, settings):
    training.train(settings)
    never_killed = checked(training.out / "record.json")["outputs"]
    shutil.rmtree(training.out)
    killed(1, lambda: training.train(settings, steps=1), works=[STEP])
    training.train(settings, steps=1)
    assert "resumed from step 1" in capsys.readouterr().err
    assert checked(training.out / "record.json")["outputs"] == never_killed


def test_a_base_that_was_trained_here_alone_has_a_head_of_masked_words(training):
    training.train(replace(SETTINGS, masked_words=MaskedWords(weight=0.5)))
    assert not (training.out / "model" / HEAD).exists()
    training.train(MASKED_ALONE)
    assert f"model/{HEAD}" in checked(training.out / "record.json")["outputs"]


def test_a_method_starts_from_a_base_trained_here_and_from_its_head(training, inputs, tmp_path):
    training.train(MASKED_ALONE)
    base = SavedModel.read(training.out / "record.json")
    encoder = load(base.folder)
    trained = load_weights(base.folder / HEAD)
    assert torch.equal(word_head(base, encoder).dense.weight, trained["dense.weight"])
    before = load_weights(SavedModel.read(inputs[0]).folder / "model.safetensors")
    after = load_weights(base.folder / "model.safetensors")
    words = "embeddings.word_embeddings.weight"
    assert after.keys() == before.keys() and not torch.equal(after[words], before[words])
    out = train([str(base.record_path), *inputs[1:]], tmp_path / "next")
    assert input_digests(checked(out / "record.json"))["base"] == outputs_digest(base.record)


def test_without_a_loss_of_sentences_each_text_is_read_once():
    rows = Rows(*(np.arange(4, dtype=np.int32) + k for k in range(3)))
    assert [c.tolist() for c in masked_columns(rows, MASKED_ALONE)] == [[0, 1, 2, 3]]
    assert len(masked_columns(rows, SETTINGS)) == 3


def test_a_training_needs_a_loss_or_masked_words():
    with pytest.raises(InputError, match=r"settings\.loss: there is neither a loss nor masked_wor"):
        replace(SETTINGS, loss=None)
