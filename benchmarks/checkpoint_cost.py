"""What a step checkpoint and the always-on digests cost, by size of the encoder.

    python -m benchmarks.checkpoint_cost --folder FOLDER

The folder should lie on the disk that results lie on. Prints a Markdown table; the share is of
training time at the default interval between checkpoints.
"""

import shutil
import statistics
import time
from pathlib import Path

import torch

from benchmarks.workload import command_line
from semblance.models.architecture import Architecture
from semblance.models.encoder import Encoder
from semblance.models.optimiser import AdamW
from semblance.provenance import file_digest
from semblance.training.keeping.checkpoint import Checkpoints
from semblance.training.loop import Progress, TrainingState

SHAPES = {  # name: width, layers, heads, inner width
    "MiniLM, 3 layers": (384, 3, 12, 1536),
    "MiniLM, 6 layers": (384, 6, 12, 1536),
    "BERT-base": (768, 12, 12, 3072),
}
INTERVAL = 600.0  # seconds: resources.checkpoint_minutes in config.yaml


def encoder(width: int, layers: int, heads: int, inner: int) -> Encoder:
    """Return an encoder of random weights; only its size matters here."""
    return Encoder(
        Architecture(width, layers, heads, inner, 30522, 512, 2, 1e-12, 0.1, 0.1, 0, 0), "cls"
    )


def measure(shape: tuple[int, int, int, int], folder: Path, repeats: int) -> str:
    """Save one encoder's checkpoint some times; return the cells of its row."""
    model = encoder(*shape)
    adam, best = AdamW(model, 0.01), {n: v.detach().clone() for n, v in model.state_dict().items()}
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    adam.step(1e-5)
    keeper, seconds = Checkpoints(folder, "benchmark"), []
    for step in range(repeats):
        started = time.monotonic()
        keeper.save(TrainingState(model, adam, Progress(step=step), best))
        seconds.append(time.monotonic() - started)
    state = next(folder.glob("*/step-*/state.safetensors"))
    started = time.monotonic()
    file_digest(state)
    hashing, size = time.monotonic() - started, state.stat().st_size
    shutil.rmtree(folder)
    middle = statistics.median(seconds)
    return (
        f"{size / 1e6:,.0f} MB | {middle:.2f} s ({min(seconds):.2f} to {max(seconds):.2f}) | "
        f"{middle / INTERVAL:.2%} | {size / 1e6 / hashing:,.0f} MB/s"
    )


def main() -> None:
    parser = command_line(__doc__)
    new = "scratch folder; it must not exist"
    parser.add_argument("--folder", type=Path, required=True, help=new)
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    if args.folder.exists():
        parser.error(f"{args.folder} exists")
    print(
        "| encoder | checkpoint | time, median (range) | share at 10 minutes | sha256 |\n|---|---:|---:|---:|---:|"
    )
    for name, shape in SHAPES.items():
        print(f"| {name} | {measure(shape, args.folder, args.repeats)} |", flush=True)


if __name__ == "__main__":
    main()
