"""Which runs exist, where their files lie, and which slice of the config each one gets.

Pure functions of the validated config: the rules ask, and nothing here touches a file.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

from semblance import layout
from semblance.layout import INITIAL, NO_CORPUS, START, STS_DEV, STS_TASKS
from semblance.provenance import canonical
from workflow.planning.methods import entropy_parts

FAQ_RECIPES = {"rcl": "rcl-faq"}  # the recipe that stands in for another on a FAQ bank's folds
NOT_OF_FILES = (
    "tokenizer",
    "million_parameters",
)  # of a base: which tokens it reads, its size for the scheduler
NOT_SETTINGS = ("recipe", "by_base", "regulators")
CHANGES_NO_RESULT = ("checkpoint_minutes", "checkpoint_steps", "jobs_per_gpu")


class Run(NamedTuple):
    """One model to evaluate: method ``start`` is the untrained base (corpus of STS: none, seed 0)."""

    corpus: str
    base: str
    method: str
    seed: int

    def path(self) -> str:
        """Return the run's place below models/ and scores/."""
        return f"{self.corpus}/{self.base}/{self.method}/seed-{self.seed}"


class Plan:
    """The questions that rules ask of one validated config."""

    def __init__(self, config: dict):
        self.config = config
        self.out: str = config["output"]
        self.downloads: str = config["resources"]
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

    def table_runs(self, table: dict) -> Iterator[Run]:
        """Yield the runs that one table names; an untrained model has one run, of seed 0."""
        for corpus, base, method in self.table_rows(table):
            seeds = [0] if method == START else self.config["seeds"][table["seeds"]]
            places = self.fold_corpora(corpus) if corpus in self.banks else [corpus]
            for place in places:
                yield from (Run(place, base, method, seed) for seed in seeds)

    @staticmethod
    def table_rows(table: dict) -> list[tuple[str, str, str]]:
        """Return the (corpus, base, method) of each row of a table, in order, once."""
        found: dict[tuple[str, str, str], None] = {}
        for row in table["rows"]:
            for corpus, base, method in product(row["corpora"], row["bases"], row["methods"]):
                without_corpus = method == START and not _is_faq(table)
                found[NO_CORPUS if without_corpus else corpus, base, method] = None
        return list(found)

    @cached_property
    def runs(self) -> list[Run]:
        """Return every run that some table names, once."""
        found: dict[Run, None] = {}
        for table in self.config["tables"].values():
            found |= dict.fromkeys(self.table_runs(table))
        return list(found)

    def seeds_by_run(self) -> dict[str, list[int]]:
        """Return the seeds of each run's score folder: {"sts/corpus/base/method": [1, 2, ...]}."""
        found: dict[str, list[int]] = {}
        for run in self.runs:
            kind = "faq" if self.is_faq(run.corpus) else "sts"
            found.setdefault(f"{kind}/{run.corpus}/{run.base}/{run.method}", []).append(run.seed)
        return found

    def is_faq(self, corpus: str) -> bool:
        """Tell whether a corpus is a fold of a FAQ bank."""
        return corpus in self.folds_of

    # --- where files lie ----------------------------------------------------------------------

    def base_record(self, base: str) -> str:
        """Return the record of a base model."""
        return layout.record(self.downloads, layout.BASE, base=base)

    def model_record(self, corpus: str, base: str, method: str, seed: int | str) -> str:
        """Return the record of a run's model; ``start`` is the base itself."""
        if method == START:
            return self.base_record(base)
        return layout.record(
            self.out, layout.MODEL, corpus=corpus, base=base, method=method, seed=seed
        )

    def scores(self, run: Run, name: str = "scores.csv") -> str:
        """Return the score file of a run, or another of the files beside it."""
        folder = layout.FAQ_SCORES if self.is_faq(run.corpus) else layout.STS_SCORES
        return layout.place(self.out, f"{folder}/{name}", **run._asdict())

    def table_predictions(self, name: str) -> list[str]:
        """Return the predictions behind a table, and the records that vouch for them."""
        found = []
        for run in dict.fromkeys(self.table_runs(self.config["tables"][name])):
            found += [self.scores(run, "predictions.parquet"), self.scores(run, layout.RECORD)]
        return found

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
        place = {"corpus": corpus, "base": base, "seed": seed}
        names = self.config["methods"][method].get("regulators", [])
        return [layout.record(self.out, layout.EMBEDDINGS, method=n, **place) for n in names]

    def entropy_start(self, corpus: str, base: str, seed: int | str) -> str:
        """Return what an entropy model starts from: the base, or on a FAQ fold the initial model."""
        method = INITIAL if self.is_faq(corpus) else START
        return self.model_record(corpus, base, method, seed)

    def phi(self, method: str) -> str:
        """Return the literal φ of an entropy model; an empty text for any other method."""
        parts = entropy_parts(self.config, method)
        return parts[1] if parts else ""

    def base_settings(self, base: str) -> str:
        """Return the ``--settings`` of ``download_model``: all of a base that its files depend on."""
        return canonical(
            {k: v for k, v in self.config["bases"][base].items() if k not in NOT_OF_FILES}
        )

    def test_settings(self) -> str:
        """Return the ``--settings`` of ``prepare_sts``: the test sets and their text version."""
        sts = self.config["sts"]
        return canonical({"datasets": sts["datasets"], "protocol": sts["protocol"]})

    def dev_settings(self) -> str:
        """Return the ``--settings`` of ``prepare_dev``: a new test set leaves them as they are."""
        sts = self.config["sts"]
        return canonical({"dataset": sts["dev"], "protocol": sts["protocol"]})

    # --- settings -----------------------------------------------------------------------------

    def _recipe(self, name: str, corpus: str, base: str) -> dict:
        name = FAQ_RECIPES.get(name, name) if self.is_faq(corpus) else name
        recipe = self.config["recipes"][name]
        merged = {**self.config["training"], **recipe, **recipe.get("by_base", {}).get(base, {})}
        return {k: v for k, v in merged.items() if k not in CHANGES_NO_RESULT}

    def _settings(self, entry: dict, corpus: str, base: str, seed: int | str, extra: dict) -> str:
        merged = {
            **self._recipe(entry["recipe"], corpus, base),
            **entry,
            **extra,
            "seed": int(seed),
        }
        return canonical({k: v for k, v in merged.items() if k not in NOT_SETTINGS})

    def train_settings(self, corpus: str, base: str, method: str, seed: int | str) -> str:
        """Return the ``--settings`` of one final training."""
        return self._settings(self.config["methods"][method], corpus, base, seed, {})

    def initial_settings(self, corpus: str, base: str, seed: int | str) -> str:
        """Return the ``--settings`` of a FAQ fold's initial model."""
        return self._settings(self.config["train_initial"], corpus, base, seed, {})

    def entropy_settings(self, corpus: str, base: str, kind: str, phi: str, seed: int | str) -> str:
        """Return the ``--settings`` of one entropy model; φ goes in as the number its text stands for."""
        section = self.config["train_entropy"]
        entry = section["kinds"][kind]
        stop = section["early_stopping"]
        extra = {
            "loss": "entropy",
            "options": {**entry.get("options", {}), "phi": float(phi)},
            "epochs": 1,
            **stop,
            "evaluate_share": None,
            "evaluate_every": None,
        }  # ASSUME: its last weights are its result
        return self._settings(entry, corpus, base, seed, extra)

    def loss_of(self, method: str) -> str:
        """Return the name of a method's loss module."""
        return self.config["methods"][method]["loss"]

    def max_length(self, corpus: str, base: str, kind: str) -> int:
        """Return the length at which a corpus is embedded for its regulators: that of the entropy model's training."""
        return self._recipe(self.config["train_entropy"]["kinds"][kind]["recipe"], corpus, base)[
            "max_length"
        ]

    # --- tables -------------------------------------------------------------------------------

    def table_spec(self, name: str) -> dict[str, Any]:
        """Return what ``render_table`` needs to know of one table."""
        table = self.config["tables"][name]
        rows = self.table_rows(table)
        faq = _is_faq(table)
        spec = {
            "name": name,
            "title": table["title"],
            "layout": table["layout"],
            "tasks": [] if faq else list(STS_TASKS),
            "protocols": self.config["evaluate_faq"]["protocols"]
            if faq
            else [self.config["sts"]["protocol"]],
            "stand_in": table.get("stand_in", False),
            "note": table.get("note", ""),
            "rows": [self._row_spec(table, rows, row) for row in rows],
        }
        if table["layout"] == "dev":
            spec["tasks"] = [STS_DEV]
        if faq:
            spec |= {"dataset": rows[0][0], "folds": self.folds}
        if table.get("reference"):
            spec["reference"] = table["reference"]  # a method: compared with on each row's own base
        return spec

    def _row_spec(
        self, table: dict, rows: list[tuple], row: tuple[str, str, str]
    ) -> dict[str, Any]:
        corpus, base, method = row
        several = [len({r[i] for r in rows if r[i] != NO_CORPUS}) > 1 for i in range(2)]
        label = " · ".join(
            [
                method,
                *([base] if several[1] else []),
                *([corpus] if several[0] and corpus != NO_CORPUS else []),
            ]
        )
        published = table.get("published", {})
        counterpart = published.get(f"{base}/{method}", published.get(method))
        seeds = [0] if method == START else self.config["seeds"][table["seeds"]]
        return {
            "label": label,
            "corpus": corpus,
            "base": base,
            "method": method,
            "seeds": seeds,
            **({"published": counterpart} if counterpart else {}),
        }


def _is_faq(table: dict) -> bool:
    return table["layout"] == "faq"
