"""The same promises on one GPU: equal bytes from equal seeds, and from a killed training. Needs CUDA."""

import json
import time

import pytest
import torch

from tests.reliability.world import result

pytestmark = pytest.mark.skipif(
    not torch.cuda.is_available(), reason="no GPU: resumption on a GPU NOT tested"
)
NAMES = ("wiki1m/ssimcse-sd", "nli/drophead-0.1", "nli/rcl-4", "nli/entropy-sum-0.01")


def on_a_gpu(world, name, output, steps) -> list[str]:
    """Return the words that train the tiny world's training on the GPU."""
    return [word.replace('"gpus":0', '"gpus":1') for word in world.command(name, output, steps)]


@pytest.mark.parametrize("name", NAMES)
def test_a_killed_training_ends_bit_identical_on_a_gpu(world, name, tmp_path):
    whole, hurt = tmp_path / "whole", tmp_path / "hurt"
    assert world.run(on_a_gpu(world, name, whole, 1000))[0] == 0
    assert "cpu" not in json.loads((whole / "record.json").read_text())["device"]
    process = world.start(on_a_gpu(world, name, hurt, 1))
    while process.poll() is None and not any(hurt.glob("checkpoints/*/step-*2")):
        time.sleep(0.001)
    process.kill()
    process.communicate()
    assert any(hurt.glob("checkpoints/*/step-*")), "it ended before it could be killed"
    status, error = world.run(on_a_gpu(world, name, hurt, 1))
    assert status == 0 and "resumed from step" in error
    assert result(hurt) == result(whole)
