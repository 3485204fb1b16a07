"""The second copies of models go with the weights, and no earlier."""

from pathlib import Path

import pytest

from workflow.controller import used_models


@pytest.fixture
def run(tmp_path) -> dict:
    """The config of a run whose models are deleted after their use."""
    return {"output": str(tmp_path), "keep": {"models": "final"}}


def training(run: dict, *there: str) -> Path:
    """Leave a finished copy of a training, and the files named; return the folder of the copies."""
    folder = Path(run["output"], "models/mine-0/tiny/tuned/seed-1")
    for name in ("checkpoints/0123/finished/model/model.safetensors", *there):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    return folder / "checkpoints"


def test_the_copy_goes_once_the_weights_are_gone(run):
    copies = training(run, "record.json")
    used_models.remove_copies(run)
    assert not copies.exists() and (copies.parent / "record.json").exists()


@pytest.mark.parametrize("there", [("record.json", "model/model.safetensors"), ()])
def test_the_copy_stays_while_the_weights_are_there_and_while_the_training_is_not_noted(run, there):
    copies = training(run, *there)
    used_models.remove_copies(run)
    assert copies.exists()


def test_where_every_model_stays_no_copy_goes(run):
    copies = training(run, "record.json")
    used_models.remove_copies(run | {"keep": {"models": "all"}})
    assert copies.exists()


def test_copies_go_while_the_run_goes_on(run, monkeypatch):
    looked = []
    monkeypatch.setattr(used_models, "LOOK", 0.01)
    monkeypatch.setattr(used_models, "remove_copies", looked.append)
    thread = used_models.watch(run)
    while not looked:
        thread.join(0.01)
    assert thread.daemon
