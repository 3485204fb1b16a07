"""What each job needs: work, seconds, memory, disk; and what its rule asks of a scheduler for it.

Pure functions of the validated config, the manifest's counts and the rates. Work is counted in GFLOP
where a model runs: 6 P for each token trained on (forward and backward), 2 P for each token only read,
P being all parameters. Elsewhere it is rows, sentences or files; workflow/rates.yaml says which.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from semblance.download.manifest import Dataset
from workflow.costing.rates import Learned, Rate, Shipped, Text, rate
from workflow.planning.methods import entropy_parts
from workflow.planning.plan import Plan
from workflow.planning.stages import STAGES, Job, stages

TRAININGS = stages("train")
MODEL_STAGES = tuple(name for name, stage in STAGES.items() if stage.uses_model)
MILLION = 110.0  # parameters of a base of which nothing is known: BERT-base
TRIPLES_OF_PAIRS = 0.29  # SimCSE made 275,601 triples of the 942,854 pairs of SNLI and MultiNLI
UNKNOWN_PAIRS = 1000  # of a FAQ bank that nobody has counted yet
UNKNOWN_ROWS = 1000000  # of a corpus whose data sets state no counts
UNKNOWN_STS = (20350, 1500)  # pairs of the papers' seven tests with STS-B dev, and of STS-B dev

NESTED = 250  # MB: the two Snakemakes around a scheduled job (226 measured)
LIBRARIES = {"cpu": 700, "gpu": 4000}  # MB: interpreter and libraries; the driver's share on a GPU
COPIES = {"cpu": 6, "gpu": 4}  # of the parameters: weights, gradients, 2 moments, best, checkpoint
CHECKPOINTS, IN_CHECKPOINT = 3, 4  # two kept and one being written; weights, 2 moments, best
ACTIVATION = 8.5e-3  # MB a token and million parameters: 24 floats x layers x width, which is about 85 a million
ENCODED_TOKENS = {"cpu": 2048, "gpu": 8192}  # at a time, when a model only reads
EMBEDDED = 32768  # sentences whose embeddings are written at a time

SAFETY, MARGIN, LEAST_RUNTIME, MAX_RUNTIME = 2, 10, 30, 2880  # times the prediction, then minutes
LEAST_MEMORY, MEMORY_SAFETY = 2000, 1.5


class Need(NamedTuple):
    """What one job is predicted to need: units of work, seconds, MB of memory, MB kept, MB more while it runs."""

    work: float
    seconds: float
    memory: float
    disk: float
    scratch: float
    rate: Rate


def width(million: float) -> float:
    """Return about how long an embedding is: 719 for 110 million parameters (BERT-base: 768), 389 for 17.4 (384)."""
    return 150 * million ** (1 / 3)


def training_work(
    million: float,
    settings: Mapping[str, Any],
    steps: int,
    views: int,
    tokens: float,
    dev: tuple[float, float],
    faster: float = 1.0,
) -> float:
    """Return a training's GFLOP; ``dev`` is (sentences, tokens of a sentence) of one dev evaluation.

    Steps are ``faster`` than in fp32 by the factor of their precision; the dev set is always read in fp32.
    """
    trained = steps * settings["batch_size"] * views * tokens
    read = evaluations(settings, steps) * dev[0] * dev[1]
    return million * (6 * trained / faster + 2 * read) / 1000


def evaluations(settings: Mapping[str, Any], steps: int) -> int:
    """Return how often a training looks at the dev set: at the start, every so many steps, and at the end."""
    share = settings.get("evaluate_share")
    every = settings.get("evaluate_every") or (max(1, round(share * steps)) if share else 0)
    return 1 + math.ceil(steps / every) if every else 0


class Cost:
    """The questions that rules, ``make plan`` and ``make cost`` ask of one validated config."""

    def __init__(
        self,
        config: dict,
        manifest: Mapping[str, Dataset],
        given: Shipped,
        found: Learned = Learned(),
    ):
        self.config, self.manifest, self.given, self.found = config, manifest, given, found
        self.plan = Plan(config)
        self.device = "gpu" if config["training"].get("gpus", 0) else "cpu"
        self.million = {name: self._million(name, base) for name, base in config["bases"].items()}
        self._needs: dict[Job, Need] = {}

    def need(self, job: Job) -> Need:
        """Return what a job needs; its seed makes no difference."""
        job = job._replace(seed=0)
        if job not in self._needs:
            self._needs[job] = self._need(job)
        return self._needs[job]

    def asks(self, job: Job, attempt: int = 1) -> dict[str, int]:
        """Return the resources that a rule asks for: runtime in minutes, mem_mb, cpus_per_task.

        Each new attempt asks for as much more; the runtime never passes ``cluster.max_runtime``.
        """
        need, limit = self.need(job), self.config.get("cluster", {}).get("max_runtime", MAX_RUNTIME)
        minutes = max(LEAST_RUNTIME, 10 * math.ceil((SAFETY * need.seconds / 60 + MARGIN) / 10))
        memory = max(LEAST_MEMORY, 500 * math.ceil((MEMORY_SAFETY * need.memory + NESTED) / 500))
        spare = job.stage in MODEL_STAGES and self.device == "gpu"  # one core feeds the GPU
        return {
            "runtime": min(limit, minutes * attempt),
            "mem_mb": memory * attempt,
            "cpus_per_task": self.threads(job.stage) + spare,
        }

    def threads(self, stage: str) -> int:
        """Return the threads that a stage computes with."""
        section = "training" if stage in TRAININGS else stage
        return self.config.get(section, {}).get("threads", 1) if stage in MODEL_STAGES else 1

    def device_of(self, stage: str) -> str:
        """Return the class of device that a stage runs on."""
        return self.device if stage in MODEL_STAGES else "cpu"

    def start(self, stage: str) -> float:
        """Return the seconds that a job takes before and around its work."""
        return self.given.start[self.device if stage in MODEL_STAGES else "light"]

    def rate_of(self, job: Job) -> Rate:
        """Return the rate of a job in fp32 with the config's threads: a measured one, if any."""
        device = self.device_of(job.stage)
        found = rate(self.given, self.found, device, job.stage, job.base)
        return found if found.n or device == "gpu" else Rate(found.rate * self.threads(job.stage))

    # --- how much there is to do --------------------------------------------------------------

    def rows(self, corpus: str) -> int:
        """Return the rows of a training corpus, from the manifest; of a fold, those neither for dev nor for test."""
        if self.plan.is_faq(corpus):
            pairs = self.bank(self.plan.folds_of[corpus][0])[0]
            return max(2, pairs * (self.plan.folds - 2) // self.plan.folds)
        entry, total = self.config["corpora"][corpus], 0
        for name in entry["datasets"]:
            counts = self._expected(name)
            pairs = round(TRIPLES_OF_PAIRS * counts.get("train", 0))
            total += counts.get("triples", counts.get("sentences", pairs))
        return max(2, min(total or UNKNOWN_ROWS, entry.get("limit", math.inf)))

    def bank(self, name: str) -> tuple[int, int]:
        """Return the question-answer pairs and the users' queries of a FAQ bank."""
        counts = self._expected(self.plan.banks[name].get("dataset", "")) or self.found.banks.get(
            name, {}
        )
        return counts.get("pairs", counts.get("answers", UNKNOWN_PAIRS)), counts.get("queries", 0)

    def sts(self) -> tuple[int, int]:
        """Return the scored pairs of all STS tests with STS-B dev, and of STS-B dev alone."""
        counts = {name: self._expected(name) for name in self.config["sts"]["datasets"]}
        dev = sum(c.get("dev", 0) for name, c in counts.items() if name.startswith("stsb"))
        pairs = dev + sum(c.get("pairs", c.get("test", 0)) for c in counts.values())
        return (pairs, dev) if pairs else UNKNOWN_STS

    def text(self, corpus: str) -> Text:
        """Return how long a corpus's sentences are: counted, if it is tokenised, else as its kind's."""
        kind = "faq" if self.plan.is_faq(corpus) else self.config["corpora"][corpus]["kind"]
        return self.found.texts.get(corpus, self.given.texts[kind])

    def sentences(self, corpus: str) -> float:
        """Return the distinct sentences of a corpus."""
        return self.rows(corpus) * self.text(corpus).sentences

    def dev(self, corpus: str, max_length: int) -> tuple[float, float]:
        """Return (sentences, tokens of a sentence) that one evaluation on the dev set reads."""
        if not self.plan.is_faq(corpus):
            return 2 * self.sts()[1], self.given.texts["sts"].tokens
        pairs = self.bank(self.plan.folds_of[corpus][0])[0]
        return pairs + pairs / self.plan.folds, min(self.text(corpus).tokens, max_length)

    def steps(self, settings: Mapping[str, Any], corpus: str) -> int:
        """Return the steps of a training, early stopping left aside."""
        rows = self.sentences(corpus) if settings.get("views") == "twice" else self.rows(corpus)
        epoch = max(1, int(rows / min(settings["batch_size"], rows)))
        return int(min(epoch * settings["epochs"], settings.get("max_steps") or math.inf))

    def settings(self, job: Job) -> dict[str, Any]:
        """Return the settings of a training."""
        place = (job.corpus, job.base)
        if job.stage == "train_entropy":
            return json.loads(
                self.plan.entropy_settings(*place, *entropy_parts(self.config, job.name), job.seed)
            )
        if job.stage == "train_initial":
            return json.loads(self.plan.initial_settings(*place, job.seed))
        return json.loads(self.plan.train_settings(*place, job.name, job.seed))

    def training(self, job: Job, settings: Mapping[str, Any], steps: int) -> float:
        """Return the GFLOP of so many steps, as many fp32 GFLOP as take the same time."""
        tokens = min(self.text(job.corpus).tokens, settings["max_length"])
        return training_work(
            self.million[job.base],
            settings,
            steps,
            self._views(job.corpus, settings),
            tokens,
            self.dev(job.corpus, settings["max_length"]),
            self._faster(settings),
        )

    def embedding(
        self, job: Job, settings: Mapping[str, Any], sentences: float, max_length: int
    ) -> float:
        """Return the GFLOP of reading so many sentences of a corpus once, as many fp32 GFLOP as take the same time."""
        work = (
            2
            * self.million[job.base]
            * sentences
            * min(self.text(job.corpus).tokens, max_length)
            / 1000
        )
        return work / self._faster(settings)

    def _faster(self, settings: Mapping[str, Any]) -> float:
        """Return how many times as fast as fp32 the settings' precision is."""
        return self.given.bf16[self.device] if settings.get("precision") == "bf16" else 1.0

    def work(self, job: Job) -> float:
        """Return a job's units of work."""
        stage, config = job.stage, self.config
        if stage in TRAININGS:
            settings = self.settings(job)
            return self.training(job, settings, self.steps(settings, job.corpus))
        if stage == "embed":
            return self.embedding(
                job, config[stage], self.sentences(job.corpus), self._embed_length(job)
            )
        if stage == "evaluate_sts":
            work = (
                4 * self.million[job.base] * self.sts()[0] * self.given.texts["sts"].tokens / 1000
            )
            return work / self._faster(config[stage])
        if stage == "evaluate_faq":
            pairs, queries = self.bank(self.plan.folds_of[job.corpus][0])
            texts = pairs + (pairs + queries) / self.plan.folds
            return self.embedding(job, config[stage], texts, config[stage]["max_length"])
        if stage == "tokenise":
            return self.sentences(job.corpus)
        if stage in ("prepare_nli", "prepare_wiki"):
            return self.rows(job.corpus)
        if stage == "prepare_faq":
            return self.bank(job.name)[0]
        if stage.startswith("download"):
            return self._disk(job)
        pairs, dev = self.sts()
        return {
            "prepare_sts": pairs - dev,
            "prepare_dev": dev,
            "collect_scores": len(self.plan.runs),
        }.get(stage, 1)

    # --- what it takes ------------------------------------------------------------------------

    def _need(self, job: Job) -> Need:
        work, speed = self.work(job), self.rate_of(job)
        scratch = (
            CHECKPOINTS * IN_CHECKPOINT * 4 * self.million[job.base]
            if job.stage in TRAININGS
            else 0.0
        )
        return Need(
            work,
            self.start(job.stage) + work / speed.rate,
            self._memory(job),
            self._disk(job),
            scratch,
            speed,
        )

    def _memory(self, job: Job) -> float:
        """Return the MB of the job's own process at its peak; a GPU's memory is not counted."""
        device, million = self.device_of(job.stage), self.million.get(job.base, 0.0)
        if job.stage not in MODEL_STAGES:
            rows = self.work(job) if job.stage.startswith(("prepare", "tokenise")) else 0
            return 500 + rows * 2e-3  # about 2 kB a row as Python objects
        memory = LIBRARIES[device] + self._data(job)
        if job.stage not in TRAININGS:
            kept = (
                min(EMBEDDED, self.sentences(job.corpus))
                if job.stage == "embed"
                else 2 * self.sts()[0]
            )
            return (
                memory
                + 4 * million
                + 4e-6 * width(million) * (10 * ENCODED_TOKENS[device] + 1.5 * kept)
            )
        memory += COPIES[device] * 4 * million
        settings = self.settings(job)
        tokens = min(self.text(job.corpus).tokens, settings["max_length"])
        batch = min(settings["batch_size"], self.rows(job.corpus)) * self._views(
            job.corpus, settings
        )
        return memory + (ACTIVATION * million * batch * tokens if device == "cpu" else 0)

    def _data(self, job: Job) -> float:
        """Return the MB of what a job maps into memory: tokens, and the embeddings that regulate."""
        if job.stage.startswith("evaluate"):
            return 50.0
        regulators = (
            self.config["methods"][job.name].get("regulators", []) if job.stage == "train" else []
        )
        sentences, text = self.sentences(job.corpus), self.text(job.corpus)
        return (
            sentences
            * (4 * text.tokens + 2 * len(regulators) * width(self.million[job.base]))
            / 1e6
        )

    def _disk(self, job: Job) -> float:
        """Return the MB that a job's outputs take when it is done."""
        stage, million = job.stage, self.million.get(job.base, 0.0)
        if stage in (*TRAININGS, "download_model"):
            return 4 * million + 1  # the weights; the tokenizer
        if stage == "download":
            dataset = self.manifest.get(job.name)
            return (
                sum(f.size or 0 for f in (*dataset.files, *dataset.archives)) / 1e6
                if dataset
                else 0.0
            )
        if stage == "embed":
            return 2 * self.sentences(job.corpus) * width(million) / 1e6
        if stage == "tokenise":
            return 4 * self.sentences(job.corpus) * (1 + self.text(job.corpus).tokens) / 1e6
        if stage in ("prepare_nli", "prepare_wiki"):
            return (
                12 * self.rows(job.corpus)
                + 4.5 * self.sentences(job.corpus) * self.text(job.corpus).tokens
            ) / 1e6
        return {"evaluate_sts": 15e-6, "prepare_sts": 65e-6}.get(stage, 0.0) * self.sts()[
            0
        ] or 0.1  # counted, a pair

    def _views(self, corpus: str, settings: Mapping[str, Any]) -> int:
        """Return how many sequences a row of a batch is: only triples have negatives."""
        triples = not self.plan.is_faq(corpus) and self.config["corpora"][corpus]["kind"] == "nli"
        return (
            3
            if triples and settings.get("views") != "twice" and settings.get("hard_negatives", True)
            else 2
        )

    def _embed_length(self, job: Job) -> int:
        return self.plan.max_length(job.corpus, job.base, entropy_parts(self.config, job.name)[0])

    def _expected(self, dataset: str) -> Mapping[str, int]:
        return self.manifest[dataset].expected if dataset in self.manifest else {}

    def _million(self, name: str, base: Mapping[str, Any]) -> float:
        weights = Path(self.plan.downloads, "models", name, "model", "model.safetensors")
        stored = (
            weights.stat().st_size / 4e6 if weights.is_file() else MILLION
        )  # 4 bytes a parameter
        return float(base.get("million_parameters", stored))
