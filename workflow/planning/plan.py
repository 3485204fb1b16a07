"""Which runs exist, where their files lie, and which slice of the config each one gets.

Pure functions of the validated config: the rules ask, and nothing here touches a file.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from semblance import layout
from semblance.names import INITIAL, RELATEDNESS_DATASETS, START
from semblance.provenance import canonical
from semblance.reporting.layouts import Tests, find_layout
from workflow.planning import pretrained, regulators, scored_pairs, table_specs, word_vectors
from workflow.planning.banks import faq_protocols
from workflow.planning.expand import settings_of
from workflow.planning.labels import rows_of
from workflow.planning.methods import (
    TARGET,
    candidates,
    entropy_parts,
    is_untrained,
    model_of,
    ranking,
    reads_no_corpus,
    whitening,
)
from workflow.planning.pretrained import is_pretrained

LONGEST = 512  # tokens of a base whose config states no limit; a model takes no more than its own
NOT_OF_FILES = ("label", "tokenizer", "million_parameters")  # of a base: its files stay the same


class Run(NamedTuple):
    """One model to evaluate: method ``start`` is the untrained base (corpus of STS: none, seed 0)."""

    corpus: str
    base: str
    method: str
    seed: int

    def path(self) -> str:
        """Return the run's place below models/ and scores/."""
        return f"{self.corpus}/{self.base}/{self.method}/seed-{self.seed}"


class Evaluation(NamedTuple):
    """A run, and the kind of tests that score it."""

    tests: Tests
    run: Run


class Plan:
    """The questions that rules ask of one validated config."""

    def __init__(self, config: dict):
        self.config = config
        self.out: str = config["output"]
        self.downloads: str = config["downloads"]
        self.banks: dict = config["faq"]["banks"]
        self.folds: int = config["faq"]["folds"]

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

    def table_runs(self, table: dict) -> Iterator[Run]:
        """Yield the runs that one table names; an untrained model has one run, of seed 0.

        The runs of a method that chooses are those of its candidates.
        """
        for corpus, base, method in rows_of(self.config, table):
            seeds = table_specs.seeds_of(self.config, table, method)
            places = self.fold_corpora(corpus) if corpus in self.banks else [corpus]
            trained = candidates(self.config, method) or [method]
            for place in places:
                yield from (Run(place, base, name, seed) for name in trained for seed in seeds)

    @cached_property
    def runs(self) -> list[Run]:
        """Return every run that some table names, once."""
        found: dict[Run, None] = {}
        for table in self.config["tables"].values():
            found |= dict.fromkeys(self.table_runs(table))
        return list(found)

    @cached_property
    def evaluations(self) -> list[Evaluation]:
        """Return every evaluation that some table needs, once."""
        found: dict[Evaluation, None] = {}
        for name in self.config["tables"]:
            found |= dict.fromkeys(self.evaluations_of(name))
        return list(found)

    def evaluations_of(self, name: str) -> list[Evaluation]:
        """Return every evaluation that the table of a name needs, once."""
        table = self.config["tables"][name]
        tests = find_layout(table["layout"]).tests
        return list(dict.fromkeys(Evaluation(tests, run) for run in self.table_runs(table)))

    def seeds_by_run(self, evaluations: Iterable[Evaluation]) -> dict[str, list[int]]:
        """Return the seeds of each run's score folder: {"sts/corpus/base/method": [1, 2, ...]}."""
        found: dict[str, list[int]] = {}
        for tests, run in evaluations:
            found.setdefault(f"{tests}/{run.corpus}/{run.base}/{run.method}", []).append(run.seed)
        return found

    def regulators(self, run: Run) -> list[Run]:
        """Return the models that regulate a run: of its seed, or of seed 0 without a training.

        A method with ``regulator_seeds`` reads each model once for each of these numbers, of the
        run's seed and the number together.
        """
        found = []
        method = self.config["methods"].get(run.method, {})  # none of the initial model
        for name in method.get("regulators", ()):
            base, other = regulators.split(name, run.base)
            seeds = [run.seed + more for more in method.get("regulator_seeds", (0,))]
            if is_untrained(self.config, other):
                seeds = [0]
            found += [Run(run.corpus, base, other, seed) for seed in seeds]
        return found

    def pacemakers(self, run: Run) -> list[Run]:
        """Return the trainings whose steps together are those of a run: of a method ``steps_of``.

        They are the run of that method and all that is trained for it, each once.
        """
        named = self.config["methods"].get(run.method, {}).get("steps_of")
        if named is None:
            return []
        own = run._replace(method=named)
        models = [r for r in self.regulators(own) if not is_untrained(self.config, r.method)]
        found = [own, *models]
        if self.is_faq(run.corpus) and any(self.phi(model.method) for model in models):
            found.append(own._replace(method=INITIAL))  # what its entropy models start from
        return list(dict.fromkeys(found))

    def is_faq(self, corpus: str) -> bool:
        """Tell whether a corpus is a fold of a FAQ bank, or a whole one."""
        return corpus in self.folds_of or corpus in self.wholes

    def bank_of(self, corpus: str) -> str:
        """Return the bank of a corpus that is a fold of it, or the whole of it."""
        if corpus in self.wholes:
            return self.wholes[corpus]
        return self.folds_of[corpus][0]

    # --- where files lie ----------------------------------------------------------------------

    def base_record(self, base: str) -> str:
        """Return the record of a base model."""
        entry = self.config["bases"][base]
        if is_pretrained(entry):
            return layout.record(self.out, layout.PRETRAINED, corpus=entry["corpus"], base=base)
        if word_vectors.is_word_vectors(entry):
            return layout.record(self.out, layout.WORD_VECTORS, base=base)
        return layout.record(self.downloads, layout.BASE, base=base)

    def model_record(self, corpus: str, base: str, method: str, seed: int | str) -> str:
        """Return the record of a run's model, which may be the base itself."""
        if reads_no_corpus(self.config, method):
            return self.base_record(base)
        used = model_of(self.config, method)
        return layout.record(
            self.out, layout.MODEL, corpus=corpus, base=base, method=used, seed=seed
        )

    def model_weights(self, corpus: str, base: str, method: str, seed: int | str) -> str:
        """Return the weights of a run's model."""
        record = self.model_record(corpus, base, method, seed)
        return f"{record.removesuffix(layout.RECORD)}{layout.WEIGHTS}"

    def scores(self, evaluation: Evaluation, name: str = "scores.csv") -> str:
        """Return the score file of an evaluation, or another of the files beside it."""
        folder = layout.SCORES_OF[evaluation.tests]
        return layout.place(self.out, f"{folder}/{name}", **evaluation.run._asdict())

    def table_files(self, table: str, name: str) -> list[str]:
        """Return a file of each run behind a table: its scores, its predictions or its record."""
        return [self.scores(evaluation, name) for evaluation in self.evaluations_of(table)]

    def tokens_record(self, corpus: str, base: str) -> str:
        """Return the tokens of a corpus for a base's tokenizer."""
        tokenizer = self.config["bases"][base]["tokenizer"]
        return layout.record(self.out, layout.TOKENS, base=tokenizer, corpus=corpus)

    def dev_data(self, corpus: str) -> str:
        """Return the record of the data that choose a run's checkpoint."""
        if self.is_faq(corpus):
            return layout.record(self.out, layout.FOLD_DEV_DATA, corpus=corpus)
        return layout.record(self.out, layout.STS_DEV_DATA)

    def bank_record(self, bank: str) -> str:
        """Return the record of a prepared FAQ bank."""
        return layout.record(self.out, layout.BANK, bank=bank)

    def regulator_records(self, corpus: str, base: str, method: str, seed: int | str) -> list[str]:
        """Return the frozen embeddings that a method's regulators read."""
        models = self.regulators(Run(corpus, base, method, int(seed)))
        return [layout.record(self.out, layout.EMBEDDINGS, **model._asdict()) for model in models]

    def pacemaker_records(self, corpus: str, base: str, method: str, seed: int | str) -> list[str]:
        """Return the records of the trainings whose steps together are those of a run."""
        return [
            self.model_record(*r) for r in self.pacemakers(Run(corpus, base, method, int(seed)))
        ]

    def entropy_start(self, corpus: str, base: str, seed: int | str) -> str:
        """Return what an entropy model starts from: the base, or on a FAQ fold the initial model."""
        method = INITIAL if self.is_faq(corpus) else START
        return self.model_record(corpus, base, method, seed)

    def phi(self, method: str) -> str:
        """Return the literal φ of an entropy model; an empty text for any other method."""
        parts = entropy_parts(self.config, method)
        return parts[1] if parts else ""

    def sts_run(self, **run: str) -> str:
        """Return the ``--run`` of ``evaluate_sts``: which model, and what whitens its vectors."""
        described: dict[str, Any] = {**run, "phi": self.phi(run["method"])}
        if whitening(self.config, run["method"]) == TARGET:
            described["whitening"] = TARGET
        return canonical(described)

    def faq_run(self, **run: str) -> str:
        """Return the ``--run`` of ``evaluate_faq``: which model, which fold, and how it ranks."""
        bank, fold = self.folds_of[run["corpus"]]
        described: dict[str, Any] = {
            **run,
            "phi": self.phi(run["method"]),
            "bank": bank,
            "fold": fold,
            "protocols": faq_protocols(self.config, bank),
        }
        if stated := ranking(self.config, run["method"]):
            described["ranking"] = stated
        return canonical(described)

    def base_settings(self, base: str) -> str:
        """Return the ``--settings`` of ``download_model``: all of a base that its files depend on."""
        return canonical(
            {k: v for k, v in self.config["bases"][base].items() if k not in NOT_OF_FILES}
        )

    def word_vector_settings(self, base: str) -> str:
        """Return the ``--settings`` of ``prepare_word_vectors``."""
        return canonical(word_vectors.settings_of(self.config["bases"][base]))

    def test_settings(self) -> str:
        """Return the ``--settings`` of ``prepare_sts``: the test sets and their protocol."""
        return canonical(scored_pairs.tests(self.config))

    def dev_settings(self) -> str:
        """Return the ``--settings`` of ``prepare_dev``: a new test set leaves them as they are."""
        return canonical(scored_pairs.dev(self.config))

    def transfer_settings(self) -> str:
        """Return the ``--settings`` of ``prepare_transfer``: the data sets of the transfer tasks."""
        return canonical({"datasets": self.config["transfer"]["datasets"]})

    def transfer_folds(self) -> dict[str, int]:
        """Return the number of folds of the transfer tasks, and the seed of their shuffling."""
        section = self.config["evaluate_transfer"]
        return {"folds": section["folds"], "shuffle": section["seed"]}

    @property
    def relatedness_datasets(self) -> list[str]:
        """Return the data sets of the STS tests that have pairs to train a regressor on."""
        return [name for name in self.config["sts"]["datasets"] if name in RELATEDNESS_DATASETS]

    def relatedness_settings(self) -> str:
        """Return the ``--settings`` of ``prepare_relatedness``: its data sets and their protocol."""
        protocol = self.config["sts"]["protocol"]
        return canonical({"datasets": self.relatedness_datasets, "protocol": protocol})

    def regressor_seed(self) -> dict[str, int]:
        """Return the seed of the regressors on STS-B and SICK."""
        return {"regressor_seed": self.config["evaluate_relatedness"]["seed"]}

    # --- settings -----------------------------------------------------------------------------

    def _settings(self, training: dict, corpus: str, base: str, seed: int | str) -> dict[str, Any]:
        settings = settings_of(self.config, training, base, self.is_faq(corpus))
        return {**settings, "gpus": self.config["resources"]["gpus"], "seed": int(seed)}

    def train_settings(self, corpus: str, base: str, method: str, seed: int | str) -> str:
        """Return the ``--settings`` of one final training, or of a whole bank's initial model."""
        return canonical(self._settings(self._training_of(method), corpus, base, seed))

    def initial_settings(self, corpus: str, base: str, seed: int | str) -> str:
        """Return the ``--settings`` of a FAQ fold's initial model."""
        return self.train_settings(corpus, base, INITIAL, seed)

    def pretrain_settings(self, base: str) -> str:
        """Return the ``--settings`` of the training of a base that is trained here."""
        gpus = self.config["resources"]["gpus"]
        return canonical({**pretrained.settings_of(self.config, base), "gpus": gpus})

    def entropy_settings(self, corpus: str, base: str, kind: str, phi: str, seed: int | str) -> str:
        """Return the ``--settings`` of one entropy model; φ goes in as a number."""
        section = self.config["train_entropy"]
        settings = self._settings(section["kinds"][kind], corpus, base, seed)
        own = {
            "options": {**settings.get("options", {}), "phi": float(phi)},
            "epochs": 1,
            "warmup": section["warmup"],
            **section["early_stopping"],
            "evaluate_share": None,  # ASSUME: its last weights are its result
            "evaluate_every": None,
        }
        return canonical({**settings, **own})

    def embedded_length(self, corpus: str, base: str, method: str) -> int:
        """Return the longest input at which a model embeds a corpus: that of its own training.

        A model without a training embeds at the length of the base.
        """
        if is_untrained(self.config, method):
            return self.config["bases"][base].get("max_length", LONGEST)
        training = self._training_of(method)
        return settings_of(self.config, training, base, self.is_faq(corpus))["max_length"]

    def _training_of(self, method: str) -> dict:
        parts = entropy_parts(self.config, method)
        if parts:
            return self.config["train_entropy"]["kinds"][parts[0]]
        if method == INITIAL:
            return self.config["train_initial"]
        return self.config["methods"][method]

    # --- tables -------------------------------------------------------------------------------

    def table_spec(self, name: str) -> dict[str, Any]:
        """Return what ``render_table`` needs to know of one table."""
        return table_specs.table_spec(self.config, name)
