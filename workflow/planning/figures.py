"""The figures of a config: their models or tables, their settings, and the files behind them."""

import json
from collections import Counter
from typing import Any

from semblance import figures, layout
from semblance.figures import FILES, TEXTS
from semblance.named_modules import FIGURES, module_file
from semblance.provenance import canonical
from workflow.config.methods import NO_EVALUATIONS, entropy_model, trained
from workflow.config.outputs import FigureOfModels, FigureOfTables
from workflow.config.signatures import read_signature
from workflow.planning.plan import Plan, Run
from workflow.planning.tables import TableRow, labels_of

PER_MODEL = 2  # regulators: RCL counts the embeddings of the query and of the positive (Table 4)


def figure_names(plan: Plan, measured: bool) -> list[str]:
    """Return the names of the figures that are measured on models, or of those that are collected."""
    kinds = {name: figure.kind for name, figure in plan.config.figures.items()}
    return [name for name, kind in kinds.items() if figures.is_measured(kind) == measured]


def drawn_figures(plan: Plan) -> list[str]:
    entries = plan.config.figures.items()
    files = {name: module_file(FIGURES, figure.kind, "kind") for name, figure in entries}
    return [name for name, file in files.items() if read_signature(file, "draw")]


def figure_runs(plan: Plan, name: str) -> list[Run]:
    """Return the models of a figure, each once; without ``rows`` all that are scored on STS.

    A figure of tables has none.
    """
    figure = plan.config.figures[name]
    if isinstance(figure, FigureOfTables):
        return []
    if isinstance(figure, FigureOfModels):
        return list(dict.fromkeys(plan.table_runs(figure)))
    return sorted({run for tests, run in plan.evaluations if tests == "sts"})


def figure_tables(plan: Plan, name: str) -> list[str]:
    """Return the tables that a figure of tables shows; without ``tables`` all of them."""
    figure = plan.config.figures[name]
    if not isinstance(figure, FigureOfTables):
        return []
    return figure.tables or list(plan.config.tables)


def figure_settings(plan: Plan, name: str) -> str:
    """Return the ``--settings`` of the stage that makes the data of a figure."""
    figure = plan.config.figures[name]
    settings = {"kind": figure.kind, "options": figure.options}
    if tables := figure_tables(plan, name):
        return canonical({**settings, "tables": tables})
    models: dict[TableRow, dict[str, Any]] = {}
    for run in figure_runs(plan, name):
        row = TableRow(*run[:3])
        models.setdefault(row, {**row._asdict(), **_values(plan, figure.kind, run), "seeds": []})
        models[row]["seeds"].append(run.seed)
    return canonical({**settings, "models": list(models.values())})


def _values(plan: Plan, kind: str, run: Run) -> dict[str, Any]:
    """Return the columns of a figure that the settings of a method give."""
    if kind == "by_regulators":
        number = None  # of a model without a training
        if trained(plan.config, run.method):
            number = PER_MODEL * len(plan.regulators(run))
        return {"values": {"regulators": number}}
    if kind == "by_phi":
        model = entropy_model(plan.config, run.method)
        form, phi = (model.kind, model.printed_phi) if model else (None, None)
        return {"values": {"form": form, "phi": phi}}
    return {}


def drawing_settings(plan: Plan, name: str) -> str:
    """Return the ``--settings`` of ``draw_figure``: the kind, and what each of the models is called.

    A label that several rows have is followed by the name of the method.
    """
    rows = [TableRow(*run[:3]) for run in figure_runs(plan, name)]
    labels = labels_of(plan.config, {}, rows)
    counts = Counter(labels.values())
    named = []
    for row, label in labels.items():
        if counts[label] > 1:
            label = f"{label} · {row.method}"
        named.append({**row._asdict(), "label": label})
    return canonical({"kind": plan.config.figures[name].kind, "models": named})


def figure_files(plan: Plan, name: str, texts: bool = False) -> list[str]:
    """Return the file of each model, or of each table, that a collected figure reads.

    ``texts``: those beside them whose date tells when the figure must be made again.
    """
    source = plan.config.figures[name].source
    if source == "tables":
        tables = figure_tables(plan, name)
        return [layout.place(plan.out, layout.TABLE_JSON, table=table) for table in tables]
    template = "/".join((TEXTS if texts else FILES)[source])
    return [layout.place(plan.out, template, **run._asdict()) for run in figure_runs(plan, name)]


def curve_settings(plan: Plan, run: Run) -> str:
    """Return the ``--settings`` of ``train_curve``: those of the method, with a rhythm of its own."""
    section = plan.config.train_curve
    own = {"max_steps": section.steps, "evaluate_every": section.every}
    return canonical(json.loads(plan.train_settings(*run)) | NO_EVALUATIONS | own)


def figure_data(plan: Plan, name: str) -> str:
    """Return the file of the texts that a measured figure reads."""
    if corpus := getattr(plan.config.figures[name], "collection", None):
        return f"{layout.place(plan.out, layout.CORPUS, corpus=corpus)}/sentences.arrow"
    return f"{layout.place(plan.out, layout.STS_TEST)}/pairs.parquet"
