"""A tiny base and the demo's prepared data, made once for all tests of evaluations."""

import pytest

from semblance.names import TRANSFER_TASKS
from tests.dag.tiny import write_base
from tests.unit.evaluation.prepared import prepare
from tests.unit.models.tiny_models import built
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
    built(folder / "raw", folder / "base", limit=32)
    for name, (script, settings) in PREPARED.items():
        prepare(script, settings, folder / name / "record.json")
    return folder
