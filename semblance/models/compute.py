"""What computes: threads, device and the precision of the matrix products."""

import contextlib
import ctypes
import functools
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

import torch

from semblance.gpus import go_on_without_gpu
from semblance.settings import Matmul, Precision

# How many products of bf16 matrices are kept prepared on a CPU, one for each shape, by oneDNN and
# again by torch. A training needs about a hundred at a time, and no shape comes back soon. Their own
# limits of 1,024 hold 600 and 370 MB more and are no faster.
PREPARED_PRODUCTS = 128
KEEPERS = ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY")  # of oneDNN and of torch
# The functions of MKL that torch calls on a CPU (ATen/cpu/vml.h).
OF_MKL = (
    *("acos", "asin", "atan", "cos", "erf", "erfc", "erfinv", "exp", "log", "log10", "log2"),
    *("sin", "sqrt", "tan", "tanh", "trunc"),
)


ZEN_5 = 26  # as the family of a processor
PROCESSORS = Path("/proc/cpuinfo")  # what Linux says of them

# Parameters of mallopt (GNU malloc.h), and their values.
KEEP_MEMORY = {
    -4: 0,  # M_MMAP_MAX: large tensors come from the heap, too
    -1: -1,  # M_TRIM_THRESHOLD: freed memory stays in the heap
}


@dataclass(frozen=True)
class Compute:
    """What a stage that only reads models computes with; all of it is part of the result."""

    threads: int
    gpus: int
    precision: Precision  # of the encoder
    matmul: Matmul  # the precision of fp32 matrix products


def set_up(threads: int, gpus: int, matmul: Matmul) -> str:
    """Set this process's threads and precision and, on a GPU, determinism; return the device.

    It is ``cpu`` where ``gpus`` asks for a GPU and there is none: this is printed, and in a
    scheduler's job NoGpu is raised.
    """
    for keeper in KEEPERS:  # they are read at the first product in bf16
        os.environ.setdefault(keeper, str(PREPARED_PRODUCTS))
    # Without this variable CUDA's products are not repeatable.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    _keep_memory()
    _call_mkl_once()
    torch.set_num_threads(threads)
    if gpus and not torch.cuda.is_available():
        go_on_without_gpu()
        gpus = 0
    device = "cuda" if gpus else "cpu"
    set_matmul(matmul, device)
    if not gpus:
        return device
    torch.use_deterministic_algorithms(True)
    # Filling costs a launch for each new tensor, and no tensor is read before it is written.
    torch.utils.deterministic.fill_uninitialized_memory = False
    return device


def set_matmul(matmul: Matmul, device: str) -> None:
    """Set the precision of this process's fp32 matrix products.

    ``auto`` takes the library that is faster on this kind of processor, if it keeps fp32's 24 bits.
    """
    torch.set_float32_matmul_precision("highest" if matmul == "auto" else matmul)
    if matmul == "auto" and device == "cpu" and prefers_onednn(_processor()):
        torch.set_float32_matmul_precision("medium")
        if not full_precision(device):
            torch.set_float32_matmul_precision("highest")


def prefers_onednn(processor: Mapping[str, str]) -> bool:
    """Return whether oneDNN's fp32 products are faster than MKL's on a processor.

    MKL 2024.2 computes with AVX2 on AMD's processors; oneDNN, which torch takes below ``highest``,
    with AVX-512. That is twice as fast where an operation is 512 bits wide, from Zen 5 on. Zen 4
    makes it in two halves, and there, without AVX-512 and on Intel's processors MKL is ahead.
    Maker, family and instructions decide, and no timing: load must not choose the bits.
    """
    is_amd = processor.get("vendor_id") == "AuthenticAMD"
    is_wide = int(processor.get("cpu family", 0)) >= ZEN_5
    return is_amd and is_wide and "avx512f" in processor.get("flags", "").split()


def _processor() -> dict[str, str]:
    """Return what Linux says of the first processor, by its own names; nothing elsewhere."""
    if not PROCESSORS.is_file():
        return {}
    first = PROCESSORS.read_text(encoding="utf-8").partition("\n\n")[0]
    pairs = (line.partition(":") for line in first.splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs}


def _keep_memory() -> None:
    """Let this process keep the memory that it frees, where the C library can.

    Each step of a training asks for the hundreds of megabytes that the last one freed. Had they gone
    back to the system, each page of them would cost a fault: 12 % of a bf16 step.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt:
        for parameter, value in KEEP_MEMORY.items():
            mallopt(parameter, value)


def _call_mkl_once() -> None:
    """Call each function of MKL in one thread, before several call any.

    In oneMKL 2024.2, which torch 2.13 holds, the first call in a process chooses the kernel for the
    processor. Threads that come meanwhile may get one of low accuracy (pytorch issue 188792).
    """
    torch.set_num_threads(1)
    for name in OF_MKL:
        for dtype in (torch.float32, torch.float64):
            getattr(torch, name)(torch.full((1,), 0.5, dtype=dtype))


def device_name(device: str) -> str:
    """Return a GPU's name, or that of a CPU's instructions and products with its number of threads."""
    less = ""
    if not full_precision(device):
        less = " (matrix products in less than fp32)"
    if device == "cuda":
        return torch.cuda.get_device_name() + less
    matmul = torch.get_float32_matmul_precision()
    products = "" if matmul == "highest" else f" matmul {matmul}"
    return f"cpu ({_kernels()}{products}){less}, {torch.get_num_threads()} threads"


@functools.cache
def _kernels() -> str:
    """Return the instruction set that torch computes with, and the version of MKL, if it has one."""
    version = re.search(r"Math Kernel Library Version (\S+?)-", torch.__config__.show())
    names = [torch.backends.cpu.get_cpu_capability()]
    if version:
        names.append(f"MKL {version[1]}")
    return " ".join(names)


def full_precision(device: str) -> bool:
    """Return whether fp32 matrix products keep its 24 bits.

    With a matmul precision below ``highest`` some processors only choose a faster library and keep
    them; others compute in bf16 or TF32 inside.
    """
    if torch.get_float32_matmul_precision() == "highest":
        return True
    n, k = 512, 64
    a = torch.linspace(-1.0, 1.0, n * k, device=device).view(n, k)
    b = a.flip(0).reshape(k, n)
    error = ((a @ b).double() - a.double() @ b.double()).abs()
    bound = k * 2.0**-24 * (a.abs().double() @ b.abs().double())  # for any order of summing
    return bool((error <= bound).all())


def autocast(precision: Precision, device: str) -> contextlib.AbstractContextManager:
    """Return the context of a declared precision; weights stay float32."""
    match precision:
        case "fp32":
            return contextlib.nullcontext()
        case "bf16":
            return torch.autocast(device, dtype=torch.bfloat16)
        case _:
            assert_never(precision)


def random_state(device: torch.device) -> torch.Tensor:
    """Return the state of the device's random generator, from which masks are drawn."""
    if device.type == "cuda":
        return torch.cuda.get_rng_state(device)
    return torch.get_rng_state()


def set_random_state(device: torch.device, state: torch.Tensor) -> None:
    """Bring the device's random generator back to a state of ``random_state``."""
    if device.type == "cuda":
        torch.cuda.set_rng_state(state, device)
    else:
        torch.set_rng_state(state)
