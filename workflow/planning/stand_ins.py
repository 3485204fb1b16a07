"""In what our rows differ from the printed rows beside them: base model, data, tests, settings.

The shipped config is the reference: papers/reference.json says of each printed row what the shipped
rows beside it are made from. `make docs` writes that file anew, and a test holds it to the config,
so that a user's own config, or an altered config.yaml, marks its rows. No file of a run is read:
`download` and `download_model` hold each file to the digest that is pinned.
"""

import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from semblance.fetch.manifest import Dataset, load_manifest
from semblance.names import NO_CORPUS, START
from semblance.provenance import ROOT, canonical, read_text, text_digest
from semblance.reporting.layouts import find_layout
from semblance.settings import parse_json
from workflow.config.methods import evaluation_settings, is_untrained, whitening
from workflow.config.model import Config
from workflow.planning.plan import NOT_OF_FILES, Plan, Run
from workflow.planning.tables import base_label

REFERENCE = ROOT / "papers" / "reference.json"
UNKNOWN = "unknown"  # the content of data that nobody may hand on
UNSTATED = "the shipped config has no row beside it"
# Left out: of a base what its weights say, of a corpus what its data say, or no paper says.
OF_WEIGHTS = {"hub", "revision", "package", "subfolder", "folder", "weights_sha256"}
OF_DATA = {"datasets", "dataset", "kind", "format", "sample_seed"}
COMPUTED = {"gpus", "matmul", "precision", "seed", "threads"}  # how, and not what, a run trains
DATASETS = ("tests", "dev data", "data")
Facts = dict[str, dict[str, Any]]  # what a row is made from: its base, data, settings, regulators


def content_digest(dataset: Dataset) -> str:
    """Return the one digest of a data set: of the checksums of its files and archives."""
    files = (*dataset.files, *dataset.archives)
    return text_digest(canonical({file.path: file.sha256 or file.git_blob for file in files}))


# --- what a row is made from --------------------------------------------------------------------


def facts_of(plan: Plan, spec: Mapping[str, Any], row: Mapping[str, Any]) -> Facts:
    """Return what a row of a table with these settings is made from."""
    corpus = row["corpus"]
    if corpus in plan.banks:
        corpus = plan.fold_corpora(corpus)[0]  # all folds have the same settings
    run = Run(corpus, row["base"], row["method"], 0)
    models = {each.method: _settings(plan, each) for each in plan.regulators(run)}
    shared = models[min(models)] if models else {}  # others differ in φ, which their names have
    return {
        "base": _base(plan.config, row["base"]),
        "data": _data(plan, spec, row),
        "settings": _settings(plan, run),
        "regulators": {"models": sorted(models), **shared} if models else {},
    }


def _base(config: Config, name: str) -> dict[str, Any]:
    stated = config.bases[name].written()
    of_hub = f"{stated.get('hub')} {stated.get('revision', '')[:7]}"
    named = {"base": base_label(config, name), "weights": stated.get("weights_sha256") or of_hub}
    return named | {k: v for k, v in stated.items() if k not in {*NOT_OF_FILES, *OF_WEIGHTS}}


def _data(plan: Plan, spec: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a row is trained and tested on; STS-B dev and a FAQ bank have no tests apart."""
    config, corpus, shape = plan.config, row["corpus"], find_layout(spec["layout"])
    data: dict[str, Any] = {}
    if shape.tests == "transfer":
        data |= {"tests": config.transfer.datasets, "test folds": config.evaluate_transfer.folds}
    elif shape.tests == "faq":
        data["test max_length"] = config.evaluate_faq.max_length
    elif shape.tasks is None:
        data |= {"tests": config.sts.datasets, "tasks": list(spec["tasks"])}
    if corpus in plan.banks:
        data["folds"] = plan.folds
    elif not is_untrained(config, row["method"]):
        data["dev data"] = [config.sts.dev]
    if corpus != NO_CORPUS:
        stated = {**config.corpora, **plan.banks}[corpus].written()
        data["data"] = stated.get("datasets") or [stated.get("dataset", corpus)]
        data |= {key: value for key, value in stated.items() if key not in OF_DATA}
    return data


def _settings(plan: Plan, run: Run) -> dict[str, Any]:
    """Return all settings of a training; of a method without one, what it does instead."""
    if run.method == START:
        return {"method": START}
    if fitted_on := whitening(plan.config, run.method):
        return {"whitening": fitted_on}
    if is_untrained(plan.config, run.method):
        return evaluation_settings(plan.config, run.method)
    settings = json.loads(plan.train_settings(run.corpus, run.base, run.method, 0))
    return {key: value for key, value in settings.items() if key not in COMPUTED}


# --- the reference ------------------------------------------------------------------------------


def reference_text(shipped: Iterable[Config]) -> str:
    """Return what papers/reference.json holds: what each row beside a printed one is.

    A row that several of the shipped configs have is described by the first of them.
    """
    rows: dict[str, list[Facts]] = {}
    for plan in map(Plan, shipped):
        of_earlier = {"", *rows}
        for spec in map(plan.table_spec, plan.config.tables):
            for row in spec["rows"]:
                if (printed := row.get("published", "")) not in of_earlier:
                    facts = facts_of(plan, spec, row)
                    if facts not in rows.setdefault(printed, []):
                        rows[printed].append(facts)
    manifest = load_manifest(ROOT / plan.config.manifest)
    data = [facts["data"] for beside in rows.values() for facts in beside]
    names = {name for of_row in data for key in DATASETS for name in of_row.get(key, ())}
    contents = {n: content_digest(manifest[n]) if n in manifest else UNKNOWN for n in names}
    lines = (f"{canonical(name)}: {canonical(beside)}" for name, beside in sorted(rows.items()))
    return f'{{"contents": {canonical(contents)},\n"rows": {{\n' + ",\n".join(lines) + "\n}}\n"


@functools.cache
def reference() -> dict[str, Any]:
    """Return what the papers' rows are made from, and the content of their data sets."""
    return parse_json(read_text(REFERENCE), str(REFERENCE))


# --- in what a row differs ----------------------------------------------------------------------


def marked(plan: Plan, datasets: Mapping[str, Dataset], spec: dict[str, Any]) -> dict[str, Any]:
    """Return a table's settings with ``stand_in`` in each row that differs from the paper's."""
    rows = []
    for row in spec["rows"]:
        if "published" in row:
            facts = facts_of(plan, spec, row)
            differences = _differences(row, facts)
            names = dict.fromkeys(n for key in DATASETS for n in facts["data"].get(key, ()))
            if altered := [name for name in names if _has_other_content(name, datasets)]:
                differences = [*differences, f"other contents of {', '.join(altered)}"]
            if differences:
                row = {**row, "stand_in": differences}
        rows.append(row)
    return {**spec, "rows": rows}


def _has_other_content(name: str, datasets: Mapping[str, Dataset]) -> bool:
    """Tell whether a data set that bears the name of one of the papers' has another content."""
    contents = reference()["contents"]
    ours = content_digest(datasets[name]) if name in datasets else None
    return name in contents and ours != contents[name]


def _differences(row: Mapping[str, Any], ours: Facts) -> list[str]:
    """Return in what a row differs from the shipped one beside the same printed row.

    Of several such rows the one counts that is most like it.
    """
    beside = reference()["rows"].get(row["published"], [])
    lists = [list(_differing(row["base"], ours, theirs)) for theirs in beside]
    return min(lists, key=len, default=[UNSTATED])


def _differing(name: str, ours: Facts, theirs: Facts) -> Iterator[str]:
    if ours["base"]["weights"] != theirs["base"]["weights"]:
        yield f"base {name} instead of {theirs['base']['base']}"
    else:
        yield from _unequal(ours["base"] | {"base": theirs["base"]["base"]}, theirs["base"])
    methods = [facts["settings"].get("method", "a training") for facts in (ours, theirs)]
    if methods[0] != methods[1]:
        yield f"method {methods[0]} instead of {methods[1]}"
    else:
        yield from _unequal(ours["data"], theirs["data"])
        yield from _unequal(ours["settings"], theirs["settings"])
        yield from _unequal(ours["regulators"], theirs["regulators"], "regulators.")


def _unequal(ours: dict[str, Any], theirs: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield each setting that one side has otherwise than the other."""
    for key in dict.fromkeys((*theirs, *ours)):
        value, expected = ours.get(key), theirs.get(key)
        if isinstance(value, dict) or isinstance(expected, dict):
            yield from _unequal(value or {}, expected or {}, f"{prefix}{key}.")
        elif value != expected:
            yield f"{prefix}{key} {_word(value)} instead of {_word(expected)}"


def _word(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
