"""A sound model folder, to be damaged."""

import shutil
from pathlib import Path

import pytest

from tests.dag.tiny import write_model


@pytest.fixture(scope="session")
def base(tmp_path_factory) -> Path:
    """A raw model folder, ``raw``, beside what is made of it."""
    folder = tmp_path_factory.mktemp("base")
    write_model(folder)
    return folder


@pytest.fixture
def raw(base, tmp_path) -> Path:
    """A copy of the raw folder."""
    return shutil.copytree(base / "raw", tmp_path / "raw")


@pytest.fixture
def model(base, tmp_path) -> Path:
    """A copy of the model that is made of it."""
    return shutil.copytree(base / "model", tmp_path / "model")
