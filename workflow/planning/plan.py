"""Which runs exist, where their files lie, and which slice of the config each one gets.

Pure functions of the validated config: the rules ask, and nothing here touches a file.
"""

import gc
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from itertools import chain
from typing import Any, NamedTuple

from semblance import layout
from semblance.names import INITIAL
from semblance.provenance import canonical
from semblance.reporting.layouts import Tests, find_layout
from workflow.config import methods
from workflow.config.methods import (
    Training,
    entropy_model,
    entropy_settings,
    evaluation_settings,
    faq_protocols,
    is_untrained,
    pretraining_settings,
    settings_of,
    split_regulator,
)
from workflow.config.model import Config
from workflow.config.outputs import FigureOfModels, Table
from workflow.config.trainings import Entropy
from workflow.planning import tables

# Of a base: its files are the same.
NOT_OF_FILES = ("label", "tokenizer", "million_parameters", "licence", "seen")


class Run(NamedTuple):
    """One model to evaluate: method ``start`` is the untrained base (corpus of STS: none, seed 0)."""

    corpus: str
    base: str
    method: str
    seed: int


class Evaluation(NamedTuple):
    """A run, and the kind of tests that score it."""

    tests: Tests
    run: Run


def collect_rarely() -> None:
    """Let Python look for garbage more rarely: what a plan of thousands of jobs is made of is none.

    Its looks through all of it took a quarter of the time of `snakemake -n`.
    """
    gc.set_threshold(100_000)


def deletes_models(config: Config) -> bool:
    """Tell whether a config deletes models after their use."""
    return config.keep.models == "final"


class Plan:
    """The questions that rules ask of one validated config."""

    def __init__(self, config: Config):
        self.config = config
        self.out = config.output
        self.downloads = config.downloads
        self.banks = config.faq.banks
        self.folds = config.faq.folds
        # Of a training, but for its seed; those of all folds are the same.
        self._settings = cache(
            lambda base, method, on_faq: settings_of(
                config, self._training_of(method), base, on_faq
            )
        )

    # --- which runs exist ---------------------------------------------------------------------

    def fold_corpora(self, bank: str) -> list[str]:
        """Return the corpora of a bank: one a fold."""
        return [layout.fold_corpus(bank, fold) for fold in range(self.folds)]

    @cached_property
    def folds_of(self) -> dict[str, tuple[str, int]]:
        """Map each fold's corpus to its bank and fold."""
        return {c: (b, f) for b in self.banks for f, c in enumerate(self.fold_corpora(b))}

    @cached_property
    def wholes(self) -> dict[str, str]:
        """Map the corpus that is a whole bank to the bank."""
        return {layout.whole_corpus(bank): bank for bank in self.banks}

    def table_runs(self, table: Table | FigureOfModels) -> Iterator[Run]:
        """Yield the runs that one table names; an untrained model has one run, of seed 0."""
        for corpus, base, method in tables.rows_of(self.config, table):
            seeds = tables.seeds_of(self.config, table.seeds, method)
            places = self.fold_corpora(corpus) if corpus in self.banks else [corpus]
            for place in places:
                yield from (Run(place, base, method, seed) for seed in seeds)

    @cached_property
    def evaluations(self) -> list[Evaluation]:
        """Return every evaluation that some table needs, once."""
        of_tables = map(self.evaluations_of, self.config.tables)
        return list(dict.fromkeys(chain.from_iterable(of_tables)))

    def evaluations_of(self, name: str) -> list[Evaluation]:
        """Return every evaluation that the table of a name needs, once."""
        table = self.config.tables[name]
        tests = find_layout(table.layout).tests
        return list(dict.fromkeys(Evaluation(tests, run) for run in self.table_runs(table)))

    def seeds_by_run(self, evaluations: Iterable[Evaluation]) -> dict[str, list[int]]:
        """Return the seeds of each run's score folder: {"sts/corpus/base/method": [1, 2, ...]}."""
        seeds: dict[str, list[int]] = {}
        for tests, run in evaluations:
            seeds.setdefault(f"{tests}/{run.corpus}/{run.base}/{run.method}", []).append(run.seed)
        return seeds

    def regulators(self, run: Run) -> list[Run]:
        """Return the models that regulate a run: of its seed, or of seed 0 without a training.

        A method with ``regulator_seeds`` reads each model once for each of these numbers, of the
        run's seed and the number together.
        """
        runs: list[Run] = []
        training = methods.trained(self.config, run.method)
        if training is None:  # the initial model
            return runs
        for name in training.regulator_names:
            base, other = split_regulator(name, run.base)
            seeds = [run.seed + more for more in training.regulator_seeds or (0,)]
            if is_untrained(self.config, other):
                seeds = [0]
            runs += [Run(run.corpus, base, other, seed) for seed in seeds]
        return runs

    def pacemakers(self, run: Run) -> list[Run]:
        """Return the trainings whose steps together are those of a run: of a method ``steps_of``.

        They are the run of that method and all that is trained for it, each once.
        """
        training = methods.trained(self.config, run.method)
        if training is None or training.steps_of is None:
            return []
        own = run._replace(method=training.steps_of)
        models = [r for r in self.regulators(own) if not is_untrained(self.config, r.method)]
        runs = [own, *models]
        if self.is_faq(run.corpus) and any(entropy_model(self.config, m.method) for m in models):
            runs.append(own._replace(method=INITIAL))  # what its entropy models start from
        return list(dict.fromkeys(runs))

    def is_faq(self, corpus: str) -> bool:
        """Tell whether a corpus is a fold of a FAQ bank, or a whole one."""
        return corpus in self.folds_of or corpus in self.wholes

    def bank_of(self, corpus: str) -> str:
        """Return the bank of a corpus that is a fold of it, or the whole of it."""
        return self.wholes.get(corpus) or self.folds_of[corpus][0]

    # --- where files lie ----------------------------------------------------------------------

    def scores(self, evaluation: Evaluation, name: str = "scores.csv") -> str:
        """Return the score file of an evaluation, or another of the files beside it."""
        folder = layout.SCORES_OF[evaluation.tests]
        return layout.place(self.out, f"{folder}/{name}", **evaluation.run._asdict())

    def table_files(self, table: str, name: str) -> list[str]:
        """Return a file of each run behind a table: its scores, its predictions or its record."""
        return [self.scores(evaluation, name) for evaluation in self.evaluations_of(table)]

    def dev_data(self, corpus: str) -> str:
        """Return the record of the data that choose a run's checkpoint."""
        if self.is_faq(corpus):
            return layout.record(self.out, layout.FOLD_DEV_DATA, corpus=corpus)
        return layout.record(self.out, layout.STS_DEV_DATA)

    def phi(self, method: str) -> str:
        """Return the φ of an entropy model as scores print it; an empty text for any other method."""
        model = entropy_model(self.config, method)
        return model.printed_phi if model else ""

    def sts_run(self, **run: str) -> str:
        """Return the ``--run`` of ``evaluate_sts``: which model, and what whitens its vectors."""
        return canonical(self._evaluated(run))

    def faq_run(self, **run: str) -> str:
        """Return the ``--run`` of ``evaluate_faq``: which model, which fold, and how it ranks."""
        bank, fold = self.folds_of[run["corpus"]]
        protocols = faq_protocols(self.config, bank)
        own = {"bank": bank, "fold": fold, "protocols": protocols}
        return canonical(self._evaluated(run) | own)

    def _evaluated(self, run: Mapping[str, str]) -> dict[str, Any]:
        """Return which model an evaluation reads, and what the method changes of the evaluation."""
        method = run["method"]
        changed = evaluation_settings(self.config, method)
        return {**run, "phi": self.phi(method), **changed}

    def base_settings(self, base: str) -> str:
        """Return the ``--settings`` of ``download_model``: all of a base that its files depend on."""
        stated = self.config.bases[base].written()
        return canonical({k: v for k, v in stated.items() if k not in NOT_OF_FILES})

    def test_settings(self) -> str:
        """Return the ``--settings`` of ``prepare_sts``: the test sets and their protocol."""
        sts = self.config.sts
        return canonical({"datasets": sts.datasets, "protocol": sts.protocol})

    def dev_settings(self) -> str:
        """Return the ``--settings`` of ``prepare_dev``: a new test set leaves them as they are."""
        sts = self.config.sts
        return canonical({"dataset": sts.dev, "protocol": sts.protocol})

    # --- settings -----------------------------------------------------------------------------

    def train_settings(self, corpus: str, base: str, method: str, seed: int) -> str:
        """Return the ``--settings`` of the training of a method, an entropy or an initial model."""
        settings = {**self._settings(base, method, self.is_faq(corpus)), "seed": seed}
        if model := entropy_model(self.config, method):
            settings |= entropy_settings(self.config, model, settings.get("options", {}))
        return canonical(settings)

    def pretrain_settings(self, base: str) -> str:
        """Return the ``--settings`` of the training of a base that is trained here."""
        return canonical(pretraining_settings(self.config, base))

    def embedded_length(self, corpus: str, base: str, method: str) -> int:
        """Return the longest input at which a model embeds a corpus: that of its own training.

        A model without a training embeds at the length of the base.
        """
        if is_untrained(self.config, method):
            return self.config.origin(base).max_length
        return self._settings(base, method, self.is_faq(corpus))["max_length"]

    def _training_of(self, method: str) -> Training:
        if method == INITIAL:
            return self.config.train_initial
        entry = self.config.methods[method]
        if isinstance(entry, Entropy):
            return self.config.train_entropy.kinds[entry.kind]
        return entry

    # --- tables -------------------------------------------------------------------------------

    def table_spec(self, name: str) -> dict[str, Any]:
        """Return what ``render_table`` needs to know of one table."""
        return tables.table_spec(self.config, name)
