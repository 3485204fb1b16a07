"""The programs of the application's stages."""

import importlib
import json

import pytest

from semblance_faq.commands import cli
from tests.unit.test_gpus import TRAINING, Taken
from workflow.scripts import training_job

ANSWERER = {
    **{"name": "a", "bank": "k", "base": "b", "folds": 3, "seeds": [1], "protocol": "pairs"},
    **{"precision": 0.9, "max_length": 32, "threads": 1, "models": ["start"], "ways": []},
}
BUILDING = "--bank k --models m --evaluations e --gpus 1 --jobs-per-gpu 3 --output o".split()
COMMANDS = {
    "train_final": [*TRAINING, "--folds", "f"],
    "build_answerer": ["--settings", json.dumps(ANSWERER), *BUILDING],
}


@pytest.mark.parametrize("script", COMMANDS)
def test_each_program_takes_its_gpu_first(monkeypatch, script):
    asked = []

    def take(*arguments):
        asked.append(arguments)
        raise Taken

    for holder in (importlib.import_module(f"semblance_faq.scripts.{script}"), training_job):
        monkeypatch.setattr(holder, "take_gpu", take, raising=False)
    with pytest.raises(Taken):
        cli.main([script, *COMMANDS[script]])
    assert asked == [(1, 3)]
