"""One tiny model and one answerer for all tests of this folder; none of them changes it."""

import shutil
from pathlib import Path

import pytest

from faq.tests.example_faq import write_example
from faq.tests.serve.example_site import Site
from semblance.models.saved import SavedModel
from semblance_faq.answer.answerer import Answerer
from tests.dag.tiny import write_model


@pytest.fixture(scope="session")
def model(tmp_path_factory) -> SavedModel:
    return write_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="session")
def example(tmp_path_factory, model) -> Path:
    return write_example(tmp_path_factory.mktemp("answerer"), model)


@pytest.fixture(scope="session")
def answerer(example) -> Answerer:
    return Answerer.open(example)


@pytest.fixture(scope="session")
def site(answerer) -> Site:
    return Site(answerer)


@pytest.fixture
def copy(example, tmp_path) -> Path:
    """A copy of the example's folder that a test may damage."""
    return shutil.copytree(example, tmp_path / "copy")
