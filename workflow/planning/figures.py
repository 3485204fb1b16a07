"""The figures of a config: their models, their settings, and the files that they are made from."""

import json
from typing import Any

from semblance import figures, layout
from semblance.figures import FILES, KINDS, TEXTS, Source
from semblance.provenance import canonical
from workflow.planning.labels import TableRow
from workflow.planning.plan import Plan, Run


def figure_names(plan: Plan, measured: bool) -> list[str]:
    """Return the names of the figures that are measured on models, or of those that are collected."""
    return [name for name in plan.config["figures"] if is_measured(plan, name) == measured]


def is_measured(plan: Plan, name: str) -> bool:
    """Tell whether a figure is measured on its models; if not, it is collected from files."""
    return figures.is_measured(plan.config["figures"][name]["kind"])


def source(plan: Plan, name: str) -> Source:
    """Return what a figure is made from."""
    return KINDS[plan.config["figures"][name]["kind"]]


def figure_runs(plan: Plan, name: str) -> list[Run]:
    """Return the models of a figure, each once; without ``rows`` all that are scored on STS."""
    figure = plan.config["figures"][name]
    if "rows" in figure:
        return list(dict.fromkeys(plan.table_runs(figure)))
    return sorted({run for tests, run in plan.evaluations if tests == "sts"})


def figure_settings(plan: Plan, name: str) -> str:
    """Return the ``--settings`` of the stage that makes a figure."""
    figure = plan.config["figures"][name]
    models: dict[TableRow, dict[str, Any]] = {}
    for corpus, base, method, seed in figure_runs(plan, name):
        row = TableRow(corpus, base, method)
        models.setdefault(row, {**row._asdict(), "seeds": []})["seeds"].append(seed)
    settings = {key: figure[key] for key in ("kind", "options")}
    return canonical({**settings, "models": list(models.values())})


def figure_files(plan: Plan, name: str) -> list[str]:
    """Return the file of each model that a collected figure reads."""
    folder, file = FILES[source(plan, name)]
    return _places(plan, name, f"{folder}/{file}")


def figure_texts(plan: Plan, name: str) -> list[str]:
    """Return the text of each model whose date tells when a collected figure must be made again."""
    folder, file = TEXTS[source(plan, name)]
    return _places(plan, name, f"{folder}/{file}")


def figure_records(plan: Plan, name: str) -> list[str]:
    """Return the record beside each of ``figure_files``."""
    folder, _ = FILES[source(plan, name)]
    return _places(plan, name, f"{folder}/{layout.RECORD}")


def _places(plan: Plan, name: str, template: str) -> list[str]:
    return [layout.place(plan.out, template, **run._asdict()) for run in figure_runs(plan, name)]


def curve_settings(plan: Plan, corpus: str, base: str, method: str, seed: int | str) -> str:
    """Return the ``--settings`` of ``train_curve``: those of the method, with a rhythm of its own."""
    settings = json.loads(plan.train_settings(corpus, base, method, seed))
    section = plan.config["train_curve"]
    own = {"max_steps": section["steps"], "evaluate_every": section["every"]}
    return canonical({**settings, **own, "evaluate_share": None})


def collection(plan: Plan, name: str) -> str | None:
    """Return the corpus that a figure searches; None of a figure that reads the STS tests."""
    if source(plan, name) == "collection":
        return plan.config["figures"][name]["collection"]
    return None


def figure_data(plan: Plan, name: str) -> dict[str, str]:
    """Return the record of the texts that a measured figure reads, and their file."""
    corpus = collection(plan, name)
    folder = layout.place(plan.out, layout.STS_TEST)
    file = "pairs.parquet"
    if corpus:
        folder = layout.place(plan.out, layout.CORPUS, corpus=corpus)
        file = "sentences.arrow"
    return {"record": f"{folder}/{layout.RECORD}", "file": f"{folder}/{file}"}


def figure_models(plan: Plan, name: str) -> list[str]:
    """Return the record of each model of a measured figure, in the order of its settings."""
    return [plan.model_record(*run) for run in figure_runs(plan, name)]
