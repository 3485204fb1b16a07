"""The figures of a config: their models, their settings, and the files that they are made from."""

from typing import Any

from semblance import layout
from semblance.figures import FILES, KINDS
from semblance.provenance import canonical
from workflow.planning.labels import TableRow
from workflow.planning.plan import Plan, Run


def figure_names(plan: Plan, measured: bool) -> list[str]:
    """Return the names of the figures that are measured on models, or of those that are collected."""
    return [name for name in plan.config["figures"] if is_measured(plan, name) == measured]


def is_measured(plan: Plan, name: str) -> bool:
    """Tell whether a figure is measured on its models; if not, it is collected from files."""
    return KINDS[plan.config["figures"][name]["kind"]] == "model"


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


def figure_files(plan: Plan, name: str, file: str = "") -> list[str]:
    """Return the file of each model that a collected figure reads, or another one beside it."""
    folder, read = FILES[KINDS[plan.config["figures"][name]["kind"]]]
    template = f"{folder}/{file or read}"
    return [layout.place(plan.out, template, **run._asdict()) for run in figure_runs(plan, name)]


def figure_models(plan: Plan, name: str) -> list[str]:
    """Return the record of each model of a measured figure, in the order of its settings."""
    return [plan.model_record(*run) for run in figure_runs(plan, name)]
