"""A server on this machine, which the tests of fetching may reach, and no waits between attempts."""

from types import SimpleNamespace

import pytest

from tests.local_http import running

server = pytest.fixture(running)


@pytest.fixture(autouse=True)
def network_allowed(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("tenacity.nap.time", SimpleNamespace(sleep=lambda seconds: None))
