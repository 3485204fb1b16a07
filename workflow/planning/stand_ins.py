"""In what our rows differ from the printed rows beside them: base model, data, settings.

All of it follows from the config, the manifest and workflow/published.yaml. No file of a run is
read: `download` and `download_model` hold each file to the digest that is pinned there.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from semblance.fetch.manifest import Dataset
from semblance.names import NO_CORPUS, START, TRANSFER_TASKS
from semblance.provenance import canonical, text_digest
from semblance.reporting.published import Base, Published, Source
from workflow.config import inputs
from workflow.config.inputs import (
    Bank,
    Corpus,
    DatasetBank,
    OfHub,
    OwnBank,
    Pairs,
    Transformer,
)
from workflow.planning.methods import entropy_parts, is_untrained, regulators, whitening
from workflow.planning.plan import Plan

UNSTATED = "published.yaml does not say what the paper used"
BY_MODELS = "regulators"  # stated of the entropy models that a method reads


def content_digest(dataset: Dataset) -> str:
    """Return the one digest of a data set: of the checksums of its files and archives."""
    pins = {}
    for file in (*dataset.files, *dataset.archives):
        pins[file.path] = file.sha256 or file.git_blob
    return text_digest(canonical(pins))


class StandIns:
    """Compares the rows of one config with those of the papers."""

    def __init__(self, plan: Plan, datasets: Mapping[str, Dataset], published: Published):
        self.plan = plan
        self.config = plan.config
        self.datasets = datasets
        self.published = published
        self.used = published.used

    def marked(self, spec: dict[str, Any]) -> dict[str, Any]:
        """Return a table's settings with ``stand_in`` in each row that differs from the paper's."""
        rows = []
        for row in spec["rows"]:
            differences = self.differences(row)
            if differences:
                row = {**row, "stand_in": differences}
            rows.append(row)
        return {**spec, "rows": rows}

    def differences(self, row: Mapping[str, Any]) -> list[str]:
        """Return in what a row differs from its counterpart; nothing for a row without one."""
        if "published" not in row:
            return []
        source = self.published.sources.get(row["published"])
        if source is None:
            return [UNSTATED]
        return [
            *self._of_base(row["base"], source.base),
            *self._of_data(row, source),
            *self._of_method(row, source),
        ]

    def _of_base(self, name: str, theirs: str) -> Iterator[str]:
        ours = self.config.bases[name]
        base = self.used.bases[theirs]
        if not _is_same_model(ours, base):
            yield f"base {name} instead of {theirs}"
        else:
            stated = {"pooling": base.pooling, "max_length": base.max_length}
            known = {key: value for key, value in stated.items() if value is not None}
            yield from differing(ours.written(), known)

    def _of_data(self, row: Mapping[str, Any], source: Source) -> Iterator[str]:
        if source.folds is not None and self.plan.folds != source.folds:
            yield f"{self.plan.folds} folds instead of {source.folds}"
        if source.tests:
            section = self.config.sts
            if set(source.tests) <= set(TRANSFER_TASKS):
                section = self.config.transfer
            ours = section.datasets
            yield from self._of_datasets(ours, source.tests, "tests")
        if source.dev is not None and not is_untrained(self.config, row["method"]):
            yield from self._of_datasets([self.config.sts.dev], [source.dev], "dev data")
        if row["method"] != START or not source.tests:
            yield from self._of_corpus(row["corpus"], source)

    def _of_corpus(self, name: str, source: Source) -> Iterator[str]:
        accepted = self.used.corpora[source.corpus]
        if name == NO_CORPUS:  # of a whitening that is fitted on the tests
            ours = self.config.sts.datasets
            yield from self._of_datasets(ours, accepted[0], "data")
            return
        entry = {**self.config.corpora, **self.plan.banks}[name]
        ours = _datasets_of(entry)
        same = [theirs for theirs in accepted if set(theirs) == set(ours)]
        yield from self._of_datasets(ours, (same or accepted)[0], "data")
        taken = entry.labels if isinstance(entry, Pairs) else None
        expected = self.used.labels.get(source.corpus, ())
        if taken and set(taken) != set(expected):
            theirs = ", ".join(expected) or "nothing"
            yield f"pairs labelled {', '.join(taken)} instead of {theirs}"
        limit = None if name in self.plan.banks else entry.limit
        yield from self._of_limit(limit, source.limit, ours)

    def _of_datasets(self, ours: Iterable[str], theirs: Iterable[str], what: str) -> Iterator[str]:
        if set(ours) != set(theirs):
            yield f"{what} {', '.join(ours)} instead of {', '.join(theirs)}"
        else:
            if altered := [name for name in ours if not self._is_the_papers(name)]:
                yield f"other contents of {', '.join(altered)}"

    def _is_the_papers(self, name: str) -> bool:
        """Tell whether the content of a data set is that of the papers."""
        if name not in self.datasets:
            return False
        return content_digest(self.datasets[name]) == self.used.datasets.get(name)

    def _of_limit(self, ours: int | None, theirs: int | None, names: list[str]) -> Iterator[str]:
        """Say how many rows of a corpus ours has, if the paper took another number of them."""
        if ours == theirs:
            return
        if ours is None:
            yield f"all rows instead of {theirs:,}"
        elif theirs is None:
            yield from self._of_left_out(ours, names)
        else:
            yield f"{ours:,} rows instead of {theirs:,}"

    def _of_left_out(self, limit: int, names: list[str]) -> Iterator[str]:
        """Say that a corpus leaves out rows, and of how many, where the manifest counts them."""
        counts = [self.datasets[name].expected for name in names if name in self.datasets]
        if len(counts) == 1 and len(counts[0]) == 1:
            ((unit, rows),) = counts[0].items()
            if limit < rows:
                yield f"{limit:,} of {rows:,} {unit}"
        else:
            yield f"at most {limit:,} rows"

    def _of_method(self, row: Mapping[str, Any], source: Source) -> Iterator[str]:
        method = row["method"]
        if START in (method, source.method):
            if method != source.method:
                yield f"method {method} instead of {source.method}"
            return
        corpus = row["corpus"]
        if corpus in self.plan.banks:
            corpus = self.plan.fold_corpora(corpus)[0]  # all folds have the same settings
        yield from self._of_training((corpus, row["base"]), method, source.settings)

    # --- settings -----------------------------------------------------------------------------

    # In what a paper states, None means that a setting is not there, and a list that any of its
    # values will do. A setting that it does not state may have any value. ``place``: corpus and base.

    def _of_training(
        self, place: tuple[str, str], method: str, stated: Mapping[str, Any]
    ) -> list[str]:
        """Return in what one training differs; what its entropy models share with it, once."""
        differences = list(differing(self._settings(place, method), stated))
        if BY_MODELS not in stated:
            return differences
        models = self._entropy_models(place, method)
        names = regulators(self.config, method)
        differences += [
            f"regulator {name}" for name in names if not entropy_parts(self.config, name)
        ]
        phis = sorted(model["options"]["phi"] for model in models)
        if phis != (theirs := stated[BY_MODELS]["phis"]):
            differences.append(f"regulators of φ {_listed(phis)} instead of {_listed(theirs)}")
        theirs = self.used.methods[stated[BY_MODELS]["method"]]
        parts = dict.fromkeys(part for ours in models for part in differing(ours, theirs))
        return [
            *differences,
            *(f"entropy models: {part}" for part in parts if part not in differences),
        ]

    def _entropy_models(self, place: tuple[str, str], method: str) -> list[dict[str, Any]]:
        """Return the settings of the entropy models that regulate a method."""
        names = regulators(self.config, method)
        return [self._settings(place, name) for name in names if entropy_parts(self.config, name)]

    def _settings(self, place: tuple[str, str], method: str) -> dict[str, Any]:
        fitted_on = whitening(self.config, method)
        if fitted_on is not None:
            return {"whitening": fitted_on}
        return json.loads(self.plan.train_settings(*place, method, 0))


def _is_same_model(ours: inputs.Base, theirs: Base) -> bool:
    """Tell whether a base of the config has the paper's weights, by digest or by hub and commit."""
    if not isinstance(ours, Transformer) or ours.layers:
        return False
    if ours.weights_sha256 is not None and theirs.weights_sha256 is not None:
        return ours.weights_sha256 == theirs.weights_sha256
    if theirs.hub is None or not isinstance(ours, OfHub) or ours.hub != theirs.hub:
        return False
    if theirs.revision is None:
        return True
    shorter, longer = sorted((ours.revision, theirs.revision), key=len)
    return longer.startswith(shorter)


def _datasets_of(entry: Corpus | Bank) -> list[str]:
    """Return the data sets of a corpus or a bank; of a user's own bank, its path."""
    if isinstance(entry, DatasetBank):
        return [entry.dataset]
    return [entry.path] if isinstance(entry, OwnBank) else entry.datasets


def differing(
    ours: Mapping[str, Any], stated: Mapping[str, Any], prefix: str = ""
) -> Iterator[str]:
    """Yield each setting that is stated and that ours has otherwise."""
    for key, expected in stated.items():
        value = ours.get(key)
        if isinstance(expected, dict):
            if key != BY_MODELS:
                yield from differing(value or {}, expected, f"{prefix}{key}.")
        elif value not in _accepted(expected):
            yield f"{prefix}{key} {_word(value)} instead of {_words(expected)}"


def _accepted(expected: Any) -> list[Any]:
    if isinstance(expected, list):
        return expected
    return [expected]


def _words(expected: Any) -> str:
    values = _accepted(expected)
    return " or ".join(_word(value) for value in values if value is not None or len(values) == 1)


def _word(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return str(value)


def _listed(numbers: Iterable[float]) -> str:
    return ", ".join(map(str, numbers)) or "none"
