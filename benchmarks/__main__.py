"""Measure Semblance beside sentence-transformers, and write a page of ratios.

make bench DATA=FOLDER            (a mirror of the raw data, as for configs/minilm.yaml)
python -m benchmarks --data FOLDER --only train --rounds 3
"""

import argparse
import itertools
import os
import platform
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks import limits, own_faq, reading, start_up, workload
from benchmarks.side import DISTURBED, disturbance, peers, side_by_side, undisturbed
from benchmarks.training import WARM, settings
from benchmarks.workload import Task
from semblance.files import write_text
from semblance.models.architecture import read_architecture
from semblance.training.recipe import training_rows

FOLDER = workload.ROOT / workload.FOLDER
LIBRARIES = ("torch", "transformers", "sentence-transformers", "accelerate", "numpy", "snakemake")
COUNTS = (10_000, 50_000, 100_000, 500_000)  # sentences of the corpora of `growth`


def main() -> None:
    args = arguments()
    if args.data:
        workload.prepare(args.data.resolve())
    elif not FOLDER.is_dir():
        wanted = "give the folder that holds the raw data, under the manifest's relative paths"
        sys.exit(f"error: --data: {wanted}")
    page = [head(args)]
    print(page[0], flush=True)
    for part in args.only or PARTS:
        DISTURBED.clear()
        page.append(PARTS[part](args) + disturbance())
        print(page[-1], flush=True)
        if args.output:
            write_text(args.output, "\n".join(page))  # after each part: all of them take hours


def arguments() -> argparse.Namespace:
    """Return the command line."""
    parser = workload.command_line(__doc__)
    add = parser.add_argument
    add("--data", type=Path, help="a mirror of the raw data; needed the first time")
    add("--only", nargs="+", choices=tuple(PARTS), help="measure these parts alone")
    add("--bases", nargs="+", choices=list(workload.BASES), default=["minilm"])
    number = {"type": int, "metavar": "N"}
    turns = "how often each side has its turn"
    add("--rounds", **number, choices=range(1, 100), default=5, help=turns)
    steps = f"training steps of a turn; the first {WARM} do not count"
    add("--steps", **number, choices=range(WARM + 1, 10_000), default=10, help=steps)
    add("--batch", type=int, default=64, help="rows of a training step")
    add("--threads", type=int, default=os.cpu_count() or 1)
    add("--gpus", type=int, choices=(0, 1), default=int(torch.cuda.is_available()))
    native = "default: those with hardware of their own"
    add("--precisions", nargs="+", choices=("fp32", "bf16"), help=native)
    matmul = "ours, and the tuned peer's"
    add("--matmul", choices=("highest", "high", "medium"), default="highest", help=matmul)
    add("--output", type=Path, help="write the page here too")
    args = parser.parse_args()
    args.native = native_precisions(args.gpus)
    args.precisions = args.precisions or args.native
    return args


def _cpu_info() -> str:
    path = Path("/proc/cpuinfo")
    return path.read_text() if path.is_file() else ""


def native_precisions(gpus: int) -> list[str]:
    """Return what the device computes natively: bf16 without hardware for it is slower than fp32."""
    flags = _cpu_info()
    has_bf16 = gpus or "avx512_bf16" in flags or "amx_bf16" in flags
    return ["fp32", "bf16"] if has_bf16 else ["fp32"]


def head(args: argparse.Namespace) -> str:
    """Return the title of the page, and what it was measured with."""
    device = f"{_processor()}, {args.threads} threads"
    if args.gpus:
        device = torch.cuda.get_device_name()
    versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES if _installed(name))
    return (
        f"# Benchmark: {device}\n\nPython {platform.python_version()}, {versions}. "
        f"Matmul precision: {args.matmul}. "
        f"Precisions with hardware of their own: {', '.join(args.native)}.\n"
        f"Medians of {args.rounds} turns where nothing else is said, least and most in brackets; "
        "the sides take turns in one run.\n"
    )


def _processor() -> str:
    lines = (line for line in _cpu_info().splitlines() if line.startswith("model name"))
    return next(lines, f": {platform.processor()}").partition(": ")[2]


def _installed(name: str) -> bool:
    try:
        return bool(version(name))
    except ImportError:
        return False


# --- cells ----------------------------------------------------------------------------------------

BESIDE = ("ours, s", "sentence-transformers, s", "ratio", "ratio to the tuned peer")


def spread(values: Sequence[float], form: str = "#.3g") -> str:
    """Return the median, the least and the most, with three digits: a GPU's step takes hundredths."""
    middle, least, most = statistics.median(values), min(values), max(values)
    return f"{middle:{form}} ({least:{form}} to {most:{form}})"


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """Return how many times faster ours was, turn by turn."""
    return [b / a for a, b in zip(ours, theirs, strict=True)]


def beside(seen: dict[str, list[float]]) -> list[str]:
    """Return the cells of BESIDE from the seconds of each side's turns."""
    ours = seen["ours"]
    seconds = [spread(ours), spread(seen["theirs"])]
    return [*seconds, *(spread(ratios(ours, seen[peer])) for peer in ("theirs", "tuned"))]


def peak(seen: dict[str, list[float]]) -> str:
    """Return the GFLOP/s of the fastest matrix products."""
    return spread([1 / seconds for seconds in seen["peak"]], ".0f")


def reached(gflop: float, seen: dict[str, list[float]], who: str) -> str:
    """Return the share of the fastest product's speed at which a side does so many GFLOP."""
    pairs = zip(seen[who], seen["peak"], strict=True)
    return spread([gflop / seconds * product for seconds, product in pairs], ".0%")


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(str(cell) for cell in line)} |\n" for line in lines)


def task(args: argparse.Namespace, work: str, **more: Any) -> Task:
    """Return a task under the flags of the command line."""
    options = {"matmul": args.matmul, "batch": args.batch, "steps": args.steps, **more}
    return Task(work, str(FOLDER), args.threads, args.gpus, **options)


def fewer(args: argparse.Namespace) -> int:
    """Return the turns of what takes a minute a turn."""
    return max(2, args.rounds // 2)


# --- the parts of the page ------------------------------------------------------------------------


def page_of_training(args: argparse.Namespace) -> str:
    """A step of each objective beside the peer's trainer."""
    kinds = (("unsupervised", "nli"), ("unsupervised", "wiki"), ("nli", "nli"))
    rows = []
    for base, kind, precision in itertools.product(args.bases, kinds, args.precisions):
        options = {"objective": kind[0], "corpus": kind[1], "precision": precision}
        seen = side_by_side(args.rounds, peers(task(args, "train", base=base, **options)))
        rows.append([f"{kind[0]}, {kind[1]}'s sentences", base, precision, *beside(seen)])
    title = f"## A training step of {args.batch} rows\n\n"
    return title + table(["objective", "base", "precision", *BESIDE], rows)


def page_of_methods(args: argparse.Namespace) -> str:
    """Each method beside the plain one that it is compared with."""
    pairs = {
        "sampled": "unsupervised",
        "sentence-wise": "unsupervised",
        "drophead": "no attention dropout",
        "entropy": "nli",
        "rcl": "nli",
    }
    plain = task(args, "train", base=args.bases[0])
    compared = [  # (method, over, the plain task, the method's task)
        (method, over, replace(plain, objective=over), replace(plain, objective=method))
        for method, over in pairs.items()
    ]
    if args.gpus:
        precision = args.precisions[-1]
        repeatable = replace(plain, objective="nli", precision=precision)
        free = replace(repeatable, deterministic=False)
        compared.append(("deterministic mode", f"nli, {precision}", free, repeatable))
    rows = []
    for method, over, first, second in compared:
        seen = side_by_side(args.rounds, {over: first, method: second})
        more = [ratio - 1 for ratio in ratios(seen[over], seen[method])]
        rows.append([method, over, *map(spread, seen.values()), spread(more, "+.1%")])
    title = "## What a method costs over the plain one\n\n"
    return title + table(["method", "over", "plain, s", "method, s", "more"], rows)


def page_of_embedding(args: argparse.Namespace) -> str:
    """20,000 sentences, from text to vectors, beside the fastest matrix product of the same rounds."""
    work = workload.Workload(FOLDER)
    lengths = np.minimum(work.tokens("nli").lengths(), reading.LENGTH).astype(float)
    rows = []
    for base, precision in itertools.product(args.bases, args.precisions):
        shape = read_architecture(work.base(base))
        gflop = limits.forward_gflop(shape, lengths) / len(lengths) * reading.COUNT
        ours = task(args, "encode", base=base, precision=precision)
        seen = side_by_side(4, {**peers(ours), "peak": replace(ours, work="peak", who="peak")})
        shares = (reached(gflop, seen, who) for who in ("ours", "theirs"))
        rows.append([base, precision, *beside(seen), peak(seen), *shares])
    more = ("fastest product, GFLOP/s", "ours reaches", "theirs reaches")
    turns = f"(4 turns of {reading.COUNT:,})"
    title = f"## Embedding 20,000 sentences, from text to vectors {turns}\n\n"
    return title + table(["base", "precision", *BESIDE, *more], rows)


def page_of_sts(args: argparse.Namespace) -> str:
    """All seven STS sets."""
    rows = []
    for base, precision in itertools.product(args.bases, args.precisions):
        ours = task(args, "sts", base=base, precision=precision)
        rows.append([base, precision, *beside(side_by_side(fewer(args), peers(ours)))])
    title = f"## All seven STS sets for one model ({fewer(args)} turns)\n\n"
    return title + table(["base", "precision", *BESIDE], rows)


def page_of_start(args: argparse.Namespace) -> str:
    """The plan and the start of jobs."""
    if not _installed("snakemake"):
        return "## Start-up\n\nNot measured: there is no Snakemake here.\n"
    plans = [start_up.plan() for _ in range(2)]
    memory = f"{plans[0].megabytes:.0f} MB at most"
    rows = [["`snakemake -n` on config.yaml", spread([plan.seconds for plan in plans]), memory]]
    for base in args.bases:
        seen = [start_up.job(FOLDER, base) for _ in range(3)]
        for event, what in {
            "loop": "to its first step",
            "step": "to the end of its first step",
        }.items():
            seconds = spread([times[event] for times in seen])
            rows.append([f"a training on {base}: {what}", seconds, ""])
    for name, (seconds, has_torch) in start_up.imports().items():
        note = "imports torch" if has_torch else "no torch"
        rows.append([f"`{name} --help`", f"{seconds:.2f}", note])
    title = "## Start-up (2 plans, 3 trainings, 1 help each; on the CPU)\n\n"
    return title + table(["what", "seconds", ""], rows)


def page_of_limits(args: argparse.Namespace) -> str:
    """Model FLOPs used against the peak, measured in the same rounds."""
    work = workload.Workload(FOLDER)
    tokens = work.tokens("nli")
    plain = settings(task(args, "train", objective="unsupervised"))
    alone = training_rows(work.rows("nli"), len(tokens.offsets) - 1, plain)
    drawn = {"unsupervised": alone, "nli": work.rows("nli")}
    rows = []
    for base, objective in itertools.product(args.bases, drawn):
        shape = read_architecture(work.base(base))
        gflop, padding = limits.mean_step_gflop(shape, tokens, drawn[objective], args.batch)
        for precision in args.precisions:
            ours = task(args, "train", base=base, precision=precision, objective=objective)
            product = replace(ours, work="peak", who="peak")
            seen = side_by_side(args.rounds, {"ours": ours, "peak": product})
            facts = [objective, base, precision, f"{gflop:.0f}", f"{padding:.0%}"]
            rows.append([*facts, peak(seen), reached(gflop, seen, "ours")])
    heads = ["objective", "base", "precision", "GFLOP a step, unpadded"]
    heads += ["padding of a padded batch", "fastest product, GFLOP/s", "used"]
    title = "## Model FLOPs used, of the fastest matrix product measured\n\n"
    return title + table(heads, rows)


def page_of_growth(args: argparse.Namespace) -> str:
    """Drawing and packing an epoch, by size of the corpus."""
    seen = limits.growth(workload.Workload(FOLDER), COUNTS, args.batch)
    rows = [[f"{n:,}", f"{us:.1f}", f"{mb:.0f}"] for n, us, mb in seen]
    heads = ["sentences", "µs a row to draw and pack", "MB of memory, mapped files left out"]
    return "## One epoch's batches, by size of the corpus\n\n" + table(heads, rows)


def page_of_sweep(args: argparse.Namespace) -> str:
    """Several trainings on one machine."""
    rows = []
    for base in args.bases:
        sweep = limits.Sweep(replace(task(args, "train", base=base, objective="nli"), gpus=0))
        try:
            turns = undisturbed(fewer(args), sweep.turn, sweep.sides)
        finally:
            sweep.close()
        one, *many = zip(*turns, strict=True)
        cells = [f"{spread(each)}: {spread(ratios(each, one))} times as fast" for each in many]
        rows.append([base, spread(one), *cells])
    title = f"## A sweep: {args.threads} trainings at once, on the CPU ({fewer(args)} turns)\n\n"
    heads = ["base", "one with all threads, s a step", "one thread each, s a step in all"]
    heads += ["all threads each, s a step in all"]
    return title + table(heads, rows)


def page_of_own_faq(args: argparse.Namespace) -> str:
    """A FAQ of one's own: its training, its answers and its server."""
    return f"## An own FAQ of {own_faq.ENTRIES} entries\n\n" + own_faq.measure()


PARTS: dict[str, Callable[[argparse.Namespace], str]] = {
    "train": page_of_training,
    "methods": page_of_methods,
    "embed": page_of_embedding,
    "sts": page_of_sts,
    "start": page_of_start,
    "limits": page_of_limits,
    "growth": page_of_growth,
    "sweep": page_of_sweep,
    "faq": page_of_own_faq,
}

if __name__ == "__main__":
    main()
