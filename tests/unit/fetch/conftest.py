"""A server on this machine, which the tests of fetching may reach, and no waits between attempts."""

import pytest

from semblance.fetch import web
from tests.local_http import running

server = pytest.fixture(running)


@pytest.fixture(autouse=True)
def network_allowed(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(web, "wait_exponential", lambda max: lambda state: 0.0)
