"""A small results folder with the cards of its models; each test works on a copy, or leaves it as it is."""

import json
import shutil
from pathlib import Path

import pytest

from semblance.provenance import read_sealed, write_sealed
from tests.unit.reporting import example_results
from workflow.scripts import write_cards

MODULES = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
]
RAW = {"title": "Raw | text", "licence": "CC BY-NC 4.0", "homepage": None}
SETTINGS = {"data": {"raw": RAW}, "original": ["sts12"]}


def make_cards(results: Path, settings: dict = SETTINGS) -> dict:
    """Run the stage; return the cards that its record holds."""
    record = results / "models/record.json"
    said = ["--settings", json.dumps(settings), "--results", str(results)]
    write_cards.main([*said, "--record", str(record)])
    return read_sealed(record)["cards"]


@pytest.fixture(scope="session")
def carded(tmp_path_factory) -> Path:
    """The results folder of a project, after the stage."""
    results = example_results.build(tmp_path_factory.mktemp("carded"))
    for model in results.glob("models/*/*/*/seed-*"):
        _add_modules(model)
    make_cards(results)
    return results


@pytest.fixture
def results(carded: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(carded.parent, tmp_path / "project")
    return tmp_path / "project/results"


def _add_modules(model: Path) -> None:
    """Give a model the files that say how it pools, and list them in its record."""
    (model / "model/modules.json").write_text(json.dumps(MODULES))
    (model / "model/1_Pooling").mkdir()
    pooling = {"word_embedding_dimension": 8, "pooling_mode_mean_tokens": True}
    (model / "model/1_Pooling/config.json").write_text(json.dumps(pooling))
    record = read_sealed(model / "record.json")
    write_sealed(model / "record.json", record)
