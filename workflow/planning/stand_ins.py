"""In what our rows differ from the printed rows beside them: base model, data, tests, settings.

The shipped config is the reference: papers/reference.json says of each printed row what the shipped
rows beside it are made from. `make docs` writes that file anew, and a test holds it to the config,
so that a user's own config, or an altered config.yaml, marks its rows. No file of a run is read:
`download` and `download_model` hold each file to the digest that is pinned.
"""

import functools
import json
from collections.abc import Iterator, Mapping
from typing import Any

from semblance.config.model import Config
from semblance.fetch.manifest import Dataset, load_manifest
from semblance.names import NO_CORPUS, START
from semblance.provenance import ROOT, canonical, read_text, text_digest
from semblance.reporting.layouts import find_layout
from semblance.settings import parse_json
from workflow.planning.config import load
from workflow.planning.layers import laid_over
from workflow.planning.methods import evaluation_settings, is_untrained, whitening
from workflow.planning.plan import NOT_OF_FILES, Plan, Run
from workflow.planning.tables import base_label

REFERENCE = ROOT / "papers" / "reference.json"
SHIPPED = ((), ("configs/simcse-sources.yaml",))  # the second has rows that the first cannot have
UNSTATED = "the shipped config has no row beside it"
WEIGHTS = ("hub", "revision", "package", "folder", "base", "weights_sha256")  # which a base has
COMPUTED = ("gpus", "matmul", "precision", "seed", "threads")  # how, and not what, a run trains
DATA = ("tests", "dev data", "data")  # names of data sets, whose contents count, too
Facts = dict[str, Any]  # what a row is made from, as JSON


def content_digest(dataset: Dataset) -> str:
    """Return the one digest of a data set: of the checksums of its files and archives."""
    pins = {}
    for file in (*dataset.files, *dataset.archives):
        pins[file.path] = file.sha256 or file.git_blob
    return text_digest(canonical(pins))


# --- what a row is made from --------------------------------------------------------------------


def facts_of(plan: Plan, layout: str, row: Mapping[str, Any]) -> Facts:
    """Return what a row of a table is made from: its base, data, tests and settings."""
    config, method, corpus = plan.config, row["method"], row["corpus"]
    base = {k: v for k, v in config.bases[row["base"]].written().items() if k not in NOT_OF_FILES}
    facts = {"base": base_label(config, row["base"]), "method": method}
    facts["weights"] = {key: base.pop(key) for key in WEIGHTS if key in base}
    facts |= {"reading": base, "tests": _tests(config, layout)}
    if corpus != NO_CORPUS:
        stated = {**config.corpora, **plan.banks}[corpus].written()
        facts["limit"] = stated.pop("limit", None)
        stated.pop("sample_seed", None)  # no paper states its own
        facts["data"] = stated.pop("datasets", None) or [stated.get("dataset", corpus)]
        facts["corpus"] = stated
    if corpus in plan.banks:
        facts["folds"] = plan.folds
        corpus = plan.fold_corpora(corpus)[0]  # all folds have the same settings
    elif not is_untrained(config, method):
        facts["dev data"] = [config.sts.dev]
    if method != START:
        run = Run(corpus, row["base"], method, 0)
        facts["settings"] = _settings(plan, run)
        facts["regulators"] = {each.method: _settings(plan, each) for each in plan.regulators(run)}
    return facts


def _tests(config: Config, layout: str) -> list[str]:
    """Return the data sets whose tests a table shows; a FAQ bank and STS-B dev have none."""
    shape = find_layout(layout)
    if shape.tests == "transfer":
        return config.transfer.datasets
    return config.sts.datasets if shape.tasks is None else []


def _settings(plan: Plan, run: Run) -> Facts:
    if fitted_on := whitening(plan.config, run.method):
        return {"whitening": fitted_on}
    if is_untrained(plan.config, run.method):
        return evaluation_settings(plan.config, run.method)
    settings = json.loads(plan.train_settings(run.corpus, run.base, run.method, 0))
    return {key: value for key, value in settings.items() if key not in COMPUTED}


# --- the reference ------------------------------------------------------------------------------


def reference_text() -> str:
    """Return what papers/reference.json holds: what each shipped row beside a printed one is."""
    rows: dict[str, list[Facts]] = {}
    for overlays in SHIPPED:
        plan = Plan(load(laid_over([ROOT / path for path in ("config.yaml", *overlays)])))
        of_earlier = {"", *rows}
        for spec in map(plan.table_spec, plan.config.tables):
            for row in spec["rows"]:
                if (printed := row.get("published", "")) not in of_earlier:
                    facts = facts_of(plan, spec["layout"], row)
                    if facts not in rows.setdefault(printed, []):
                        rows[printed].append(facts)
    manifest = load_manifest(ROOT / plan.config.manifest)
    every = (facts for beside in rows.values() for facts in beside)
    names = {name for facts in every for key in DATA for name in facts.get(key, ())}
    contents = {name: content_digest(manifest[name]) for name in names if name in manifest}
    lines = (f"{canonical(name)}: {canonical(beside)}" for name, beside in sorted(rows.items()))
    return f'{{"contents": {canonical(contents)},\n"rows": {{\n' + ",\n".join(lines) + "\n}}\n"


@functools.cache
def reference() -> Facts:
    """Return what the papers' rows are made from, and the content of their data sets."""
    return parse_json(read_text(REFERENCE), str(REFERENCE))


# --- in what a row differs ----------------------------------------------------------------------


class StandIns:
    """Compares the rows of one config with those of the shipped one."""

    def __init__(self, plan: Plan, datasets: Mapping[str, Dataset]):
        self.plan = plan
        self.datasets = datasets

    def marked(self, spec: dict[str, Any]) -> dict[str, Any]:
        """Return a table's settings with ``stand_in`` in each row that differs from the paper's."""
        rows = []
        for row in spec["rows"]:
            differences = self.differences(spec["layout"], row)
            if differences:
                row = {**row, "stand_in": differences}
            rows.append(row)
        return {**spec, "rows": rows}

    def differences(self, layout: str, row: Mapping[str, Any]) -> list[str]:
        """Return in what a row differs from its counterpart; nothing for a row without one.

        Of several shipped rows beside one printed row, the one counts that is most like it.
        """
        if "published" not in row:
            return []
        ours = facts_of(self.plan, layout, row)
        beside = reference()["rows"].get(row["published"], [])
        lists = [list(self._differing(row["base"], ours, theirs)) for theirs in beside]
        return min(lists, key=len, default=[UNSTATED])

    def _differing(self, base: str, ours: Facts, theirs: Facts) -> Iterator[str]:
        if _have_same_weights(ours["weights"], theirs["weights"]):
            yield from differing(ours["reading"], theirs["reading"])
        else:
            yield f"base {base} instead of {theirs['base']}"
        for what in DATA:
            if what in ours and what in theirs:
                yield from self._of_datasets(what, ours[what], theirs[what])
        if "corpus" in ours and ours["data"] == theirs.get("data"):
            yield from differing(ours["corpus"], theirs["corpus"])
        if "limit" in ours and "limit" in theirs and ours["limit"] != theirs["limit"]:
            yield f"{_rows(ours['limit'])} instead of {_rows(theirs['limit'])}"
        if "folds" in ours and ours["folds"] != theirs.get("folds"):
            yield f"{ours['folds']} folds instead of {_word(theirs.get('folds'))}"
        if START in (ours["method"], theirs["method"]):
            if ours["method"] != theirs["method"]:
                yield f"method {ours['method']} instead of {theirs['method']}"
        else:
            yield from _of_settings(ours, theirs)

    def _of_datasets(self, what: str, ours: list[str], theirs: list[str]) -> Iterator[str]:
        if set(ours) != set(theirs):
            yield f"{what} {_word(ours)} instead of {_word(theirs)}"
        elif altered := [name for name in ours if not self._is_the_papers(name)]:
            yield f"other contents of {', '.join(altered)}"

    def _is_the_papers(self, name: str) -> bool:
        """Tell whether the content of a data set is that of the papers."""
        if name not in self.datasets:
            return False
        return content_digest(self.datasets[name]) == reference()["contents"].get(name)


def _have_same_weights(ours: Facts, theirs: Facts) -> bool:
    """Tell whether two bases have the same weights, by digest or by hub and commit."""
    digests = [weights.get("weights_sha256") for weights in (ours, theirs)]
    if None not in digests:
        return digests[0] == digests[1]
    if ours.get("hub") != theirs["hub"]:
        return False
    shorter, longer = sorted((ours["revision"], theirs["revision"]), key=len)
    return longer.startswith(shorter)


def _of_settings(ours: Facts, theirs: Facts) -> Iterator[str]:
    """Yield in what two trainings differ, and their regulators; what all of these share, once."""
    own = list(differing(ours["settings"], theirs["settings"]))
    yield from own
    names, their_names = (sorted(facts["regulators"]) for facts in (ours, theirs))
    if names != their_names:
        yield f"regulators {_word(names)} instead of {_word(their_names)}"
    shared = [name for name in names if name in their_names]
    parts = [differing(ours["regulators"][n], theirs["regulators"][n]) for n in shared]
    for part in dict.fromkeys(part for each in parts for part in each):
        if part not in own:
            yield f"regulators: {part}"


def differing(ours: Facts, theirs: Facts, prefix: str = "") -> Iterator[str]:
    """Yield each setting that one side has otherwise than the other."""
    for key in dict.fromkeys((*theirs, *ours)):
        value, expected = ours.get(key), theirs.get(key)
        if isinstance(value, dict) or isinstance(expected, dict):
            yield from differing(value or {}, expected or {}, f"{prefix}{key}.")
        elif value != expected:
            yield f"{prefix}{key} {_word(value)} instead of {_word(expected)}"


def _rows(limit: int | None) -> str:
    return "all rows" if limit is None else f"{limit:,} rows"


def _word(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
