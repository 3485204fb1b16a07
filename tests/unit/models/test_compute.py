"""What computes: the device tells what its products are, and an unknown precision is refused."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from semblance.errors import InputError
from semblance.models import compute
from semblance.models.compute import Compute
from semblance.settings import decode


@pytest.mark.parametrize("key, value", [("precision", "fp8"), ("matmul", "low"), ("matmul", 1)])
def test_an_unknown_precision_is_refused(key, value):
    with pytest.raises(InputError, match=f"compute.{key}"):
        decode(Compute, {key: value}, "compute")


class RoundedProducts(TorchDispatchMode):
    """A processor whose fp32 products keep fewer bits: 8 as bf16, 11 as TF32."""

    def __init__(self, bits):
        super().__init__()
        self.bits = bits

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function.overloadpacket is torch.ops.aten.mm and args[0].dtype == torch.float32:
            args = [self.rounded(a) for a in args]
        return function(*args, **kwargs or {})

    def rounded(self, x):
        mantissa, exponent = torch.frexp(x)
        return torch.ldexp((mantissa * 2**self.bits).round() / 2**self.bits, exponent)


@pytest.mark.parametrize(
    "matmul, bits, name",
    [
        ("medium", 24, "cpu, 1 threads"),
        ("highest", 24, "cpu, 1 threads"),
        *(
            (m, b, "cpu (matrix products in less than fp32), 1 threads")
            for m in ("high", "medium")
            for b in (8, 11)
        ),
    ],
)
def test_the_name_of_the_device_says_when_products_have_less_than_fp32s_bits(
    monkeypatch, matmul, bits, name
):
    monkeypatch.setattr(
        torch, "get_float32_matmul_precision", lambda: matmul
    )  # whatever it means on this machine
    torch.set_num_threads(1)
    state = torch.get_rng_state()
    with RoundedProducts(bits):
        assert compute.device_name("cpu") == name
    assert torch.equal(torch.get_rng_state(), state)
