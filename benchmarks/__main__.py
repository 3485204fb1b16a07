"""Measure Semblance beside sentence-transformers, and write a page of ratios.

make bench DATA=FOLDER            (a mirror of the raw data, as for configs/minilm.yaml)
python -m benchmarks --data FOLDER --only train --rounds 3
"""

import argparse
import os
import platform
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple, get_args

import torch

from benchmarks import embedding, gpu, own_faq, side, training, workload
from semblance.settings import Matmul

LIBRARIES = ("torch", "transformers", "sentence-transformers", "numpy")


class Part(NamedTuple):
    """A table of the page: its title, its columns, and what measures its rows one by one."""

    title: str
    head: tuple[str, ...]
    rows: Callable[[argparse.Namespace], Iterator[list[str]]]


OF_STEP = ("objective", "base", "precision")
PARTS = {
    "train": Part("A training step", (*OF_STEP, *side.BESIDE), training.rows),
    "embed": Part(
        "Embedding, from text to vectors",
        ("sentences", "base", "precision", *side.BESIDE),
        embedding.rows,
    ),
    "faq": Part(f"An own FAQ of {own_faq.ENTRIES} entries", ("what", "measured"), own_faq.rows),
    "host": Part("Where a step goes", (*OF_STEP, *gpu.OF_HOST), gpu.host_rows),
    "shared": Part("Trainings that share a GPU", (*OF_STEP, *gpu.SHARED), gpu.shared_rows),
    "readings": Part("The trainings of RCL's readings", gpu.JOBS, gpu.job_rows),
}
USUAL = ("train", "embed", "faq")


def main() -> None:
    args = arguments()
    if args.data:
        workload.prepare(args.data.resolve())
        if "readings" in (args.only or ()):
            gpu.prepare_table(args.data.resolve(), args.tiny)
    elif not workload.FOLDER.is_dir():
        wanted = "give the folder that holds the raw data, under the manifest's relative paths"
        sys.exit(f"error: --data: {wanted}")
    if workload.RANDOM in args.bases:
        workload.random_base()
    write(args, head(args))
    for name in args.only or USUAL:
        side.DISTURBED.clear()
        part = PARTS[name]
        write(
            args,
            f"\n## {part.title}\n\n{side.line(part.head)}{side.line(['---'] * len(part.head))}",
        )
        for row in part.rows(args):
            write(args, side.line(row))
        write(args, side.disturbance())


def write(args: argparse.Namespace, text: str) -> None:
    """Print a piece of the page, and add it to the file at once: a machine's time may end."""
    print(text, end="", flush=True)
    if args.output:
        with args.output.open("a", encoding="utf-8") as file:
            file.write(text)


def arguments() -> argparse.Namespace:
    """Return the command line; its help keeps the lines of the docstring."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    add = parser.add_argument
    add("--data", type=Path, help="a mirror of the raw data; needed the first time")
    add("--only", nargs="+", choices=tuple(PARTS), help="measure these parts alone")
    add("--bases", nargs="+", choices=workload.BASES, default=["minilm"])
    number = {"type": int, "metavar": "N"}
    turns = "how often each side has its turn"
    add("--rounds", **number, choices=range(1, 100), default=5, help=turns)
    warm = training.WARM
    steps = f"training steps of a turn; the first {warm[0]}, on a GPU {warm[1]}, do not count"
    add("--steps", **number, choices=range(warm[0] + 1, 10_000), default=10, help=steps)
    add("--batch", type=int, default=64, help="rows of a training step")
    add("--threads", type=int, default=os.cpu_count() or 1)
    add("--gpus", type=int, choices=(0, 1), default=int(torch.cuda.is_available()))
    precisions = "default: bf16, too, on a GPU and on a processor with hardware for it"
    add("--precisions", nargs="+", choices=("fp32", "tf32", "bf16"), help=precisions)
    matmul = "ours, and the tuned peer's"
    add("--matmul", choices=get_args(Matmul), default="auto", help=matmul)
    add("--output", type=Path, help="add the page to this file, row by row")
    add("--tiny", action="store_true", help="a few steps of three layers, to try the program")
    args = parser.parse_args()
    args.objectives = training.OBJECTIVES
    if args.tiny:
        args.objectives, args.bases, args.precisions = (
            training.OBJECTIVES[-1:],
            ["minilm-3"],
            ["fp32"],
        )
        args.rounds, args.steps, args.batch, args.gpus = 1, warm[0] + 1, 4, 0
    has_bf16 = args.gpus or any(flag in cpu_info() for flag in ("avx512_bf16", "amx_bf16"))
    args.precisions = args.precisions or (["fp32", "bf16"] if has_bf16 else ["fp32"])
    return args


def cpu_info() -> str:
    """Return what Linux says about the processor; nothing elsewhere."""
    path = Path("/proc/cpuinfo")
    return path.read_text() if path.is_file() else f"model name\t: {platform.processor()}\n"


def head(args: argparse.Namespace) -> str:
    """Return the title of the page, and what it was measured with."""
    processor = cpu_info().partition("model name\t: ")[2].partition("\n")[0]
    device = torch.cuda.get_device_name() if args.gpus else f"{processor}, {args.threads} threads"
    versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return (
        f"# Benchmark: {device}\n\nPython {platform.python_version()}, {versions}. "
        f"Matmul precision: {args.matmul}.\n"
        f"Medians of {args.rounds} turns where nothing else is said, least and most in brackets; "
        "the sides take turns in one run.\n"
    )


if __name__ == "__main__":
    main()
