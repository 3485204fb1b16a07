"""What each job needs: work, memory and disk, by formulas of its settings and its data's sizes.

Work is counted in GFLOP: 6 P for each token trained on (2 forward, 4 backward through the layers
that are not frozen), 2 P for each token only read, P being all parameters. Trainings and embeddings
are nearly all of the work and of the disk. Any other job, of a new stage too, gets the default.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from semblance import layout
from workflow.planning.plan import Plan, deletes_models
from workflow.planning.stages import STAGES, Job, inputs, training_settings
from workflow.run.sizes import TEXTS, Corpus, Sizes

UNKNOWN_MILLION = 110.0  # parameters of a base whose size nobody states: BERT-base
LIBRARIES = {"cpu": 700, "gpu": 4000}  # MB, where a model runs; on a GPU with the driver's share
COPIES = {"cpu": 6, "gpu": 4}  # of the parameters: weights, gradients, 2 moments, best, checkpoint
CHECKPOINTS = 3  # of a running training: two kept and one being written
IN_CHECKPOINT = 4  # copies of the parameters: weights, 2 moments, best
ACTIVATION = 8.5e-3  # MB a token and million parameters: 24 floats x layers x width
CURVE_SENTENCES = 256  # that a curve's measure reads each time: both of twice 64 pairs
WITHOUT_WEIGHTS = 1.0  # MB of a model whose weights are deleted after their use
BF16 = {"gpu": 4.0, "cpu": 2.4}  # times as fast as fp32, where the device computes in it
CPU_FACTS = Path("/proc/cpuinfo")
# What a processor's words say of its speed in bf16, measured: Intel's avx512_bf16 without AMX takes
# twice as long as fp32; one with neither takes six times as long to read and fourteen to train.
BF16_OF_CPU = (
    ({"amx_bf16"}, BF16["cpu"]),
    ({"AuthenticAMD", "avx512_bf16"}, BF16["cpu"]),
    ({"avx512_bf16"}, 0.5),
    ({"flags"}, 0.1),  # as x86 calls them
)


class Need(NamedTuple):
    """GFLOP of work, and MB of memory, of outputs, and of further files while the job runs.

    Only of trainings the memory is known: the host's, not that of a GPU.
    """

    work: float = 0.0
    memory: float = 0.0
    disk: float = 0.1
    scratch: float = 0.0


class Needs:
    """What the jobs of one plan need on a kind of device, ``gpu`` or ``cpu``."""

    def __init__(self, plan: Plan, sizes: Sizes, device: str):
        self.plan = plan
        self.sizes = sizes
        self.device = device
        sizes = {name: _million(plan, name) for name in plan.config.bases}
        self.guessed = {name for name, million in sizes.items() if million is None}
        self.million = {name: million or UNKNOWN_MILLION for name, million in sizes.items()}

    def of(self, job: Job) -> Need:
        work = STAGES[job.stage].work
        if work == "train":
            need = self._training(job)
        elif work == "read" and job.base:
            need = Need(self._reading(job), disk=self._disk(job))
        else:
            need = Need(disk=self._disk(job))
        if job.stage in layout.DELETE_WEIGHTS and deletes_models(self.plan.config):
            return need._replace(disk=WITHOUT_WEIGHTS, scratch=need.scratch + need.disk)
        return need

    def settings(self, job: Job) -> dict[str, Any]:
        return json.loads(training_settings(self.plan, job))

    def _training(self, job: Job) -> Need:
        settings = self.settings(job)
        corpus = self.sizes.corpora[job.corpus]
        million = self.million[job.base]
        steps, tokens = schedule(settings, corpus)
        passes = 1 + ("masked_words" in settings)  # masked words need a pass of their own
        held = 1.0  # of the activations; pieces of a batch are embedded twice, masked words are not
        if settings["loss"] is None:
            passes = 0.5  # one of the two equal texts of a row is read
        else:
            held = min(settings.get("micro_batch", math.inf) / settings["batch_size"], 1)
        open_share = 1 - settings.get("frozen_share", 0)
        trained = ((2 + 4 * open_share) * passes + 2 * (held < 1)) * steps * tokens
        dev = CURVE_SENTENCES if job.stage == "train_curve" else corpus.dev_sentences
        dev_tokens = min(corpus.dev_tokens, settings["max_length"])
        read = 2 * evaluations(settings, steps) * dev * dev_tokens
        weights = 4 * million * settings.get("encoders", 1)
        frozen = sum(other.stage == "embed" for other in inputs(self.plan, job))
        of_sentence = 4 * corpus.tokens + 2 * frozen * _width(million)
        memory = LIBRARIES[self.device] + COPIES[self.device] * weights
        memory += of_sentence * corpus.sentences / 1e6
        if self.device == "cpu":
            memory += ACTIVATION * million * tokens * (passes - 1 + held) * open_share
        return Need(
            work=million * (trained + read) / self._speed(settings["precision"]) / 1000,
            memory=memory,
            disk=0.1 if job.stage == "train_curve" else _weights(million),
            scratch=CHECKPOINTS * IN_CHECKPOINT * weights,
        )

    def _reading(self, job: Job) -> float:
        """Return the work of a model that reads texts; of most, about as many as the STS tests."""
        corpus = self.sizes.corpora.get(job.corpus)
        section = getattr(self.plan.config, job.stage)
        sts = self.sizes.sts_tests + self.sizes.sts_dev
        tokens = 2 * sts * TEXTS["sts"][0]
        if job.stage == "embed":
            longest = self.plan.embedded_length(job.corpus, job.base, job.name)
            tokens = corpus.sentences * min(corpus.tokens, longest)
        elif job.stage == "fit_whitening":
            tokens = corpus.sentences * corpus.tokens
        elif job.stage == "evaluate_faq":
            tokens = corpus.dev_sentences * min(corpus.dev_tokens, section.max_length)
        return 2 * self.million[job.base] * tokens / self._speed(section.precision) / 1000

    def _disk(self, job: Job) -> float:
        """Return the MB that a job writes which trains nothing."""
        if job.stage == "download":
            return self.sizes.megabytes(job.name)
        if job.stage in ("download_model", "fit_whitening"):
            return _weights(self.million[job.base])
        if copied := STAGES[job.stage].copies:
            return _weights(self.million[copied(self.plan, job)])
        if job.stage == "embed":  # in float16
            sentences = self.sizes.corpora[job.corpus].sentences
            return 2 * sentences * _width(self.million[job.base]) / 1e6
        return 0.1

    def _speed(self, precision: str) -> float:
        return BF16[self.device] if precision == "bf16" else 1.0


def bf16_here() -> float:
    """Return how many times as fast as in fp32 this processor computes in bf16; 1 if unknown."""
    facts = CPU_FACTS.read_text(encoding="utf-8") if CPU_FACTS.exists() else ""
    known = (speed for words, speed in BF16_OF_CPU if words.issubset(facts.split()))
    return next(known, 1.0)


def _million(plan: Plan, base: str) -> float | None:
    """Return the million parameters of a base, stated or by its stored weights; None if neither."""
    entry = plan.config.bases[base]
    base = getattr(entry, "base", base)  # one that is trained here is as large as its own base
    stated = plan.config.bases[base].million_parameters
    weights = Path(layout.place(plan.downloads, layout.BASE, base=base), "model/model.safetensors")
    if not stated and weights.is_file():
        return weights.stat().st_size / 4e6
    return stated


def _weights(million: float) -> float:
    """Return the MB of a stored model: four bytes a parameter, and the tokenizer."""
    return 4 * million + 1


def _width(million: float) -> float:
    """Return about how long an embedding is: 719 for 110 million parameters (BERT-base: 768)."""
    return 150 * million ** (1 / 3)


def schedule(settings: Mapping[str, Any], corpus: Corpus) -> tuple[int, float]:
    """Return the steps of a training that does not stop early, and the tokens of each."""
    rows = corpus.rows
    sequences = 2 + corpus.negatives
    if settings["views"] == "twice":
        rows = corpus.sentences
        sequences = 2
    batch_size = min(settings["batch_size"], rows)
    steps = int(rows / batch_size) * settings["epochs"]
    steps = int(min(steps, settings.get("max_steps", math.inf)))
    return steps, batch_size * sequences * min(corpus.tokens, settings["max_length"])


def evaluations(settings: Mapping[str, Any], steps: int) -> int:
    """Return how often a training reads the dev set: at the start, on the way and at the end."""
    every = settings.get("evaluate_every")
    if not every and settings.get("evaluate_share"):
        every = max(1, round(settings["evaluate_share"] * steps))
    if not every:
        return 0
    return 1 + math.ceil(steps / every)
