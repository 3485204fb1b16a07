"""What each job needs: work, memory and disk, by formulas of the settings and the data's sizes.

Work is counted in GFLOP where a model runs: 6 P for each token trained on (forward and backward),
2 P for each token only read, P being all parameters. Elsewhere workflow/rates.yaml names the unit.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from semblance import layout
from workflow.costing.sizes import Sizes, Texts
from workflow.planning.methods import entropy_parts
from workflow.planning.stages import STAGES, Job

UNKNOWN_MILLION = 110.0  # parameters of a base whose size nobody states: BERT-base
INTERPRETER = 500  # MB
ROW = 2e-3  # MB of a row as Python objects
LIBRARIES = {"cpu": 700, "gpu": 4000}  # MB, where a model runs; on a GPU with the driver's share
COPIES = {"cpu": 6, "gpu": 4}  # of the parameters: weights, gradients, 2 moments, best, checkpoint
CHECKPOINTS = 3  # of a running training: two kept and one being written
IN_CHECKPOINT = 4  # copies of the parameters: weights, 2 moments, best
ACTIVATION = 8.5e-3  # MB a token and million parameters: 24 floats x layers x width
TOKENS_AT_ONCE = {"cpu": 2048, "gpu": 8192}  # when a model only reads
EMBEDDED_AT_ONCE = 32768  # sentences
SCORES = 50  # MB that an evaluation holds besides the model and the embeddings


class Need(NamedTuple):
    """Units of work, and MB of memory, of outputs, and of further files while the job runs."""

    work: float
    memory: float = INTERPRETER
    disk: float = 0.1
    scratch: float = 0.0


class Needs:
    """What the jobs of one config need; ``bf16`` is how many times as fast as fp32 it is."""

    def __init__(self, sizes: Sizes, device: str, bf16: float):
        self.sizes = sizes
        self.plan = sizes.plan
        self.config = sizes.config
        self.device = device
        self.bf16 = bf16

    def of(self, job: Job) -> Need:
        """Return what a job needs; the memory of a GPU is not counted."""
        work = STAGES[job.stage].work
        if work == "train":
            return self._training(job)
        if work == "read":
            return self._embedding(job) if job.stage == "embed" else self._evaluation(job)
        if work == "prepare":
            return self._preparation(job)
        if work == "download":
            size = self._weights(job) if job.base else self.sizes.megabytes(job.name)
            return Need(size, disk=size)
        return Need(len(self.plan.runs) if job.stage == "collect_scores" else 1)

    def settings(self, job: Job) -> dict[str, Any]:
        """Return the settings of a training."""
        place = (job.corpus, job.base)
        if job.stage == "train_entropy":
            kind, phi = entropy_parts(self.config, job.name)
            return json.loads(self.plan.entropy_settings(*place, kind, phi, job.seed))
        if job.stage == "train_initial":
            return json.loads(self.plan.initial_settings(*place, job.seed))
        return json.loads(self.plan.train_settings(*place, job.name, job.seed))

    def schedule(self, corpus: str, settings: Mapping[str, Any]) -> tuple[int, float]:
        """Return the steps of a training that does not stop early, and the tokens of each."""
        twice = settings["views"] == "twice"
        texts = self.sizes.texts(corpus).cut(settings["max_length"])
        rows = texts.sentences if twice else self.sizes.rows(corpus)
        batch_size = min(settings["batch_size"], rows)
        steps = int(rows / batch_size) * settings["epochs"]
        sequences = 3 if self.sizes.kind(corpus) == "nli" and not twice else 2  # of a row
        tokens = batch_size * sequences * texts.tokens
        return int(min(steps, settings.get("max_steps", math.inf))), tokens

    def million(self, base: str) -> float:
        """Return the million parameters of a base: stated, or by the size of its stored weights."""
        weights = Path(layout.place(self.plan.downloads, layout.BASE, base=base))
        weights = weights / "model" / "model.safetensors"
        stored = weights.stat().st_size / 4e6 if weights.is_file() else UNKNOWN_MILLION
        return self.config["bases"][base].get("million_parameters", stored)

    def _training(self, job: Job) -> Need:
        settings = self.settings(job)
        million = self.million(job.base)
        steps, tokens = self.schedule(job.corpus, settings)
        dev = self.sizes.dev(job.corpus).cut(settings["max_length"])
        trained = 6 * steps * tokens / self._speedup(settings)
        read = 2 * evaluations(settings, steps) * dev.sentences * dev.tokens  # always in fp32
        memory = LIBRARIES[self.device] + COPIES[self.device] * 4 * million + self._mapped(job)
        if self.device == "cpu":
            memory += ACTIVATION * million * tokens
        return Need(
            work=million * (trained + read) / 1000,
            memory=memory,
            disk=self._weights(job),
            scratch=CHECKPOINTS * IN_CHECKPOINT * 4 * million,
        )

    def _mapped(self, job: Job) -> float:
        """Return the MB of the tokens and of the frozen embeddings that a training maps."""
        frozen = []
        if job.stage == "train":
            frozen = self.plan.regulator_records(job.corpus, job.base, job.name, job.seed)
        texts = self.sizes.texts(job.corpus)
        embeddings = 2 * len(frozen) * self._width(job)
        return texts.sentences * (4 * texts.tokens + embeddings) / 1e6

    def _embedding(self, job: Job) -> Need:
        kind, _ = entropy_parts(self.config, job.name)
        max_length = self.plan.max_length(job.corpus, job.base, kind)
        texts = self.sizes.texts(job.corpus).cut(max_length)
        tokens = 4 * texts.sentences * texts.tokens / 1e6
        return Need(
            work=self._reading_work(job, texts),
            memory=self._reading_memory(job, min(EMBEDDED_AT_ONCE, texts.sentences)) + tokens,
            disk=2 * texts.sentences * self._width(job) / 1e6,
        )

    def _evaluation(self, job: Job) -> Need:
        texts = self.sizes.test(job.corpus).cut(self.config[job.stage].get("max_length", math.inf))
        sts = self.sizes.test(layout.NO_CORPUS).sentences
        return Need(
            work=self._reading_work(job, texts),
            memory=self._reading_memory(job, max(texts.sentences, sts)) + SCORES,
            disk=7.5e-6 * sts if job.stage == "evaluate_sts" else 0.1,
        )

    def _reading_work(self, job: Job, texts: Texts) -> float:
        work = 2 * self.million(job.base) * texts.sentences * texts.tokens / 1000
        return work / self._speedup(self.config[job.stage])

    def _reading_memory(self, job: Job, embeddings: float) -> float:
        floats = self._width(job) * (10 * TOKENS_AT_ONCE[self.device] + 1.5 * embeddings)
        return LIBRARIES[self.device] + 4 * self.million(job.base) + 4 * floats / 1e6

    def _preparation(self, job: Job) -> Need:
        """Return what a job needs that holds all its rows in memory."""
        disk = 0.1
        if job.stage == "tokenise":
            rows, tokens = self.sizes.texts(job.corpus)
            disk = 4 * rows * (1 + tokens) / 1e6
        elif job.stage in ("prepare_nli", "prepare_wiki"):
            rows = self.sizes.rows(job.corpus)
            sentences, tokens = self.sizes.texts(job.corpus)
            disk = (12 * rows + 4.5 * sentences * tokens) / 1e6
        elif job.stage == "prepare_faq":
            rows, _ = self.sizes.bank(job.name)
        else:
            rows = self.sizes.sts_dev() if job.stage == "prepare_dev" else self.sizes.sts_tests()
            disk = 65e-6 * rows
        return Need(rows, INTERPRETER + ROW * rows, disk)

    def _weights(self, job: Job) -> float:
        """Return the MB of a stored model: four bytes a parameter, and the tokenizer."""
        return 4 * self.million(job.base) + 1

    def _width(self, job: Job) -> float:
        """Return about how long an embedding is: 719 for 110 million parameters (BERT-base: 768)."""
        return 150 * self.million(job.base) ** (1 / 3)

    def _speedup(self, settings: Mapping[str, Any]) -> float:
        return self.bf16 if settings["precision"] == "bf16" else 1.0


def evaluations(settings: Mapping[str, Any], steps: int) -> int:
    """Return how often a training reads the dev set: at the start, on the way and at the end."""
    every = settings.get("evaluate_every")
    if not every and settings.get("evaluate_share"):
        every = max(1, round(settings["evaluate_share"] * steps))
    return 1 + math.ceil(steps / every) if every else 0
