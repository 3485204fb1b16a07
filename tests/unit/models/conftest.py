"""Every test of this room begins with the same state of torch's generator."""

import pytest
import torch


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(1234)
