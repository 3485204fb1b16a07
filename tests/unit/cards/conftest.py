"""A small results folder with the cards of its models; each test works on a copy, or leaves it as it is."""

import shutil
from pathlib import Path

import pytest

from semblance.provenance import read_sealed
from tests.scripts.flags import flags
from tests.unit.reporting import example_results
from workflow.scripts import write_cards

RAW = {"title": "Raw | text", "licence": "CC BY-NC 4.0", "homepage": None}
SETTINGS = {"data": {"raw": RAW}, "original": ["sts12"]}


def make_cards(results: Path, settings: dict = SETTINGS) -> dict:
    """Run the stage; return the cards that its record holds."""
    record = results / "models/record.json"
    write_cards.main(flags(settings=settings, results=results, record=record))
    return read_sealed(record)["cards"]


@pytest.fixture(scope="session")
def carded(tmp_path_factory) -> Path:
    """The results folder of a project, after the stage."""
    results = example_results.build(tmp_path_factory.mktemp("carded"))
    make_cards(results)
    return results


@pytest.fixture
def results(carded: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(carded.parent, tmp_path / "project") / "results"
