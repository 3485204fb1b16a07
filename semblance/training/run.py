"""One training from files to files: start model and corpus in, model, dev curve and record out."""

import csv
import functools
import importlib
import io
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn

from semblance.data.corpus import Rows, read_rows
from semblance.data.tokens import Tokens, read_tokens
from semblance.files import write_text
from semblance.models import folder as model_folder
from semblance.models.compute import device_name, set_up
from semblance.models.encoder import Encoder
from semblance.models.saved import FOLDER, SavedModel
from semblance.models.vectors import collapsed
from semblance.models.word_head import save_head
from semblance.named_modules import MASKED_WORDS
from semblance.training.batch_loss import BatchLoss
from semblance.training.changes import refuse_prompts
from semblance.training.inputs import CheckedInputs, TrainingInputs, check_inputs, check_unchanged
from semblance.training.keeping.checkpoint import Cadence
from semblance.training.keeping.finished import kept_training
from semblance.training.loop import DEV, Progress, TrainingFailed, fit, summary
from semblance.training.recipe import TrainSettings, batch_size, schedule, training_rows

CURVE = "dev.csv"
SAMPLE = 1000  # sentences that show whether the embeddings have collapsed


class Task(NamedTuple):
    """One training: the encoder that is its result, all that it changes, and the loss of a step."""

    encoder: Encoder
    trained: nn.Module
    step_loss: Callable[[int], Tensor] | None
    rows: Rows
    tokens: Tokens
    head: nn.Module | None = None  # of the masked words


def train(
    inputs: TrainingInputs,
    output: str | Path,
    settings: TrainSettings,
    *,
    stage: str,
    code: str,
    cadence: Cadence,
) -> None:
    """Train one model and write ``output``: ``model/``, ``dev.csv``, ``record.json`` (last).

    A training that was finished before is not done again: its outputs are put back. Raises Busy
    where another process trains into ``output``, and OutOfTime where ``cadence.stop_at`` comes too
    soon; the next call goes on from there.
    """
    with kept_training(output, cadence) as kept:
        device = set_up(settings.threads, settings.gpus, settings.matmul)
        sources = check_inputs(inputs)
        origin = {  # all that decides the result, besides the environment
            "settings": asdict(settings),
            "inputs": sources.digests,
            "code": code,
            "device": device_name(device),
        }
        if kept.already_finished(origin, sources.records):
            return

        task = _task(sources, settings, device)
        plan = schedule(task.rows, settings)
        evaluate = inputs.dev and functools.partial(inputs.dev, task.encoder)
        with kept.log(plan.steps) as log:
            progress = fit(task.trained, task.step_loss, plan, evaluate, log, kept.checkpoints)
        # A dev score finds a collapse by itself; an entropy model has none.
        if evaluate is None:
            _check_not_collapsed(task, settings, output)

        check_unchanged(sources.start)
        kept.check_writer()
        outputs = [CURVE]
        if inputs.keeps_model:
            outputs += _save(task, sources.start, settings, kept.output)
        write_text(kept.output / CURVE, _curve(progress))
        facts = {
            "batch_size": batch_size(task.rows, settings),
            "steps": plan.steps,
            "training": summary(progress),
            "regulator_precision": sources.regulators.precision,
            "unmoved_regulators": sources.regulators.unmoved,
        }
        kept.finish(stage, outputs, facts)


def _task(sources: CheckedInputs, settings: TrainSettings, device: str) -> Task:
    start = sources.start
    torch.manual_seed(settings.seed)  # of fresh heads first, then of dropout
    if start.prompts:
        refuse_prompts(settings.views, settings.masked_words is not None)
    encoders = []
    for _ in range(settings.encoders):  # each has weights of its own, and a fresh head is drawn
        loaded = model_folder.load(start.folder, settings.head).to(device)
        loaded.precision = settings.precision  # of the dev texts, too
        _freeze(loaded, settings.frozen_share)
        encoders.append(loaded)
    encoder = encoders[0]  # of two, the first is the result
    tokens = read_tokens(sources.tokens)
    rows = training_rows(read_rows(sources.corpus), len(tokens.offsets) - 1, settings)
    step_loss = None
    if settings.loss is not None:
        regulators = sources.regulators.embeddings
        step_loss = BatchLoss(encoders, tokens, rows, settings, regulators, start.tokenizer)
    task = Task(encoder, _as_one(encoders), step_loss, rows, tokens)
    if settings.masked_words is None:
        return task
    module = importlib.import_module(MASKED_WORDS)
    masked = module.masked_word_loss(start, encoder, tokens, rows, settings)
    return task._replace(
        trained=_as_one([*encoders, masked.head]),
        step_loss=module.with_masked_words(step_loss, masked, settings.masked_words.weight),
        head=masked.head,
    )


def _freeze(encoder: Encoder, share: float) -> None:
    """Keep the weights of a share of the layers, the lowest, and of the embeddings below them."""
    if not share:
        return
    count = min(int(share * len(encoder.layers)), len(encoder.layers) - 1)
    embeddings = (encoder.words, encoder.positions, encoder.types, encoder.norm)
    for part in (*embeddings, *encoder.layers[:count]):
        part.requires_grad_(False)


def _as_one(modules: Sequence[nn.Module]) -> nn.Module:
    return modules[0] if len(modules) == 1 else nn.ModuleList(modules)


def _check_not_collapsed(task: Task, settings: TrainSettings, output: str | Path) -> None:
    """Raise TrainingFailed if the embeddings have collapsed, which no dev score would show."""
    vectors = task.encoder.eval().encode(task.tokens.part(0, SAMPLE), settings.max_length)
    if collapsed(vectors):
        problem = "the embeddings have collapsed onto one direction"
        raise TrainingFailed(output, problem, "lower φ or the learning rate")


def _save(task: Task, start: SavedModel, settings: TrainSettings, output: Path) -> list[str]:
    """Write the model's folder; return the names of its files."""
    folder = output / FOLDER
    # A model trained on short texts reads long ones as its base does (E9).
    max_length = max(settings.max_length, start.max_length)
    files = model_folder.save(task.encoder, folder, start.folder, max_length)
    if settings.loss is None:  # what masked words alone have trained is a base, with their head
        files += save_head(task.head.state_dict(), folder)
    return [f"{FOLDER}/{name}" for name in files]


def _curve(progress: Progress) -> str:
    measures = {name for entry in progress.curve for name in entry} - {"step"}
    names = ["step", *(sorted(measures) or [DEV])]  # a checkpoint keeps no order of names
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(progress.curve)
    return text.getvalue()
