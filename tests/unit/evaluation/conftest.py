"""A tiny base and the demo's prepared data, made once for all tests of evaluations."""

import pytest

from semblance.models.base import BaseSettings, build_base
from semblance.names import TRANSFER_TASKS
from tests.dag.tiny import write_base
from tests.unit.evaluation.prepared import prepare
from workflow.scripts import prepare_dev, prepare_sts, prepare_transfer

PAIRS = {"protocol": "senteval"}
PREPARED = {
    "sts": (prepare_sts, {"datasets": ["stsb", "sick"], **PAIRS}),
    "dev": (prepare_dev, {"dataset": "stsb", **PAIRS}),
    "items": (prepare_transfer, {"datasets": list(TRANSFER_TASKS)}),
}


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """A folder with a tiny base under ``base`` and the demo's data under the names of PREPARED."""
    folder = tmp_path_factory.mktemp("demo")
    write_base(folder / "raw")
    settings = BaseSettings(32, folder=str(folder / "raw"), pooling="mean")
    build_base(settings, folder / "base/record.json", "")
    for name, (script, settings) in PREPARED.items():
        prepare(script, settings, folder / name / "record.json")
    return folder
