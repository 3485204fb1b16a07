"""What computes: the device tells what its products are, and an unknown precision is refused."""

import os
import re
from pathlib import Path

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from semblance.errors import InputError
from semblance.gpus import ALLOW_CPU, REMOTE_JOB
from semblance.models import compute
from semblance.models.compute import Compute
from semblance.settings import decode
from tests.scripts.flags import python


@pytest.mark.parametrize("key, value", [("precision", "fp8"), ("matmul", "low"), ("matmul", 1)])
def test_an_unknown_precision_is_refused(key, value):
    stated = {"threads": 1, "gpus": 0, "precision": "fp32", "matmul": "highest"}
    with pytest.raises(InputError, match=f"compute.{key}"):
        decode(Compute, stated | {key: value}, "compute")


@pytest.fixture
def without_gpu(monkeypatch):
    """A machine on which torch finds no GPU, and which no scheduler uses."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for name in ("SLURM_JOB_ID", REMOTE_JOB, ALLOW_CPU):
        monkeypatch.delenv(name, raising=False)


def test_a_job_that_asks_for_a_gpu_says_once_that_it_runs_on_the_cpu(without_gpu, capsys):
    assert compute.set_up(1, gpus=1, matmul="highest") == "cpu"
    assert capsys.readouterr().err == "no GPU found: runs on the CPU\n"
    assert compute.device_name("cpu").startswith("cpu")  # as the record has it


def test_a_job_that_asks_for_no_gpu_says_nothing_anywhere(without_gpu, monkeypatch, capsys):
    monkeypatch.setenv("SLURM_JOB_ID", "1")
    assert compute.set_up(1, gpus=0, matmul="highest") == "cpu"
    assert capsys.readouterr().err == ""


HEAP = """
import ctypes
import torch
from semblance.models import compute

sbrk = ctypes.CDLL(None).sbrk
sbrk.restype = ctypes.c_ulong
compute.set_up(1, gpus=0, matmul="highest")
before = sbrk(0)
torch.empty(3 << 30, dtype=torch.uint8)  # not touched, so it needs no memory
print(sbrk(0) - before)
"""


def test_memory_that_a_step_freed_serves_the_next_one():
    assert int(python("-c", HEAP).stdout) > 2.9 * 2**30


TWICE = f"""
import torch
from semblance.models import compute

compute.set_up(1, gpus=0, matmul="highest")
weight = torch.ones(16, 16, dtype=torch.bfloat16)
shapes = range(1, 2 * {compute.PREPARED_PRODUCTS})
for rows in (*shapes, *shapes):
    torch.nn.functional.linear(torch.ones(rows, 16, dtype=torch.bfloat16), weight)
"""


@pytest.mark.parametrize("wished, kept", [(None, False), ("1024", True)])
def test_few_products_are_kept_prepared_unless_the_user_says_how_many(wished, kept):
    capacity = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"
    surroundings = {name: value for name, value in os.environ.items() if name != capacity}
    surroundings |= {"ONEDNN_VERBOSE": "all"} | ({capacity: wished} if wished else {})
    told = python("-c", TWICE, env=surroundings, check=True).stdout
    if "cache_miss" not in told:
        pytest.skip("this processor multiplies bf16 without oneDNN")
    # Twice as many shapes as are kept: at its second turn, each one was given up before.
    assert ("cache_hit" in told) == kept


GROWTH = """
import psutil
import torch
from semblance.models import compute

compute.set_up(1, gpus=0, matmul="highest")
held = lambda: psutil.Process().memory_info().rss >> 20
weight = torch.ones(1536, 384, dtype=torch.bfloat16)
product = lambda rows: torch.nn.functional.linear(torch.ones(rows, 384, dtype=torch.bfloat16), weight)
product(999)
before = held()
for rows in range(1, 600):
    product(rows)
print(held() - before)
"""


def test_the_products_that_torch_keeps_prepared_take_little_memory():
    surroundings = {name: kept for name, kept in os.environ.items() if name not in compute.KEEPERS}
    few, all_of_them = (
        int(python("-c", GROWTH, env=surroundings | wished, check=True).stdout)
        for wished in ({}, dict.fromkeys(compute.KEEPERS, "1024"))
    )
    if all_of_them < 100:  # MB
        pytest.skip("this processor multiplies bf16 without oneDNN")
    assert few < all_of_them / 2


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


CPU = f"cpu ({compute._kernels()}"
LESS = "(matrix products in less than fp32), 1 threads"


@pytest.mark.parametrize(
    "matmul, bits, name",
    [
        ("medium", 24, f"{CPU} matmul medium), 1 threads"),
        ("highest", 24, f"{CPU}), 1 threads"),
        ("high", 8, f"{CPU} matmul high) {LESS}"),
        ("high", 11, f"{CPU} matmul high) {LESS}"),
        ("medium", 8, f"{CPU} matmul medium) {LESS}"),
        ("medium", 11, f"{CPU} matmul medium) {LESS}"),
    ],
)
def test_the_name_of_the_device_says_when_products_lose_bits(monkeypatch, matmul, bits, name):
    # whatever the word means on this machine
    monkeypatch.setattr(torch, "get_float32_matmul_precision", lambda: matmul)
    torch.set_num_threads(1)
    state = torch.get_rng_state()
    with RoundedProducts(bits):
        assert compute.device_name("cpu") == name
    assert torch.equal(torch.get_rng_state(), state)


def described(maker, family, flags):
    """Return what Linux says of two equal processors."""
    one = f"processor\t: 0\n{maker}{family}model name\t: X\nflags\t\t: fpu {flags}\n\n"
    return one + one.replace("processor\t: 0", "processor\t: 1")


AMD, INTEL, ARM = "vendor_id\t: AuthenticAMD\n", "vendor_id\t: GenuineIntel\n", ""
ZEN_2, ZEN_4, ZEN_5, XEON = (f"cpu family\t: {number}\n" for number in (23, 25, 26, 6))


@pytest.mark.parametrize(
    "maker, family, flags, bits, taken",
    [
        (AMD, ZEN_5, "avx2 avx512f avx512_bf16", 24, "medium"),
        (AMD, ZEN_5, "avx2", 24, "highest"),  # as a virtual machine may hide it
        (AMD, ZEN_4, "avx2 avx512f avx512_bf16", 24, "highest"),
        (AMD, ZEN_2, "avx2", 24, "highest"),
        (INTEL, XEON, "avx2 avx512f avx512_bf16 amx_bf16", 24, "highest"),
        (AMD, ZEN_5, "avx2 avx512f amx_bf16", 8, "highest"),  # where oneDNN would compute in bf16
        (ARM, "", "asimd", 24, "highest"),
    ],
)
def test_auto_takes_onednn_from_zen_5_on_where_it_keeps_all_bits(
    monkeypatch, tmp_path, maker, family, flags, bits, taken
):
    (tmp_path / "cpuinfo").write_text(described(maker, family, flags))
    monkeypatch.setattr(compute, "PROCESSORS", tmp_path / "cpuinfo")
    try:
        with RoundedProducts(bits):
            assert compute.set_up(1, 0, "auto") == "cpu"
        assert torch.get_float32_matmul_precision() == taken
    finally:
        torch.set_float32_matmul_precision("highest")


def test_auto_takes_mkl_where_nobody_describes_the_processor(monkeypatch, tmp_path):
    monkeypatch.setattr(compute, "PROCESSORS", tmp_path / "none")
    compute.set_up(1, 0, "auto")
    assert torch.get_float32_matmul_precision() == "highest"


def test_a_cpu_is_named_by_its_instructions_and_the_version_of_mkl():
    name = compute.device_name("cpu")
    assert torch.backends.cpu.get_cpu_capability() in name
    assert ("MKL 20" in name) == torch.backends.mkl.is_available()


def test_every_function_of_mkl_that_torch_calls_is_called_once_before_several_threads_compute():
    header = Path(torch.__file__).parent / "include/ATen/cpu/vml.h"
    called = re.findall(r"^IMPLEMENT_VML_MKL\((\w+),", header.read_text(), re.MULTILINE)
    assert "exp" in called
    assert set(called) == set(compute.OF_MKL)


def test_the_functions_of_mkl_are_called_in_one_thread_and_then_the_threads_are_set(monkeypatch):
    threads = []
    monkeypatch.setattr(torch, "tanh", lambda x: threads.append((torch.get_num_threads(), x.dtype)))
    compute.set_up(2, 0, "highest")
    assert threads == [(1, torch.float32), (1, torch.float64)]
    assert torch.get_num_threads() == 2
    torch.set_num_threads(1)
