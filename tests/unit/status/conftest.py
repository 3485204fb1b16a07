"""The example run, in an empty folder."""

import pytest

from tests.unit.status.example_run import ExampleRun


@pytest.fixture
def example(tmp_path, monkeypatch) -> ExampleRun:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    return ExampleRun()
