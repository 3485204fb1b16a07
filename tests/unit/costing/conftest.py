"""A small run of which three trainings have finished."""

import json
from pathlib import Path

import pytest

from tests.unit.costing.examples import small
from workflow.planning.stages import Job


@pytest.fixture
def run(tmp_path, monkeypatch) -> Path:
    """An output folder of the small run with trainings of 50, 100 and 1,000 GFLOP a second."""
    monkeypatch.chdir(tmp_path)
    model = small()
    out = tmp_path / model.plan.out
    for seed, gflop_a_second in ((1, 50.0), (2, 100.0), (3, 1000.0)):
        place = f"wiki/minilm-3/simcse/seed-{seed}"
        work = model.need(Job("train", "wiki", "minilm-3", "simcse", seed)).work
        seconds = model.start("train") + work / gflop_a_second
        record = out / f"models/{place}/record.json"
        facts = {"seconds": seconds - 2, "memory": 1000 + seed, "device": "cpu, 1 threads"}
        record.parent.mkdir(parents=True)
        record.write_text(json.dumps(facts | {"steps": 100, "training": {"step": 100}}))
        benchmark = out / f"logs/train/{place}.tsv"
        benchmark.parent.mkdir(parents=True, exist_ok=True)
        benchmark.write_text(f"s\n{seconds!r}\n")
    return out
