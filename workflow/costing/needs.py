"""What each job needs: work, memory and disk, by formulas of its settings and its data's sizes.

Work is counted in GFLOP where a model runs: 6 P for each token trained on (forward and backward),
2 P for each token only read, P being all parameters. Elsewhere workflow/rates.yaml names the unit.
"""

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from semblance import layout
from workflow.costing.sizes import Corpus, Sizes, Texts
from workflow.planning.figures import collection, figure_runs
from workflow.planning.plan import Plan, deletes_weights
from workflow.planning.stages import STAGES, Job, inputs, training_settings

UNKNOWN_MILLION = 110.0  # parameters of a base whose size nobody states: BERT-base
INTERPRETER = 500  # MB
ROW = 2e-3  # MB of a row as Python objects
LIBRARIES = {"cpu": 700, "gpu": 4000}  # MB, where a model runs; on a GPU with the driver's share
COPIES = {"cpu": 6, "gpu": 4}  # of the parameters: weights, gradients, 2 moments, best, checkpoint
ON_GPU = 5  # of them: all but the checkpoint
CONTEXT = 600  # MB of a GPU that CUDA and its libraries take for each process
CHECKPOINTS = 3  # of a running training: two kept and one being written
IN_CHECKPOINT = 4  # copies of the parameters: weights, 2 moments, best
ACTIVATION = 8.5e-3  # MB a token and million parameters: 24 floats x layers x width
TOKENS_AT_ONCE = {"cpu": 2048, "gpu": 8192}  # when a model only reads
EMBEDDED_AT_ONCE = 32768  # sentences
GRID = 6  # values of C that a classifier tries (7 where a task has no dev part)
CURVE_SENTENCES = 256  # that a curve's measure reads each time: both of twice 64 pairs
WITHOUT_WEIGHTS = 1.0  # MB of a model whose weights are deleted after their use
SCORES = 50  # MB that an evaluation holds besides the model and the embeddings


class Need(NamedTuple):
    """Units of work, and MB of memory, of outputs, and of further files while the job runs.

    ``fits`` are millions of features of items that classifiers are fitted to, besides the work.
    ``unknown`` outputs have a size that nobody states; ``disk`` does not count them. ``gpu_memory``
    is that of a training on a GPU, in MB.
    """

    work: float
    memory: float = INTERPRETER
    disk: float = 0.1
    scratch: float = 0.0
    unknown: int = 0
    fits: float = 0.0
    gpu_memory: float = 0.0


class Needs:
    """What the jobs of one plan need; ``bf16`` is how many times as fast as fp32 it is."""

    def __init__(self, plan: Plan, sizes: Sizes, device: str, bf16: float):
        self.plan = plan
        self.sizes = sizes
        self.device = device
        self.speed = {"fp32": 1.0, "bf16": bf16}
        stated = {name: _million(plan, name) for name in plan.config.bases}
        self.million = {name: size or UNKNOWN_MILLION for name, size in stated.items()}
        self.guessed = {name for name, size in stated.items() if size is None}

    def of(self, job: Job) -> Need:
        """Return what a job needs."""
        if STAGES[job.stage].work == "train":
            need = self._training(job)
        elif job.stage in NEEDS:
            need = NEEDS[job.stage](self, job)
        else:
            need = Need(1)  # its size makes no difference
        if deletes_weights(self.plan.config, job.stage):
            return need._replace(disk=WITHOUT_WEIGHTS, scratch=need.scratch + need.disk)
        return need

    def settings(self, job: Job) -> dict[str, Any]:
        """Return the settings of a training."""
        return json.loads(training_settings(self.plan, job))

    def _training(self, job: Job) -> Need:
        settings = self.settings(job)
        corpus = self.sizes.corpora[job.corpus]
        million = self.million[job.base]
        steps, tokens = schedule(settings, corpus)
        passes = readings(settings)
        held = 1.0  # of the activations; pieces of a batch are embedded twice, masked words are not
        if settings["loss"] is not None:
            held = min(settings.get("micro_batch", math.inf) / settings["batch_size"], 1)
        again = 2 * steps * tokens * (held < 1)
        activations = ACTIVATION * million * tokens * (passes - 1 + held)
        tokens *= passes
        dev = corpus.dev.cut(settings["max_length"])
        if job.stage == "train_curve":
            dev = dev._replace(sentences=CURVE_SENTENCES)
        trained = 6 * steps * tokens + again
        read = 2 * evaluations(settings, steps) * dev.sentences * dev.tokens
        frozen = sum(other.stage == "embed" for other in inputs(self.plan, job))
        of_sentence = 4 * corpus.texts.tokens + 2 * frozen * _width(million)
        encoders = settings.get("encoders", 1)
        memory = LIBRARIES[self.device] + COPIES[self.device] * 4 * million * encoders
        memory += of_sentence * corpus.texts.sentences / 1e6
        gpu_memory = 0.0
        if self.device == "cpu":
            memory += activations
        else:
            gpu_memory = CONTEXT + ON_GPU * 4 * million * encoders + activations
        return Need(
            work=million * (trained + read) / self.speed[settings["precision"]] / 1000,
            memory=memory,
            disk=0.1 if job.stage == "train_curve" else _weights(million),
            scratch=CHECKPOINTS * IN_CHECKPOINT * 4 * million * encoders,
            gpu_memory=gpu_memory,
        )

    def _sts(self, job: Job) -> Need:
        texts = self.sizes.sts
        return self._reading(job, texts)._replace(disk=7.5e-6 * texts.sentences)

    def _faq(self, job: Job) -> Need:
        test = self.sizes.corpora[job.corpus].test
        texts = test.cut(self.plan.config.evaluate_faq.max_length)
        held = max(texts.sentences, self.sizes.sts.sentences)  # a fold asks for no less
        return self._reading(job, texts, held)

    def _embedding(self, job: Job) -> Need:
        max_length = self.plan.embedded_length(job.corpus, job.base, job.name)
        texts = self.sizes.corpora[job.corpus].texts.cut(max_length)
        held = min(EMBEDDED_AT_ONCE, texts.sentences)
        need = self._reading(job, texts, held, 4 * texts.sentences * texts.tokens / 1e6)
        return need._replace(disk=2 * texts.sentences * _width(self.million[job.base]) / 1e6)

    def _whitening(self, job: Job) -> Need:
        texts = self.sizes.corpora[job.corpus].texts
        held = 2 * min(EMBEDDED_AT_ONCE, texts.sentences)  # in float64, too
        need = self._reading(job, texts, held, 4 * texts.sentences * texts.tokens / 1e6)
        return need._replace(disk=_weights(self.million[job.base]))

    def _transfer(self, job: Job) -> Need:
        sizes = self.sizes
        folds = self.plan.config.evaluate_transfer.folds
        width = _width(self.million[job.base])
        fitted = sum(fitted_items(counts, folds) for counts in sizes.transfer_counts.values())
        # In float64, the features of all items of the largest task, and a copy with its intercept.
        features = 2 * 8 * sizes.transfer.sentences * width / 1e6
        need = self._reading(job, sizes.transfer, more=SCORES + features)
        return need._replace(fits=fitted * width / 1e6, disk=2)

    def _measurement(self, job: Job) -> Need:
        """Return what a figure needs whose models read its texts one after the other."""
        texts = self.sizes.sts
        if corpus := collection(self.plan, job.name):
            texts = self.sizes.corpora[corpus].texts
        bases = [run.base for run in figure_runs(self.plan, job.name)]
        needs = [self._reading(job._replace(base=base), texts) for base in bases]
        return Need(sum(need.work for need in needs), max(need.memory for need in needs))

    def _answerer(self, job: Job) -> Need:
        """Return what the folder of an answerer needs, whose texts are embedded once."""
        answerer = self.plan.config.answerers[job.name]
        corpus = self.sizes.corpora[layout.whole_corpus(answerer.bank)]
        texts = corpus.texts.cut(self.plan.config.evaluate_faq.max_length)
        need = self._reading(job._replace(base=answerer.base), texts)
        million = self.million[answerer.base]
        vectors = 4 * texts.sentences * _width(million) / 1e6
        return need._replace(disk=_weights(million) + vectors)

    def _corpus(self, job: Job) -> Need:
        corpus = self.sizes.corpora[job.corpus]
        text = 4.5 * corpus.texts.sentences * corpus.texts.tokens
        return _in_memory(corpus.rows, 12 * corpus.rows + text)

    def _tokens(self, job: Job) -> Need:
        sentences, tokens = self.sizes.corpora[job.corpus].texts
        return _in_memory(sentences, 4 * sentences * (1 + tokens))

    def _download(self, job: Job) -> Need:
        known = self.sizes.megabytes(job.name)
        return Need(known, disk=known, unknown=self.sizes.unknown(job.name))

    def _base(self, job: Job) -> Need:
        weights = _weights(self.million[job.base])
        return Need(weights, disk=weights)

    def _reading(
        self, job: Job, texts: Texts, held: float | None = None, more: float = SCORES
    ) -> Need:
        """Return what reading needs, with so many MB ``more``.

        ``held`` embeddings are in memory at once; without it, those of all texts.
        """
        million = self.million[job.base]
        work = 2 * million * texts.sentences * texts.tokens / 1000
        held = texts.sentences if held is None else held
        floats = _width(million) * (10 * TOKENS_AT_ONCE[self.device] + 1.5 * held)
        precision = getattr(getattr(self.plan.config, job.stage), "precision", "fp32")
        return Need(
            work=work / self.speed[precision],
            memory=LIBRARIES[self.device] + 4 * million + 4 * floats / 1e6 + more,
        )


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


def _items(items: float, size: float = 65) -> Need:
    """Return what a job needs that writes labelled texts, or pairs, of so many bytes each."""
    return _in_memory(items, size * items)


def _in_memory(rows: float, written: float = 1e5) -> Need:
    """Return what a job needs that holds all its rows in memory and writes so many bytes."""
    return Need(rows, INTERPRETER + ROW * rows, written / 1e6)


def schedule(settings: Mapping[str, Any], corpus: Corpus) -> tuple[int, float]:
    """Return the steps of a training that does not stop early, and the tokens of each."""
    rows = corpus.rows
    sequences = 2 + corpus.negatives
    if settings["views"] == "twice":
        rows = corpus.texts.sentences
        sequences = 2
    batch_size = min(settings["batch_size"], rows)
    steps = int(rows / batch_size) * settings["epochs"]
    steps = int(min(steps, settings.get("max_steps", math.inf)))
    return steps, batch_size * sequences * corpus.texts.cut(settings["max_length"]).tokens


def readings(settings: Mapping[str, Any]) -> float:
    """Return how often a training reads the texts of a batch: masked words need a pass of their own.

    Without a loss of sentences, one of the two equal texts of a row is read.
    """
    if settings["loss"] is None:
        return 0.5
    if "masked_words" in settings:
        return 2
    return 1


def evaluations(settings: Mapping[str, Any], steps: int) -> int:
    """Return how often a training reads the dev set: at the start, on the way and at the end."""
    every = settings.get("evaluate_every")
    if not every and settings.get("evaluate_share"):
        every = max(1, round(settings["evaluate_share"] * steps))
    if not every:
        return 0
    return 1 + math.ceil(steps / every)


def fitted_items(counts: Mapping[str, int], folds: int) -> float:
    """Return how many items the classifiers of a transfer task are fitted to, all fits together."""
    if "dev" in counts:
        return (GRID + 1) * counts["train"]
    share = 1 - 1 / folds
    if "train" in counts:
        return counts["train"] * (folds * (GRID + 1) * share + 1)
    return sum(counts.values()) * folds * share * (folds * GRID * share + 1)


# What the jobs of a stage need that trains nothing, in the units of rates.yaml.
NEEDS: dict[str, Callable[[Needs, Job], Need]] = {
    "download": Needs._download,
    "download_model": Needs._base,
    "prepare_nli": Needs._corpus,
    "prepare_wiki": Needs._corpus,
    "prepare_pairs": Needs._corpus,
    "prepare_sts": lambda needs, job: _items(needs.sizes.sts_tests),
    "prepare_dev": lambda needs, job: _items(needs.sizes.sts_dev),
    "prepare_transfer": lambda needs, job: _items(needs.sizes.transfer.sentences, 60),
    "prepare_faq": lambda needs, job: _in_memory(needs.sizes.banks[job.name].pairs),
    "tokenise": Needs._tokens,
    "embed": Needs._embedding,
    "fit_whitening": Needs._whitening,
    "evaluate_sts": Needs._sts,
    "evaluate_faq": Needs._faq,
    "evaluate_transfer": Needs._transfer,
    "build_answerer": Needs._answerer,
    "measure_figure": Needs._measurement,
    "collect_figure": lambda needs, job: Need(len(figure_runs(needs.plan, job.name))),
    "collect_scores": lambda needs, job: Need(len(needs.plan.evaluations)),
}
