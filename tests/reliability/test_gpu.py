"""The same promises on one GPU: equal bytes from equal seeds, and from a killed training. Needs CUDA."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
import torch

from tests.dag.tiny import ROOT
from tests.reliability.world import result

pytestmark = pytest.mark.skipif(
    not torch.cuda.is_available(), reason="no GPU: resumption on a GPU NOT tested"
)
NAMES = ("wiki1m/ssimcse-sd", "nli/drophead-0.1", "nli/rcl-4", "nli/entropy-sum-0.01")


@pytest.fixture(params=NAMES)
def name(world, request):
    """A training of the tiny world, moved to the GPU."""
    script, arguments = world.trainings[request.param]
    world.trainings[f"{request.param} on a GPU"] = (
        script,
        [a.replace('"gpus":0', '"gpus":1') for a in arguments],
    )
    return f"{request.param} on a GPU"


def killed_at_a_checkpoint(world, name, out) -> None:
    """Start a training and kill it when its second checkpoint stands."""
    script, arguments = world.trainings[name]
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            f"workflow.scripts.{script}",
            *arguments,
            "--checkpoint-steps",
            "1",
            "--output",
            str(out / "record.json"),
        ],
        cwd=world.folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    while process.poll() is None and not any(out.glob("checkpoints/*/step-*2")):
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert any(out.glob("checkpoints/*/step-*")), "it ended before it could be killed"


def test_a_killed_training_ends_bit_identical_on_a_gpu(world, name, tmp_path):
    world.train(name, tmp_path / "whole", steps=1000)
    assert "cpu" not in json.loads((tmp_path / "whole" / "record.json").read_text())["device"]
    killed_at_a_checkpoint(world, name, tmp_path / "hurt")
    done = world.train(name, tmp_path / "hurt")
    assert "resumed from step" in done.stderr
    assert result(tmp_path / "hurt") == result(tmp_path / "whole")
