"""The plan of config.yaml, which tests only read."""

import pytest

from tests.shipped import merged
from workflow.checks.load import load
from workflow.planning.plan import Plan


@pytest.fixture(scope="session")
def plan() -> Plan:
    return Plan(load(merged("config.yaml")))
