"""Measure Semblance beside sentence-transformers, and write a page of ratios.

make bench DATA=FOLDER            (a mirror of the raw data, as for configs/minilm.yaml)
python -m benchmarks --data FOLDER --only train --rounds 3
"""

import argparse
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks import limits, own_faq, reading, start_up, workload
from benchmarks.side import Side
from benchmarks.training import WARM, settings
from semblance.files import write_text
from semblance.models.architecture import read_architecture
from semblance.training.recipe import training_rows

FOLDER = workload.ROOT / workload.FOLDER
PARTS = ("train", "methods", "embed", "sts", "start", "limits", "growth", "sweep", "faq")
TAKEN = 0.03  # of the processors' time in a round, by the host of a virtual machine or by other programs
LIBRARIES = ("torch", "transformers", "sentence-transformers", "accelerate", "numpy", "snakemake")


def main() -> None:
    args = arguments()
    if args.data:
        workload.prepare(args.data.resolve())
    elif not FOLDER.is_dir():
        sys.exit(
            "error: --data: give the folder that holds the raw data, under the manifest's relative paths"
        )
    page = Page(args)
    for part in args.only or PARTS:
        DISTURBED.clear()
        page.add(PRINT[part](args) + disturbance())
        if args.output:
            write_text(args.output, page.text())  # after each part: all of them take hours


def arguments() -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="a mirror of the raw data; needed the first time")
    parser.add_argument("--only", nargs="+", choices=PARTS, help="measure these parts alone")
    parser.add_argument("--bases", nargs="+", choices=list(workload.BASES), default=["minilm"])
    parser.add_argument(
        "--rounds",
        type=int,
        choices=range(1, 100),
        metavar="N",
        default=5,
        help="how often each side has its turn",
    )
    parser.add_argument(
        "--steps",
        type=int,
        choices=range(WARM + 1, 10_000),
        metavar="N",
        default=10,
        help=f"training steps of a turn; the first {WARM} do not count",
    )
    parser.add_argument("--batch", type=int, default=64, help="rows of a training step")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--gpus", type=int, choices=(0, 1), default=int(torch.cuda.is_available()))
    parser.add_argument(
        "--precisions",
        nargs="+",
        choices=("fp32", "bf16"),
        help="default: those with hardware of their own",
    )
    parser.add_argument(
        "--matmul",
        choices=("highest", "high", "medium"),
        default="highest",
        help="ours, and the tuned peer's",
    )
    parser.add_argument("--output", type=Path, help="write the page here too")
    args = parser.parse_args()
    args.native = native_precisions(args.gpus)
    args.precisions = args.precisions or args.native
    return args


def native_precisions(gpus: int) -> list[str]:
    """Return what the device computes natively: bf16 without hardware for it is slower than fp32."""
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").is_file() else ""
    return ["fp32", "bf16"] if gpus or "avx512_bf16" in flags or "amx_bf16" in flags else ["fp32"]


class Page:
    """The Markdown that is printed and written."""

    def __init__(self, args: argparse.Namespace):
        device = (
            torch.cuda.get_device_name() if args.gpus else f"{_processor()}, {args.threads} threads"
        )
        versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES if _installed(name))
        self.parts: list[str] = []
        self.add(
            f"# Benchmark: {device}\n\nPython {platform.python_version()}, {versions}. "
            f"Matmul precision: {args.matmul}. Precisions with hardware of their own: {', '.join(args.native)}.\n"
            f"Medians of {args.rounds} turns where nothing else is said, least and most in brackets; "
            "the sides take turns in one run.\n"
        )

    def add(self, text: str) -> None:
        """Add a section and print it."""
        print(text, flush=True)
        self.parts.append(text)

    def text(self) -> str:
        """Return the whole page."""
        return "\n".join(self.parts)


def _processor() -> str:
    lines = (
        Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").is_file() else []
    )
    return next(
        (line.partition(": ")[2] for line in lines if line.startswith("model name")),
        platform.processor(),
    )


def _installed(name: str) -> bool:
    try:
        return bool(version(name))
    except ImportError:
        return False


DISTURBED: list[float] = []  # the share that others took, of each round that counts all the same


def side_by_side(rounds: int, sides: dict[str, dict[str, Any]]) -> dict[str, list[float]]:
    """Let each side have its turn, ``rounds`` times, another one first each time; return the seconds of each turn."""
    names, running = list(sides), {name: Side(**options) for name, options in sides.items()}
    shown = {
        k: v
        for k, v in next(iter(sides.values())).items()
        if k in ("work", "base", "objective", "corpus", "precision")
    }

    def turn(number: int) -> dict[str, float]:
        first = number % len(names)
        seen = {name: running[name].slice() for name in names[first:] + names[:first]}
        print(*shown.values(), *(f"{name} {seen[name]:.2f} s" for name in names), file=sys.stderr)
        return seen

    try:
        for side in running.values():
            side.slice()  # to warm up
        turns = undisturbed(rounds, turn, list(running.values()))
    finally:
        for side in running.values():
            side.close()
    return {name: [turn[name] for turn in turns] for name in names}


def undisturbed(rounds: int, turn: Callable[[int], Any], sides: Sequence[Side]) -> list[Any]:
    """Return what ``turn`` finds, ``rounds`` times; it is told how often it ran before.

    A round in which others took more than ``TAKEN`` of the processors' time is measured again, as long as there are no
    more lost rounds than wanted ones; after that it counts, and ``DISTURBED`` tells.
    """
    turns, lost = [], 0
    while len(turns) < rounds:
        before, start = taken(sides), time.monotonic()
        found = turn(len(turns) + lost)
        share = (taken(sides) - before) / ((time.monotonic() - start) * (os.cpu_count() or 1))
        again = share > TAKEN and lost < rounds
        lost += again
        turns += [] if again else [found]
        DISTURBED.extend([share] if share > TAKEN and not again else [])
        print(
            f"... {len(turns)}/{rounds}, {share:.0%} taken by others{', once more' if again else ''}",
            file=sys.stderr,
        )
    return turns


def taken(sides: Iterable[Side]) -> float:
    """Return the seconds of all processors that this machine's host withheld or other programs used.

    0 where the system does not tell.
    """
    if not Path("/proc/stat").is_file():
        return 0.0
    user, nice, system, _, _, irq, soft, stolen = map(
        int, Path("/proc/stat").read_text().split()[1:9]
    )
    own = 0
    for pid in (os.getpid(), *(side.process.pid for side in sides)):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        own += int(fields[11]) + int(fields[12])  # user's and system's, of the process's threads
    return (user + nice + system + irq + soft + stolen - own) / os.sysconf("SC_CLK_TCK")


def spread(values: Sequence[float], form: Callable[[float], str] = "{:.2f}".format) -> str:
    """Return the median, the least and the most."""
    return f"{form(statistics.median(values))} ({form(min(values))} to {form(max(values))})"


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """Return how many times faster ours was, turn by turn."""
    return [b / a for a, b in zip(ours, theirs, strict=True)]


def disturbance() -> str:
    """Return a line on the rounds of a part that were measured although others took their time; empty without any."""
    return (
        f"\n{len(DISTURBED)} rounds disturbed: others took up to {max(DISTURBED):.0%} of the time.\n"
        if DISTURBED
        else ""
    )


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(str(cell) for cell in line)} |\n" for line in lines)


def _common(args: argparse.Namespace, **more: Any) -> dict[str, Any]:
    return {
        "folder": str(FOLDER),
        "threads": args.threads,
        "gpus": args.gpus,
        "matmul": args.matmul,
        "batch": args.batch,
        **more,
    }


def _peers(args: argparse.Namespace, **options: Any) -> dict[str, dict[str, Any]]:
    common = _common(args, **options)
    return {
        "ours": {"who": "ours", **common},
        "theirs": {"who": "theirs", **common},
        "tuned": {"who": "theirs", "tuned": True, **common},
    }


def print_train(args: argparse.Namespace) -> str:
    """A step of each objective beside the peer's trainer."""
    rows = []
    for base in args.bases:
        for objective, corpus in (
            ("unsupervised", "nli"),
            ("unsupervised", "wiki"),
            ("nli", "nli"),
        ):
            for precision in args.precisions:
                seen = side_by_side(
                    args.rounds,
                    _peers(
                        args,
                        work="train",
                        base=base,
                        objective=objective,
                        corpus=corpus,
                        precision=precision,
                        steps=args.steps,
                    ),
                )
                rows.append(
                    [
                        f"{objective}, {corpus}'s sentences",
                        base,
                        precision,
                        spread(seen["ours"]),
                        spread(seen["theirs"]),
                        spread(ratios(seen["ours"], seen["theirs"])),
                        spread(ratios(seen["ours"], seen["tuned"])),
                    ]
                )
    return f"## A training step of {args.batch} rows\n\n" + table(
        [
            "objective",
            "base",
            "precision",
            "ours, s",
            "sentence-transformers, s",
            "ratio",
            "ratio to the tuned peer",
        ],
        rows,
    )


def print_methods(args: argparse.Namespace) -> str:
    """Each method beside the plain one that it is compared with."""
    rows = []
    for method, plain in (
        ("sampled", "unsupervised"),
        ("sentence-wise", "unsupervised"),
        ("drophead", "no attention dropout"),
        ("entropy", "nli"),
        ("rcl", "nli"),
    ):
        common = _common(
            args,
            work="train",
            who="ours",
            base=args.bases[0],
            corpus="nli",
            precision="fp32",
            steps=args.steps,
        )
        seen = side_by_side(
            args.rounds, {name: {**common, "objective": name} for name in (plain, method)}
        )
        rows.append(
            [
                method,
                plain,
                spread(seen[plain]),
                spread(seen[method]),
                spread(
                    [b / a - 1 for a, b in zip(seen[plain], seen[method], strict=True)],
                    "{:+.1%}".format,
                ),
            ]
        )
    if args.gpus:
        common = _common(
            args,
            work="train",
            who="ours",
            base=args.bases[0],
            objective="nli",
            corpus="nli",
            precision=args.precisions[-1],
            steps=args.steps,
        )
        seen = side_by_side(
            args.rounds, {"free": {**common, "deterministic": False}, "repeatable": common}
        )
        rows.append(
            [
                "deterministic mode",
                f"nli, {args.precisions[-1]}",
                spread(seen["free"]),
                spread(seen["repeatable"]),
                spread(
                    [b / a - 1 for a, b in zip(seen["free"], seen["repeatable"], strict=True)],
                    "{:+.1%}".format,
                ),
            ]
        )
    return "## What a method costs over the plain one\n\n" + table(
        ["method", "over", "plain, s", "method, s", "more"], rows
    )


def print_embed(args: argparse.Namespace) -> str:
    """20,000 sentences, from text to vectors, beside the fastest matrix product of the same rounds."""
    work = workload.Workload(FOLDER)
    lengths, rows = np.minimum(work.tokens("nli").lengths(), reading.LENGTH).astype(float), []
    for base in args.bases:
        gflop = (
            limits.forward_gflop(read_architecture(work.base(base)), lengths)
            / len(lengths)
            * reading.COUNT
        )
        for precision in args.precisions:
            options = {"base": base, "precision": precision}
            seen = side_by_side(
                4,
                {
                    **_peers(args, work="encode", **options),
                    "peak": _common(args, work="peak", who="peak", **options),
                },
            )
            rows.append(
                [
                    *_reading_row(base, precision, seen),
                    spread([1 / p for p in seen["peak"]], "{:.0f}".format),
                    *(
                        spread(
                            [gflop / s * p for s, p in zip(seen[who], seen["peak"], strict=True)],
                            "{:.0%}".format,
                        )
                        for who in ("ours", "theirs")
                    ),
                ]
            )
    return (
        f"## Embedding 20,000 sentences, from text to vectors (4 turns of {reading.COUNT:,})\n\n"
        + table([*READING, "fastest product, GFLOP/s", "ours reaches", "theirs reaches"], rows)
    )


def print_sts(args: argparse.Namespace) -> str:
    """All seven STS sets."""
    rows = [
        _reading_row(
            base,
            precision,
            side_by_side(_fewer(args), _peers(args, work="sts", base=base, precision=precision)),
        )
        for base in args.bases
        for precision in args.precisions
    ]
    return f"## All seven STS sets for one model ({_fewer(args)} turns)\n\n" + table(READING, rows)


def _fewer(args: argparse.Namespace) -> int:
    return max(2, args.rounds // 2)  # of what takes a minute a turn


READING = (
    "base",
    "precision",
    "ours, s",
    "sentence-transformers, s",
    "ratio",
    "ratio to the tuned peer",
)


def _reading_row(base: str, precision: str, seen: dict[str, list[float]]) -> list[str]:
    return [
        base,
        precision,
        spread(seen["ours"], "{:.1f}".format),
        spread(seen["theirs"], "{:.1f}".format),
        spread(ratios(seen["ours"], seen["theirs"])),
        spread(ratios(seen["ours"], seen["tuned"])),
    ]


def print_start(args: argparse.Namespace) -> str:
    """The plan and the start of jobs."""
    if not _installed("snakemake"):
        return "## Start-up\n\nNot measured: there is no Snakemake here.\n"
    plans = [start_up.plan() for _ in range(2)]
    rows = [
        [
            "`snakemake -n` on config.yaml",
            spread([p.wall for p in plans]),
            f"{plans[0].megabytes:.0f} MB at most",
        ]
    ]
    for base in args.bases:
        seen = [start_up.job(FOLDER, base) for _ in range(3)]
        rows += [
            [f"a training on {base}: to its first step", spread([s["loop"] for s in seen]), ""],
            [
                f"a training on {base}: to the end of its first step",
                spread([s["step"] for s in seen]),
                "",
            ],
        ]
    rows += [
        [f"`{name} --help`", f"{seconds:.2f}", "imports torch" if torch_too else "no torch"]
        for name, (seconds, torch_too) in start_up.imports().items()
    ]
    return "## Start-up (2 plans, 3 trainings, 1 help each; on the CPU)\n\n" + table(
        ["what", "seconds", ""], rows
    )


def print_limits(args: argparse.Namespace) -> str:
    """Model FLOPs used against the peak, measured in the same rounds."""
    work, rows = workload.Workload(FOLDER), []
    for base in args.bases:
        shape, tokens = read_architecture(work.base(base)), work.tokens("nli")
        wanted = settings("unsupervised", args.batch, "fp32", args.matmul, args.threads, args.gpus)
        for objective, drawn in (
            ("unsupervised", training_rows(work.rows("nli"), len(tokens.offsets) - 1, wanted)),
            ("nli", work.rows("nli")),
        ):
            gflop, padding = limits.mean_step_gflop(shape, tokens, drawn, args.batch)
            for precision in args.precisions:
                options = {"base": base, "precision": precision}
                seen = side_by_side(
                    args.rounds,
                    {
                        "ours": _common(
                            args,
                            work="train",
                            who="ours",
                            objective=objective,
                            corpus="nli",
                            steps=args.steps,
                            **options,
                        ),
                        "peak": _common(args, work="peak", who="peak", **options),
                    },
                )
                rows.append(
                    [
                        objective,
                        base,
                        precision,
                        f"{gflop:.0f}",
                        f"{padding:.0%}",
                        spread([1 / p for p in seen["peak"]], "{:.0f}".format),
                        spread(
                            [
                                gflop / s * p
                                for s, p in zip(seen["ours"], seen["peak"], strict=True)
                            ],
                            "{:.0%}".format,
                        ),
                    ]
                )
    return "## Model FLOPs used, of the fastest matrix product measured\n\n" + table(
        [
            "objective",
            "base",
            "precision",
            "GFLOP a step, unpadded",
            "padding of a padded batch",
            "fastest product, GFLOP/s",
            "used",
        ],
        rows,
    )


def print_growth(args: argparse.Namespace) -> str:
    """Drawing and packing an epoch, by size of the corpus."""
    seen = limits.growth(workload.Workload(FOLDER), (10_000, 50_000, 100_000, 500_000), args.batch)
    return "## One epoch's batches, by size of the corpus\n\n" + table(
        ["sentences", "µs a row to draw and pack", "MB of memory, mapped files left out"],
        [[f"{n:,}", f"{us:.1f}", f"{mb:.0f}"] for n, us, mb in seen],
    )


def print_sweep(args: argparse.Namespace) -> str:
    """Several trainings on one machine."""
    rows = []
    for base in args.bases:
        common = _common(
            args, base=base, objective="nli", corpus="nli", precision="fp32", steps=args.steps
        ) | {"gpus": 0}
        sweep = limits.Sweep(**common)
        try:
            pairs = undisturbed(_fewer(args), sweep.turn, sweep.sides)
        finally:
            sweep.close()
        rows.append(
            [
                base,
                spread([a for a, _ in pairs]),
                spread([b for _, b in pairs]),
                spread([a / b for a, b in pairs]),
            ]
        )
    title = f"## A sweep: {args.threads} one-thread trainings at once beside one of {args.threads} threads, on the CPU"
    return f"{title} ({_fewer(args)} turns)\n\n" + table(
        ["base", "one with all threads, s a step", "one-thread ones, s a step in all", "ratio"],
        rows,
    )


def print_faq(args: argparse.Namespace) -> str:
    """A FAQ of one's own: its training, its answers and its server."""
    return f"## An own FAQ of {own_faq.ENTRIES} entries\n\n" + own_faq.measure()


PRINT = {
    "train": print_train,
    "methods": print_methods,
    "embed": print_embed,
    "sts": print_sts,
    "start": print_start,
    "limits": print_limits,
    "growth": print_growth,
    "sweep": print_sweep,
    "faq": print_faq,
}

if __name__ == "__main__":
    main()
