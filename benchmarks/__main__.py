"""Measure Semblance beside sentence-transformers, and write a page of ratios.

make bench DATA=FOLDER            (a mirror of the raw data, as for configs/minilm.yaml)
python -m benchmarks --data FOLDER --only train --rounds 3
"""

import argparse
import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import torch

from benchmarks import embedding, own_faq, side, training, workload
from semblance.files import write_text

LIBRARIES = ("torch", "transformers", "sentence-transformers", "numpy")
PARTS: dict[str, Callable[[argparse.Namespace], str]] = {
    "train": training.page,
    "embed": embedding.page,
    "faq": own_faq.page,
}


def main() -> None:
    args = arguments()
    if args.data:
        workload.prepare(args.data.resolve())
    elif not workload.FOLDER.is_dir():
        wanted = "give the folder that holds the raw data, under the manifest's relative paths"
        sys.exit(f"error: --data: {wanted}")
    page = [head(args)]
    print(page[0], flush=True)
    for part in args.only or PARTS:
        side.DISTURBED.clear()
        page.append(PARTS[part](args) + side.disturbance())
        print(page[-1], flush=True)
        if args.output:
            write_text(args.output, "\n".join(page))  # after each part: all of them take an hour


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
    steps = f"training steps of a turn; the first {warm} do not count"
    add("--steps", **number, choices=range(warm + 1, 10_000), default=10, help=steps)
    add("--batch", type=int, default=64, help="rows of a training step")
    add("--threads", type=int, default=os.cpu_count() or 1)
    add("--gpus", type=int, choices=(0, 1), default=int(torch.cuda.is_available()))
    precisions = "default: bf16, too, on a GPU and on a processor with hardware for it"
    add("--precisions", nargs="+", choices=("fp32", "bf16"), help=precisions)
    matmul = "ours, and the tuned peer's"
    add("--matmul", choices=("highest", "high", "medium"), default="highest", help=matmul)
    add("--output", type=Path, help="write the page here too")
    args = parser.parse_args()
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
