"""One training from files to files: base and corpus in, model folder, dev curve and record out."""

import csv
import io
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch

from semblance.data.corpus import read_rows, read_tokens
from semblance.errors import InputError
from semblance.files import write_text
from semblance.locks import Lease, exclusive
from semblance.models import folder as model_folder
from semblance.models.encoder import Compute, Encoder, device_name, set_up
from semblance.models.vectors import collapsed
from semblance.provenance import canonical, checked, environment, text_digest, write_record
from semblance.training.embeddings import read_embeddings
from semblance.training.keeping import finished
from semblance.training.keeping.checkpoint import Checkpoints
from semblance.training.keeping.events import Events
from semblance.training.loop import Progress, TrainingFailed, fit, summary
from semblance.training.recipe import (
    BatchLoss,
    TrainSettings,
    head_use,
    schedule,
    training_rows,
)

Dev = Callable[[Encoder], float]


@dataclass(frozen=True)
class Cadence:
    """When to save step checkpoints and when to stop, resumable; it changes no result, so it is no setting.

    ``stop_at``: seconds since the epoch at which the process must have ended; None: no limit.
    """

    minutes: float = 10.0
    steps: int = 0
    stop_at: float | None = None


def prepare_torch(settings: TrainSettings) -> str:
    """Set threads, determinism, matmul precision and seed; return the device."""
    device = set_up(settings.threads, settings.gpus, settings.matmul)
    torch.manual_seed(settings.seed)
    return device


def load_augmented(
    records: Sequence[str],
) -> tuple[list[np.ndarray], dict[str, str], dict[str, str]]:
    """Memory-map each entropy model's embeddings, (N, d) float16.

    Returns them, their digests, and the precision and matmul precision that they were made in.
    """
    arrays, inputs, made = [], {}, {"precision": set(), "matmul": set()}
    for path in records:
        record = checked(path)
        arrays.append(read_embeddings(Path(path).parent / "embeddings.npy"))
        inputs[str(path)] = record["outputs"]["embeddings.npy"]
        settings = asdict(Compute()) | record.get(
            "settings", {}
        )  # before it was declared, it was the default
        for name, values in made.items():
            values.add(settings[name])
    return (
        arrays,
        inputs,
        {name: " and ".join(sorted(values)) for name, values in made.items() if values},
    )


def train(
    base: str,
    corpus: str,
    tokens: str,
    output: str,
    settings: TrainSettings,
    *,
    stage: str,
    code: str,
    dev: Dev | None,
    dev_inputs: dict[str, str],
    augmented: Sequence[str] = (),
    cadence: Cadence = Cadence(),
) -> None:
    """Train one model and write ``output``: ``model/``, ``dev.csv``, ``record.json`` (last).

    ``base``, ``corpus``, ``tokens`` and each of ``augmented`` are the records of earlier stages;
    what they vouch for is checked before use. A training that was finished before, whatever became
    of its outputs since, is not done again. Raises Busy where another process trains into ``output``,
    OutOfTime where ``cadence.stop_at`` comes too soon; the next call goes on from there.
    """
    with exclusive(output) as lease:
        _train(
            base,
            corpus,
            tokens,
            output,
            settings,
            stage,
            code,
            dev,
            dev_inputs,
            augmented,
            cadence,
            lease,
        )


def _train(
    base: str,
    corpus: str,
    tokens: str,
    output: str,
    settings: TrainSettings,
    stage: str,
    code: str,
    dev: Dev | None,
    dev_inputs: dict[str, str],
    augmented: Sequence[str],
    cadence: Cadence,
    lease: Lease,
) -> None:
    started, device = time.monotonic(), prepare_torch(settings)
    records = {"base": checked(base), "corpus": checked(corpus), "tokens": checked(tokens)}
    same_tokenizer(records["base"], base, records["tokens"], tokens)
    frozen, inputs, regulated = load_augmented(augmented)
    inputs |= {n: text_digest(canonical(r["outputs"])) for n, r in records.items()} | dev_inputs
    identity = text_digest(
        canonical([asdict(settings), inputs, code, device_name(device), environment()])
    )
    out = Path(output)
    keeper = Checkpoints(
        out / "checkpoints", identity, cadence.minutes, cadence.steps, cadence.stop_at, lease
    )
    if finished.put_back(keeper.finished, out):
        print("already trained: its outputs are put back", file=sys.stderr)
        keeper.clear(but=keeper.finished)
        return
    trains_head, keeps_head = head_use(settings.head)
    encoder = model_folder.load(Path(base).parent / "model", head=trains_head).to(device)
    token_data = read_tokens(Path(tokens).parent / "tokens.arrow")
    rows = training_rows(read_rows(Path(corpus).parent), len(token_data.offsets) - 1, settings)
    step_loss, plan = (
        BatchLoss(encoder, token_data, rows, settings, frozen),
        schedule(rows, settings),
    )
    if not keeper.any():
        shutil.rmtree(out / "events", ignore_errors=True)  # another training's curves
    with Events(out / "events") as log:
        progress = fit(
            encoder,
            step_loss,
            plan,
            evaluate=(lambda: dev(encoder)) if dev else None,
            log=log,
            checkpoint=keeper,
            label=out.name,
        )
    if dev is None and collapsed(
        encoder.eval().encode(token_data.part(0, 1000), settings.max_length)
    ):
        raise TrainingFailed(
            str(out),
            "the embeddings have collapsed onto one direction",
            "lower φ or the learning rate",
        )
    if (
        checked(base)["outputs"] != records["base"]["outputs"]
    ):  # its tokenizer and config are copied now, hours later
        raise InputError(base, "changed while it was trained from", "start again")
    lease.check()
    files = model_folder.save(
        encoder,
        out / "model",
        Path(base).parent / "model",
        keeps_head,
        max(settings.max_length, model_folder.stored_length(Path(base).parent / "model")),
    )
    write_text(out / "dev.csv", _curve(progress))
    outputs = [*(f"model/{f}" for f in files), "dev.csv"]
    write_record(
        out / "record.json",
        stage,
        outputs=outputs,
        started=started - keeper.seconds_before,
        lives=keeper.lives,
        code=code,
        inputs=inputs,
        settings=asdict(settings),
        device=device_name(device),
        batch_size=step_loss.size,
        steps=plan.steps,
        training=summary(progress),
        regulated=regulated,
    )
    kept = finished.keep(out, outputs, keeper.finished)
    keeper.clear(but=keeper.finished if kept else None)


def same_tokenizer(base: dict, base_path: str, tokens: dict, tokens_path: str) -> None:
    """Refuse tokens that another tokenizer made."""
    if base["outputs"]["model/tokenizer.json"] != tokens["tokenizer"]:
        raise InputError(
            tokens_path,
            f"made by another tokenizer than that of {base_path}",
            "correct the base's tokenizer key in the config",
        )


def _curve(progress: Progress) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, ["step", "dev"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(progress.curve)
    return text.getvalue()
