"""In what our rows differ from the printed rows beside them: base model, data, settings.

All of it follows from the config, the manifest and workflow/published.yaml. No file of a run is
read: `download` and `download_model` hold each file to the digest that is pinned there.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from semblance.fetch.manifest import Dataset
from semblance.names import NO_CORPUS, START, TRANSFER_TASKS
from semblance.provenance import canonical, text_digest
from semblance.reporting.overlap import COLUMN as OVERLAP
from semblance.reporting.published import Published
from semblance.reporting.sources import Base, Source
from workflow.planning.corpora import pair_corpora
from workflow.planning.methods import candidates, is_untrained
from workflow.planning.plan import Plan
from workflow.planning.scored_pairs import of_manifest
from workflow.planning.stated import Place, Stated, differing

UNSTATED = "published.yaml does not say what the paper used"


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
        self.stated = Stated(plan, published.used.methods)

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

    def overlap_rows(self) -> dict[str, str]:
        """Return the printed row of the lexical overlap of each corpus of pairs that has one."""
        found = {}
        for name, source in self.published.sources.items():
            if OVERLAP not in self.published.row(name):
                continue
            for corpus in pair_corpora(self.plan):
                if not list(self._of_corpus(corpus, source)):
                    found[corpus] = name
        return found

    def _of_base(self, name: str, theirs: str) -> Iterator[str]:
        ours = self.config["bases"][name]
        base = self.used.bases[theirs]
        if not _is_same_model(ours, base):
            yield f"base {name} instead of {theirs}"
        else:
            stated = {"pooling": base.pooling, "max_length": base.max_length}
            yield from differing(ours, {k: v for k, v in stated.items() if v is not None})

    def _of_data(self, row: Mapping[str, Any], source: Source) -> Iterator[str]:
        if source.folds is not None and self.plan.folds != source.folds:
            yield f"{self.plan.folds} folds instead of {source.folds}"
        if source.tests:
            section = "sts"
            if set(source.tests) <= set(TRANSFER_TASKS):
                section = "transfer"
            ours = of_manifest(self.config, self.config[section]["datasets"])
            yield from self._of_datasets(ours, source.tests, "tests")
        if source.dev is not None and not is_untrained(self.config, row["method"]):
            yield from self._of_datasets([self.config["sts"]["dev"]], [source.dev], "dev data")
        if row["method"] != START or not source.tests:
            yield from self._of_corpus(row["corpus"], source)

    def _of_corpus(self, name: str, source: Source) -> Iterator[str]:
        accepted = self.used.corpora[source.corpus]
        if name == NO_CORPUS:  # of a whitening that is fitted on the tests
            ours = of_manifest(self.config, self.config["sts"]["datasets"])
            yield from self._of_datasets(ours, accepted[0], "data")
            return
        entry = {**self.config["corpora"], **self.plan.banks}[name]
        ours = _datasets_of(entry)
        same = [theirs for theirs in accepted if set(theirs) == set(ours)]
        yield from self._of_datasets(ours, (same or accepted)[0], "data")
        taken = entry.get("labels", ())
        expected = self.used.labels.get(source.corpus, ())
        if taken and set(taken) != set(expected):
            theirs = ", ".join(expected) or "nothing"
            yield f"pairs labelled {', '.join(taken)} instead of {theirs}"
        yield from self._of_limit(entry.get("limit"), source.limit, ours)

    def _of_datasets(self, ours: Iterable[str], theirs: Iterable[str], what: str) -> Iterator[str]:
        if set(ours) != set(theirs):
            yield f"{what} {', '.join(ours)} instead of {', '.join(theirs)}"
        else:
            altered = [name for name in ours if not self._has_its_content(name)]
            if altered:
                yield f"other contents of {', '.join(altered)}"

    def _has_its_content(self, name: str) -> bool:
        found = self.datasets.get(name)
        return found is not None and content_digest(found) == self.used.datasets.get(name)

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
        place = Place(self._corpus_of_training(row["corpus"]), row["base"])
        chosen_from = candidates(self.config, method)
        if not chosen_from:
            yield from self.stated.of_training(place, method, source.settings)
        elif source.grid:
            yield from self.stated.of_choice(place, chosen_from, source.grid)
        else:
            yield f"chosen on dev instead of {source.method}"

    def _corpus_of_training(self, corpus: str) -> str:
        """Return a corpus itself, or the first fold of a bank: all folds have the same settings."""
        if corpus in self.plan.banks:
            return self.plan.fold_corpora(corpus)[0]
        return corpus


def _is_same_model(ours: Mapping[str, Any], theirs: Base) -> bool:
    """Tell whether a base of the config has the paper's weights, by digest or by hub and commit."""
    if "layers" in ours:
        return False
    digest = ours.get("weights_sha256")
    if digest is not None and theirs.weights_sha256 is not None:
        return digest == theirs.weights_sha256
    if theirs.hub is None or ours.get("hub") != theirs.hub:
        return False
    if theirs.revision is None:
        return True
    shorter, longer = sorted((ours["revision"], theirs.revision), key=len)
    return longer.startswith(shorter)


def _datasets_of(entry: Mapping[str, Any]) -> list[str]:
    """Return the data sets of a corpus or a bank; of one of the user's own, its path."""
    if entry.get("datasets"):
        return list(entry["datasets"])
    return [entry.get("dataset", entry.get("path"))]
